//! The processes beside those that are asked about: of the same agent in no pane, and below it.

use super::super::everyone::List;
use super::super::source::{Candidate, Source, Subject};
use super::PaneQuery;
use crate::processes::started;
use madohub_detect::{Process, RuleSet, agent_of_process};

/// A process of an agent that is in no pane.
#[derive(Debug)]
pub(super) struct Other {
    pub(super) pid: i64,
    /// Folder that it works in.
    pub(super) cwd: Option<String>,
    pub(super) candidates: Vec<Candidate>,
}

/// The processes of an agent in these folders that are in no pane, and what they may have.
pub(super) fn outsiders(
    rules: &RuleSet,
    source: &mut dyn Source,
    queries: &[PaneQuery<'_>],
    places: &[&str],
    everyone: &dyn List,
    now: f64,
) -> Vec<Other> {
    if places.is_empty() {
        return Vec::new();
    }
    let inside = |pid: i64| queries.iter().any(|q| q.processes.iter().any(|p| p.pid == pid));
    let all = everyone.list().iter();
    let others = all.filter(|process| {
        process.cwd.as_deref().is_some_and(|cwd| places.contains(&cwd))
            && !inside(process.pid)
            && agent_of_process(rules, process).is_some_and(|id| id.as_str() == source.agent())
    });
    let others: Vec<&Process> = others.collect();
    others
        .into_iter()
        .map(|process| {
            let family = std::slice::from_ref(process);
            let started = started(process, now);
            let asked = Subject { process, family, started, registry: None, everyone };
            let candidates = source.candidates(&asked);
            Other { pid: process.pid, cwd: process.cwd.clone(), candidates }
        })
        .collect()
}

/// The process and those of its descendants that are the same agent: launchers start the agent
/// proper. What the agent runs as a tool is not, and neither are agents below that.
pub(super) fn family(
    rules: &RuleSet,
    agent: &str,
    process: &Process,
    all: &[Process],
) -> Vec<Process> {
    let mut family = vec![process.clone()];
    let mut next = 0;
    while let Some(parent) = family.get(next).map(|parent| parent.pid) {
        let same = |p: &&Process| {
            p.ppid == parent
                && p.pid != parent
                && agent_of_process(rules, p).is_some_and(|id| id.as_str() == agent)
        };
        let children: Vec<Process> = all.iter().filter(same).cloned().collect();
        let new: Vec<Process> =
            children.into_iter().filter(|c| family.iter().all(|p| p.pid != c.pid)).collect();
        family.extend(new);
        next += 1;
    }
    family
}
