//! What the engine says about one pane: agent, state, where that comes from, and the evidence.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Id of an agent: the name of its rule file, or one of the two reserved ids.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AgentId(String);

impl AgentId {
    /// A shell, or any program that is no agent.
    pub const SHELL: &'static str = "shell";
    /// Nothing can be said.
    pub const UNKNOWN: &'static str = "unknown";

    /// Wraps an id.
    pub fn new(id: impl Into<String>) -> Self {
        Self(id.into())
    }

    /// The id of a shell or any program that is no agent.
    pub fn shell() -> Self {
        Self::new(Self::SHELL)
    }

    /// The id for "nothing can be said".
    pub fn unknown() -> Self {
        Self::new(Self::UNKNOWN)
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// True for a real agent, false for the two reserved ids.
    pub fn is_agent(&self) -> bool {
        self.0 != Self::SHELL && self.0 != Self::UNKNOWN
    }
}

impl fmt::Display for AgentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The seven states of an agent, and `Unknown` where there is no evidence for any of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// A turn runs.
    Working,
    /// Ready for a prompt, nothing new to see.
    Idle,
    /// A person must decide.
    Waiting,
    /// The turn ended and nobody knows how, or the user interrupted it, or the process is suspended.
    Stopped,
    /// The agent's own record says that the turn ended well.
    Completed,
    /// The agent's own record says that the turn ended in an error.
    Failed,
    /// The agent's process is gone.
    Exited,
    /// No evidence; never shown as a colour.
    #[default]
    Unknown,
}

impl State {
    /// The seven states in order of need: what a person must look at first comes first.
    /// A window, tab or session shows the first one that any of its panes has.
    pub const BY_NEED: [Self; 7] = [
        Self::Waiting,
        Self::Failed,
        Self::Stopped,
        Self::Working,
        Self::Completed,
        Self::Exited,
        Self::Idle,
    ];

    /// Lower-case name, the same in every output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Working => "working",
            Self::Idle => "idle",
            Self::Waiting => "waiting",
            Self::Stopped => "stopped",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Exited => "exited",
            Self::Unknown => "unknown",
        }
    }

    /// Position in [`State::BY_NEED`]; `Unknown` comes last.
    pub fn need_rank(self) -> usize {
        Self::BY_NEED.iter().position(|s| *s == self).unwrap_or(Self::BY_NEED.len())
    }

    /// Whether the state says that a turn is over.
    pub fn is_turn_over(self) -> bool {
        matches!(self, Self::Idle | Self::Stopped | Self::Completed | Self::Failed)
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl std::str::FromStr for State {
    type Err = UnknownState;

    fn from_str(s: &str) -> Result<Self, Self::Err> {
        Self::BY_NEED
            .into_iter()
            .chain([Self::Unknown])
            .find(|state| state.as_str() == s)
            .ok_or_else(|| UnknownState(s.to_owned()))
    }
}

/// A word that is no state.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no state; the states are working, idle, waiting, stopped, completed, failed, exited"
)]
pub struct UnknownState(String);

/// Where a state comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StateSource {
    /// Screen, title, escape sequences, processes.
    PtyScrape,
    /// The agent's own log, database, registry or hooks.
    JsonlWatcher,
}

impl StateSource {
    /// Name as in every output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PtyScrape => "pty-scrape",
            Self::JsonlWatcher => "jsonl-watcher",
        }
    }
}

/// The way by which a piece of evidence came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Via {
    /// Rows of the screen.
    Screen,
    /// The title.
    Title,
    /// The process list or a pane event.
    Process,
    /// A program status report (OSC 7501).
    ProgramStatus,
    /// The agent's entry for its running process.
    Registry,
    /// The agent's session log.
    SessionLog,
    /// A report of the agent's own hooks.
    Hook,
    /// What the user or an earlier observation said.
    Hint,
}

impl Via {
    /// The state source that this way belongs to.
    pub fn state_source(self) -> StateSource {
        match self {
            Self::Registry | Self::SessionLog | Self::Hook => StateSource::JsonlWatcher,
            _ => StateSource::PtyScrape,
        }
    }

    /// Name as in every output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Screen => "screen",
            Self::Title => "title",
            Self::Process => "process",
            Self::ProgramStatus => "program-status",
            Self::Registry => "registry",
            Self::SessionLog => "session-log",
            Self::Hook => "hook",
            Self::Hint => "hint",
        }
    }
}

/// Why the engine says what it says: one rule and where it matched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// The way it came.
    pub via: Via,
    /// Id of the rule.
    pub rule: String,
    /// First and last screen row (zero-based) of the text that matched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<(usize, usize)>,
    /// The text that matched, cleaned of control characters and cut to [`Evidence::MAX_TEXT`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

impl Evidence {
    /// Longest text kept, in characters.
    pub const MAX_TEXT: usize = 160;

    /// Evidence without a place on the screen.
    pub fn new(via: Via, rule: impl Into<String>) -> Self {
        Self { via, rule: rule.into(), rows: None, text: None }
    }

    /// Adds the text that matched, cleaned and cut.
    #[must_use]
    pub fn with_text(mut self, text: &str) -> Self {
        let clean: String = text.chars().filter(|c| !c.is_control()).take(Self::MAX_TEXT).collect();
        self.text = Some(clean.trim().to_owned());
        self
    }
}

/// The engine's verdict on one observation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Detection {
    /// The observation's id.
    pub id: String,
    /// Agent id, `shell` or `unknown`.
    pub agent: AgentId,
    /// The agent's name for people; null for the two reserved ids.
    pub agent_name: Option<String>,
    /// The agent's version where its records or its screen say so.
    pub agent_version: Option<String>,
    /// State, `unknown` without evidence.
    pub state: State,
    /// Where the state comes from.
    pub state_source: StateSource,
    /// Why the agent is in this state, from an open list of words (`approval`, `api-error`, …).
    pub reason: Option<String>,
    /// Work that outlives the turn (shells, subagents, monitors), as far as seen.
    pub background: u32,
    /// The rules behind the verdict, the deciding one first.
    pub evidence: Vec<Evidence>,
    /// A view covers the pane's live region; the state is the one before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub held: bool,
}
