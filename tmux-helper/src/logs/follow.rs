//! The session logs of all panes over time: when to search, and what to read.

use super::agents::{self, Homes};
use super::everyone::{Everyone, List};
use super::file::Stamp;
use super::kept::Kept;
use super::shown::{Contender, Shown, is_placed, plain_rows};
use super::source::{Candidate, LogId, Source, Strength, Subject};
use super::tie::{Claim, Tie, tie};
use super::watcher::Watcher;
use crate::processes::{ProcessSource, started};
use madohub_detect::{AgentId, Process, Registry, RuleSet, SessionLog};
use others::{Other, family, outsiders};
use pane::{Open, PaneLog, SubjectKey};
use past::Past;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

mod others;
mod pane;
mod past;

/// While a pane moves, its log is searched for anew this often, in seconds: an agent may go on in
/// another one.
const SEARCH_MOVING: f64 = 1.0;
/// The same while it has none: most agents begin one with the first prompt.
const SEARCH_MISSING: f64 = 0.2;
/// The same while it does not move.
const SEARCH_STILL: f64 = 5.0;
/// A log that was written so many seconds after anything was drawn on a process's terminal is of
/// another process, in the same folder, that is gone: the end of a turn is drawn. The system keeps
/// that time to eight seconds, and agents put their records in order for a while after a turn.
const STILL: f64 = 60.0;
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
    /// By agent, its processes in no pane.
    others: BTreeMap<&'static str, Vec<Other>>,
    shown: Shown,
    past: Past,
    /// What panes show may tell whose a log is.
    contested: bool,
    /// When anything was drawn last on a process's terminal, seconds since the epoch.
    drawn: fn(&Process) -> Option<f64>,
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
    /// The rows that it shows, where they are known.
    pub screen: Option<&'a [String]>,
    /// Its screen changed lately.
    pub moving: bool,
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

    /// Looks below this home folder, whatever the environment says.
    pub fn below(rules: Arc<RuleSet>, home: &Path) -> Self {
        Self::new(rules, &Homes::at(home))
    }

    /// Reads no logs at all.
    pub fn none(rules: Arc<RuleSet>) -> Self {
        Self::with_sources(rules, Vec::new())
    }

    pub(super) fn new(rules: Arc<RuleSet>, homes: &Homes) -> Self {
        Self::with_sources(rules, agents::sources(homes))
    }

    fn with_sources(rules: Arc<RuleSet>, sources: Vec<Box<dyn Source>>) -> Self {
        Self {
            rules,
            sources,
            panes: BTreeMap::new(),
            everyone: None,
            watcher: None,
            watched: Vec::new(),
            others: BTreeMap::new(),
            shown: Shown::default(),
            past: Past::default(),
            contested: false,
            drawn,
        }
    }

    /// From now on file events tell when a log is written, and when anything is in these folders.
    pub fn watch(&mut self, folders: Vec<PathBuf>) {
        self.watcher = Watcher::new();
        self.watched = folders;
        self.watch_folders();
    }

    /// Whether another look would tell more: something may have been written since the last one, or
    /// a record that was held back is believed now. `now` is in seconds since the epoch.
    pub fn has_news(&self, now: f64) -> bool {
        self.watcher.as_ref().is_some_and(Watcher::has_news)
            || self.panes.values().any(|pane| pane.is_due(now))
    }

    /// Whether file events tell of everything that is written.
    pub fn hears_all(&self) -> bool {
        self.watcher.as_ref().is_some_and(Watcher::is_complete)
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
            let log = self.panes.remove(&pane);
            self.past.end(log.as_ref(), now);
            self.shown.forget(pane);
            answers.push((pane, None));
            searched = true;
        }
        if searched {
            self.find_others(queries, everyone, now);
        }
        if searched || self.contested {
            self.tie(queries, now);
        }
        if searched {
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
        let started = started(process, now);
        let fresh = || PaneLog::new(subject.clone(), started);
        let pane = self.panes.entry(query.pane).or_insert_with(fresh);
        if (pane.subject.agent, pane.subject.pid, pane.subject.start)
            != (subject.agent, subject.pid, subject.start)
        {
            self.past.end(Some(&*pane), now);
            self.shown.forget(query.pane);
            *pane = fresh();
        }
        let pause = match (query.moving, &pane.tie) {
            (true, Tie::None) => SEARCH_MISSING,
            (true, _) => SEARCH_MOVING,
            (false, _) => SEARCH_STILL,
        };
        // A clock that was set back is no reason to wait.
        let rests = (0.0..pause).contains(&(now - pane.searched));
        if pane.subject == subject && rests {
            return false;
        }
        pane.set_started(started);
        let started = pane.started;
        let asked = Subject { process, family: &family, started, registry, everyone };
        let mut candidates = source.candidates(&asked);
        // What the pane has already, it has for reasons that were good then.
        let has = |log: &LogId| matches!(&pane.tie, Tie::Log(own, _) if own == log);
        if let Some(drawn) = (self.drawn)(process) {
            let strange =
                |c: &Candidate| c.strength <= Strength::Start && c.written > drawn + STILL;
            candidates.retain(|c| !strange(c) || has(&c.log));
        }
        pane.subject = subject;
        pane.cwd.clone_from(&process.cwd);
        pane.searched = now;
        let changed = pane.candidates != candidates;
        pane.candidates = candidates;
        // What only lies in the right place depends on others, who come and go.
        changed || pane.candidates.iter().any(|c| c.strength <= Strength::Start)
    }

    /// Gives every pane its log, and opens those that are new.
    fn tie(&mut self, queries: &[PaneQuery<'_>], now: f64) {
        self.contested = false;
        let mut ties: HashMap<u64, Tie> = HashMap::new();
        for number in 0..self.sources.len() {
            ties.extend(self.ties(number, queries, now));
        }
        let owned = ties.iter().filter_map(|(who, tie)| match tie {
            Tie::Log(log, _) => {
                Some((i64::try_from(who.checked_sub(NOT_A_PANE)?).ok()?, log.clone()))
            }
            _ => None,
        });
        self.past.take_others(owned.collect(), now);
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

    /// The ties of the processes of one agent.
    fn ties(&mut self, number: usize, queries: &[PaneQuery<'_>], now: f64) -> HashMap<u64, Tie> {
        let Some(source) = self.sources.get(number) else { return HashMap::new() };
        let agent = source.agent();
        let panes = self.panes.iter().filter(|(_, pane)| pane.subject.agent == agent);
        let panes = panes.map(|(who, pane)| Contender {
            who: *who,
            place: pane.cwd.clone(),
            screen: None,
            candidates: pane.candidates.clone(),
        });
        let others = self.others.get(agent).into_iter().flatten().map(|other| Contender {
            who: NOT_A_PANE + other.pid.unsigned_abs(),
            place: other.cwd.clone(),
            screen: None,
            candidates: other.candidates.clone(),
        });
        let mut contenders: Vec<Contender> = panes.chain(others).collect();
        let (all, past) = (&self.panes, &self.past);
        let is_past = |who: u64, log: &LogId| {
            let pane = all.get(&who).and_then(|pane| Some((pane.subject.pid, pane.started?)));
            pane.is_some_and(|(pid, started)| past.is_past(log, pid, started))
        };
        // Folder and time leave it open: what the panes show may tell.
        let is_open = |one: &Contender| {
            one.is_placed()
                && (contenders.iter().any(|two| two.who != one.who && two.place == one.place)
                    || one.may_go_on()
                    || one.candidates.len() > 1
                    || one.candidates.iter().any(|c| is_past(one.who, &c.log)))
        };
        let (mut open, mut rest): (Vec<Contender>, Vec<Contender>) = {
            let flags: Vec<bool> = contenders.iter().map(is_open).collect();
            let mut flags = flags.into_iter();
            contenders.drain(..).partition(|_| flags.next().unwrap_or_default())
        };
        for contender in &mut open {
            let query = queries.iter().find(|query| query.pane == contender.who);
            contender.screen = query.and_then(|query| query.screen).map(plain_rows);
        }
        self.contested |= !open.is_empty();
        self.shown.heed(&**source, &self.rules, &mut open, now);
        for contender in &mut open {
            let who = contender.who;
            contender.candidates.retain(|c| c.strength > Strength::Start || !is_past(who, &c.log));
        }
        rest.append(&mut open);
        let claims: Vec<Claim<'_>> = rest
            .iter()
            .map(|contender| Claim {
                who: contender.who,
                place: contender.place.as_deref(),
                candidates: &contender.candidates,
            })
            .collect();
        tie(&claims)
    }

    /// Finds the processes in no pane that compete for what only lies in a folder.
    fn find_others(&mut self, queries: &[PaneQuery<'_>], everyone: &dyn List, now: f64) {
        for source in &mut self.sources {
            let agent = source.agent();
            let panes = self.panes.values().filter(|pane| pane.subject.agent == agent);
            let unsure = panes.filter(|pane| is_placed(&pane.candidates));
            let places: Vec<&str> = unsure.filter_map(|pane| pane.cwd.as_deref()).collect();
            let others = outsiders(&self.rules, &mut **source, queries, &places, everyone, now);
            self.others.insert(agent, others);
        }
    }
}

/// When anything was drawn last on a process's terminal; nothing where that cannot be seen.
fn drawn(process: &Process) -> Option<f64> {
    let terminal = process.tty.as_deref().filter(|tty| tty.starts_with("pts/"))?;
    let stamp = Stamp::of(&Path::new("/dev").join(terminal))?;
    cfg!(target_os = "linux").then(|| stamp.modified())
}

#[cfg(test)]
mod tests;
