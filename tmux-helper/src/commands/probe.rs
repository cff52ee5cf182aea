//! `madohub probe`: what the zellij plugin cannot see for itself.

use crate::cli::ProbeArgs;
use crate::logs::{PaneQuery, SessionLogs};
use crate::processes::{ProcessSource, source};
use crate::registry::RegistryReader;
use crate::reports::Reports;
use crate::zellij::{Places, ThemeOptions, theme_options};
use crate::{Context, Error, Exit, time};
use madohub_detect::{
    AgentId, HookReport, Observation, Process, ProgramStatus, Registry, SessionLog, agent_process,
};
use serde::Serialize;
use std::io::{self, Write as _};
use std::sync::Arc;

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
    /// The end of the agent's session log, already tied to a process of this pane.
    #[serde(skip_serializing_if = "Option::is_none")]
    log: Option<SessionLog>,
    #[serde(skip_serializing_if = "Option::is_none")]
    program_status: Option<ProgramStatus>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hook: Option<HookReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cwd: Option<String>,
}

/// Runs the command. A process that is gone is left out.
pub(super) fn run(args: &ProbeArgs, ctx: &Context) -> Result<Exit, Error> {
    let mut processes = source();
    let mut registry = RegistryReader::from_env();
    let mut reports = Reports::new(ctx.paths());
    let now = time::now();
    processes.begin();
    registry.begin();
    reports.begin();
    let mut panes: Vec<Pane> = args
        .pids
        .iter()
        .take(PANES)
        .filter_map(|pid| {
            let tree = processes.tree(*pid).filter(|tree| !tree.is_empty())?;
            let entry = registry.entry(&tree);
            let front = tree.iter().rev().find(|p| p.foreground == Some(true));
            let cwd = front.or(tree.first()).and_then(|p| p.cwd.clone());
            let mut seen = Observation { processes: Some(tree), ..Observation::default() };
            reports.take_into(&mut seen, now);
            let Observation { processes, program_status, hook, .. } = seen;
            let processes = processes.unwrap_or_default();
            Some(Pane {
                pid: *pid,
                registry: entry,
                log: None,
                program_status,
                hook,
                cwd,
                processes,
            })
        })
        .collect();
    add_logs(&mut panes, &mut *processes, ctx)?;
    let zellij =
        args.zellij.then(|| theme_options(&Places::from_env(ctx.paths()).config)).flatten();
    let mut text =
        serde_json::to_string(&Answer { v: 1, panes, zellij }).map_err(io::Error::from)?;
    text.push('\n');
    io::stdout().lock().write_all(text.as_bytes())?;
    Ok(Exit::Ok)
}

/// Reads the agents' session logs.
fn add_logs(
    panes: &mut [Pane],
    processes: &mut dyn ProcessSource,
    ctx: &Context,
) -> Result<(), Error> {
    let rules = Arc::new(ctx.rules()?.0);
    let mut logs = SessionLogs::from_env(Arc::clone(&rules));
    let agents: Vec<Option<(AgentId, i64)>> = panes
        .iter()
        .map(|pane| {
            let (agent, process) = agent_process(&rules, &pane.processes, Some(pane.pid))?;
            Some((agent, process.pid))
        })
        .collect();
    let queries = panes.iter().zip(&agents).zip(0..);
    let queries: Vec<PaneQuery<'_>> = queries
        .map(|((pane, agent), number)| PaneQuery {
            pane: number,
            agent: agent.as_ref(),
            processes: &pane.processes,
            registry: pane.registry.as_ref(),
            screen: None,
            moving: true,
        })
        .collect();
    let found = logs.look(&queries, processes, time::now());
    for (number, log) in found {
        if let Some(pane) = usize::try_from(number).ok().and_then(|n| panes.get_mut(n)) {
            pane.log = log;
        }
    }
    Ok(())
}
