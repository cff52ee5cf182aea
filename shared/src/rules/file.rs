//! The rule file as it is written: TOML into plain data, nothing checked yet.
//!
//! `docs/rule-files.md` is the reference for authors.

use serde::Deserialize;
use std::collections::BTreeMap;

/// The newest vocabulary that this engine understands.
pub(crate) const SCHEMA: u32 = 1;

/// One rule file as text, before it is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleFile {
    /// Name for messages: a path, or the name of a built-in file.
    pub name: String,
    /// TOML text.
    pub text: String,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AgentFile {
    pub(crate) schema: u32,
    pub(crate) id: String,
    pub(crate) name: Option<String>,
    #[serde(default)]
    pub(crate) checked_with: Vec<String>,
    /// Ids of built-in rules that are not wanted.
    #[serde(default)]
    pub(crate) disable: Vec<String>,
    #[serde(default)]
    pub(crate) process: ProcessSection,
    #[serde(default)]
    pub(crate) input_box: Vec<InputBoxSection>,
    pub(crate) status: Option<StatusSection>,
    pub(crate) dialog: Option<DialogSection>,
    pub(crate) version: Option<VersionSection>,
    #[serde(default)]
    pub(crate) background: Vec<BackgroundSection>,
    #[serde(default)]
    pub(crate) identify: Vec<RuleSection>,
    #[serde(default)]
    pub(crate) rules: Vec<RuleSection>,
    #[serde(default)]
    pub(crate) log_rules: Vec<LogRuleSection>,
    /// What reports of the agent's own hooks mean.
    #[serde(default)]
    pub(crate) hook_rules: Vec<LogRuleSection>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ProcessSection {
    /// Program names, exact.
    pub(crate) names: Vec<String>,
    /// npm packages whose script an interpreter runs, or whose folder holds the executable.
    pub(crate) packages: Vec<String>,
    /// First arguments that make the program something else than the agent's interface.
    pub(crate) not_args: Vec<String>,
    /// Arguments that make it the agent's interface all the same.
    pub(crate) but_args: Vec<String>,
    /// Arguments of a run without an interface.
    pub(crate) headless_args: Vec<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct InputBoxSection {
    pub(crate) top: Option<String>,
    pub(crate) prompt: String,
    pub(crate) bottom: Option<String>,
    /// Every row between the borders must match this.
    pub(crate) inside: Option<String>,
    /// The row below the prompt must not match this.
    pub(crate) not_followed_by: Option<String>,
    /// Rows below the box must match this, blank ones aside.
    pub(crate) footer: Option<String>,
    #[serde(default = "twenty")]
    pub(crate) max_rows: usize,
    #[serde(default = "twelve")]
    pub(crate) footer_rows: usize,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StatusSection {
    /// Rows above the input box that belong to no status row: tips, panels, menus.
    #[serde(default)]
    pub(crate) skip: Vec<String>,
    /// How a row begins that goes on from the row right above it, where the agent itself breaks
    /// its rows and does not indent what is left: it does not break them anew in a pane that has
    /// another width since.
    #[serde(default)]
    pub(crate) goes_on: Vec<String>,
    /// How many rows that are not blank are looked at.
    #[serde(default = "thirty")]
    pub(crate) max_rows: usize,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DialogSection {
    /// A row that shows that everything above it is past.
    #[serde(default)]
    pub(crate) after: Vec<String>,
    /// How many rows that are not blank a dialog may have.
    #[serde(default = "forty")]
    pub(crate) max_rows: usize,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct VersionSection {
    /// A pattern on the screen whose first group is the version.
    pub(crate) screen: String,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BackgroundSection {
    pub(crate) region: String,
    /// A pattern whose first group is a number.
    pub(crate) count: String,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RuleSection {
    pub(crate) id: String,
    pub(crate) region: String,
    /// Not for `identify`.
    pub(crate) state: Option<String>,
    pub(crate) reason: Option<String>,
    #[serde(default)]
    pub(crate) present: bool,
    #[serde(default)]
    pub(crate) after_blank: bool,
    #[serde(default)]
    pub(crate) contains: Vec<String>,
    #[serde(default)]
    pub(crate) contains_any: Vec<String>,
    #[serde(default)]
    pub(crate) not_contains: Vec<String>,
    #[serde(default)]
    pub(crate) lines: Vec<String>,
    #[serde(default)]
    pub(crate) lines_any: Vec<String>,
    #[serde(default)]
    pub(crate) not_lines: Vec<String>,
    #[serde(default, rename = "match")]
    pub(crate) matching: Vec<String>,
    #[serde(default)]
    pub(crate) no_match: Vec<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LogRuleSection {
    pub(crate) id: String,
    pub(crate) state: String,
    pub(crate) reason: Option<String>,
    /// JSON pointer (`*` for any element) to what its value must be.
    #[serde(rename = "where")]
    pub(crate) conditions: BTreeMap<String, Condition>,
    /// Pointer to a text that tells people why, for evidence.
    pub(crate) text: Option<String>,
    #[serde(default, rename = "match")]
    pub(crate) matching: Vec<String>,
    #[serde(default)]
    pub(crate) no_match: Vec<String>,
}

/// What the value at a JSON pointer must be.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(crate) enum Condition {
    Flag(bool),
    Number(i64),
    Text(String),
    OneOf(Vec<String>),
    Test(Test),
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Test {
    /// There (not null), or not there (or null).
    pub(crate) exists: Option<bool>,
    /// Anything but this, or not there.
    pub(crate) is_not: Option<serde_json::Value>,
    pub(crate) matches: Option<String>,
}

fn twelve() -> usize {
    12
}

fn twenty() -> usize {
    20
}

fn thirty() -> usize {
    30
}

fn forty() -> usize {
    40
}
