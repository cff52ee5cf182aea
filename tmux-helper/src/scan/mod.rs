//! Looking at all panes of a server, as cheaply as it goes.
//!
//! Screens are captured only where something may have been printed since they were captured last;
//! everything that one look wants to know goes through one run of tmux, and a second one only when
//! a pane began to move that was still before.

mod terminals;

use crate::composer::StyledScreen;
use crate::logs::{PaneQuery, SessionLogs};
use crate::observe;
use crate::processes::{ProcessSource, Sign};
use crate::registry::RegistryReader;
use crate::reports::Reports;
use crate::tmux::{
    Batch, ClientList, Clients, Identity, Pane, PaneId, PaneList, Replies, Server, Slot, TmuxError,
};
use madohub_detect::{AgentId, Observation, agent_process};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use terminals::Terminals;
use tmux_interface::{CapturePane, TmuxCommand};

/// While a pane moves, its processes are read anew this often, in seconds.
const WALK_MOVING: f64 = 2.0;
/// While nothing says that they changed, its processes are read anew this often, in seconds.
const WALK_STILL: f64 = 30.0;
/// While nothing says that it changed, the process in front is looked at this often, in seconds.
const SIGN_STILL: f64 = 0.9;
/// Where tmux says that its window had output, a screen is captured this often, in seconds,
/// whatever the date of its terminal says.
const CAPTURE_STILL: i64 = 3;
/// A pane that moved is expected to go on moving for so many seconds.
const EXPECTED: f64 = 2.0;

/// How much a look covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// All panes and clients; finds out which panes are gone.
    All,
    /// The panes that may have printed since the last look (tmux 3.2 and newer).
    Moved,
}

/// Looks at the panes of one life of a server, and remembers what it saw.
pub struct Scanner {
    server: Server,
    identity: Identity,
    question: PaneList,
    client_question: ClientList,
    processes: Box<dyn ProcessSource>,
    registry: RegistryReader,
    logs: SessionLogs,
    reports: Reports,
    panes: BTreeMap<PaneId, Seen>,
    clients: Clients,
    terminals: Terminals,
    /// Second in which the last look began: what moved since is new.
    last: i64,
}

/// What is known of one pane.
#[derive(Debug)]
pub struct Seen {
    /// What tmux says about it.
    pub pane: Pane,
    /// What the engine gets to see.
    pub observation: Observation,
    /// The observation changed and nobody has looked at it since; the owner of the scanner
    /// clears it.
    pub dirty: bool,
    /// Second in which its screen was captured.
    captured: Option<i64>,
    /// Its screen changed lately; time of that.
    moved: Option<f64>,
    sign: Option<Sign>,
    signed: Option<f64>,
    walked: Option<f64>,
    /// The agent among its processes, and the agent's own.
    agent: Option<(AgentId, i64)>,
}

/// One pane at one moment, seen for itself.
#[derive(Debug)]
pub struct Inspected {
    /// What tmux says about it.
    pub pane: Pane,
    /// The terminals that are attached.
    pub clients: Clients,
    /// Its screen.
    pub screen: StyledScreen,
    /// What the engine gets to see.
    pub observation: Observation,
}

/// What a look answered beside what the scanner keeps.
#[derive(Debug)]
pub struct Looked {
    /// Panes that are gone since the last look at all.
    pub gone: Vec<PaneId>,
    /// The answers to what was asked along.
    pub replies: Replies,
}

impl Scanner {
    /// A scanner of this server that has seen nothing yet.
    pub fn new(
        server: Server,
        identity: Identity,
        processes: Box<dyn ProcessSource>,
        registry: RegistryReader,
        logs: SessionLogs,
        reports: Reports,
    ) -> Self {
        Self {
            server,
            identity,
            question: PaneList::new(),
            client_question: ClientList::new(),
            processes,
            registry,
            logs,
            reports,
            panes: BTreeMap::new(),
            clients: Clients::default(),
            terminals: Terminals::default(),
            last: 0,
        }
    }

    /// The panes as of the last look.
    pub fn panes(&self) -> impl Iterator<Item = &Seen> {
        self.panes.values()
    }

    /// The panes, to take note of what was seen.
    pub fn panes_mut(&mut self) -> impl Iterator<Item = &mut Seen> {
        self.panes.values_mut()
    }

    /// One pane as of the last look.
    pub fn pane(&self, id: PaneId) -> Option<&Seen> {
        self.panes.get(&id)
    }

    /// The clients as of the last look at all.
    pub fn clients(&self) -> &Clients {
        &self.clients
    }

