//! State over time, one pane at a time: holds, settling, acknowledgement and change events.
//!
//! The tracker has no clock; every step is told the time. It never blocks a call for help:
//! `waiting`, `working`, `exited` and every word of the agent's own log show at once. Only a turn
//! that seems over, and of which a log may yet tell how it ended, is believed after a moment.

use crate::detection::{AgentId, Detection, Evidence, State, StateSource, Via};
use crate::identify::{RULE_NOBODY, RULE_SHELL_PROMPT, RULE_SHELL_SCREEN};
use arrival::Arrival;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

mod arrival;

/// When a finished turn stops asking for attention and becomes `idle`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Settle {
    /// Once its pane was focused in an attached client for [`Settings::seen_after`] seconds.
    Focus,
    /// Only when the next turn starts.
    Never,
    /// After so many seconds, or when its pane was focused.
    After(f64),
}

/// Times and choices of the tracker. Times are in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// How long a missing working sign is not believed.
    pub hold: f64,
    /// How long a pane must be focused until its finished turn counts as seen.
    pub seen_after: f64,
    /// How long an observation that says nothing keeps the former state.
    pub blind: f64,
    /// When a finished turn settles.
    pub settle: Settle,
    /// Background work (shells, monitors) that outlives the turn counts as `working`.
    pub background_works: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            hold: 0.7,
            seen_after: 2.0,
            blind: 5.0,
            settle: Settle::Focus,
            background_works: false,
        }
    }
}

/// What a pane is now, after time has been taken into account.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tracked {
    /// The detection whose agent, state, source and reason are the settled ones.
    pub detection: Detection,
    /// When the pane entered this state, seconds since the epoch.
    pub since: f64,
    /// Counts the turns seen in this pane, so that one turn's end is one event.
    pub turn: u64,
    /// Whether the state was already seen by a person.
    pub acknowledged: bool,
}

/// A pane entered another state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// The pane's name as given to [`Tracker::step`].
    pub pane: String,
    /// Agent that the change is about.
    pub agent: AgentId,
    /// Former state.
    pub from: State,
    /// State entered.
    pub to: State,
    /// Where the new state comes from.
    pub state_source: StateSource,
    /// Reason of the new state.
    pub reason: Option<String>,
    /// Number of the turn in this pane.
    pub turn: u64,
    /// The rules behind the new state.
    pub evidence: Vec<Evidence>,
}

/// The answer to one step.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The pane now.
    pub tracked: Tracked,
    /// Set when the pane entered another state with this step.
    pub change: Option<Change>,
    /// The agent's own word on the end of a turn that a person had looked at before it came: the
    /// pane stays `idle`, and who waits for `completed` or `failed` gets to know. Once a turn.
    pub verdict: Option<Change>,
}

/// Remembers panes over time.
#[derive(Debug, Clone, Default)]
pub struct Tracker {
    settings: Settings,
    panes: HashMap<String, Pane>,
}

#[derive(Debug, Clone)]
struct Pane {
    tracked: Tracked,
    /// A weaker state that waits to be believed, and since when it is seen.
    pending: Option<(State, f64)>,
    /// Since when the pane is focused.
    focused_since: Option<f64>,
    /// The end of this turn was seen by a person: its leftovers on the screen are `idle`.
    seen_turn: Option<u64>,
    /// The agent itself said how this turn ended.
    judged_turn: Option<u64>,
    arrival: Arrival,
    /// Last time that an observation said anything.
    last_word: f64,
}

impl Tracker {
    /// A tracker that knows no pane yet.
    pub fn new(settings: Settings) -> Self {
        Self { settings, panes: HashMap::new() }
    }

    /// The settings in force.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Takes one detection of `pane` at `now` (seconds since the epoch). `focused` says that the
    /// pane is the one in front of a person in an attached client.
    pub fn step(&mut self, pane: &str, detection: Detection, focused: bool, now: f64) -> Step {
        if let Some(known) = self.panes.get_mut(pane) {
            return known.step(pane, detection, focused, now, &self.settings);
        }
        let first = Pane::first(detection, focused, now, &self.settings);
        let tracked = first.tracked.clone();
        self.panes.insert(pane.to_owned(), first);
        Step { tracked, change: None, verdict: None }
    }

    /// The pane as of its last step.
    pub fn get(&self, pane: &str) -> Option<&Tracked> {
        self.panes.get(pane).map(|p| &p.tracked)
    }

    /// Takes over what a former tracker knew, so that a restart repeats no event.
    pub fn restore(&mut self, pane: &str, tracked: Tracked) {
        let seen_turn = tracked.acknowledged.then_some(tracked.turn);
        let known = is_judged(&tracked.detection) || tracked.turn == 0;
        let judged_turn = known.then_some(tracked.turn);
        let pane_now = Pane {
            pending: None,
            focused_since: None,
            seen_turn,
            judged_turn,
            arrival: Arrival::of(&tracked.detection),
            last_word: tracked.since,
            tracked,
        };
        self.panes.insert(pane.to_owned(), pane_now);
    }

