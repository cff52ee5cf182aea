//! A rule file after it was checked: what the engine works with.

use super::matcher::Matcher;
use super::pattern::{Pattern, RowPattern};
use crate::detection::State;

/// The rules of one agent.
#[derive(Debug, Clone)]
pub(crate) struct Agent {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) checked_with: Vec<String>,
    pub(crate) source: String,
    pub(crate) process: ProcessNames,
    pub(crate) layout: Layout,
    pub(crate) version: Option<Pattern>,
    pub(crate) background: Vec<Background>,
    pub(crate) identify: Vec<Rule>,
    pub(crate) rules: Vec<Rule>,
    pub(crate) log_rules: Vec<LogRule>,
    pub(crate) hook_rules: Vec<LogRule>,
}

/// How the agent's processes are recognised.
#[derive(Debug, Clone, Default)]
pub(crate) struct ProcessNames {
    pub(crate) names: Vec<String>,
    pub(crate) packages: Vec<String>,
    pub(crate) not_args: Vec<String>,
    pub(crate) but_args: Vec<String>,
    pub(crate) headless_args: Vec<String>,
}

/// How the agent's live region is found.
#[derive(Debug, Clone, Default)]
pub(crate) struct Layout {
    pub(crate) boxes: Vec<InputBox>,
    pub(crate) status_skip: Option<RowPattern>,
    pub(crate) status_goes_on: Option<RowPattern>,
    pub(crate) status_rows: usize,
    pub(crate) dialog_after: Option<RowPattern>,
    pub(crate) dialog_rows: usize,
}

/// One shape of the agent's input box.
#[derive(Debug, Clone)]
pub(crate) struct InputBox {
    pub(crate) top: Option<RowPattern>,
    pub(crate) prompt: RowPattern,
    pub(crate) bottom: Option<RowPattern>,
    pub(crate) inside: Option<RowPattern>,
    pub(crate) not_followed_by: Option<RowPattern>,
    pub(crate) footer: Option<RowPattern>,
    pub(crate) max_rows: usize,
    pub(crate) footer_rows: usize,
}

/// A pattern that counts work which outlives the turn.
#[derive(Debug, Clone)]
pub(crate) struct Background {
    pub(crate) region: Region,
    pub(crate) count: Pattern,
}

/// A named part of what a host sees of a pane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Region {
    /// The title.
    Title,
    /// The rows of the input box, without its borders.
    InputBox,
    /// The row nearest to the input box that is neither blank nor a tip, with its wrapped rest.
    Status,
    /// From the status row down to the input box.
    Block,
    /// The last twelve rows above the input box.
    Above,
    /// The rows on the other side of the input box.
    Footer,
    /// The end of a screen that has no input box.
    Dialog,
    /// The last twelve rows of a screen that has no input box.
    Tail,
    /// The last three rows of any screen.
    End,
    /// All rows.
    Screen,
}

impl Region {
    pub(crate) const ALL: [(Self, &'static str); 10] = [
        (Self::Title, "title"),
        (Self::InputBox, "input_box"),
        (Self::Status, "status"),
        (Self::Block, "block"),
        (Self::Above, "above"),
        (Self::Footer, "footer"),
        (Self::Dialog, "dialog"),
        (Self::Tail, "tail"),
        (Self::End, "end"),
        (Self::Screen, "screen"),
    ];

    pub(crate) fn name(self) -> &'static str {
        Self::ALL.iter().find(|(region, _)| *region == self).map_or("", |(_, name)| name)
    }
}

/// What a rule says when it matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Says {
    /// This is the agent's screen (rules that identify).
    Identified,
    /// The pane is in this state.
    State(State),
    /// A view that the person opened covers the live region: the former state holds.
    Hold,
}

/// One screen or title rule.
#[derive(Debug, Clone)]
pub(crate) struct Rule {
    pub(crate) id: String,
    pub(crate) region: Region,
    pub(crate) says: Says,
    pub(crate) reason: Option<String>,
    pub(crate) matcher: Matcher,
}

/// One rule on a log record.
#[derive(Debug, Clone)]
pub(crate) struct LogRule {
    pub(crate) id: String,
    pub(crate) says: LogSays,
    pub(crate) reason: Option<String>,
    pub(crate) conditions: Vec<(Vec<String>, Check)>,
    pub(crate) text: Option<Vec<String>>,
}

/// What a log rule says when a record matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LogSays {
    /// The session is in this state since the record.
    State(State),
    /// The turn ended and the record does not say how; an error before it does.
    Ended,
    /// The turn ended; an older record says how, and well if none does.
    Closed,
    /// From here on the log alone cannot tell.
    Unclear,
}

/// What a value of a record must be.
#[derive(Debug, Clone)]
pub(crate) enum Check {
    Is(serde_json::Value),
    OneOf(Vec<String>),
    Exists(bool),
    IsNot(serde_json::Value),
    Matches(Pattern),
}

impl Check {
    /// The texts of which the value must be one, where that is what it says.
    pub(crate) fn texts(&self) -> Vec<String> {
        match self {
            Self::Is(value) => value.as_str().map(str::to_owned).into_iter().collect(),
            Self::OneOf(texts) => texts.clone(),
            _ => Vec::new(),
        }
    }
}
