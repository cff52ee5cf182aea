//! Guarded delivery of text to an agent: only into the empty input box of an agent that is ready,
//! then the key that sends it, then proof that a turn started.
//!
//! A delivery is data and has no clock. The host asks it what to do, stores it where it must
//! outlive a crash, and only then does it: wherever the host is cut off, the input box tells the
//! next one how far it came.

mod gate;

pub use gate::{Composer, Gate, HandsOff, Sight, gate, gate_now};

use crate::detection::State;
use crate::tracker::Tracked;
use serde::{Deserialize, Serialize};

/// Seconds between the text and the key that sends it: an agent reads a paste in its own time, and
/// some take a key that comes at once for a part of it.
const BEFORE_ENTER: f64 = 0.3;
/// Seconds in which the text has to show in the input box, and then the turn to start.
const PATIENCE: f64 = 3.0;
/// Seconds in which the turn has to start at the latest.
const PROOF: f64 = 10.0;
/// Seconds between two looks at a pane that cannot take the text now.
const LOOK_AGAIN: f64 = 1.0;

/// What is to be delivered and how.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Terms {
    /// Wait for an agent that is not ready.
    pub wait: bool,
    /// When it is too late, seconds since the epoch.
    pub until: f64,
    /// A shell at its prompt is meant, no agent.
    pub shell: bool,
    /// How often the text and the key are tried.
    pub tries: u32,
}

/// One delivery.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Delivery {
    terms: Terms,
    phase: Phase,
    /// When a closed gate is looked at again.
    #[serde(default)]
    look_at: f64,
    /// It was found that it has to wait.
    #[serde(default)]
    is_queued: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Phase {
    /// Nothing was typed.
    Waiting,
    /// The text is being typed.
    Text { at: f64, turn: u64, tries: u32 },
    /// The key is being pressed.
    Key { first: f64, at: f64, turn: u64, tries: u32 },
}

/// What to do now.
#[derive(Debug, Clone, PartialEq)]
pub enum Act {
    /// Nothing.
    Wait,
    /// Put the text into the input box, as one paste.
    Paste,
    /// Press the key that sends it.
    Enter,
    /// It is over.
    End(Outcome),
}

/// How a delivery ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "outcome", content = "why")]
pub enum Outcome {
    /// The text was sent, and a turn started.
    Delivered,
    /// The text was sent, but no turn was seen to start.
    Unproved,
    /// The pane is not one to deliver to.
    Refused(String),
    /// The pane could not take it now, and waiting was not asked for.
    NotNow(String),
    /// The pane could not take it in time.
    Expired(String),
    /// Something came between; the text may be in the input box.
    Stopped(String),
}

impl Delivery {
    /// A delivery that has not begun.
    pub fn new(terms: Terms) -> Self {
        Self { terms, phase: Phase::Waiting, look_at: 0.0, is_queued: false }
    }

    /// Whether anything was typed yet.
    pub fn has_begun(&self) -> bool {
        self.phase != Phase::Waiting
    }

    /// How it is to be done.
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// Whether the next step needs a fresh look at the pane.
    pub fn wants_sight(&self, tracked: Option<&Tracked>, now: f64) -> bool {
        match self.phase {
            Phase::Waiting => {
                let open = tracked.is_some_and(|t| gate(t, self.terms.shell) == Gate::Open);
                open && now >= self.look_at
            }
            Phase::Text { .. } | Phase::Key { .. } => true,
        }
    }

    /// What to do now. `tracked` is what is known of the pane, nothing when it is gone; `sight` the
    /// fresh look where [`Delivery::wants_sight`] asks for one and the pane is there.
    pub fn step(&mut self, tracked: Option<&Tracked>, sight: Option<&Sight>, now: f64) -> Act {
        self.heed_clock(now);
        let Some(tracked) = tracked else {
            return Act::End(match self.phase {
                Phase::Waiting => Outcome::Refused("is gone".to_owned()),
                _ => Outcome::Stopped("is gone".to_owned()),
            });
        };
        match self.phase {
            Phase::Waiting => self.begin(tracked, sight, now),
            Phase::Text { at, turn, tries } => self.text(tracked, sight, (at, turn, tries), now),
            Phase::Key { first, at, turn, tries } => {
                self.key(tracked, sight, (first, at, turn, tries), now)
            }
        }
    }

    /// A clock that was set back holds nothing up: nothing was done later than now.
    fn heed_clock(&mut self, now: f64) {
        self.look_at = self.look_at.min(now + LOOK_AGAIN);
        match &mut self.phase {
            Phase::Waiting => {}
            Phase::Text { at, .. } => *at = at.min(now),
            Phase::Key { first, at, .. } => (*first, *at) = (first.min(now), at.min(now)),
        }
    }

