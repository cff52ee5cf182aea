//! The answers to observation lines, each alone or as a step of a pane over time.

use crate::commands::stream::{Answer, Malformed, write_json};
use crate::follow::follow;
use madohub_detect::{Change, Detection, Observation, RuleSet, Tracker, detect};
use serde::Serialize;
use std::io::{self, Write};

/// Answers observations in order.
pub(super) struct Engine<'a> {
    rules: &'a RuleSet,
    agent: Option<&'a str>,
    tracker: Option<Tracker>,
    now: f64,
    events: u64,
}

/// What a pane is now, and the change event if one fires.
#[derive(Debug, Serialize)]
struct Tracked {
    #[serde(flatten)]
    detection: Detection,
    pane: String,
    since: f64,
    turn: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<Event>,
}

/// A change event with what is known without a multiplexer.
#[derive(Debug, Serialize)]
struct Event {
    v: u32,
    seq: u64,
    time: f64,
    since: f64,
    #[serde(flatten)]
    change: Change,
}

impl<'a> Engine<'a> {
    /// With a tracker, equal panes are one pane over time. `agent` is the agent of observations
    /// that do not say which one theirs is.
    pub(super) fn new(
        rules: &'a RuleSet,
        agent: Option<&'a str>,
        tracker: Option<Tracker>,
    ) -> Self {
        Self { rules, agent, tracker, now: 0.0, events: 0 }
    }
}

impl Answer for Engine<'_> {
    fn answer(
        &mut self,
        out: &mut dyn Write,
        seen: Result<Observation, Malformed>,
    ) -> io::Result<()> {
        let mut seen = match seen {
            Ok(seen) => seen,
            Err(malformed) => return write_json(out, &malformed),
        };
        if seen.agent_hint.is_none() {
            seen.agent_hint = self.agent.map(str::to_owned);
        }
        let Some(tracker) = &mut self.tracker else {
            return write_json(out, &detect(self.rules, &seen));
        };
        self.now = seen.now.filter(|now| now.is_finite()).unwrap_or(self.now);
        let id = seen.id.clone();
        let pane = seen.pane.clone().unwrap_or_else(|| id.clone());
        let step = follow(self.rules, tracker, &pane, seen, false, self.now);
        let since = step.tracked.since;
        let event = step.change.map(|change| {
            self.events += 1;
            Event { v: 1, seq: self.events, time: self.now, since, change }
        });
        // A state that is held is an older detection; the line that is answered is this one.
        let detection = Detection { id, ..step.tracked.detection };
        let turn = step.tracked.turn;
        write_json(out, &Tracked { detection, pane, since, turn, event })
    }
}
