//! The daemon of a server: whether it runs, and whether it is the one that it should be.

use super::finding;
use super::report::Report;
use crate::client::Client;
use crate::output::{clean, since};
use crate::protocol::Hello;
use crate::tmux::Server;
use crate::{Context, config, time};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// It looks at least every minute, whatever the settings say of its pace.
const SILENT: f64 = 90.0;

/// Whether a daemon runs.
pub(super) fn check(report: &mut Report, server: &Server, ctx: &Context) -> bool {
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
    let now = time::now();
    if let Some(trouble) = &hello.trouble {
        report.wrong("daemon", clean(trouble), "Try: madohub tmux restart");
    } else if now - hello.looked > SILENT {
        let silent = since(now - hello.looked);
        report.wrong(
            "daemon",
            format!("process {} has not looked at tmux for {silent}", hello.pid),
            "Start it anew: madohub tmux restart",
        );
    } else if let Some(why) = stale(&hello, ctx) {
        report.note("daemon", why, "To use what is there now: madohub tmux restart");
    } else {
        let (pid, age, agents) = (hello.pid, since(now - hello.started), hello.agents);
        report.ok("daemon", format!("process {pid} watches for {age}, {agents} agents"));
    }
    true
}

/// By what the daemon is older than what is installed or set.
fn stale(hello: &Hello, ctx: &Context) -> Option<String> {
    if hello.version != env!("CARGO_PKG_VERSION") {
        let (runs, this) = (clean(&hello.version), env!("CARGO_PKG_VERSION"));
        return Some(format!("version {runs} runs, this is {this}"));
    }
    // Linux says so in the link itself.
    let program = fs::read_link(format!("/proc/{}/exe", hello.pid)).unwrap_or_default();
    if program.to_string_lossy().ends_with(" (deleted)") {
        return Some("it runs a program that was replaced since".to_owned());
    }
    let settings = ctx.paths().config_file();
    let rules = config::rule_files(&ctx.paths().agents_dir()).0;
    let rules = rules.iter().map(|file| ctx.paths().agents_dir().join(&file.name));
    let files: Vec<PathBuf> = std::iter::once(settings).chain(rules).collect();
    let newer = files.iter().find(|file| written(file) > hello.started)?;
    Some(format!("{} was changed after it started", clean(&newer.display().to_string())))
}

/// When a file was written last, seconds since the epoch; 0 where there is none.
fn written(file: &Path) -> f64 {
    let modified = fs::metadata(file).and_then(|data| data.modified()).ok();
    let since = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    since.map_or(0.0, |age| age.as_secs_f64())
}
