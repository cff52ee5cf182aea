//! Rule files.
use serde::Serialize;

/// A rule file that cannot be used: which file, which rule, what is wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {message}")]
pub struct RuleError {
    /// Name of the file.
    pub file: String,
    /// Rule and key, and what is wrong with them.
    pub message: String,
}

/// One rule file as text, before it is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleFile {
    /// Name for messages.
    pub name: String,
    /// TOML text.
    pub text: String,
}

/// What people may want to know about an agent that the rules know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AgentInfo {
    /// Id.
    pub id: String,
    /// Name for people.
    pub name: String,
    /// Versions that the rules were checked with.
    pub checked_with: Vec<String>,
    /// Number of screen and title rules.
    pub rules: usize,
    /// Number of session log rules.
    pub log_rules: usize,
    /// Where the rules come from: `built-in`, or the name of a user's file.
    pub source: String,
}

/// The compiled rules of all agents.
#[derive(Debug, Clone, Default)]
pub struct RuleSet {}

impl RuleSet {
    /// The rules that ship with the crate.
    pub fn builtin() -> Result<Self, RuleError> {
        Ok(Self {})
    }

    /// The built-in rules with the user's files on top. A file that cannot be used is left out
    /// and answered as an error; the rest is in force.
    pub fn layered(_user: &[RuleFile]) -> Result<(Self, Vec<RuleError>), RuleError> {
        Ok((Self {}, Vec::new()))
    }

    /// The agents that the rules know, in the order in which they are tried.
    pub fn agents(&self) -> Vec<AgentInfo> {
        Vec::new()
    }
}
