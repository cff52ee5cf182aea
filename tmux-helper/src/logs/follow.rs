//! The session logs of all panes over time: when to search, and what to read.

use super::agents::{self, Homes};
use super::everyone::{Everyone, List};
use super::kept::Kept;
use super::source::{Candidate, Reader, Source, Strength, Subject};
use super::tie::{Claim, Tie, tie};
use super::watcher::Watcher;
use crate::processes::{ProcessSource, started};
use madohub_detect::{AgentId, Process, Registry, RuleSet, SessionLog, agent_of_process};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// While a pane moves, its log is searched for anew this often, in seconds: one may show up, and
/// an agent may go on in another one.
const SEARCH_MOVING: f64 = 1.0;
/// The same while it does not move.
const SEARCH_STILL: f64 = 5.0;
/// For so many seconds a list of all processes is good.
const EVERYONE_FRESH: f64 = 5.0;
/// Numbers of processes that are in no pane begin here; those of panes are 32 bits wide.
const NOT_A_PANE: u64 = 1 << 32;

/// Finds and follows session logs.
pub struct SessionLogs {
    rules: Arc<RuleSet>,
    sources: Vec<Box<dyn Source>>,
    panes: BTreeMap<u64, PaneLog>,
    /// This user's processes, and when they were listed.
    everyone: Option<(Vec<Process>, f64)>,
    watcher: Option<Watcher>,
    /// Folders that are watched beside those of logs.
    watched: Vec<PathBuf>,
}

/// What is asked about one pane.
#[derive(Debug, Clone, Copy)]
pub struct PaneQuery<'a> {
    /// Any number that stays the pane's.
    pub pane: u64,
    /// The agent that holds the pane, and its process.
    pub agent: Option<&'a (AgentId, i64)>,
    /// The pane's processes.
    pub processes: &'a [Process],
    /// The agent's own entry for one of them.
    pub registry: Option<&'a Registry>,
    /// Its screen changed lately.
    pub moving: bool,
}

/// The log of one pane.
struct PaneLog {
    subject: SubjectKey,
    /// Start of the agent's process, seconds since the epoch.
    started: Option<f64>,
    /// Folder that it works in.
    cwd: Option<String>,
    candidates: Vec<Candidate>,
    searched: f64,
    tie: Tie,
    open: Option<Open>,
    /// The tie is another one than what was answered last.
    changed: bool,
}

/// When any of this changes, another search is due at once.
#[derive(Debug, Clone, PartialEq, Eq)]
struct SubjectKey {
    agent: &'static str,
    pid: i64,
    start: Option<u64>,
    session: Option<String>,
}

/// A log that is read.
struct Open {
    reader: Box<dyn Reader>,
    kept: Kept,
    trouble: Option<String>,
}

impl std::fmt::Debug for SessionLogs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SessionLogs").field("panes", &self.panes.len()).finish_non_exhaustive()
    }
}

impl SessionLogs {
    /// Looks where the environment says that agents keep their files.
    pub fn from_env(rules: Arc<RuleSet>) -> Self {
        Self::new(rules, &Homes::from_env())
    }

    /// Reads no logs at all.
    pub fn none(rules: Arc<RuleSet>) -> Self {
        Self::with_sources(rules, Vec::new())
    }

    pub(super) fn new(rules: Arc<RuleSet>, homes: &Homes) -> Self {
        Self::with_sources(rules, agents::sources(homes))
    }

    fn with_sources(rules: Arc<RuleSet>, sources: Vec<Box<dyn Source>>) -> Self {
        let (panes, watched) = (BTreeMap::new(), Vec::new());
        Self { rules, sources, panes, everyone: None, watcher: None, watched }
    }

    /// From now on file events tell when a log is written, and when anything is in these folders.
    pub fn watch(&mut self, folders: Vec<PathBuf>) {
        self.watcher = Watcher::new();
        self.watched = folders;
        self.watch_folders();
    }

    /// Whether anything may have been written since the last look.
    pub fn has_news(&self) -> bool {
        self.watcher.as_ref().is_some_and(Watcher::has_news)
    }

    fn watch_folders(&mut self) {
        let Some(watcher) = &mut self.watcher else { return };
        let logs = self.panes.values().filter_map(|pane| match &pane.tie {
            Tie::Log(log, _) => log.path.parent().map(Path::to_owned),
            Tie::Ambiguous(_) | Tie::None => None,
        });
        watcher.set(logs.chain(self.watched.iter().cloned()).collect());
    }