    /// Looks at the server. `also` is run first in the same run of tmux. An error changes nothing
    /// of what is known.
    pub fn look(&mut self, reach: Reach, mut also: Batch, now: f64) -> Result<Looked, TmuxError> {
        let second = whole(now);
        if second < self.last {
            self.forget_times();
        }
        let stirred = self.stirred(reach, now);
        if stirred.as_ref().is_some_and(Vec::is_empty) && also.is_empty() {
            self.look_at_processes(reach, &HashSet::new(), now);
            return Ok(Looked { gone: Vec::new(), replies: Replies::default() });
        }
        let list = also.ask(self.list(reach, stirred.as_deref()));
        let clients = (reach == Reach::All).then(|| also.ask(self.client_question.all()));
        let identity = also.ask(Identity::question());
        let expected = stirred.clone().unwrap_or_else(|| {
            self.panes.iter().filter(|(_, seen)| seen.is_moving(now)).map(|(id, _)| *id).collect()
        });
        let captures = ask_screens(&mut also, expected.into_iter());
        let replies = self.server.run(&also)?;
        let answer = replies.get(identity).and_then(Identity::read);
        if answer.is_some_and(|identity| identity != self.identity) {
            return Err(TmuxError::Replaced(self.server.socket().to_owned()));
        }

        let listed = self.question.read(replies.get(list).unwrap_or_default());
        if let Some(answer) = clients.and_then(|slot| replies.get(slot)) {
            self.clients = self.client_question.read(answer);
        }
        let gone = if reach == Reach::All { self.drop_missing(&listed) } else { Vec::new() };
        let listed: Vec<PaneId> = listed.into_iter().map(|pane| self.take(pane)).collect();
        let mut screens: HashMap<PaneId, &str> = HashMap::new();
        for (id, slot) in &captures {
            screens.extend(replies.get(*slot).map(|answer| (*id, answer)));
        }
        self.take_screens(&screens, second, now);

        // What began to move, came in, or was resized.
        let mut more = Batch::new();
        let stale = self.panes.iter().filter(|(id, seen)| {
            let is_old = || stirred.is_none() && seen.is_stale(&self.terminals, second);
            !screens.contains_key(id) && (seen.captured.is_none() || is_old())
        });
        let captures = ask_screens(&mut more, stale.map(|(id, _)| *id));
        if !captures.is_empty() {
            let more = self.server.run(&more)?;
            let answers = captures.iter().filter_map(|(id, slot)| Some((*id, more.get(*slot)?)));
            self.take_screens(&answers.collect(), second, now);
        }
        self.last = second;
        let fresh = listed.into_iter().filter(|id| {
            self.panes.get(id).is_some_and(|seen| seen.may_have_started(&self.terminals))
        });
        let fresh = fresh.collect();
        self.look_at_processes(reach, &fresh, now);
        Ok(Looked { gone, replies })
    }

    /// The panes that may have printed since they were captured; nothing where tmux must be asked
    /// for them.
    fn stirred(&self, reach: Reach, now: f64) -> Option<Vec<PaneId>> {
        if reach == Reach::All || !self.terminals.are_trusted() {
            return None;
        }
        let may_be_new = |seen: &Seen| {
            let tty = &seen.pane.tty;
            seen.is_moving(now)
                || seen.captured.is_none_or(|then| self.terminals.may_have_printed(tty, then))
        };
        let stirred = self.panes.iter().filter(|(_, seen)| may_be_new(seen)).map(|(id, _)| *id);
        Some(stirred.collect())
    }

