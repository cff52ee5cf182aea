//! Several machines: whether what the settings name for it is there, and the broker as well.

use super::finding;
use super::report::Report;
use crate::config::Fleet;
use crate::fleet::snapshot::Snapshot;
use crate::fleet::wire::Dial;
use crate::fleet::{self, Secret, probe::probe};
use crate::output::clean;
use crate::{Context, Error, time};
use std::net::IpAddr;
use std::time::Duration;

/// How long the broker may take.
const LIMIT: Duration = Duration::from_secs(3);

/// Says nothing where no broker is named; of settings that cannot be read it was said before.
pub(super) fn check(report: &mut Report, ctx: &Context) {
    let Some(settings) = ctx.config().ok().and_then(|config| config.fleet) else { return };
    if parts(report, &settings) {
        match probe(&settings, LIMIT) {
            Ok(()) => report.ok("broker", format!("{} takes us in", named(&settings))),
            Err(error) => wrong(report, "broker", &error),
        }
    }
    publisher(report, &settings, ctx);
}

/// What must be right before anything is connected.
fn parts(report: &mut Report, settings: &Fleet) -> bool {
    let password = settings.password_file.as_deref().map(Secret::read);
    let host = fleet::host_name(settings);
    let dial = Dial::new(settings);
    let problems = [password.and_then(Result::err), host.as_ref().err().cloned(), dial.err()];
    let mut is_right = true;
    for error in problems.iter().flatten() {
        wrong(report, "fleet", error);
        is_right = false;
    }
    if settings.password_file.is_some() && !settings.tls && !is_here(&settings.broker) {
        report.note(
            "fleet",
            format!("the password goes to {} without encryption", named(settings)),
            "Leave fleet.tls out, or set it to true; the broker needs a certificate for that.",
        );
    } else if let (Ok(host), true) = (host, is_right) {
        report.ok("fleet", format!("the settings can be used; this machine is {}", clean(&host)));
    }
    is_right
}

/// Whether somebody tells of this machine.
fn publisher(report: &mut Report, settings: &Fleet, ctx: &Context) {
    match Snapshot::read(ctx.paths(), time::now()) {
        // A machine that only looks.
        None if !settings.publish.states => {}
        None => report.note(
            "publisher",
            "none runs: other machines see no agents of this one",
            "Start it, best as a service of yours: madohub fleet publish",
        ),
        Some(Snapshot { trouble: Some(trouble), .. }) => {
            let remedy = "What it means, and what to do: docs/fleet.md, under Trouble.";
            report.wrong("publisher", clean(&trouble), remedy);
        }
        Some(Snapshot { pid, panes, .. }) => {
            report.ok("publisher", format!("process {pid} tells of {panes} agents"));
        }
    }
}

fn wrong(report: &mut Report, check: &'static str, error: &Error) {
    let (what, remedy) = finding(error);
    report.wrong(check, what, remedy);
}

fn named(settings: &Fleet) -> String {
    format!("{}:{}", clean(&settings.broker), settings.port)
}

/// Whether the broker is on this machine.
fn is_here(broker: &str) -> bool {
    broker == "localhost" || broker.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}
