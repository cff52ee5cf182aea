//! zellij, the plugin in it, and what it may do.

use super::finding;
use super::report::Report;
use crate::Context;
use crate::output::clean;
use crate::zellij::{Places, Session, State, Version};

/// Says nothing where zellij is neither installed nor set up.
pub(super) fn check(report: &mut Report, version: Option<Version>, ctx: &Context) {
    let places = Places::from_env(ctx.paths());
    let state = match State::read(&places) {
        Ok(state) => state,
        Err(error) => {
            let (what, remedy) = finding(&error);
            report.wrong("zellij", what, remedy);
            return;
        }
    };
    let oldest = Version::OLDEST;
    match version {
        None if state.plugin && state.loaded => {
            report.wrong(
                "zellij",
                "the plugin is in place, but no zellij is in the PATH",
                format!("Install zellij {oldest} or newer, or: madohub zellij uninstall"),
            );
            return;
        }
        None => return,
        Some(version) if version < oldest => {
            report.wrong(
                "zellij",
                format!("zellij {version} is too old for the plugin"),
                format!("Install zellij {oldest} or newer: cargo install --locked zellij"),
            );
            return;
        }
        Some(version) => report.ok("zellij", format!("zellij {version}: the plugin works with it")),
    }
    if plugin(report, &state) {
        sessions(report);
    }
}

/// Whether a new session has the plugin.
fn plugin(report: &mut Report, state: &State) -> bool {
    match (state.plugin, state.loaded) {
        (false, false) => {
            report.note(
                "plugin",
                "zellij has no plugin of ours",
                "To put it in place: madohub zellij install",
            );
            return false;
        }
        (true, true) => report.ok("plugin", "zellij loads it at the start of a session"),
        (false, true) => {
            report.wrong(
                "plugin",
                "zellij's configuration names a plugin that is not there",
                "Put it back: ./install.sh, then madohub zellij install",
            );
            return false;
        }
        (true, false) => {
            report.note(
                "plugin",
                "it is there, but zellij's configuration does not load it",
                "Add it: madohub zellij install",
            );
            return false;
        }
    }
    if state.granted {
        report.ok("permissions", "zellij gives the plugin what it asks for");
    } else {
        report.wrong(
            "permissions",
            "zellij has not been told that the plugin may read panes and colour frames",
            "Attach to a session and answer `y` in the window that asks, or without being asked:\n\
             madohub zellij install --grant",
        );
    }
    true
}

/// Whether the plugin answers in the sessions that run.
fn sessions(report: &mut Report) {
    for session in Session::all() {
        let name = clean(session.name());
        match session.list() {
            Ok(panes) => report.ok("session", format!("{name}: {} agents", panes.len())),
            Err(error) => {
                let (what, remedy) = finding(&error);
                report.note("session", what, remedy);
            }
        }
    }
}
