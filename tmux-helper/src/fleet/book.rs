//! What is known of other hosts. It is told what came and what time it is (seconds by a clock that
//! never goes back), and grows no further than its limits.

use super::message::{Presence, read_event, read_pane, read_presence, read_screen};
use super::topic::{Kind, Topics};
use crate::output::{ListedPane, by_need};
use crate::protocol::Event;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Hosts, at most.
pub const HOSTS_MAX: usize = 1000;
/// Panes of one host, at most.
pub const PANES_MAX: usize = 500;
/// Panes of all hosts, at most.
pub const ALL_PANES_MAX: usize = 20_000;
/// Bytes of all screens, at most.
const SCREENS_MAX: usize = 32 * 1024 * 1024;
/// Events of a pane that are kept.
const EVENTS_MAX: usize = 20;

/// All hosts.
#[derive(Debug, Default)]
pub struct Book {
    hosts: BTreeMap<String, Host>,
    panes: usize,
    screen_bytes: usize,
    /// Of which host something changed since this was asked last.
    changed: BTreeSet<String>,
    refused: Refused,
}

/// What came and was left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Refused {
    /// It is no message of ours, or speaks for another host.
    pub malformed: u64,
    /// It is more than is kept.
    pub too_many: u64,
}

/// A host.
#[derive(Debug, Default)]
pub struct Host {
    presence: Option<Presence>,
    /// When it is gone unless it is heard of before.
    deadline: f64,
    /// Since when it is known to be gone.
    gone: Option<f64>,
    panes: BTreeMap<String, Pane>,
    /// The last event of each server, by its number.
    seqs: BTreeMap<String, u64>,
    /// Since when what it told and what is known differ.
    differs: Option<f64>,
}

#[derive(Debug)]
struct Pane {
    n: u64,
    listed: ListedPane,
    screen: Option<String>,
    events: VecDeque<Event>,
    /// Which round of listening it was told in.
    round: u64,
}

/// What a message made new.
#[derive(Debug, Clone, PartialEq)]
pub enum Told {
    /// Nothing that one must act on.
    Nothing,
    /// Nothing was heard of this host before, or it was gone.
    Host(String),
    /// A change of state.
    Event(Box<Event>),
}

impl Book {
    /// Takes a message of another host over; `round` counts how often it was begun to listen, and
    /// `expiry` is what is left of a message's worth.
    pub fn take(
        &mut self,
        topic: &str,
        payload: &[u8],
        expiry: Option<u32>,
        topics: &Topics,
        round: u64,
        now: f64,
    ) -> Told {
        let Some((host, kind)) = topics.read(topic) else {
            self.refused.malformed += 1;
            return Told::Nothing;
        };
        let known = match kind {
            Kind::Presence => self.presence(host, payload, expiry, now),
            Kind::Pane(id) => self.pane(host, &id, payload, round),
            Kind::Screen(id) => self.screen(host, &id, payload),
            Kind::Event => self.event(host, payload),
            // Not asked for.
            Kind::Route | Kind::Answer(_) => Some(Told::Nothing),
        };
        known.unwrap_or_else(|| {
            self.refused.malformed += 1;
            Told::Nothing
        })
    }

    fn presence(
        &mut self,
        host: &str,
        payload: &[u8],
        expiry: Option<u32>,
        now: f64,
    ) -> Option<Told> {
        if payload.is_empty() {
            // It said goodbye.
            self.forget(host);
            return Some(Told::Nothing);
        }
        let presence = read_presence(payload, host)?;
        let Some(known) = self.host(host) else { return Some(Told::Nothing) };
        let (was_there, is_first) = (known.is_online(), known.presence.is_none());
        // The last will of a program whose place another one took says nothing of the host.
        let is_late = |before: &Presence| before.instance != presence.instance;
        if !presence.online && was_there && known.presence.as_ref().is_some_and(is_late) {
            return Some(Told::Nothing);
        }
        known.deadline = now + presence.worth(expiry);
        let is_there = presence.online && known.deadline > now;
        // When it said so, or when it had said nothing for long enough.
        let keep_alive = f64::from(presence.keep_alive);
        let since = if presence.online { known.deadline } else { known.deadline - keep_alive };
        known.gone = if is_there { None } else { known.gone.or(Some(since)) };
        let count = known.panes.len() as u64;
        let sum = known.panes.values().fold(0_u64, |sum, pane| sum.wrapping_add(pane.n));
        known.differs = if is_there && (presence.panes, presence.sum) != (count, sum) {
            known.differs.or(Some(now))
        } else {
            None
        };
        known.presence = Some(presence);
        let is_new = is_first || (is_there && !was_there);
        if is_new || was_there != is_there {
            self.changed.insert(host.to_owned());
        }
        Some(if is_new { Told::Host(host.to_owned()) } else { Told::Nothing })
    }