    /// The rules by which agents are known and their records are read.
    pub fn rules(&self) -> &RuleSet {
        &self.rules
    }

    /// Finds and reads the logs of all panes. Answers those of which anything is new, with what
    /// the engine gets to see. `now` is in seconds since the epoch.
    pub fn look(
        &mut self,
        queries: &[PaneQuery<'_>],
        processes: &mut dyn ProcessSource,
        now: f64,
    ) -> Vec<(u64, Option<SessionLog>)> {
        // Before anything is read: what is written meanwhile is news for the next look.
        if let Some(watcher) = &self.watcher {
            watcher.take_news();
        }
        let (known, listed) = match self.everyone.take() {
            Some((list, then)) if (0.0..EVERYONE_FRESH).contains(&(now - then)) => {
                (Some(list), then)
            }
            _ => (None, now),
        };
        let everyone = Everyone::new(processes, known);
        let answers = self.look_among(queries, &everyone, now);
        self.everyone = everyone.into_list().map(|list| (list, listed));
        answers
    }

    fn look_among(
        &mut self,
        queries: &[PaneQuery<'_>],
        everyone: &dyn List,
        now: f64,
    ) -> Vec<(u64, Option<SessionLog>)> {
        let mut answers = Vec::new();
        let mut searched = false;
        let mut gone: Vec<u64> = self.panes.keys().copied().collect();
        for query in queries {
            if let Some((source, process)) = self.source(query) {
                gone.retain(|pane| *pane != query.pane);
                searched |= self.search(source, process, query, everyone, now);
            }
        }
        for pane in gone {
            self.panes.remove(&pane);
            answers.push((pane, None));
            searched = true;
        }
        if searched {
            self.tie(queries, everyone, now);
            self.watch_folders();
        }
        for (pane, log) in &mut self.panes {
            if log.read(now) {
                answers.push((*pane, log.seen()));
            }
        }
        answers
    }

    /// Number of the source that knows the pane's agent, and the agent's process.
    fn source<'q>(&self, query: &PaneQuery<'q>) -> Option<(usize, &'q Process)> {
        let (agent, pid) = query.agent?;
        let source = self.sources.iter().position(|s| s.agent() == agent.as_str())?;
        let process = query.processes.iter().find(|process| process.pid == *pid)?;
        Some((source, process))
    }

    /// Looks for the pane's log where that is due. Answers whether the ties may be others now.
    fn search(
        &mut self,
        source: usize,
        process: &Process,
        query: &PaneQuery<'_>,
        everyone: &dyn List,
        now: f64,
    ) -> bool {
        let Some(source) = self.sources.get_mut(source) else { return false };
        let family = family(&self.rules, source.agent(), process, query.processes);
        let own = |entry: &&Registry| family.iter().any(|p| entry.pid == Some(p.pid));
        let registry = query.registry.filter(own);
        let subject = SubjectKey {
            agent: source.agent(),
            pid: process.pid,
            start: process.start_time,
            session: registry.and_then(|entry| entry.session_id.clone()),
        };
        let pause = if query.moving { SEARCH_MOVING } else { SEARCH_STILL };
        let started = started(process, now);
        let fresh = || PaneLog::new(subject.clone(), started);
        let pane = self.panes.entry(query.pane).or_insert_with(fresh);
        if (pane.subject.agent, pane.subject.pid, pane.subject.start)
            != (subject.agent, subject.pid, subject.start)
        {
            *pane = fresh();
        }
        // A clock that was set back is no reason to wait.
        let rests = (0.0..pause).contains(&(now - pane.searched));
        if pane.subject == subject && rests {
            return false;
        }
        let started = pane.started;
        let asked = Subject { process, family: &family, started, registry, everyone };
        let candidates = source.candidates(&asked);
        pane.subject = subject;
        pane.cwd.clone_from(&process.cwd);
        pane.searched = now;
        let changed = pane.candidates != candidates;
        pane.candidates = candidates;
        // What only lies in the right place depends on others, who come and go.
        changed || pane.candidates.iter().any(|c| c.strength <= Strength::Start)
    }

    /// Gives every pane its log, and opens those that are new.
    fn tie(&mut self, queries: &[PaneQuery<'_>], everyone: &dyn List, now: f64) {
        let mut ties: HashMap<u64, Tie> = HashMap::new();
        for source in &mut self.sources {
            let agent = source.agent();
            let panes = self.panes.iter().filter(|(_, pane)| pane.subject.agent == agent);
            let mut claims: Vec<Claim<'_>> = panes
                .map(|(who, pane)| Claim {
                    who: *who,
                    place: pane.cwd.as_deref(),
                    candidates: &pane.candidates,
                })
                .collect();
            let unsure = claims.iter().filter(|claim| claim.is_placed());
            let places: Vec<&str> = unsure.filter_map(|claim| claim.place).collect();
            // What lies in a folder may also be of a process that is in no pane.
            let others = if places.is_empty() {
                Vec::new()
            } else {
                outsiders(&self.rules, &mut **source, queries, &places, everyone, now)
            };
            claims.extend(others.iter().map(|(process, candidates)| Claim {
                who: NOT_A_PANE + process.pid.unsigned_abs(),
                place: process.cwd.as_deref(),
                candidates,
            }));
            ties.extend(tie(&claims));
        }
        for (pane, tie) in ties {
            let Some(pane) = self.panes.get_mut(&pane).filter(|pane| pane.tie != tie) else {
                continue;
            };
            let source = self.sources.iter().find(|s| s.agent() == pane.subject.agent);
            let same = matches!((&pane.tie, &tie), (Tie::Log(a, _), Tie::Log(b, _)) if a == b);
            pane.tie = tie;
            pane.changed = true;
            if let (Tie::Log(log, _), Some(source), false) = (&pane.tie, source, same) {
                let rules = Arc::clone(&self.rules);
                let kept = Kept::new(rules, &**source, pane.started);
                pane.open = Some(Open { reader: source.open(log), kept, trouble: None });
            } else if !same {
                pane.open = None;
            }
        }
    }
}

impl PaneLog {
    fn new(subject: SubjectKey, started: Option<f64>) -> Self {
        Self {
            subject,
            started,
            cwd: None,
            candidates: Vec::new(),
            searched: f64::NEG_INFINITY,
            tie: Tie::None,
            open: None,
            // Whoever was in the pane before may have had a log.
            changed: true,
        }
    }

    /// Reads what is new; answers whether the engine gets to see anything else now.
    fn read(&mut self, now: f64) -> bool {
        let mut changed = std::mem::take(&mut self.changed);
        if let Some(open) = &mut self.open {
            let trouble = open.reader.read(&mut open.kept).err().map(|error| error.to_string());
            changed |= trouble != open.trouble;
            open.trouble = trouble;
            changed |= open.kept.take_change(now);
        }
        changed
    }

    /// What the engine gets to see.
    fn seen(&self) -> Option<SessionLog> {
        match (&self.tie, &self.open) {
            (Tie::Log(log, how), Some(open)) => {
                let tie = match &open.trouble {
                    Some(trouble) => format!("{how}; cannot be read: {trouble}"),
                    None => how.clone(),
                };
                Some(SessionLog {
                    path: log.name(),
                    records: open.kept.records(),
                    tie: Some(tie),
                    between: Vec::new(),
                    skipped: open.kept.skipped(),
                    detail: open.kept.detail().clone(),
                })
            }
            (Tie::Ambiguous(logs), _) => Some(SessionLog {
                tie: Some("ambiguous".to_owned()),
                between: logs.iter().map(super::source::LogId::name).collect(),
                ..SessionLog::default()
            }),
            _ => None,
        }
    }
}

/// The processes of an agent in these folders that are in no pane, and what they may have.
fn outsiders<'e>(
    rules: &RuleSet,
    source: &mut dyn Source,
    queries: &[PaneQuery<'_>],
    places: &[&str],
    everyone: &'e dyn List,
    now: f64,
) -> Vec<(&'e Process, Vec<Candidate>)> {
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
            let registry = None;
            let asked = Subject { process, family, started, registry, everyone };
            (process, source.candidates(&asked))
        })
        .collect()
}

/// The process and those of its descendants that are the same agent: launchers start the agent
/// proper. What the agent runs as a tool is not, and neither are agents below that.
fn family(rules: &RuleSet, agent: &str, process: &Process, all: &[Process]) -> Vec<Process> {
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

#[cfg(test)]
mod tests;
