//! Looking at all panes of a server, as cheaply as it goes.
//!
//! Screens are captured only where the window had output since they were captured last; everything
//! that one look wants to know goes through one run of tmux, and a second one only when a pane
//! began to move that was still before.

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
use tmux_interface::CapturePane;

/// While a pane moves, its processes are read anew this often, in seconds.
const WALK_MOVING: f64 = 1.0;
/// While nothing says that they changed, its processes are read anew this often, in seconds.
const WALK_STILL: f64 = 10.0;
/// A pane that moved is expected to go on moving for so many seconds.
const EXPECTED: f64 = 2.0;

/// How much a look covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// All panes and clients; finds out which panes are gone.
    All,
    /// The panes of windows that had output since the last look (tmux 3.2 and newer).
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
        let question = match reach {
            Reach::All => self.question.all(),
            Reach::Moved => self.question.moved_since(self.last),
        };
        let list = also.ask(question);
        let clients = (reach == Reach::All).then(|| also.ask(self.client_question.all()));
        let identity = also.ask(Identity::question());
        let expected = self.panes.iter().filter(|(_, seen)| seen.is_moving(now));
        let captures = ask_screens(&mut also, expected.map(|(id, _)| *id));
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
        let mut fresh: HashSet<PaneId> = HashSet::new();
        for pane in listed {
            fresh.insert(pane.id);
            self.take(pane);
        }
        let mut screens: HashMap<PaneId, &str> = HashMap::new();
        for (id, slot) in &captures {
            screens.extend(replies.get(*slot).map(|answer| (*id, answer)));
        }
        self.take_screens(&screens, second, now);

        // What began to move, came in, or was resized.
        let mut more = Batch::new();
        let stale = self.panes.iter().filter(|(id, seen)| {
            !screens.contains_key(id) && seen.captured.is_none_or(|then| seen.pane.activity >= then)
        });
        let captures = ask_screens(&mut more, stale.map(|(id, _)| *id));
        if !captures.is_empty() {
            let more = self.server.run(&more)?;
            let answers = captures.iter().filter_map(|(id, slot)| Some((*id, more.get(*slot)?)));
            self.take_screens(&answers.collect(), second, now);
        }
        self.last = second;
        self.look_at_processes(reach, &fresh, now);
        Ok(Looked { gone, replies })
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
            (seen.captured, seen.moved, seen.walked) = (None, None, None);
        }
    }

    fn drop_missing(&mut self, listed: &[Pane]) -> Vec<PaneId> {
        let there: HashSet<PaneId> = listed.iter().map(|pane| pane.id).collect();
        let gone: Vec<PaneId> =
            self.panes.keys().copied().filter(|id| !there.contains(id)).collect();
        self.panes.retain(|id, _| there.contains(id));
        gone
    }

    fn take(&mut self, pane: Pane) {
        if let Some(seen) = self.panes.get_mut(&pane.id) {
            let resized = (seen.pane.cols, seen.pane.rows) != (pane.cols, pane.rows);
            let replaced = seen.pane.pid != pane.pid || seen.pane.dead != pane.dead;
            if resized || replaced {
                seen.captured = None;
            }
            if replaced {
                seen.walked = None;
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
                walked: None,
                agent: None,
                pane,
            };
            self.panes.insert(seen.pane.id, seen);
        }
    }

    fn take_screens(&mut self, answers: &HashMap<PaneId, &str>, second: i64, now: f64) {
        for (id, answer) in answers {
            let (Some(seen), Some(rows)) = (self.panes.get_mut(id), observe::rows(answer)) else {
                continue;
            };
            let first = seen.observation.screen.is_none();
            seen.captured = Some(second);
            if seen.observation.screen.as_ref() != Some(&rows) {
                seen.observation.screen = Some(rows);
                seen.dirty = true;
                seen.moved = Some(now).filter(|_| !first).or(seen.moved);
            }
        }
    }

    fn look_at_processes(&mut self, reach: Reach, fresh: &HashSet<PaneId>, now: f64) {
        self.processes.begin();
        self.registry.begin();
        self.reports.begin();
        for (id, seen) in &mut self.panes {
            let has_word = |pid| self.registry.has_entry(pid) || self.reports.has_report(pid);
            if reach == Reach::Moved && !fresh.contains(id) && !seen.has_process(has_word) {
                continue;
            }
            let sign = self.processes.sign(seen.pane.pid);
            if self.processes.fell_short() {
                break;
            }
            let age = seen.walked.map_or(f64::INFINITY, |then| now - then);
            let moving = seen.is_moving(now) || fresh.contains(id);
            let due = age >= if moving { WALK_MOVING } else { WALK_STILL };
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
