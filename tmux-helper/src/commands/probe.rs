//! `madohub probe`: what the zellij plugin cannot see for itself.

use crate::cli::ProbeArgs;
use crate::processes::source;
use crate::registry::RegistryReader;
use crate::zellij::{Places, ThemeOptions, theme_options};
use crate::{Context, Error, Exit};
use madohub_detect::{Process, Registry};
use serde::Serialize;
use std::io::{self, Write as _};

/// Most panes that are answered in one call.
const PANES: usize = 512;

/// The answer. Its form is a contract with the plugin, which may be older or newer: fields are
/// only ever added.
#[derive(Debug, Serialize)]
struct Answer {
    v: u32,
    panes: Vec<Pane>,
    #[serde(skip_serializing_if = "Option::is_none")]
    zellij: Option<ThemeOptions>,
}

/// One pane, by the process that it was opened with.
#[derive(Debug, Serialize)]
struct Pane {
    pid: i64,
    processes: Vec<Process>,
    #[serde(skip_serializing_if = "Option::is_none")]
    registry: Option<Registry>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cwd: Option<String>,
}

/// Runs the command. A process that is gone is left out.
pub(super) fn run(args: &ProbeArgs, ctx: &Context) -> Result<Exit, Error> {
    let mut processes = source();
    let mut registry = RegistryReader::from_env();
    processes.begin();
    registry.begin();
    let panes = args.pids.iter().take(PANES).filter_map(|pid| {
        let tree = processes.tree(*pid).filter(|tree| !tree.is_empty())?;
        let entry = registry.entry(&tree);
        let front = tree.iter().rev().find(|p| p.foreground == Some(true));
        let cwd = front.or(tree.first()).and_then(|p| p.cwd.clone());
        Some(Pane { pid: *pid, registry: entry, cwd, processes: tree })
    });
    let panes = panes.collect();
    let zellij =
        args.zellij.then(|| theme_options(&Places::from_env(ctx.paths()).config)).flatten();
    let mut text =
        serde_json::to_string(&Answer { v: 1, panes, zellij }).map_err(io::Error::from)?;
    text.push('\n');
    io::stdout().lock().write_all(text.as_bytes())?;
    Ok(Exit::Ok)
}