    fn list(&self, reach: Reach, stirred: Option<&[PaneId]>) -> TmuxCommand<'static> {
        match (reach, stirred) {
            (Reach::All, _) => self.question.all(),
            (Reach::Moved, Some(panes)) => self.question.these(panes),
            (Reach::Moved, None) => self.question.moved_since(self.last),
        }
    }

    /// Looks at what costs no run of tmux: whether another program came to the foreground, ended
    /// or was suspended, and what the agents' own registry says. Answers whether a pane's own
    /// process is gone, which tmux must be asked about.
    pub fn peek(&mut self, now: f64) -> bool {
        self.look_at_processes(Reach::All, &HashSet::new(), now);
        self.panes.values().any(|seen| seen.sign.is_none() && !seen.pane.dead)
    }

    /// Looks at one pane at this very moment, with its colours; nothing when it is gone. What is
    /// known of the panes stays as it is.
    pub fn inspect(&mut self, id: PaneId) -> Result<Option<Inspected>, TmuxError> {
        let Some(known) = self.panes.get(&id) else { return Ok(None) };
        let mut batch = Batch::new();
        let list = batch.ask(self.question.around(id));
        let clients = batch.ask(self.client_question.all());
        let capture = CapturePane::new().stdout().escape_sequences().target_pane(id.to_string());
        let screen = batch.ask(capture.build());
        let replies = self.server.run(&batch)?;
        let listed = self.question.read(replies.get(list).unwrap_or_default());
        let screen = replies.get(screen).filter(|answer| !answer.is_empty());
        let pane = listed.into_iter().find(|pane| pane.id == id);
        let (Some(mut pane), Some(screen)) = (pane, screen) else { return Ok(None) };
        // The listing is that of one session; others may show the pane too.
        pane.places.clone_from(&known.pane.places);
        let screen = StyledScreen::parse(screen);
        let mut observation = known.observation.clone();
        observe::take_pane(&mut observation, &pane);
        observation.screen = Some(screen.text());
        self.processes.begin();
        observation.processes = if pane.dead { None } else { self.processes.tree(pane.pid) };
        if self.processes.fell_short() {
            return Err(TmuxError::NoProcesses);
        }
        let clients = self.client_question.read(replies.get(clients).unwrap_or_default());
        Ok(Some(Inspected { pane, clients, screen, observation }))
    }

    /// The clock was set back: nothing that happens now is later than what was seen.
    fn forget_times(&mut self) {
        self.last = 0;
        for seen in self.panes.values_mut() {
            (seen.captured, seen.moved) = (None, None);
            (seen.signed, seen.walked) = (None, None);
        }
    }

    fn drop_missing(&mut self, listed: &[Pane]) -> Vec<PaneId> {
        let there: HashSet<PaneId> = listed.iter().map(|pane| pane.id).collect();
        let gone: Vec<PaneId> =
            self.panes.keys().copied().filter(|id| !there.contains(id)).collect();
        self.panes.retain(|id, _| there.contains(id));
        gone
    }

    fn take(&mut self, pane: Pane) -> PaneId {
        let id = pane.id;
        if let Some(seen) = self.panes.get_mut(&pane.id) {
            let resized = (seen.pane.cols, seen.pane.rows) != (pane.cols, pane.rows);
            let replaced = seen.pane.pid != pane.pid || seen.pane.dead != pane.dead;
            if resized || replaced {
                seen.captured = None;
            }
            if replaced {
                (seen.signed, seen.walked) = (None, None);
            }
            seen.dirty |= observe::take_pane(&mut seen.observation, &pane);
            seen.pane = pane;
        } else {
            let mut observation = Observation::default();
            observe::take_pane(&mut observation, &pane);
            let seen = Seen {
                observation,
                dirty: true,
                captured: None,
                moved: None,
                sign: None,
                signed: None,
                walked: None,
                agent: None,
                pane,
            };
            self.panes.insert(id, seen);
        }
        id
    }

    fn take_screens(&mut self, answers: &HashMap<PaneId, &str>, second: i64, now: f64) {
        for (id, answer) in answers {
            let (Some(seen), Some(rows)) = (self.panes.get_mut(id), observe::rows(answer)) else {
                continue;
            };
            let first = seen.observation.screen.is_none();
            let before = seen.captured.replace(second);
            if seen.observation.screen.as_ref() != Some(&rows) {
                seen.observation.screen = Some(rows);
                seen.dirty = true;
                seen.moved = Some(now).filter(|_| !first).or(seen.moved);
                // Of a dead pane tmux itself writes the end onto the screen.
                if let Some(before) = before.filter(|_| !seen.pane.dead) {
                    self.terminals.printed(&seen.pane.tty, before);
                }
            }
        }
    }

    fn look_at_processes(&mut self, reach: Reach, fresh: &HashSet<PaneId>, now: f64) {
        self.processes.begin();
        self.registry.begin();
        self.reports.begin();
        for (id, seen) in &mut self.panes {
            let has_word = |pid| self.registry.has_entry(pid) || self.reports.has_report(pid);
            let age = |then: Option<f64>| then.map_or(f64::INFINITY, |then| now - then);
            let is_fresh = fresh.contains(id);
            if reach == Reach::Moved && !is_fresh && !seen.has_process(has_word) {
                continue;
            }
            let moving = seen.is_moving(now) || is_fresh;
            let due = age(seen.walked) >= if moving { WALK_MOVING } else { WALK_STILL };
            let is_told = is_fresh || (reach == Reach::All && age(seen.signed) >= SIGN_STILL);
            let sign = if due || is_told {
                seen.signed = Some(now);
                self.processes.sign(seen.pane.pid)
            } else {
                seen.sign.clone()
            };
            if self.processes.fell_short() {
                break;
            }
            if due || sign != seen.sign {
                let tree = if seen.pane.dead { None } else { self.processes.tree(seen.pane.pid) };
                if self.processes.fell_short() {
                    break;
                }
                if tree != seen.observation.processes {
                    let all = tree.as_deref().unwrap_or_default();
                    let agent = agent_process(self.logs.rules(), all, Some(seen.pane.pid));
                    seen.agent = agent.map(|(id, process)| (id, process.pid));
                    seen.observation.processes = tree;
                    seen.dirty = true;
                }
                seen.walked = Some(now);
                seen.sign = sign;
            }
            seen.take_entry(&mut self.registry);
            seen.dirty |= self.reports.take_into(&mut seen.observation, now);
        }
        // What cannot be looked at is no news: everything stays as it is known.
        if !self.processes.fell_short() {
            self.read_logs(now);
        }
    }

    /// From now on file events tell when an agent writes anything down.
    pub fn watch_records(&mut self) {
        self.logs.watch(self.registry.folder().map(Path::to_owned).into_iter().collect());
    }

    /// Whether an agent may have written anything down since its records were read.
    pub fn has_news(&self, now: f64) -> bool {
        self.logs.has_news(now)
    }

    /// Whether file events tell of everything that agents write down.
    pub fn hears_all(&self) -> bool {
        self.logs.hears_all()
    }

    /// Reads the agents' own records: registry and session logs.
    pub fn read_records(&mut self, now: f64) {
        self.registry.begin();
        for seen in self.panes.values_mut().filter(|seen| seen.agent.is_some()) {
            seen.take_entry(&mut self.registry);
        }
        self.read_logs(now);
    }

    fn read_logs(&mut self, now: f64) {
        let queries: Vec<PaneQuery<'_>> = self.panes.values().map(|seen| seen.query(now)).collect();
        for (pane, log) in self.logs.look(&queries, &mut *self.processes, now) {
            let seen = self.panes.values_mut().find(|seen| u64::from(seen.pane.id) == pane);
            if let Some(seen) = seen.filter(|seen| seen.observation.log != log) {
                seen.observation.log = log;
                seen.dirty = true;
            }
        }
    }
}