    /// The pane is closed: forgets it. An agent in it exited with it.
    pub fn remove(&mut self, pane: &str) -> Option<Change> {
        let mut gone = self.panes.remove(pane)?;
        if !gone.tracked.detection.agent.is_agent() || gone.tracked.detection.state == State::Exited
        {
            return None;
        }
        let evidence = vec![Evidence::new(Via::Process, "pane.closed")];
        let from = std::mem::replace(&mut gone.tracked.detection.state, State::Exited);
        gone.tracked.detection.evidence = evidence;
        gone.tracked.detection.state_source = StateSource::PtyScrape;
        gone.tracked.detection.reason = Some("exited".to_owned());
        Some(gone.tracked.change(pane, from))
    }
}

impl Tracked {
    fn change(&self, pane: &str, from: State) -> Change {
        Change {
            pane: pane.to_owned(),
            agent: self.detection.agent.clone(),
            from,
            to: self.detection.state,
            state_source: self.detection.state_source,
            reason: self.detection.reason.clone(),
            turn: self.turn,
            evidence: self.detection.evidence.clone(),
        }
    }
}

impl Pane {
    fn first(detection: Detection, focused: bool, now: f64, settings: &Settings) -> Self {
        let detection = settings.count_background(detection);
        let turn = u64::from(detection.state == State::Working);
        Self {
            arrival: Arrival::of(&detection),
            tracked: Tracked { detection, since: now, turn, acknowledged: false },
            pending: None,
            focused_since: focused.then_some(now),
            seen_turn: None,
            // What ended before the first look is no news, whoever tells it.
            judged_turn: (turn == 0).then_some(turn),
            last_word: now,
        }
    }

    fn step(
        &mut self,
        name: &str,
        detection: Detection,
        focused: bool,
        now: f64,
        settings: &Settings,
    ) -> Step {
        self.heed_clock(now);
        let mut next = self.leave_agent(settings.count_background(detection));
        self.hold(&mut next);
        self.arrival.note(&self.tracked.detection, &next);
        self.arrival.heed(&mut next);
        self.note_attention(focused, now, settings);
        if next.state != State::Unknown {
            self.last_word = now;
        }
        let word = is_judged(&next).then(|| next.clone());
        next = self.settle(next);
        if self.must_wait(&next, now, settings) {
            return Step { tracked: self.tracked.clone(), change: None, verdict: None };
        }
        self.pending = None;
        let mut step = self.enter(name, next, now);
        if let Some(word) = word {
            step.verdict = self.judge(name, word);
        }
        step
    }

    /// A clock that was set back holds nothing up: nothing was seen later than now.
    fn heed_clock(&mut self, now: f64) {
        self.last_word = self.last_word.min(now);
        self.tracked.since = self.tracked.since.min(now);
        self.focused_since = self.focused_since.map(|since| since.min(now));
        self.pending = self.pending.map(|(state, since)| (state, since.min(now)));
    }

    /// Takes note that the agent said how the turn ended. That is a word of its own where the
    /// state no longer shows it.
    fn judge(&mut self, name: &str, word: Detection) -> Option<Change> {
        let turn = self.tracked.turn;
        let is_new = self.judged_turn.replace(turn) != Some(turn);
        let Tracked { detection, .. } = &self.tracked;
        (is_new && detection.state == State::Idle && detection.agent == word.agent).then(|| {
            Change {
                pane: name.to_owned(),
                agent: word.agent,
                from: State::Idle,
                to: word.state,
                state_source: word.state_source,
                reason: word.reason,
                turn,
                evidence: word.evidence,
            }
        })
    }

    /// An agent whose process is gone and left its shell behind is `exited` until the person
    /// does something else in that pane.
    fn leave_agent(&self, mut next: Detection) -> Detection {
        let old = &self.tracked.detection;
        let back = [RULE_SHELL_PROMPT, RULE_SHELL_SCREEN, RULE_NOBODY];
        let shell = |e: &Evidence| back.contains(&&*e.rule);
        let at_prompt =
            next.agent.as_str() == AgentId::SHELL && next.evidence.first().is_some_and(shell);
        if old.agent.is_agent() && at_prompt {
            next.agent = old.agent.clone();
            next.agent_name.clone_from(&old.agent_name);
            next.agent_version.clone_from(&old.agent_version);
            next.state = State::Exited;
            next.reason = Some("exited".to_owned());
        }
        next
    }

    /// A view that covers the live region changes nothing.
    fn hold(&self, next: &mut Detection) {
        let old = &self.tracked.detection;
        let known = !matches!(old.state, State::Exited | State::Unknown);
        if next.held && next.agent == old.agent && known {
            next.state = old.state;
            next.state_source = old.state_source;
            next.reason.clone_from(&old.reason);
        }
    }

