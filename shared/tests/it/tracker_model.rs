//! Tracker and announcer against a model of one pane: whatever happens in whatever order, the state is
//! the truth, and each end of a turn is told once.

use madohub_detect::{
    AgentId, Announcer, CONFIRM, Detection, Evidence, Settings, State, StateSource, Told, Tracker,
    Via,
};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Seconds between two looks of a host at a pane that moves.
const APART: f64 = 0.25;

/// What happens.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Happening {
    /// A turn starts, or goes on after a question.
    Work,
    /// The agent asks, in a turn.
    Ask,
    /// The turn ends on the screen, and after so many seconds the next thing happens.
    End(f64),
    /// The agent's log tells how the turn ended.
    Word,
    /// A person looks at the pane.
    Look,
    /// The pane cannot be read for some frames.
    Blind,
    /// The sign of work is missing for one frame.
    Glitch,
    /// The host is started anew.
    Restart,
    /// Nothing, for so many seconds.
    Rest(f64),
    /// The clock is set by so many seconds.
    Jump(f64),
}

/// A pane as it is, and what is said of it.
struct Film {
    tracker: Tracker,
    announcer: Announcer,
    now: f64,
    /// What the screen shows.
    screen: State,
    /// The log tells how the last turn ended.
    is_judged: bool,
    /// A person has seen the end.
    is_seen: bool,
    turns: u64,
    words: usize,
    /// Turns whose ends were told, and those of which a word was told.
    ended: BTreeSet<u64>,
    judged: BTreeSet<u64>,
    steps: u64,
}

impl Film {
    fn new() -> Self {
        let mut film = Self {
            tracker: Tracker::new(Settings::default()),
            announcer: Announcer::default(),
            now: 1_000_000.0,
            screen: State::Idle,
            is_judged: false,
            is_seen: false,
            turns: 0,
            words: 0,
            ended: BTreeSet::new(),
            judged: BTreeSet::new(),
            steps: 0,
        };
        film.frame(film.seen(), false);
        film
    }

    fn is_in_turn(&self) -> bool {
        matches!(self.screen, State::Working | State::Waiting)
    }

    /// What an engine says of the pane.
    fn seen(&self) -> Detection {
        if self.is_judged {
            return detection(State::Completed, Via::SessionLog);
        }
        detection(self.screen, Via::Screen)
    }

    /// What people must be shown.
    fn truth(&self) -> State {
        match self.screen {
            State::Stopped if self.is_seen => State::Idle,
            State::Stopped if self.is_judged => State::Completed,
            state => state,
        }
    }

    fn frame(&mut self, seen: Detection, focused: bool) {
        self.steps += 1;
        let step = self.tracker.step("%1", seen, focused, self.now);
        let mut told = Vec::new();
        if let Some(change) = step.change {
            told.extend(self.announcer.take(change, step.tracked.since, self.now));
        }
        if let Some(verdict) = step.verdict {
            told.extend(self.announcer.judge(verdict, self.now, self.now));
        }
        told.extend(self.announcer.due(self.now));
        for told in told {
            self.hear(&told);
        }
    }

    fn hear(&mut self, told: &Told) {
        let Told { change, refines, .. } = told;
        assert_ne!(change.from, change.to, "{told:?}");
        if !change.to.is_turn_over() {
            assert!(!refines, "{told:?}");
            return;
        }
        let is_first = self.ended.insert(change.turn);
        assert_eq!(is_first, !refines, "an end is told once: {told:?}");
        if change.to == State::Completed {
            assert!(self.judged.insert(change.turn), "a word is told once: {told:?}");
        } else {
            assert!(!refines, "{told:?}");
        }
    }

    /// Lets time go on, frame by frame.
    fn rest(&mut self, seconds: f64, apart: f64, focused: bool) {
        let until = self.now + seconds;
        while self.now < until {
            self.now += apart;
            self.frame(self.seen(), focused);
        }
    }

    fn check(&self) {
        let tracked = self.tracker.get("%1").unwrap();
        assert_eq!(tracked.detection.state, self.truth(), "after {} steps", self.steps);
        assert!(tracked.since <= self.now, "{tracked:?}");
    }

