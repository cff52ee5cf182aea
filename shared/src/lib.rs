//! Which coding agent runs in a terminal pane, and what it is doing.
//!
//! The crate is a pure function from an [`Observation`] (screen text, title, process list, the
//! agent's own records) to a [`Detection`] (agent, state, source, reason, evidence), and a
//! [`Tracker`] that follows one pane over time. It does no I/O and has no clock, environment,
//! thread or global state, so that a tmux helper, a zellij plugin and an offline command give
//! the same answer to the same input.
//!
//! ```
//! use madohub_detect::{Observation, RuleSet, State, detect};
//!
//! let rules = RuleSet::builtin()?;
//! let seen = Observation {
//!     agent_hint: Some("claude".into()),
//!     screen: Some(vec![
//!         "✻ Pondering… (12s · ↓ 300 tokens)".into(),
//!         "─".repeat(60),
//!         "❯ ".into(),
//!         "─".repeat(60),
//!     ]),
//!     ..Observation::default()
//! };
//! assert_eq!(detect(&rules, &seen).state, State::Working);
//! # Ok::<(), madohub_detect::RuleError>(())
//! ```

#![forbid(unsafe_code)]

mod announce;
mod arbitrate;
mod colour;
pub mod delivery;
mod detect;
mod detection;
mod explain;
mod identify;
mod layout;
mod look;
mod observation;
mod program_status;
mod rules;
mod scan;
mod screen;
mod session_log;
pub mod text;
mod tracker;

pub use announce::{Announcer, CONFIRM, Told, TurnEnd};
pub use colour::{BASIC_COLOURS, WrittenColour, xterm_rgb};
pub use detect::detect;
pub use detection::{AgentId, Detection, Evidence, State, StateSource, UnknownState, Via};
pub use explain::{ExplainedLog, Explanation, RegionRows, explain};
pub use identify::{RULE_SHELL_COMMAND, RULE_SHELL_PROMPT, agent_of_process, agent_process};
pub use layout::input_box;
pub use look::{BuiltInLook, Glyphs, PerState};
pub use observation::{
    Cursor, HookReport, LogDetail, Observation, Previous, Process, ProgramStatus, Registry,
    SessionLog,
};
pub use program_status::{
    Blocked, Report, ReportState, StatusRecord, StatusScanner, StatusSignal, Terminator,
};
pub use rules::{AgentInfo, RuleError, RuleErrorKind, RuleFile, RuleSet};
pub use scan::Attempt;
pub use tracker::{Change, Settings, Settle, Step, Tracked, Tracker};
