//! May text be delivered into this pane now, and why not?

use crate::detection::State;
use crate::identify::RULE_SHELL_PROMPT;
use crate::tracker::Tracked;

/// What an agent's input box holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Composer {
    /// Nothing, or a hint that the agent shows in an empty one.
    Empty,
    /// Text of a person, or text that was delivered and not sent yet.
    Holds,
    /// There is none on the screen: something covers it.
    Missing,
}

/// Why nobody but the person may act on a pane now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HandsOff {
    /// The person types in it.
    Typing,
    /// It shows the multiplexer's own mode, which would take the keys.
    Mode,
}

/// What the host sees of a pane at the very moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sight {
    /// The same process runs in it as when the delivery was asked for.
    pub same_occupant: bool,
    /// State that the screen shows now; it may be ahead of the tracker.
    pub shows: State,
    /// The input box; nothing where the host cannot tell.
    pub composer: Option<Composer>,
    /// Why hands must be kept off, if they must.
    pub hands_off: Option<HandsOff>,
}

/// Whether text may be delivered now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gate {
    /// It may.
    Open,
    /// Not now; that may change by itself.
    Later(&'static str),
    /// It must not.
    Shut(&'static str),
}

/// Whether a pane is one to deliver to, by what is known of it; that of a shell only where the
/// user said that a shell is meant. Before anything is typed, [`gate_now`] must be asked too.
pub fn gate(tracked: &Tracked, shell: bool) -> Gate {
    let detection = &tracked.detection;
    if !detection.agent.is_agent() {
        let at_prompt = detection.evidence.first().is_some_and(|e| e.rule == RULE_SHELL_PROMPT);
        return match (shell, at_prompt) {
            (true, true) => Gate::Open,
            (true, false) => Gate::Later("runs something that is no agent"),
            (false, _) => Gate::Shut("holds no agent"),
        };
    }
    if shell {
        return Gate::Shut("holds an agent, and a shell was meant");
    }
    match (detection.state, detection.reason.as_deref()) {
        (State::Stopped, Some("suspended")) => Gate::Shut("holds an agent that is suspended"),
        (state, _) => by_state(state),
    }
}

/// Whether text may be delivered at this very moment, into a pane whose [`gate`] is open.
pub fn gate_now(sight: Sight, shell: bool) -> Gate {
    if !sight.same_occupant {
        return Gate::Shut("holds another process than when this was asked for");
    }
    match sight.hands_off {
        Some(HandsOff::Typing) => return Gate::Later("is being typed in"),
        Some(HandsOff::Mode) => return Gate::Later("is in copy mode"),
        None => {}
    }
    if shell {
        return Gate::Open;
    }
    match (by_state(sight.shows), sight.composer) {
        (Gate::Open, Some(Composer::Holds)) => Gate::Later("has text in its input box"),
        (Gate::Open, Some(Composer::Missing)) => Gate::Later("shows no input box"),
        (gate, _) => gate,
    }
}

fn by_state(state: State) -> Gate {
    match state {
        State::Idle | State::Stopped | State::Completed | State::Failed => Gate::Open,
        State::Working => Gate::Later("is working"),
        State::Waiting => Gate::Shut("waits for a person's decision"),
        State::Exited => Gate::Shut("holds an agent that exited"),
        State::Unknown => Gate::Later("is in a state that is not known"),
    }
}
