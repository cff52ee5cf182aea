//! The answer to one observation line, alone or as a step of a pane over time.

use crate::follow::follow;
use madohub_detect::{Change, Detection, Observation, RuleSet, Tracker, detect};
use serde::Serialize;

/// Answers observations in order.
pub(super) struct Engine<'a> {
    rules: &'a RuleSet,
    agent: Option<&'a str>,
    tracker: Option<Tracker>,
    now: f64,
    events: u64,
}

/// One line of the output.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Answer {
    /// Of one observation alone.
    Detection(Detection),
    /// Of a pane over time.
    Tracked(Box<TrackedAnswer>),
}

/// What a pane is now, and the change event if one fires.
#[derive(Debug, Serialize)]
pub(super) struct TrackedAnswer {
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

    /// The answer to the next observation.
    pub(super) fn answer(&mut self, mut seen: Observation) -> Answer {
        if seen.agent_hint.is_none() {
            seen.agent_hint = self.agent.map(str::to_owned);
        }
        let Some(tracker) = &mut self.tracker else {
            return Answer::Detection(detect(self.rules, &seen));
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
        Answer::Tracked(Box::new(TrackedAnswer { detection, pane, since, turn, event }))
    }
}