    fn pane(&mut self, host: &str, id: &str, payload: &[u8], round: u64) -> Option<Told> {
        if payload.is_empty() {
            self.remove(host, id);
            return Some(Told::Nothing);
        }
        let (n, listed) = read_pane(payload, host, id)?;
        let all = self.panes;
        let Some(known) = self.host(host) else { return Some(Told::Nothing) };
        let of_host = known.panes.len();
        if let Some(pane) = known.panes.get_mut(id) {
            (pane.n, pane.listed, pane.round) = (n, listed, round);
        } else if of_host >= PANES_MAX || all >= ALL_PANES_MAX {
            self.refused.too_many += 1;
            return Some(Told::Nothing);
        } else {
            let pane = Pane { n, listed, screen: None, events: VecDeque::new(), round };
            known.panes.insert(id.to_owned(), pane);
            self.panes += 1;
        }
        self.changed.insert(host.to_owned());
        Some(Told::Nothing)
    }

    fn screen(&mut self, host: &str, id: &str, payload: &[u8]) -> Option<Told> {
        let screen = if payload.is_empty() { None } else { Some(read_screen(payload)?) };
        let pane = self.hosts.get_mut(host).and_then(|host| host.panes.get_mut(id));
        let Some(pane) = pane else { return Some(Told::Nothing) };
        let before = pane.screen.as_ref().map_or(0, String::len);
        let after = screen.as_ref().map_or(0, String::len);
        if self.screen_bytes - before + after > SCREENS_MAX {
            self.refused.too_many += 1;
            return Some(Told::Nothing);
        }
        self.screen_bytes = self.screen_bytes - before + after;
        pane.screen = screen;
        Some(Told::Nothing)
    }

    fn event(&mut self, host: &str, payload: &[u8]) -> Option<Told> {
        let event = read_event(payload, host)?;
        let Some(known) = self.host(host) else { return Some(Told::Nothing) };
        // It may come twice: a host says again what the broker did not confirm.
        let last = known.seqs.get(&event.server).copied();
        if last.is_some_and(|last| event.seq <= last && last - event.seq < 1000) {
            return Some(Told::Nothing);
        }
        if known.seqs.len() < PANES_MAX || last.is_some() {
            known.seqs.insert(event.server.clone(), event.seq);
        }
        let is_its = |pane: &&mut Pane| {
            let row = &pane.listed.row;
            (&row.server, &row.pane) == (&event.server, &event.pane)
        };
        if let Some(pane) = known.panes.values_mut().find(is_its) {
            pane.events.push_front(event.clone());
            pane.events.truncate(EVENTS_MAX);
        }
        Some(Told::Event(Box::new(event)))
    }

    /// The host, made known if there is room.
    fn host(&mut self, name: &str) -> Option<&mut Host> {
        if !self.hosts.contains_key(name) && self.hosts.len() >= HOSTS_MAX {
            self.refused.too_many += 1;
            return None;
        }
        Some(self.hosts.entry(name.to_owned()).or_default())
    }

    fn remove(&mut self, host: &str, id: &str) {
        let Some(known) = self.hosts.get_mut(host) else { return };
        if let Some(pane) = known.panes.remove(id) {
            self.panes -= 1;
            self.screen_bytes -= pane.screen.map_or(0, |screen| screen.len());
            self.changed.insert(host.to_owned());
        }
    }

    fn forget(&mut self, name: &str) {
        if let Some(host) = self.hosts.remove(name) {
            self.panes -= host.panes.len();
            let screens = host.panes.values().filter_map(|pane| pane.screen.as_ref());
            self.screen_bytes -= screens.map(String::len).sum::<usize>();
            self.changed.insert(name.to_owned());
        }
    }