impl Seen {
    /// Whether its screen changed within the last seconds before `now`.
    pub fn is_moving(&self, now: f64) -> bool {
        self.moved.is_some_and(|then| now - then < EXPECTED)
    }

    /// Whether its screen may be another one than when it was captured, by its window and its
    /// terminal.
    fn is_stale(&self, terminals: &Terminals, second: i64) -> bool {
        let Some(then) = self.captured else { return true };
        self.pane.activity >= then
            && (second - then >= CAPTURE_STILL || terminals.may_have_printed(&self.pane.tty, then))
    }

    /// Whether anything may have been started since its processes were read: the terminal shows
    /// what is typed.
    fn may_have_started(&self, terminals: &Terminals) -> bool {
        self.walked.map(whole).is_none_or(|then| {
            self.pane.activity >= then && terminals.may_have_printed(&self.pane.tty, then)
        })
    }

    fn take_entry(&mut self, registry: &mut RegistryReader) {
        let processes = self.observation.processes.as_deref().unwrap_or_default();
        let entry = registry.entry(processes);
        if entry != self.observation.registry {
            self.observation.registry = entry;
            self.dirty = true;
        }
    }

    fn query(&self, now: f64) -> PaneQuery<'_> {
        PaneQuery {
            pane: self.pane.id.into(),
            agent: self.agent.as_ref(),
            processes: self.observation.processes.as_deref().unwrap_or_default(),
            registry: self.observation.registry.as_ref(),
            screen: self.observation.screen.as_deref(),
            moving: self.is_moving(now),
        }
    }

    fn has_process(&self, is: impl Fn(i64) -> bool) -> bool {
        let processes = self.observation.processes.as_deref().unwrap_or_default();
        processes.iter().any(|process| is(process.pid))
    }
}

fn ask_screens(batch: &mut Batch, panes: impl Iterator<Item = PaneId>) -> Vec<(PaneId, Slot)> {
    panes
        .map(|id| {
            let capture = CapturePane::new().stdout().target_pane(id.to_string());
            (id, batch.ask(capture.build()))
        })
        .collect()
}

/// The second that a moment lies in.
#[expect(clippy::cast_possible_truncation, reason = "saturates")]
fn whole(now: f64) -> i64 {
    now.floor() as i64
}
