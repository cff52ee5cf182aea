//! What this host says: its panes, their changes, and that it is there.

use super::presence;
use crate::config::Fleet;
use crate::fleet::link::Out;
use crate::fleet::local::Local;
use crate::fleet::message::{
    PANE_MAX, PaneMessage, SCREEN_MAX, ScreenMessage, VERSION, told_event, told_row,
};
use crate::fleet::outbox::Outbox;
use crate::fleet::topic::{Kind, Topics, pane_id};
use crate::output::ListedPane;
use crate::time;
use std::collections::{BTreeMap, BTreeSet};

/// Seconds for which a pane's state is kept by the broker, unless it is said again.
const PANE_EXPIRY: u32 = 600;
/// Seconds for which a change of state is worth being told.
const EVENT_EXPIRY: u32 = 3600;
/// Panes that are told, at most; others would leave more out.
const PANES_MAX: usize = crate::fleet::book::PANES_MAX;

/// What is so here, and what the broker has of it.
pub(super) struct Said {
    fleet: Fleet,
    host: String,
    topics: Topics,
    instance: u64,
    since: f64,
    /// The panes of each source, by topic.
    sources: BTreeMap<String, BTreeMap<String, ListedPane>>,
    /// What panes show, by topic.
    screens: BTreeMap<String, String>,
    outbox: Outbox,
    /// Number of the last message of a pane.
    n: u64,
    /// The numbers of the newest messages of panes, by topic.
    numbers: BTreeMap<String, u64>,
    /// And of those that went to the broker.
    gone_out: BTreeMap<String, u64>,
}

impl Said {
    pub(super) fn new(fleet: &Fleet, host: &str, instance: u64) -> Self {
        Self {
            fleet: fleet.clone(),
            host: host.to_owned(),
            topics: Topics::below(&fleet.prefix),
            instance,
            since: time::now(),
            sources: BTreeMap::new(),
            screens: BTreeMap::new(),
            outbox: Outbox::default(),
            n: 0,
            numbers: BTreeMap::new(),
            gone_out: BTreeMap::new(),
        }
    }

    /// The number of this publisher.
    pub(super) fn instance(&self) -> u64 {
        self.instance
    }

    /// A topic of this host.
    pub(super) fn topic(&self, kind: &Kind) -> String {
        self.topics.of(&self.host, kind)
    }

    /// That this host is there, or is not.
    pub(super) fn presence(&self, online: bool) -> Out {
        let mut presence = presence(&self.host, self.instance, self.since, &self.fleet);
        presence.online = online;
        presence.panes = self.gone_out.len() as u64;
        presence.sum = self.gone_out.values().fold(0, |sum: u64, n| sum.wrapping_add(*n));
        let expiry = Some(presence.expiry);
        // Plain data always has a JSON form.
        let payload = serde_json::to_vec(&presence).unwrap_or_default();
        Out { topic: self.topic(&Kind::Presence), payload, retain: true, expiry }
    }

    /// Takes over what is told of this machine.
    pub(super) fn local(&mut self, news: Local) {
        match news {
            Local::Panes(source, panes) => self.panes(source, panes),
            Local::Gone(source) => self.panes(source, Vec::new()),
            Local::Screen(pane, screen) => self.screen(&pane, screen),
            Local::Event(event) => {
                let event = told_event(*event, &self.host, self.fleet.publish);
                let payload = serde_json::to_vec(&event).unwrap_or_default();
                if payload.len() <= PANE_MAX {
                    let topic = self.topic(&Kind::Event);
                    let expiry = Some(EVENT_EXPIRY);
                    self.outbox.event(Out { topic, payload, retain: false, expiry });
                }
            }
            Local::Complete => {}
        }
    }

