//! What is wrong with a rule file, told so that its author can mend it.

/// A rule file that cannot be used: which file, which rule or section, what is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {place}{kind}", place = place(.section.as_ref()))]
pub struct RuleError {
    /// Name of the file as the host gave it.
    pub file: String,
    /// Rule id or section, where it is known.
    pub section: Option<String>,
    /// What is wrong.
    pub kind: RuleErrorKind,
}

/// What can be wrong with a rule file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RuleErrorKind {
    /// The file is no TOML of the rule vocabulary; the message names the key and the line.
    #[error("{0}")]
    Syntax(String),
    /// The file asks for a newer vocabulary than this engine has.
    #[error(
        "schema {found} is newer than {known}, the newest that this version understands; update madohub or lower the file's schema"
    )]
    Schema {
        /// What the file asks for.
        found: u32,
        /// What the engine has.
        known: u32,
    },
    /// The agent's id is empty, reserved, or has other characters than `a-z 0-9 -`.
    #[error(
        "`{0}` cannot be an agent's id: use lower-case letters, digits and `-`, and neither `shell` nor `unknown`"
    )]
    AgentId(String),
    /// A rule's id does not begin with the agent's id and a dot.
    #[error("the id must begin with `{0}.`")]
    RuleId(String),
    /// Two rules of one agent have the same id.
    #[error("the id is used twice in this file")]
    Duplicate,
    /// A rule that could match anything.
    #[error(
        "the rule has no matcher: give at least one of `lines`, `lines_any`, `contains`, `contains_any`, `present`, or `where` for a log rule"
    )]
    Empty,
    /// A pattern does not compile, or is too large.
    #[error("`{key}`: the pattern `{pattern}` cannot be used: {problem}")]
    Pattern {
        /// Key of the pattern.
        key: String,
        /// The pattern.
        pattern: String,
        /// What the regular expression compiler says.
        problem: String,
    },
    /// A rule lacks examples.
    #[error(
        "`{0}` is missing: every rule carries at least one text that it must match and one that it must not"
    )]
    NoExample(&'static str),
    /// An example is not handled as it says.
    #[error("the example number {number} of `{list}` {problem}")]
    Example {
        /// `match` or `no_match`.
        list: &'static str,
        /// Which one, counted from 1.
        number: usize,
        /// What happened instead.
        problem: &'static str,
    },
    /// A value outside the vocabulary.
    #[error("`{key}`: {problem}")]
    Value {
        /// Key of the value.
        key: String,
        /// What is wrong, and what can be written instead.
        problem: String,
    },
    /// A new agent without a way to recognise it.
    #[error(
        "a new agent needs `name` and at least one of `process.names`, `process.packages`, `identify`"
    )]
    NoIdentity,
    /// More rules than the engine takes from one file.
    #[error("{0} rules are more than the {1} that one file may have")]
    TooMany(usize, usize),
}

fn place(section: Option<&String>) -> String {
    section.map(|s| format!("{s}: ")).unwrap_or_default()
}
