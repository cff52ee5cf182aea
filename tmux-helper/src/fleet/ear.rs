//! Listens to other hosts. Who is there is asked first, and then the panes of each host for itself:
//! a broker that is asked for thousands of retained messages at once leaves some out.

use super::book::{Book, Told};
use super::link::Message;
use super::station::Tools;
use super::topic::{Kind, Topics};
use crate::protocol::Event;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Hosts whose panes are asked for at the same time.
const AT_ONCE: usize = 8;
/// Seconds after an answer in which what the broker kept has come.
const GRACE: f64 = 2.0;
/// Seconds for which what a host told and what is known may differ: they say it in turn.
const DIFFERS: f64 = 1.0;
/// Seconds between two times that a host's panes are asked for anew.
const AGAIN: f64 = 10.0;

/// What is listened to beside who is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wants {
    /// The states of panes.
    pub panes: bool,
    /// Changes of state.
    pub events: bool,
    /// What panes show.
    pub screens: bool,
}

/// Listens, and knows what was heard.
#[derive(Debug)]
pub struct Ear {
    /// What is known.
    pub book: Book,
    topics: Topics,
    wants: Wants,
    /// A host that is not listened to: this one.
    but: Option<String>,
    round: u64,
    waiting: VecDeque<String>,
    asked: BTreeMap<u16, String>,
    first: Option<u16>,
    is_allowed: bool,
    answered: bool,
    /// When what a host did not tell again is forgotten.
    sweeps: VecDeque<(f64, String, u64)>,
    /// When a host's panes were asked for last.
    last: BTreeMap<String, f64>,
}

impl Ear {
    /// Nothing was heard yet. `but` is a host that is not listened to.
    pub fn new(topics: Topics, wants: Wants, but: Option<String>) -> Self {
        Self {
            book: Book::default(),
            topics,
            wants,
            but,
            round: 0,
            waiting: VecDeque::new(),
            asked: BTreeMap::new(),
            first: None,
            is_allowed: true,
            answered: false,
            sweeps: VecDeque::new(),
            last: BTreeMap::new(),
        }
    }

    /// There is a connection: begins to listen. What is not told again is forgotten later.
    pub fn up(&mut self, tools: &mut Tools<'_>) {
        self.round += 1;
        self.waiting.clear();
        self.asked.clear();
        self.sweeps.clear();
        self.last.clear();
        let mut filters = vec![self.topics.of("+", &Kind::Presence)];
        if self.wants.events {
            filters.push(self.topics.of("+", &Kind::Event));
        }
        self.first = tools.subscribe(&filters);
        self.answered = false;
        // Their presence may be there already, as the broker tells it only once more.
        for (name, _) in self.book.hosts().filter(|(_, host)| host.is_online()) {
            self.waiting.push_back(name.to_owned());
        }
        self.ask(tools);
    }

    /// Takes a message over; the change of state that it tells.
    pub fn message(&mut self, message: &Message, tools: &mut Tools<'_>) -> Option<Event> {
        let host = self.topics.read(&message.topic).map(|(host, _)| host);
        if host.is_some() && host == self.but.as_deref() {
            return None;
        }
        let (topic, payload) = (&message.topic, &message.payload);
        let told =
            self.book.take(topic, payload, message.expiry, &self.topics, self.round, tools.now);
        match told {
            Told::Nothing => None,
            Told::Event(event) => Some(*event),
            Told::Host(name) => {
                if !self.last.contains_key(&name) && !self.waiting.contains(&name) {
                    self.waiting.push_back(name);
                    self.ask(tools);
                }
                None
            }
        }
    }

    /// The broker answered a subscription.
    pub fn subscribed(&mut self, id: u16, allowed: bool, tools: &mut Tools<'_>) {
        self.is_allowed &= allowed;
        if self.first == Some(id) {
            self.answered = true;
        }
        if let Some(name) = self.asked.remove(&id) {
            self.sweeps.push_back((tools.now + GRACE, name, self.round));
            self.ask(tools);
        }
    }

    /// Does what is due; when it is to be called next.
    pub fn turn(&mut self, tools: Option<&mut Tools<'_>>, now: f64) -> Option<f64> {
        self.book.expire(now);
        while self.sweeps.front().is_some_and(|(at, ..)| *at <= now) {
            if let Some((_, name, round)) = self.sweeps.pop_front() {
                self.book.sweep(&name, round);
            }
        }
        if let Some(tools) = tools {
            for name in self.book.differing(DIFFERS, now) {
                let is_recent = self.last.get(&name).is_some_and(|at| at + AGAIN > now);
                if !is_recent && !self.waiting.contains(&name) {
                    self.waiting.push_back(name);
                }
            }
            self.ask(tools);
        }
        let sweep = self.sweeps.front().map(|(at, ..)| *at);
        self.book.deadline().into_iter().chain(sweep).min_by(f64::total_cmp)
    }

    /// Asks for the panes of hosts that are waited for, a few at a time.
    fn ask(&mut self, tools: &mut Tools<'_>) {
        if !self.wants.panes {
            self.waiting.clear();
        }
        while self.asked.len() < AT_ONCE && tools.link.has_room() {
            let Some(name) = self.waiting.pop_front() else { return };
            let mut filters = vec![self.topics.of(&name, &Kind::Pane("+".to_owned()))];
            if self.wants.screens {
                filters.push(self.topics.of(&name, &Kind::Screen("+".to_owned())));
            }
            let Some(id) = tools.subscribe(&filters) else { return };
            self.last.insert(name.clone(), tools.now);
            self.asked.insert(id, name);
        }
    }

    /// Whether everything was asked for, and every host has told as many panes as it says it has.
    pub fn is_complete(&self) -> bool {
        let hosts: BTreeSet<bool> = self
            .book
            .hosts()
            .filter(|(_, host)| host.is_online() && self.wants.panes)
            .map(|(_, host)| host.is_complete())
            .collect();
        self.has_asked() && !hosts.contains(&false)
    }

    /// Whether the broker has answered everything that it was asked for.
    pub fn has_asked(&self) -> bool {
        self.answered && self.asked.is_empty() && self.waiting.is_empty()
    }

    /// Whether the broker allows to listen.
    pub fn is_allowed(&self) -> bool {
        self.is_allowed
    }
}
