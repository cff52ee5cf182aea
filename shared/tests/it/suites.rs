//! What counts as a right answer, by what the detector was allowed to see.

use crate::cases::{RECORDED, Recorded};
use crate::field::FIELD;
use madohub_detect::{Detection, Observation, State};
use std::fmt;

/// How much of a moment the detector sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Suite {
    /// Screen, title, size.
    Screen,
    /// Plus processes and the foreground command.
    Host,
    /// Plus the agent's own records.
    Full,
    /// Public reports: screens, process lists, logs.
    Field,
}

impl Suite {
    pub(crate) const ALL: [Self; 4] = [Self::Screen, Self::Host, Self::Full, Self::Field];
}

impl fmt::Display for Suite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Screen => "screen",
            Self::Host => "host",
            Self::Full => "full",
            Self::Field => "field",
        })
    }
}

/// One question to the detector and what is right.
pub(crate) struct Question {
    pub(crate) suite: Suite,
    /// Agent and version, or the kind of report.
    pub(crate) group: String,
    pub(crate) truth: Option<State>,
    pub(crate) seen: Observation,
    pub(crate) agent: String,
    /// Right states; empty where only the agent is asked.
    accept: Vec<State>,
    any_agent: bool,
}

impl Question {
    /// Whether the answer is right. A pane without an agent may be called `unknown` too, but
    /// never shows a live state.
    pub(crate) fn is_right(&self, answer: &Detection) -> bool {
        let no_agent = self.agent == "shell";
        let agent = answer.agent.as_str();
        let right_agent = self.any_agent || agent == self.agent || no_agent && agent == "unknown";
        let right_state = if no_agent {
            matches!(answer.state, State::Idle | State::Unknown | State::Exited)
        } else {
            self.accept.is_empty() || self.accept.contains(&answer.state)
        };
        right_agent && right_state
    }

    /// What was wanted, for the list of misses.
    pub(crate) fn wanted(&self) -> String {
        let states: Vec<_> = self.accept.iter().map(|state| state.as_str()).collect();
        format!("{} {}", self.agent, states.join("|"))
    }
}

/// Every question of every suite.
pub(crate) fn questions() -> Vec<Question> {
    RECORDED.iter().flat_map(recorded_questions).chain(field_questions()).collect()
}

/// Nothing that a host sees can answer these: an agent in another machine's pane.
const UNANSWERABLE: &str = "none-1/ssh-fake";

/// Situations whose truth no screen shows: a killed agent's screen stays, a headless run has
/// none, a pager shows another's.
const NOT_ON_SCREEN: [&str; 10] = [
    "sigkill",
    "print-mode",
    "headless",
    "suspended",
    "vim-",
    "less-",
    "watch-",
    "tail-",
    "tmux-nested",
    "ssh-fake",
];

fn recorded_questions(case: &Recorded) -> Vec<Question> {
    if case.id().contains(UNANSWERABLE) {
        return Vec::new();
    }
    let question = |suite, seen, accept| Question {
        suite,
        group: case.group().to_owned(),
        truth: Some(case.expected.state),
        seen,
        agent: case.expected.agent.clone(),
        accept,
        any_agent: false,
    };
    let accept = right_without_records(case);
    let mut questions = Vec::new();
    if !NOT_ON_SCREEN.iter().any(|situation| case.id().contains(situation)) {
        questions.push(question(Suite::Screen, case.screen_only(), accept.clone()));
    }
    questions.push(question(Suite::Host, case.host_only(), accept.clone()));
    if case.observation.registry.is_some() || case.observation.log.is_some() {
        let seen = case.observation.clone();
        questions.push(question(Suite::Full, seen, right_with_records(case, accept)));
    }
    questions
}

/// A transcript view over a running turn looks like any other, but for the versions that tell
/// by a prefix or by the title.
fn right_without_records(case: &Recorded) -> Vec<State> {
    let tells = ["claude-2.1.332", "codex-0.171"].iter().any(|v| case.group().starts_with(v));
    let covered = case.id().contains("overlay-transcript");
    if covered && case.expected.state == State::Working && !tells {
        return vec![State::Working, State::Idle, State::Unknown];
    }
    case.expected.screen_accept.clone()
}

/// Whose log marks the end of every turn.
const LOG_TELLS_COMPLETED: [&str; 4] =
    ["claude-2.1.142", "claude-2.1.332", "codex-0.171", "copilot-"];
/// Whose log marks every error.
const LOG_TELLS_FAILED: [&str; 3] = ["claude-", "codex-0.171", "copilot-"];

/// With the agent's own record at hand its verdict is asked for, where it writes one.
fn right_with_records(case: &Recorded, otherwise: Vec<State>) -> Vec<State> {
    let has_log = case.observation.log.is_some();
    let log_of =
        |versions: &[&str]| has_log && versions.iter().any(|v| case.group().starts_with(v));
    match case.expected.state {
        State::Completed if log_of(&LOG_TELLS_COMPLETED) => vec![State::Completed],
        State::Completed => vec![State::Completed, State::Stopped, State::Idle],
        // Where the screen may say idle, the error was no turn's end.
        State::Failed if log_of(&LOG_TELLS_FAILED) && !otherwise.contains(&State::Idle) => {
            vec![State::Failed]
        }
        State::Failed => [otherwise, vec![State::Failed, State::Stopped]].concat(),
        State::Idle if has_log => {
            vec![State::Idle, State::Completed, State::Stopped, State::Failed]
        }
        _ => otherwise,
    }
}

fn field_questions() -> impl Iterator<Item = Question> {
    use crate::field::Kind;
    FIELD.iter().flat_map(|case| {
        let question = |seen| Question {
            suite: Suite::Field,
            group: format!("{:?}", case.kind).to_lowercase(),
            truth: case.truth(),
            seen,
            agent: case.agent().to_owned(),
            accept: if case.kind == Kind::Process { Vec::new() } else { case.accept() },
            // The hint names the agent of a log.
            any_agent: case.kind == Kind::Log,
        };
        case.observations().into_iter().map(question)
    })
}
