//! Sessions that go on: an agent that comes into a pane and shows first of all the end of a turn shows
//! how an earlier process left it.
//!
//! A host that ties session logs knows that from the log, too; this needs nothing but the screen, for
//! agents without logs and for answers too long to be recognised.

use crate::arbitrate::RULE_NO_TURN_YET;
use crate::detection::{AgentId, Detection, Evidence, State, Via};

/// What is known of how the agent came into the pane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Arrival {
    /// It was there before, or has done something since.
    Past,
    /// It came while the pane was watched, and shows nothing yet.
    New,
    /// The first that it showed was the end of a turn, with this text: a session goes on as it was
    /// left.
    WithEnd(String),
}

/// The rule in the evidence of a pane that is `idle` because its end is an earlier process's.
const RULE_EARLIER_END: &str = "tracker.earlier-end";

impl Arrival {
    /// By the first that is known of a pane: a detection, or what a tracker stored.
    pub(super) fn of(detection: &Detection) -> Self {
        match detection.evidence.as_slice() {
            [first, end, ..] if [RULE_NO_TURN_YET, RULE_EARLIER_END].contains(&&*first.rule) => {
                Self::WithEnd(end.text.clone().unwrap_or_default())
            }
            _ => Self::Past,
        }
    }

    /// Takes note of what is seen after `old`.
    pub(super) fn note(&mut self, old: &Detection, next: &Detection) {
        let gone = old.state == State::Exited || !old.agent.is_agent();
        let known = old.agent.as_str() != AgentId::UNKNOWN;
        let by_process = || next.evidence.iter().any(|e| e.via == Via::Process);
        let comes = known && (gone || old.agent != next.agent) && next.agent.is_agent();
        if comes && next.state != State::Exited && by_process() {
            *self = Self::New;
        }
        if let by_log @ Self::WithEnd(_) = Self::of(next) {
            *self = by_log;
            return;
        }
        *self = match self {
            Self::New if shows_nothing(next) => Self::New,
            Self::New => shown_end(next).map_or(Self::Past, Self::WithEnd),
            Self::WithEnd(text) => match (next.state, shown_end(next)) {
                // An end with another text is a new one.
                (State::Stopped, end) if end.as_ref() != Some(text) => Self::Past,
                (State::Stopped | State::Idle | State::Unknown, _) => return,
                _ => Self::Past,
            },
            Self::Past => Self::Past,
        };
    }

    /// The end that an earlier process left on the screen is none of this one's.
    pub(super) fn heed(&self, next: &mut Detection) {
        let Self::WithEnd(text) = self else { return };
        if shown_end(next).as_ref() == Some(text) {
            next.state = State::Idle;
            next.reason = None;
            let evidence = Evidence::new(Via::Screen, RULE_EARLIER_END);
            next.evidence.insert(0, evidence.with_text("the first that the process showed"));
        }
    }
}

/// Whether an agent that starts shows nothing of a session yet: it draws nothing, asks what it asks
/// at every start, or lets the person pick a session.
fn shows_nothing(next: &Detection) -> bool {
    let by_process = next.evidence.first().is_some_and(|e| e.via == Via::Process);
    match next.state {
        State::Unknown => true,
        State::Working => by_process,
        State::Waiting => matches!(next.reason.as_deref(), Some("trust" | "setup" | "login")),
        _ => next.held,
    }
}

/// The text of the end of a turn that the screen shows. Errors are none: a program may fail at its
/// start.
fn shown_end(next: &Detection) -> Option<String> {
    let end = next.evidence.first().filter(|e| e.via == Via::Screen)?;
    let turn = matches!(next.reason.as_deref(), None | Some("interrupted" | "rejected"));
    (next.state == State::Stopped && turn).then(|| end.text.clone().unwrap_or_default())
}