    fn panes(&mut self, source: String, panes: Vec<ListedPane>) {
        let publish = self.fleet.publish;
        let named = |pane: ListedPane| {
            let id = pane_id(&pane.row);
            (self.topics.of(&self.host, &Kind::Pane(id)), told_row(pane, publish))
        };
        let old = self.sources.remove(&source).unwrap_or_default();
        let room = PANES_MAX.saturating_sub(self.panes_told());
        let new: BTreeMap<_, _> = panes.into_iter().take(room).map(named).collect();
        for topic in old.keys().filter(|topic| !new.contains_key(*topic)) {
            self.outbox.drop_kept(topic);
            self.numbers.remove(topic);
            let screen = screen_topic(topic);
            if self.screens.remove(&screen).is_some() {
                self.outbox.drop_kept(&screen);
            }
        }
        for (topic, pane) in new.iter().filter(|(topic, pane)| old.get(*topic) != Some(*pane)) {
            self.n += 1;
            let message = PaneMessage {
                v: VERSION,
                host: self.host.clone(),
                n: self.n,
                pane_index: pane.pane_index,
                row: pane.row.clone(),
            };
            let payload = serde_json::to_vec(&message).unwrap_or_default();
            if payload.len() <= PANE_MAX {
                self.outbox.keep(topic, payload, PANE_EXPIRY);
                self.numbers.insert(topic.clone(), self.n);
            }
        }
        if !new.is_empty() {
            self.sources.insert(source, new);
        }
    }

    fn screen(&mut self, pane: &ListedPane, screen: String) {
        let topic = self.topic(&Kind::Screen(pane_id(&pane.row)));
        if self.screens.get(&topic) == Some(&screen) {
            return;
        }
        let rows = screen.lines().map(str::to_owned).collect();
        let payload = serde_json::to_vec(&ScreenMessage { v: VERSION, rows }).unwrap_or_default();
        if payload.len() <= SCREEN_MAX {
            self.outbox.keep(&topic, payload, PANE_EXPIRY);
            self.screens.insert(topic, screen);
        }
    }

    /// The broker has this of this host: it is taken away where it is not so.
    pub(super) fn found(&mut self, topic: &str, payload: &[u8]) {
        let is_so = self.numbers.contains_key(topic) || self.screens.contains_key(topic);
        if !payload.is_empty() && !is_so {
            self.outbox.drop_kept(topic);
        }
    }

    /// There is a new connection.
    pub(super) fn renew(&mut self) {
        self.gone_out.clear();
        self.outbox.renew();
    }

    /// Takes everything away that the broker keeps of this host.
    pub(super) fn goodbye(&mut self) {
        let screens = std::mem::take(&mut self.screens).into_keys();
        let panes = std::mem::take(&mut self.numbers).into_keys();
        let topics: BTreeSet<String> = panes.chain(screens).collect();
        for topic in topics.into_iter().chain([self.topic(&Kind::Presence)]) {
            self.outbox.drop_kept(&topic);
        }
    }

    /// What goes to the broker next.
    pub(super) fn next(&mut self, now: f64) -> Option<Out> {
        let out = self.outbox.next(now)?;
        if out.retain {
            match self.numbers.get(&out.topic).filter(|_| !out.payload.is_empty()) {
                Some(n) => drop(self.gone_out.insert(out.topic.clone(), *n)),
                None => drop(self.gone_out.remove(&out.topic)),
            }
        }
        Some(out)
    }

    pub(super) fn sent(&mut self, id: u16, out: Out) {
        self.outbox.sent(id, out);
    }

    pub(super) fn unsent(&mut self, out: Out) {
        self.outbox.unsent(out);
    }

    pub(super) fn confirmed(&mut self, id: u16) {
        self.outbox.confirmed(id);
    }

    pub(super) fn refresh(&mut self, now: f64) -> Option<f64> {
        self.outbox.refresh(now)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.outbox.is_empty()
    }

    pub(super) fn panes_told(&self) -> usize {
        self.sources.values().map(BTreeMap::len).sum()
    }

    pub(super) fn waiting(&self) -> usize {
        self.outbox.len()
    }

    pub(super) fn lost(&self) -> u64 {
        self.outbox.lost()
    }
}

/// The topic of a pane's screen, by the topic of its state.
fn screen_topic(pane: &str) -> String {
    match pane.rsplit_once("/pane/") {
        Some((host, id)) => format!("{host}/screen/{id}"),
        None => pane.to_owned(),
    }
}