    fn play(&mut self, happening: Happening) {
        match happening {
            Happening::Work => {
                if !self.is_in_turn() {
                    self.turns += 1;
                }
                (self.screen, self.is_judged, self.is_seen) = (State::Working, false, false);
                self.rest(1.0, APART, false);
            }
            Happening::Ask if self.is_in_turn() => {
                self.screen = State::Waiting;
                self.rest(1.0, APART, false);
            }
            Happening::End(seconds) if self.is_in_turn() => {
                self.screen = State::Stopped;
                self.rest(seconds, APART, false);
            }
            Happening::Word if self.screen == State::Stopped && !self.is_judged => {
                self.is_judged = true;
                self.words += 1;
                self.rest(1.0, APART, false);
            }
            Happening::Look => {
                self.rest(2.5, APART, true);
                self.is_seen |= self.screen == State::Stopped;
            }
            Happening::Blind => {
                for _ in 0..3 {
                    self.now += APART;
                    self.frame(detection(State::Unknown, Via::Screen), false);
                }
                self.rest(1.0, APART, false);
            }
            Happening::Glitch if self.screen == State::Working => {
                self.now += APART;
                self.frame(detection(State::Idle, Via::Screen), false);
                self.rest(1.0, APART, false);
            }
            Happening::Restart => {
                let tracked = self.tracker.get("%1").unwrap().clone();
                self.tracker = Tracker::new(Settings::default());
                self.tracker.restore("%1", tracked);
                let stored = serde_json::to_string(&self.announcer).unwrap();
                self.announcer = serde_json::from_str(&stored).unwrap();
                self.rest(1.0, APART, false);
            }
            Happening::Rest(seconds) => self.rest(seconds, 1.0, false),
            Happening::Jump(seconds) => {
                self.now += seconds;
                self.rest(1.0, APART, false);
            }
            _ => return,
        }
        self.check();
    }

    /// Each end was told, and each word.
    fn end(mut self) -> Self {
        self.rest(CONFIRM + 1.0, APART, false);
        self.check();
        let over = self.turns - u64::from(self.is_in_turn());
        assert_eq!(u64::try_from(self.ended.len()).unwrap(), over, "{:?}", self.ended);
        assert_eq!(self.judged.len(), self.words, "{:?}", self.judged);
        self
    }
}

fn detection(state: State, via: Via) -> Detection {
    let by_log = via == Via::SessionLog;
    Detection {
        id: String::new(),
        agent: AgentId::new("claude"),
        agent_name: Some("Claude Code".to_owned()),
        agent_version: None,
        state,
        state_source: if by_log { StateSource::JsonlWatcher } else { StateSource::PtyScrape },
        reason: None,
        background: 0,
        evidence: vec![Evidence::new(via, "rule")],
        held: false,
    }
}

fn happening() -> impl Strategy<Value = Happening> {
    prop_oneof![
        4 => Just(Happening::Work),
        2 => Just(Happening::Ask),
        4 => (1.0..6.0).prop_map(Happening::End),
        3 => Just(Happening::Word),
        2 => Just(Happening::Look),
        1 => Just(Happening::Blind),
        1 => Just(Happening::Glitch),
        1 => Just(Happening::Restart),
        1 => (1.0..30.0).prop_map(Happening::Rest),
        1 => (-5000.0..5000.0).prop_map(Happening::Jump),
    ]
}

proptest! {
    #[test]
    fn whatever_happens_the_state_is_the_truth_and_each_end_is_told_once(
        film in prop::collection::vec(happening(), 0..40),
    ) {
        let mut pane = Film::new();
        for happening in film {
            pane.play(happening);
        }
        pane.end();
    }
}

/// Numbers that look like chance and are the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, sides: u64) -> u64 {
        // Constants of Knuth's MMIX generator.
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    fn seconds(&mut self, most: u32) -> f64 {
        f64::from(u32::try_from(self.below(u64::from(most))).unwrap())
    }

    fn happening(&mut self) -> Happening {
        match self.below(24) {
            0..=5 => Happening::Work,
            6..=7 => Happening::Ask,
            8..=12 => Happening::End(1.0 + self.seconds(6)),
            13..=15 => Happening::Word,
            16..=17 => Happening::Look,
            18 => Happening::Blind,
            19 => Happening::Glitch,
            20 => Happening::Restart,
            21 => Happening::Jump(self.seconds(600) - 300.0),
            _ => Happening::Rest(self.seconds(120)),
        }
    }
}

/// A working day of four panes: nothing drifts, nothing grows.
#[test]
fn eight_hours_leave_the_truth_and_nothing_else() {
    for seed in 1..=4 {
        let (mut dice, mut pane) = (Dice(seed), Film::new());
        let mut hours = 0.0;
        while hours < 8.0 {
            let before = pane.now;
            let happening = dice.happening();
            pane.play(happening);
            if !matches!(happening, Happening::Jump(_)) {
                hours += (pane.now - before) / 3600.0;
            }
            let size = serde_json::to_vec(&pane.announcer).unwrap().len();
            assert!(size < 2000, "what is stored grows: {size}");
        }
        let pane = pane.end();
        assert!(pane.turns > 200 && pane.words > 50, "{} {}", pane.turns, pane.words);
    }
}