    /// Takes hosts that were silent for too long for gone; which went by that.
    pub fn expire(&mut self, now: f64) -> Vec<String> {
        let mut gone = Vec::new();
        for (name, host) in &mut self.hosts {
            if host.gone.is_none() && host.presence.is_some() && host.deadline <= now {
                host.gone = Some(now);
                gone.push(name.clone());
                self.changed.insert(name.clone());
            }
        }
        gone
    }

    /// When [`Book::expire`] has something to do.
    pub fn deadline(&self) -> Option<f64> {
        let there = self.hosts.values().filter(|host| host.is_online());
        there.map(|host| host.deadline).min_by(f64::total_cmp)
    }

    /// Forgets panes of a host that were not told in this round of listening.
    pub fn sweep(&mut self, name: &str, round: u64) {
        let Some(host) = self.hosts.get(name) else { return };
        let old = host.panes.iter().filter(|(_, pane)| pane.round < round);
        let old: Vec<String> = old.map(|(id, _)| id.clone()).collect();
        for id in old {
            self.remove(name, &id);
        }
    }

    /// Hosts of which a message was lost: what they said of their panes is something else than what
    /// is known, for at least so many seconds. Each is told once until it says it again.
    pub fn differing(&mut self, seconds: f64, now: f64) -> Vec<String> {
        let mut found = Vec::new();
        for (name, host) in &mut self.hosts {
            if host.differs.is_some_and(|since| since + seconds <= now) {
                host.differs = None;
                found.push(name.clone());
            }
        }
        found
    }

    /// Of which hosts something changed since this was asked last.
    pub fn changed(&mut self) -> BTreeSet<String> {
        std::mem::take(&mut self.changed)
    }

    /// The hosts, by name.
    pub fn hosts(&self) -> impl Iterator<Item = (&str, &Host)> {
        self.hosts.iter().map(|(name, host)| (name.as_str(), host))
    }

    /// A host.
    pub fn host_named(&self, name: &str) -> Option<&Host> {
        self.hosts.get(name)
    }

    /// What was left out so far.
    pub fn refused(&self) -> Refused {
        self.refused
    }

    /// The panes of all hosts that are there, sorted by need.
    pub fn rows(&self) -> Vec<ListedPane> {
        let there = self.hosts.values().filter(|host| host.is_online());
        let mut rows: Vec<ListedPane> = there.flat_map(Host::rows).cloned().collect();
        by_need(&mut rows);
        rows
    }
}

impl Host {
    /// Whether it is there: it said so, and not too long ago.
    pub fn is_online(&self) -> bool {
        self.presence.is_some() && self.gone.is_none()
    }

    /// Whether it ever said that it is there; panes alone may be left from one that is not.
    pub fn is_known(&self) -> bool {
        self.presence.is_some()
    }

    /// For how long it is gone, in seconds.
    pub fn gone_for(&self, now: f64) -> Option<f64> {
        self.gone.map(|since| now - since)
    }

    /// What it said of itself last.
    pub fn presence(&self) -> Option<&Presence> {
        self.presence.as_ref()
    }

    /// Its panes, in no order.
    pub fn rows(&self) -> impl Iterator<Item = &ListedPane> {
        self.panes.values().map(|pane| &pane.listed)
    }

    /// How many panes are known of it.
    pub fn count(&self) -> usize {
        self.panes.len()
    }

    /// Whether all its panes are known, as far as it said how many there are.
    pub fn is_complete(&self) -> bool {
        let told = self.presence.as_ref().map_or(0, |presence| presence.panes);
        self.panes.len() as u64 >= told
    }

    /// What a pane shows, if its host tells that.
    pub fn screen(&self, server: &str, pane: &str) -> Option<&str> {
        self.find(server, pane)?.screen.as_deref()
    }

    /// The last events of a pane, the newest first.
    pub fn events(&self, server: &str, pane: &str) -> Vec<Event> {
        self.find(server, pane)
            .map(|pane| pane.events.iter().cloned().collect())
            .unwrap_or_default()
    }

    fn find(&self, server: &str, pane: &str) -> Option<&Pane> {
        self.panes.values().find(|known| {
            let row = &known.listed.row;
            (row.server.as_str(), row.pane.as_str()) == (server, pane)
        })
    }
}

#[cfg(test)]
mod tests;
