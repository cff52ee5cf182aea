//! `madohub doctor`: what works here, what does not, and what to do about it.

mod borders;
mod daemon;
mod fleet;
mod here;
mod report;
mod terminals;
mod tmux;
mod zellij;

use crate::cli::DoctorArgs;
use crate::output::{Terminal, clean};
use crate::tmux::Server;
use crate::{Context, Error, Exit};
use report::Report;
use std::io::{self, Write as _};

/// Runs the command.
pub(super) fn run(args: &DoctorArgs, ctx: &Context) -> Result<Exit, Error> {
    let mut report = Report::default();
    here::check(&mut report, ctx);
    let zellij = crate::zellij::Version::here();
    tmux::check(&mut report, &Server::resolve(&args.server), zellij.is_some(), ctx);
    zellij::check(&mut report, zellij, ctx);
    fleet::check(&mut report, ctx);
    let mut out = io::stdout().lock();
    if args.json {
        let text = serde_json::to_string_pretty(&report).map_err(io::Error::from)?;
        writeln!(out, "{text}")?;
    } else {
        out.write_all(report.text(Terminal::of_stdout()).as_bytes())?;
    }
    Ok(if report.is_well() { Exit::Ok } else { Exit::No })
}

/// What an error says, for a finding.
fn finding(error: &Error) -> (String, String) {
    let what = error.message().lines().map(clean).collect::<Vec<_>>().join("\n");
    (what, error.hint().unwrap_or_default().to_owned())
}
