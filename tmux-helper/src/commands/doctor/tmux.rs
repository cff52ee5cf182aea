//! tmux, its server, and the agents in it.

use super::report::Report;
use super::{borders, daemon, finding, terminals};
use crate::config::Tracking;
use crate::output::clean;
use crate::scan::Scanner;
use crate::tmux::{Batch, Server, Support, TmuxError, Version};
use crate::verdict::Verdicts;
use crate::{Context, Error, child, glance, time};
use std::collections::BTreeMap;
use std::io;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use tmux_interface::ShowOptions;

/// How long tmux may take to tell its version.
const LIMIT: Duration = Duration::from_secs(5);

/// `other` says whether there is another multiplexer: then no tmux is nothing wrong.
pub(super) fn check(report: &mut Report, server: &Server, other: bool, ctx: &Context) {
    if !program(report, other) {
        return;
    }
    let rules = ctx.rules().map(|(rules, _)| Arc::new(rules));
    let mut scanner = match rules.and_then(|rules| glance::look(server, rules, ctx)) {
        Ok((scanner, _)) => scanner,
        Err(error) => {
            not_reached(report, server, &error);
            return;
        }
    };
    let panes = scanner.panes().count();
    report.ok("server", format!("{} answers, with {panes} panes", clean(&server.name())));
    let runs = daemon::check(report, server, ctx);
    if let Ok(config) = ctx.config() {
        borders::check(report, server, &scanner, &config, runs);
        terminals::check(report, server, &scanner, config.looks.glyphs);
        segment(report, server);
        records(report, &mut scanner, config.tracking, ctx);
    }
}

/// Whether there is a tmux that can be used.
fn program(report: &mut Report, other: bool) -> bool {
    let mut ask = Command::new("tmux");
    ask.arg("-V");
    let said = child::run(ask, b"", LIMIT);
    let text = match &said {
        Ok(output) => String::from_utf8_lossy(&output.stdout).trim().to_owned(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let (what, remedy) = finding(&TmuxError::NotInstalled.into());
            if other {
                report.note("tmux", what, remedy);
            } else {
                report.wrong("tmux", what, remedy);
            }
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

/// Agents of which only the screen is known, though their records could be read.
fn records(report: &mut Report, scanner: &mut Scanner, tracking: Tracking, ctx: &Context) {
    let Ok((rules, _)) = ctx.rules() else { return };
    let readable = |agent: &str| rules.agents().iter().any(|a| a.id == agent && a.log_rules > 0);
    let mut verdicts = Verdicts::new(Arc::new(rules.clone()), tracking);
    verdicts.judge(scanner, &|_, _| None, time::now());
    let mut tied = 0;
    let mut without: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for seen in scanner.panes() {
        let Some(tracked) = verdicts.tracked(seen.pane.id) else { continue };
        let agent = &tracked.detection.agent;
        if !agent.is_agent() || !readable(agent.as_str()) {
            continue;
        }
        if seen.observation.log.is_some() || seen.observation.registry.is_some() {
            tied += 1;
        } else {
            without.entry(clean(agent.as_str())).or_default().push(seen.pane.id.to_string());
        }
    }
    if tied > 0 {
        report.ok("records", format!("the records of {tied} agents are read"));
    }
    for (agent, panes) in without {
        report.note(
            "records",
            format!(
                "{agent} ({}): no session log is tied to it, so completed and failed are not told",
                panes.join(", ")
            ),
            "Before its first turn that is as it should be. Else see what was found, and whether\n\
             its folder is elsewhere or cannot be read: madohub explain PANE",
        );
    }
}
