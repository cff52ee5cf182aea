//! A pattern that is compiled when it is first used.
//!
//! Compiling all built-in patterns takes a tenth of a second, and seconds in the interpreter that
//! runs the zellij plugin; a session needs those of the one or two agents that run in it.

use regex::{Captures, Match, Regex, RegexBuilder};
use std::sync::OnceLock;

/// Bytes of one compiled pattern; the largest built-in one needs a tenth of this.
const MAX_BYTES: usize = 2 << 20;

/// A regular expression, multi-line.
#[derive(Debug, Clone)]
pub(crate) struct Pattern {
    text: String,
    compiled: OnceLock<Option<Regex>>,
}

impl Pattern {
    /// A pattern that a test has compiled before: it is compiled when it is first used.
    pub(crate) fn known_good(text: &str) -> Self {
        Self { text: text.to_owned(), compiled: OnceLock::new() }
    }

    /// A pattern that nobody has compiled yet.
    pub(crate) fn checked(text: &str) -> Result<Self, regex::Error> {
        let regex = build(text)?;
        Ok(Self { text: text.to_owned(), compiled: OnceLock::from(Some(regex)) })
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.regex().is_some_and(|regex| regex.is_match(text))
    }

    pub(crate) fn find<'t>(&self, text: &'t str) -> Option<Match<'t>> {
        self.regex()?.find(text)
    }

    pub(crate) fn captures<'t>(&self, text: &'t str) -> Option<Captures<'t>> {
        self.regex()?.captures(text)
    }

    fn regex(&self) -> Option<&Regex> {
        self.compiled.get_or_init(|| build(&self.text).ok()).as_ref()
    }
}

fn build(text: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(text).multi_line(true).size_limit(MAX_BYTES).build()
}
