//! Looking at all panes of a server, as cheaply as it goes.
//!
//! Screens are captured only where something may have been printed since they were captured last;
//! everything that one look wants to know goes through one run of tmux, and a second one only when
//! a pane began to move that was still before.

mod records;
mod seen;
mod terminals;

use crate::composer::StyledScreen;
use crate::logs::SessionLogs;
use crate::observe;
use crate::processes::ProcessSource;
use crate::registry::RegistryReader;
use crate::reports::Reports;
use crate::tmux::{
    Batch, ClientList, Clients, Identity, Pane, PaneId, PaneList, Replies, Server, Slot, TmuxError,
};
use madohub_detect::Observation;
use seen::whole;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};
use terminals::Terminals;
use tmux_interface::{CapturePane, TmuxCommand};

pub use seen::Seen;

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
            seen.forget_times();
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
        match self.panes.entry(id) {
            Entry::Occupied(mut known) => known.get_mut().take(pane),
            Entry::Vacant(place) => {
                place.insert(Seen::new(pane));
            }
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
}

fn ask_screens(batch: &mut Batch, panes: impl Iterator<Item = PaneId>) -> Vec<(PaneId, Slot)> {
    panes
        .map(|id| {
            let capture = CapturePane::new().stdout().target_pane(id.to_string());
            (id, batch.ask(capture.build()))
        })
        .collect()
}