    fn note_attention(&mut self, focused: bool, now: f64, settings: &Settings) {
        self.focused_since = focused.then(|| self.focused_since.unwrap_or(now));
        let looked = self.focused_since.is_some_and(|t| now - t >= settings.seen_after);
        let expired = match settings.settle {
            Settle::After(seconds) => now - self.tracked.since >= seconds,
            Settle::Focus | Settle::Never => false,
        };
        let state = self.tracked.detection.state;
        let settles = matches!(state, State::Stopped | State::Completed | State::Failed)
            && self.tracked.detection.reason.as_deref() != Some("suspended");
        if settles && (expired || looked && settings.settle != Settle::Never) {
            self.seen_turn = Some(self.tracked.turn);
        }
    }

    /// What is left of a turn that a person has seen is `idle`.
    fn settle(&self, mut next: Detection) -> Detection {
        let seen = self.seen_turn == Some(self.tracked.turn);
        let leftover = matches!(next.state, State::Stopped | State::Completed | State::Failed)
            && next.reason.as_deref() != Some("suspended");
        if seen && leftover && next.agent == self.tracked.detection.agent {
            next.state = State::Idle;
            next.reason = None;
        }
        next
    }

    fn must_wait(&mut self, next: &Detection, now: f64, settings: &Settings) -> bool {
        let old = &self.tracked.detection;
        if next.state == State::Unknown && old.state != State::Unknown {
            // An observation that says nothing changes nothing, for a while.
            return now - self.last_word < settings.blind
                && (next.agent == old.agent || next.agent.as_str() == AgentId::UNKNOWN);
        }
        let over = matches!(next.state, State::Idle | State::Stopped);
        let unsure = old.state == State::Working && over && !is_positive(next);
        if next.agent != old.agent || !unsure && !is_told_worse(old, next) {
            return false;
        }
        let since = match self.pending {
            Some((_, since)) => since,
            None => now,
        };
        self.pending = Some((next.state, since));
        now - since < settings.hold
    }

    fn enter(&mut self, name: &str, next: Detection, now: f64) -> Step {
        let old_agent = self.tracked.detection.agent.clone();
        let from = self.tracked.detection.state;
        let same_agent = old_agent == next.agent;
        let changed = from != next.state || !same_agent;
        if next.state == State::Working && (from != State::Working || !same_agent) {
            // Waiting in the middle of a turn does not start a new one.
            if from != State::Waiting || !same_agent {
                self.tracked.turn += 1;
            }
        }
        let settled = same_agent
            && next.state == State::Idle
            && matches!(from, State::Stopped | State::Completed | State::Failed);
        // The log's verdict on a turn whose end was already told from the screen replaces it;
        // it is the same end, told better.
        let told_better = same_agent
            && from == State::Stopped
            && matches!(next.state, State::Completed | State::Failed);
        let quiet = settled || from == State::Unknown || next.state == State::Unknown;
        self.tracked.detection = next;
        self.tracked.acknowledged = self.seen_turn == Some(self.tracked.turn);
        if changed && !told_better {
            self.tracked.since = now;
        }
        // An agent that was not in this pane before is news only when it works or asks.
        let starts = matches!(self.tracked.detection.state, State::Working | State::Waiting);
        let news = if same_agent { changed } else { starts };
        let event = news && !quiet && self.tracked.detection.agent.is_agent();
        let change = event.then(|| self.tracked.change(name, from));
        Step { tracked: self.tracked.clone(), change, verdict: None }
    }
}

impl Settings {
    fn count_background(&self, mut detection: Detection) -> Detection {
        if self.background_works && detection.background > 0 && detection.state.is_turn_over() {
            detection.state = State::Working;
            detection.reason = Some("background".to_owned());
        }
        detection
    }
}

/// Whether the screen alone tells of an end of which the agent itself has said more. Its log is
/// in the next turn already, and its screen is not.
fn is_told_worse(old: &Detection, next: &Detection) -> bool {
    let by_screen = next.evidence.first().is_some_and(|e| e.via == Via::Screen);
    is_judged(old) && next.state == State::Stopped && next.reason.is_none() && by_screen
}

/// Whether the agent's own record says how the turn ended.
fn is_judged(detection: &Detection) -> bool {
    matches!(detection.state, State::Completed | State::Failed)
}

/// Whether the detection says more than that a working sign is missing. The agent's entry says
/// `idle`, and its screen shows the end of a turn, a moment before its log says how it ended.
fn is_positive(next: &Detection) -> bool {
    let via = next.evidence.first().map(|e| e.via);
    let weak = [Via::Screen, Via::Title, Via::Hint, Via::Registry];
    match next.state {
        State::Idle => via.is_some_and(|via| !weak.contains(&via)),
        State::Stopped if via == Some(Via::Screen) && next.reason.is_none() => {
            next.evidence.iter().all(|e| e.via != Via::SessionLog)
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests;