    fn begin(&mut self, tracked: &Tracked, sight: Option<&Sight>, now: f64) -> Act {
        let asks = tracked.detection.state == State::Waiting && tracked.detection.agent.is_agent();
        let why = match (gate(tracked, self.terms.shell), sight) {
            // The turn that it waits for is interrupted by a question, not over.
            (Gate::Shut(why), _) if asks && self.is_queued => why,
            (Gate::Shut(why), _) => return Act::End(Outcome::Refused(why.to_owned())),
            (Gate::Later(why), _) => why,
            (Gate::Open, None) => "could not be looked at",
            (Gate::Open, Some(sight)) => match gate_now(*sight, self.terms.shell) {
                Gate::Shut(why) if !(self.is_queued && sight.shows == State::Waiting) => {
                    return Act::End(Outcome::Refused(why.to_owned()));
                }
                Gate::Shut(why) | Gate::Later(why) => {
                    self.look_at = now + LOOK_AGAIN;
                    why
                }
                Gate::Open => {
                    self.phase = Phase::Text { at: now, turn: tracked.turn, tries: 1 };
                    return Act::Paste;
                }
            },
        };
        if !self.terms.wait {
            return Act::End(Outcome::NotNow(why.to_owned()));
        }
        if now >= self.terms.until {
            return Act::End(Outcome::Expired(why.to_owned()));
        }
        self.is_queued = true;
        Act::Wait
    }

    fn text(
        &mut self,
        tracked: &Tracked,
        sight: Option<&Sight>,
        (at, turn, tries): (f64, u64, u32),
        now: f64,
    ) -> Act {
        let Some(sight) = sight else { return Act::Wait };
        if let Some(stop) = come_between(tracked, *sight) {
            return stop;
        }
        if is_started(tracked, turn) && !self.terms.shell {
            return Act::End(Outcome::Delivered);
        }
        if now - at < BEFORE_ENTER || sight.hands_off == Some(HandsOff::Mode) {
            return Act::Wait;
        }
        // A shell's line is not found on its screen, nor is the box where the host cannot tell.
        let is_there = self.terms.shell || matches!(sight.composer, None | Some(Composer::Holds));
        if is_there {
            self.phase = Phase::Key { first: now, at: now, turn, tries: 1 };
            return Act::Enter;
        }
        if now - at < PATIENCE {
            return Act::Wait;
        }
        if tries < self.terms.tries && gate_now(*sight, false) == Gate::Open {
            self.phase = Phase::Text { at: now, turn, tries: tries + 1 };
            return Act::Paste;
        }
        Act::End(Outcome::Stopped("did not take the text".to_owned()))
    }

    fn key(
        &mut self,
        tracked: &Tracked,
        sight: Option<&Sight>,
        (first, at, turn, tries): (f64, f64, u64, u32),
        now: f64,
    ) -> Act {
        if self.terms.shell {
            // Whether its program started is the program's affair.
            return Act::End(Outcome::Delivered);
        }
        // A turn that was over before anybody looked left its end.
        if is_started(tracked, turn) || has_ended_since(tracked, first) {
            return Act::End(Outcome::Delivered);
        }
        let Some(sight) = sight else { return Act::Wait };
        let asks = State::Waiting == sight.shows || State::Waiting == tracked.detection.state;
        if asks && sight.same_occupant {
            return Act::End(Outcome::Delivered);
        }
        if sight.shows == State::Working && sight.same_occupant {
            // The tracker is about to see it, and to count the turn.
            let is_late = now - first >= PROOF;
            return if is_late { Act::End(Outcome::Delivered) } else { Act::Wait };
        }
        if let Some(stop) = come_between(tracked, *sight) {
            return stop;
        }
        let is_left = sight.composer == Some(Composer::Holds) && sight.hands_off.is_none();
        if is_left && now - at >= PATIENCE && tries < self.terms.tries {
            self.phase = Phase::Key { first, at: now, turn, tries: tries + 1 };
            return Act::Enter;
        }
        if now - first < PROOF.max(PATIENCE * f64::from(self.terms.tries)) {
            return Act::Wait;
        }
        if is_left {
            return Act::End(Outcome::Stopped("has the text in its input box still".to_owned()));
        }
        Act::End(Outcome::Unproved)
    }
}

/// A turn runs that did not run when the text was typed.
fn is_started(tracked: &Tracked, turn: u64) -> bool {
    let state = tracked.detection.state;
    tracked.turn > turn || matches!(state, State::Working)
}

fn has_ended_since(tracked: &Tracked, second: f64) -> bool {
    let state = tracked.detection.state;
    matches!(state, State::Stopped | State::Completed | State::Failed) && tracked.since > second
}

/// What makes it wrong to press a key now.
fn come_between(tracked: &Tracked, sight: Sight) -> Option<Act> {
    let why = if !sight.same_occupant {
        "holds another process now"
    } else if sight.shows == State::Waiting || tracked.detection.state == State::Waiting {
        // The key would answer it.
        "asks something now; the text may be in its input box"
    } else if tracked.detection.state == State::Exited {
        "holds an agent that exited"
    } else {
        return None;
    };
    Some(Act::End(Outcome::Stopped(why.to_owned())))
}

/// The text without anything that a terminal or an agent would take for a key or a command:
/// control characters but newlines and tabs are gone, and so is every sign that cannot be seen.
pub fn harmless(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    text.chars().filter(|c| matches!(c, '\n' | '\t') || !is_hidden(*c)).collect()
}

/// [`harmless`], on one line: what a pane, a log or a title says, as a part of a text.
pub fn harmless_value(text: &str) -> String {
    let words = harmless(text);
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests;
