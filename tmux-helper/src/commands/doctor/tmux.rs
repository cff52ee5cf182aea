//! tmux, its server, the daemon, and what others did to the borders.

use super::finding;
use super::report::Report;
use crate::client::Client;
use crate::config::{Config, Depth};
use crate::output::{clean, since};
use crate::scan::Scanner;
use crate::tmux::{Batch, Leftovers, Server, Support, Taken, TmuxError, Version};
use crate::{Context, Error, child, glance, time};
use std::io;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use tmux_interface::ShowOptions;

/// How long tmux may take to tell its version.
const LIMIT: Duration = Duration::from_secs(5);

pub(super) fn check(report: &mut Report, server: &Server, ctx: &Context) {
    if !program(report) {
        return;
    }
    let rules = ctx.rules().map(|(rules, _)| Arc::new(rules));
    let scanner = match rules.and_then(|rules| glance::look(server, rules, ctx)) {
        Ok((scanner, _)) => scanner,
        Err(error) => {
            not_reached(report, server, &error);
            return;
        }
    };
    let panes = scanner.panes().count();
    report.ok("server", format!("{} answers, with {panes} panes", clean(&server.name())));
    let runs = daemon(report, server, ctx);
    if let Ok(config) = ctx.config() {
        borders(report, server, &config, runs);
        colours(report, &scanner);
        segment(report, server);
    }
}

/// Whether there is a tmux that can be used.
fn program(report: &mut Report) -> bool {
    let mut ask = Command::new("tmux");
    ask.arg("-V");
    let said = child::run(ask, b"", LIMIT);
    let text = match &said {
        Ok(output) => String::from_utf8_lossy(&output.stdout).trim().to_owned(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let (what, remedy) = finding(&TmuxError::NotInstalled.into());
            report.wrong("tmux", what, remedy);
            return false;
        }
        Err(error) => {
            report.wrong("tmux", format!("tmux cannot be run: {error}"), "Install it again.");
            return false;
        }
    };
    let version = text.strip_prefix("tmux ").and_then(|version| version.parse::<Version>().ok());
    match version.map(|version| (version, version.support())) {
        Some((_, Support::Full)) => {
            report.ok("tmux", format!("{}: everything works with it", clean(&text)));
        }
        Some((_, Support::LabelOnly)) => report.note(
            "tmux",
            format!("{}: only labels can have colours, not whole borders", clean(&text)),
            "tmux 3.2 or newer colours the whole border.",
        ),
        Some((_, Support::TooOld)) => {
            report.wrong(
                "tmux",
                format!("{} is too old", clean(&text)),
                "Install tmux 3.2 or newer (3.0 at least).",
            );
            return false;
        }
        None => report.note(
            "tmux",
            format!("its version is not known: {}", clean(&text)),
            "tmux 3.2 or newer is needed for everything.",
        ),
    }
    true
}

fn not_reached(report: &mut Report, server: &Server, error: &Error) {
    let (what, remedy) = finding(error);
    if server.listens() {
        report.wrong("server", what, remedy);
    } else {
        report.note("server", what, remedy);
    }
}

/// Whether a daemon runs.
fn daemon(report: &mut Report, server: &Server, ctx: &Context) -> bool {
    let hello = match Client::of(server, ctx.paths()).hello() {
        Ok(hello) => hello,
        Err(error) => {
            let (what, remedy) = finding(&error);
            report.wrong("daemon", what, remedy);
            return false;
        }
    };
    let Some(hello) = hello else {
        report.note("daemon", "none watches this server", "Start it: madohub tmux start");
        return false;
    };
    let age = since(time::now() - hello.started);
    if let Some(trouble) = &hello.trouble {
        report.wrong("daemon", clean(trouble), "Try: madohub tmux restart");
    } else if hello.version != env!("CARGO_PKG_VERSION") {
        let versions =
            format!("{} runs, this is {}", clean(&hello.version), env!("CARGO_PKG_VERSION"));
        report.note(
            "daemon",
            format!("version {versions}"),
            "To use this one: madohub tmux restart",
        );
    } else {
        let (pid, agents) = (hello.pid, hello.agents);
        report.ok("daemon", format!("process {pid} watches for {age}, {agents} agents"));
    }
    true
}

/// What is on the borders and is not ours, or was left there by a daemon that was killed.
fn borders(report: &mut Report, server: &Server, config: &Config, runs: bool) {
    let left = match Leftovers::read(server) {
        Ok(left) => left,
        Err(error) => {
            let (what, remedy) = finding(&error.into());
            report.wrong("borders", what, remedy);
            return;
        }
    };
    if !runs {
        if left.panes.is_empty() && left.windows.is_empty() {
            return;
        }
        report.wrong(
            "borders",
            "a daemon was killed before it could put tmux's options back",
            "Put them back: madohub tmux restore",
        );
        return;
    }
    if !config.border.enabled {
        report.ok("borders", "are left alone, as the settings say");
        return;
    }
    let mut lost = false;
    for window in &left.windows {
        for option in Taken::ALL {
            if option.is_in(&window.saved) && !window.ours.has(option) {
                lost = true;
                let (name, id) = (option.option(), window.id);
                report.note(
                    "borders",
                    format!("something else set {name} of window {id} after the daemon did"),
                    format!(
                        "Look for a theme or a hook that sets it per window; to let it go:\n\
                         tmux set-option -wu -t {id} {name}; madohub tmux restart"
                    ),
                );
            }
        }
    }
    if !lost {
        report.ok("borders", "nothing else sets them");
    }
}

fn colours(report: &mut Report, scanner: &Scanner) {
    let clients = scanner.clients();
    if clients.is_empty() {
        return;
    }
    let least = scanner.panes().map(|seen| clients.depth(&seen.pane)).min();
    if least == Some(Depth::Eight) {
        report.note(
            "colours",
            "a terminal shows 8 colours: failed and stopped differ by weight and glyph alone",
            "Where it shows more, say so before tmux is attached: export TERM=xterm-256color",
        );
    }
}

/// Whether any status line shows the segment.
fn segment(report: &mut Report, server: &Server) {
    let mut batch = Batch::new();
    let slots = ["status-left", "status-right", "status-format"]
        .map(|name| batch.ask(ShowOptions::new().global().option(name).build()));
    let Ok(replies) = server.run(&batch) else { return };
    let shown = slots.iter().filter_map(|slot| replies.get(*slot)).any(|v| v.contains("madohub"));
    if shown {
        report.ok("segment", "the status line shows it");
    } else {
        report.note(
            "segment",
            "no status line of this server shows it",
            "In ~/.tmux.conf: set -ga status-right ' #{@madohub_status}'",
        );
    }
}
