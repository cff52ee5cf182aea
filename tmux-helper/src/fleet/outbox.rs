//! What a host has to say, until the broker has it. Of each pane only the newest state waits, so that
//! a slow broker gets few messages, and memory is bounded by panes.

use super::link::Out;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Changes of state that wait, at most; the oldest ones go first.
const EVENTS_MAX: usize = 1000;

/// What waits for the broker.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    /// What is so now, by topic; retained.
    kept: BTreeMap<String, Kept>,
    /// Topics of which the broker has not got the newest, in the order in which they changed.
    due: VecDeque<String>,
    queued: BTreeSet<String>,
    events: VecDeque<Out>,
    /// Events on their way, by the number by which they are confirmed.
    on_the_way: BTreeMap<u16, Out>,
    lost: u64,
    /// The next one is an event, if there is one.
    is_events_turn: bool,
}

#[derive(Debug)]
struct Kept {
    payload: Vec<u8>,
    expiry: u32,
    /// When it must be said again.
    again: f64,
}

impl Outbox {
    /// This is so now: `payload` is retained below `topic`, worth `expiry` seconds.
    pub(super) fn keep(&mut self, topic: &str, payload: Vec<u8>, expiry: u32) {
        let again = f64::INFINITY;
        self.kept.insert(topic.to_owned(), Kept { payload, expiry, again });
        self.queue(topic);
    }

    /// This is no more.
    pub(super) fn drop_kept(&mut self, topic: &str) {
        self.kept.remove(topic);
        self.queue(topic);
    }

    /// This happened.
    pub(super) fn event(&mut self, out: Out) {
        if self.events.len() >= EVENTS_MAX {
            self.events.pop_front();
            self.lost += 1;
        }
        self.events.push_back(out);
    }

    fn queue(&mut self, topic: &str) {
        if self.queued.insert(topic.to_owned()) {
            self.due.push_back(topic.to_owned());
        }
    }

    /// A new connection: all that is so is said again, and the events that were not confirmed.
    pub(super) fn renew(&mut self) {
        for (_, out) in std::mem::take(&mut self.on_the_way).into_iter().rev() {
            self.events.push_front(out);
        }
        while self.events.len() > EVENTS_MAX {
            self.events.pop_front();
            self.lost += 1;
        }
        let topics: Vec<String> = self.kept.keys().cloned().collect();
        for topic in topics {
            self.queue(&topic);
        }
    }

    /// Takes what is said next, if anything waits.
    pub(super) fn next(&mut self, now: f64) -> Option<Out> {
        self.is_events_turn = !self.is_events_turn;
        if (self.is_events_turn || self.due.is_empty())
            && let Some(event) = self.events.pop_front()
        {
            return Some(event);
        }
        let topic = self.due.pop_front()?;
        self.queued.remove(&topic);
        let out = match self.kept.get_mut(&topic) {
            Some(kept) => {
                kept.again = now + f64::from(kept.expiry) / 3.0;
                Out {
                    payload: kept.payload.clone(),
                    expiry: Some(kept.expiry),
                    retain: true,
                    topic,
                }
            }
            None => Out { payload: Vec::new(), expiry: None, retain: true, topic },
        };
        Some(out)
    }

    /// A message got this number; events are kept until they are confirmed.
    pub(super) fn sent(&mut self, id: u16, out: Out) {
        if !out.retain {
            self.on_the_way.insert(id, out);
        }
    }

    /// A message that could not be sent.
    pub(super) fn unsent(&mut self, out: Out) {
        if out.retain {
            self.queue(&out.topic);
        } else {
            self.events.push_front(out);
        }
    }

    /// The broker has this message.
    pub(super) fn confirmed(&mut self, id: u16) {
        self.on_the_way.remove(&id);
    }

    /// Queues what the broker would forget before long; when to look again.
    pub(super) fn refresh(&mut self, now: f64) -> Option<f64> {
        let old = self.kept.iter().filter(|(_, kept)| kept.again <= now);
        let old: Vec<String> = old.map(|(topic, _)| topic.clone()).collect();
        for topic in old {
            self.queue(&topic);
        }
        let next = self.kept.values().map(|kept| kept.again).filter(|at| *at > now);
        next.min_by(f64::total_cmp).filter(|at| at.is_finite())
    }

    /// Whether all was said and confirmed.
    pub(super) fn is_empty(&self) -> bool {
        self.due.is_empty() && self.events.is_empty() && self.on_the_way.is_empty()
    }

    /// How many messages wait.
    pub(super) fn len(&self) -> usize {
        self.due.len() + self.events.len()
    }

    /// How many events had to be left out.
    pub(super) fn lost(&self) -> u64 {
        self.lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(n: u8) -> Out {
        Out { topic: "e".to_owned(), payload: vec![n], retain: false, expiry: Some(60) }
    }

    fn drain(outbox: &mut Outbox) -> Vec<(String, Vec<u8>)> {
        std::iter::from_fn(|| outbox.next(0.0)).map(|out| (out.topic, out.payload)).collect()
    }

    #[test]
    fn the_newest_state_takes_the_place_of_an_older_one() {
        let mut outbox = Outbox::default();
        for n in 0..100 {
            outbox.keep("p/1", vec![n], 60);
            outbox.keep("p/2", vec![n], 60);
        }
        assert_eq!(outbox.len(), 2);
        let said = drain(&mut outbox);
        assert_eq!(said, [("p/1".to_owned(), vec![99]), ("p/2".to_owned(), vec![99])]);
        outbox.drop_kept("p/1");
        assert_eq!(drain(&mut outbox), [("p/1".to_owned(), Vec::new())]);
        outbox.renew();
        assert_eq!(drain(&mut outbox), [("p/2".to_owned(), vec![99])]);
    }

    #[test]
    fn events_keep_their_order_and_the_oldest_give_way() {
        let mut outbox = Outbox::default();
        for n in 0..=255 {
            outbox.event(event(n));
        }
        assert_eq!(outbox.next(0.0).map(|out| out.payload), Some(vec![0]));
        for _ in 0..2 {
            for n in 0..=255 {
                outbox.event(event(n));
            }
        }
        for _ in 0..500 {
            outbox.event(event(7));
        }
        assert_eq!((outbox.len(), outbox.lost()), (EVENTS_MAX, 267));
    }

    #[test]
    fn what_was_not_confirmed_is_said_again() {
        let mut outbox = Outbox::default();
        for n in 1..=3 {
            outbox.event(event(n));
        }
        for id in [10, 11, 12] {
            if let Some(out) = outbox.next(0.0) {
                outbox.sent(id, out);
            }
        }
        assert!(!outbox.is_empty());
        outbox.confirmed(10);
        outbox.renew();
        let said: Vec<Vec<u8>> = drain(&mut outbox).into_iter().map(|(_, said)| said).collect();
        assert_eq!(said, [[2], [3]]);
    }

    #[test]
    fn what_the_broker_would_forget_is_said_again_before() {
        let mut outbox = Outbox::default();
        outbox.keep("p", vec![1], 60);
        assert_eq!(outbox.refresh(0.0), None);
        assert_eq!(drain(&mut outbox).len(), 1);
        assert_eq!(outbox.refresh(19.0), Some(20.0));
        assert!(outbox.is_empty());
        outbox.refresh(20.0);
        assert_eq!(outbox.len(), 1);
    }
}
