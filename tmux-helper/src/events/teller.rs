//! From changes to numbered events, once each.

use super::entry::{Entry, Record};
use super::journal::Journal;
use super::ring::Ring;
use crate::protocol::{Event, Scene};
use madohub_detect::{Announcer, Change, Told};
use std::path::Path;
use std::sync::Arc;

/// Numbers events and writes them down before anybody hears of them.
#[derive(Debug)]
pub struct Teller {
    scene: Scene,
    journal: Journal,
    announcer: Announcer,
    seq: u64,
    /// Writing failed, and that was said.
    is_mute: bool,
}

/// What is told now.
#[derive(Debug, Default, PartialEq)]
pub struct Telling {
    /// Events. They are written down already.
    pub events: Vec<Arc<Entry>>,
    /// Ends of turns that were told before, with the agent's word that came late. They have the
    /// number of the last event, because they are none.
    pub refinements: Vec<Event>,
}

/// What panes events come from: a life of a tmux server.
pub struct Source<'a> {
    /// Process of the server.
    pub server: i64,
    /// Process of a pane by its name; nothing where the pane is gone.
    pub pid: &'a dyn Fn(&str) -> Option<i64>,
}

impl Teller {
    /// Tells events of this scene from now on; answers the ones that were told before and are
    /// still kept, oldest first.
    pub fn open(scene: Scene, path: &Path) -> (Self, Vec<Arc<Entry>>) {
        let (journal, entries, skipped) = Journal::open(path);
        if skipped > 0 {
            tracing::warn!(skipped, "some lines of {} are no events; left out", path.display());
        }
        let seq = entries.last().map_or(0, |entry| entry.event().seq);
        let announcer = Announcer::default();
        (Self { scene, journal, announcer, seq, is_mute: false }, entries)
    }

    /// Number of the last event.
    pub fn seq(&self) -> u64 {
        self.seq
    }

    /// Where and when events happen.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// What waits to be told, to be stored.
    pub fn announcer(&self) -> &Announcer {
        &self.announcer
    }

    /// Goes on where a former daemon was, which had told events up to `seq`.
    pub fn resume(&mut self, announcer: Announcer, seq: u64) {
        self.announcer = announcer;
        self.seq = self.seq.max(seq);
    }

    /// Another life of the server begins: its panes are others.
    pub fn begin_anew(&mut self) {
        self.announcer = Announcer::default();
    }

    /// Writes down what could not be written when it was told; `kept` are the events that are kept.
    pub fn write_again(&mut self, kept: impl FnOnce() -> Vec<Arc<Entry>>) {
        self.is_mute = self.is_mute && self.journal.append(&[], kept).is_err();
    }

    /// Forgets how the turns ended of panes that are not to be kept.
    pub fn retain_ends(&mut self, is_kept: impl Fn(&str) -> bool) {
        self.announcer.retain_ends(is_kept);
    }

    /// Whether the end of a turn waits to be told.
    pub fn is_waiting(&self) -> bool {
        self.announcer.is_waiting()
    }

    /// Takes changes with the times since when the new states hold, and what agents said of turns
    /// whose ends their panes no longer show; answers what is told now.
    pub fn tell(
        &mut self,
        changes: Vec<(Change, f64)>,
        verdicts: Vec<Change>,
        source: &Source<'_>,
        ring: impl FnOnce() -> Vec<Arc<Entry>>,
        now: f64,
    ) -> Telling {
        let mut told = Vec::new();
        for (change, since) in changes {
            told.extend(self.announcer.take(change, since, now));
        }
        for verdict in verdicts {
            told.extend(self.announcer.judge(verdict, now, now));
        }
        // Last, because a word that comes just in time is still the event.
        told.extend(self.announcer.due(now));
        let (refinements, told): (Vec<_>, Vec<_>) = told.into_iter().partition(|t| t.refines);
        let entries: Vec<Arc<Entry>> =
            told.into_iter().filter_map(|told| self.entry(told, source, now)).collect();
        if !entries.is_empty() {
            match self.journal.append(&entries, ring) {
                Ok(()) => self.is_mute = false,
                Err(error) if !self.is_mute => {
                    self.is_mute = true;
                    tracing::warn!(%error, "cannot write the events down");
                }
                Err(_) => {}
            }
        }
        let refinement = |told: Told| self.scene.event(told.change, self.seq, told.since, now);
        Telling { refinements: refinements.into_iter().map(refinement).collect(), events: entries }
    }

    fn entry(&mut self, told: Told, source: &Source<'_>, now: f64) -> Option<Arc<Entry>> {
        let Told { change, since, .. } = told;
        let pid = (source.pid)(&change.pane).unwrap_or(0);
        let event = self.scene.event(change, self.seq + 1, since, now);
        let entry = Entry::new(Record { server: source.server, pid, event }).ok()?;
        self.seq += 1;
        Some(Arc::new(entry))
    }
}

impl Entry {
    /// Whether the event is of a pane in the life of the server with this process.
    pub fn is_of(&self, server: i64) -> bool {
        self.record.server == server
    }
}

impl Ring {
    /// The events that a former daemon told. Histories are those of the panes of this life of the
    /// server alone.
    pub fn restored(entries: Vec<Arc<Entry>>, server: i64, last: u64) -> Self {
        let mut ring = Self::starting_after(last);
        for entry in entries {
            let is_of_this_life = entry.is_of(server);
            ring.push(&entry);
            if !is_of_this_life {
                ring.retain_histories(|kept| kept != entry.event().pane);
            }
        }
        ring.raise(last);
        ring
    }

    /// Every event that is kept, for the journal.
    pub fn kept(&self) -> Vec<Arc<Entry>> {
        self.all()
    }
}

impl Event {
    /// Number of the turn; 0 where it cannot be one.
    pub fn turn_number(&self) -> u64 {
        self.turn.parse().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    #![allow(
        clippy::indexing_slicing,
        clippy::panic,
        clippy::unwrap_used,
        reason = "a failing test may panic"
    )]

    use super::*;
    use madohub_detect::{AgentId, State, StateSource};

    fn change(from: State, to: State, turn: u64) -> Change {
        Change {
            pane: "%1".to_owned(),
            agent: AgentId::new("claude"),
            from,
            to,
            state_source: StateSource::PtyScrape,
            reason: None,
            turn,
            evidence: Vec::new(),
        }
    }

    fn open(path: &Path) -> (Teller, Vec<Arc<Entry>>) {
        let scene = Scene { host: "devbox".to_owned(), server: "/s".to_owned() };
        Teller::open(scene, path)
    }

    fn tell(
        teller: &mut Teller,
        change: (Change, f64),
        source: &Source<'_>,
        now: f64,
    ) -> Vec<Arc<Entry>> {
        teller.tell(vec![change], Vec::new(), source, Vec::new, now).events
    }

    #[test]
    fn numbers_go_on_after_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.events");
        let source = Source { server: 7, pid: &|_| Some(70) };
        let (mut teller, _) = open(&path);
        for turn in 1..=3 {
            let starts = (change(State::Idle, State::Working, turn), 1.0);
            assert_eq!(tell(&mut teller, starts, &source, 1.0).len(), 1);
        }
        let (mut later, entries) = open(&path);
        assert_eq!((later.seq(), entries.len()), (3, 3));
        // The state was stored after the last event that could be written down.
        later.resume(Announcer::default(), 5);
        let next = (change(State::Working, State::Waiting, 3), 2.0);
        let told = tell(&mut later, next, &source, 2.0);
        assert_eq!((told[0].event().seq, told[0].pid()), (6, 70));
    }

    #[test]
    fn an_end_that_waits_is_told_with_the_time_of_the_telling() {
        let folder = tempfile::tempdir().unwrap();
        let (mut teller, _) = open(&folder.path().join("x.events"));
        let source = Source { server: 7, pid: &|_| None };
        let ends = (change(State::Working, State::Stopped, 1), 10.0);
        assert!(tell(&mut teller, ends, &source, 10.0).is_empty());
        assert!(teller.is_waiting());
        let told = teller.tell(Vec::new(), Vec::new(), &source, Vec::new, 12.0);
        let event = told.events[0].event();
        assert_eq!((event.time, event.since, event.turn_number()), (12.0, 10.0, 1));
    }

    #[test]
    fn a_late_word_refines_and_is_no_event() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.events");
        let (mut teller, _) = open(&path);
        let source = Source { server: 7, pid: &|_| Some(70) };
        let ends = |turn| (change(State::Working, State::Stopped, turn), 10.0);
        let word = |turn| change(State::Stopped, State::Completed, turn);
        // Just in time: in the step in which the end would have been told.
        tell(&mut teller, ends(1), &source, 10.0);
        let told = tell(&mut teller, (word(1), 12.0), &source, 12.0);
        assert_eq!((told[0].event().to, told.len()), (State::Completed, 1));
        // Too late, whether the pane shows it or a person has been there.
        for (turn, is_seen) in [(2, false), (3, true)] {
            tell(&mut teller, ends(turn), &source, 20.0);
            assert_eq!(teller.tell(vec![], vec![], &source, Vec::new, 22.0).events.len(), 1);
            let (changes, verdicts) = if is_seen {
                (vec![], vec![word(turn)])
            } else {
                (vec![(word(turn), 30.0)], vec![])
            };
            let told = teller.tell(changes, verdicts, &source, Vec::new, 30.0);
            assert_eq!(told.events, []);
            let [refined] = &told.refinements[..] else { panic!("{told:?}") };
            assert_eq!(
                (refined.from, refined.to, refined.turn_number(), refined.seq),
                (State::Stopped, State::Completed, turn, teller.seq())
            );
        }
        assert_eq!(open(&path).1.len(), 3);
    }

    #[test]
    fn histories_are_of_this_life_of_the_server() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.events");
        let (mut teller, _) = open(&path);
        for (server, turn) in [(7, 1), (8, 2)] {
            let source = Source { server, pid: &|_| Some(70) };
            let starts = (change(State::Idle, State::Working, turn), 1.0);
            tell(&mut teller, starts, &source, 1.0);
        }
        let (later, entries) = open(&path);
        let ring = Ring::restored(entries, 8, later.seq());
        let turns: Vec<_> = ring.history("%1").map(|e| e.event().turn.clone()).collect();
        assert_eq!((ring.last(), turns), (2, vec!["2".to_owned()]));
    }
}
