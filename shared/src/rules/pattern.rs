//! A pattern that is compiled when it is first used.
//!
//! Compiling all built-in patterns takes a tenth of a second, and seconds in the interpreter that
//! runs the zellij plugin; a session needs those of the one or two agents that run in it.

use super::matcher::RegionText;
use super::needs::Needs;
use super::row_needs::RowNeeds;
use regex::{Captures, Match, Regex, RegexBuilder};
use std::sync::OnceLock;

/// Bytes of one compiled pattern; the largest built-in one needs a tenth of this.
const MAX_BYTES: usize = 2 << 20;

/// A regular expression, multi-line.
#[derive(Debug, Clone)]
pub(crate) struct Pattern {
    text: String,
    needs: OnceLock<Needs>,
    compiled: OnceLock<Option<Regex>>,
}

/// A regular expression for one row at a time: `^` and `$` are its ends.
#[derive(Debug, Clone)]
pub(crate) struct RowPattern {
    text: String,
    needs: OnceLock<RowNeeds>,
    compiled: OnceLock<Option<Regex>>,
}

impl Pattern {
    /// A pattern that a test has compiled before: it is compiled when it is first used.
    pub(crate) fn known_good(text: &str) -> Self {
        Self { text: text.to_owned(), needs: OnceLock::new(), compiled: OnceLock::new() }
    }

    /// A pattern that nobody has compiled yet.
    pub(crate) fn checked(text: &str) -> Result<Self, regex::Error> {
        let compiled = OnceLock::from(Some(build(text, true)?));
        Ok(Self { text: text.to_owned(), needs: OnceLock::new(), compiled })
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.regex().is_some_and(|regex| regex.is_match(text))
    }

    /// Whether it is found in a region.
    pub(crate) fn is_in(&self, region: &RegionText<'_>) -> bool {
        self.may_be_in(region) && self.is_match(region.text)
    }

    /// Where it is found first in a region.
    pub(crate) fn find<'t>(&self, region: &RegionText<'t>) -> Option<Match<'t>> {
        if self.may_be_in(region) { self.regex()?.find(region.text) } else { None }
    }

    /// Where it and its groups are found first in a region.
    pub(crate) fn captures<'t>(&self, region: &RegionText<'t>) -> Option<Captures<'t>> {
        if self.may_be_in(region) { self.regex()?.captures(region.text) } else { None }
    }

    fn may_be_in(&self, region: &RegionText<'_>) -> bool {
        region.may_meet(self.needs())
    }

    /// What a text must hold for this to be found in it.
    pub(crate) fn needs(&self) -> &Needs {
        self.needs.get_or_init(|| Needs::of(&self.text))
    }

    fn regex(&self) -> Option<&Regex> {
        self.compiled.get_or_init(|| build(&self.text, true).ok()).as_ref()
    }
}

impl RowPattern {
    /// A pattern that was compiled before, by a test or as a [`Pattern`].
    pub(crate) fn known_good(text: &str) -> Self {
        Self { text: text.to_owned(), needs: OnceLock::new(), compiled: OnceLock::new() }
    }

    pub(crate) fn is_match(&self, row: &str) -> bool {
        self.may_be_in(row) && self.regex().is_some_and(|regex| regex.is_match(row))
    }

    pub(crate) fn find<'t>(&self, row: &'t str) -> Option<Match<'t>> {
        if self.may_be_in(row) { self.regex()?.find(row) } else { None }
    }

    fn may_be_in(&self, row: &str) -> bool {
        self.needs.get_or_init(|| RowNeeds::of(&self.text)).may_be_met(row)
    }

    fn regex(&self) -> Option<&Regex> {
        self.compiled.get_or_init(|| build(&self.text, false).ok()).as_ref()
    }
}

fn build(text: &str, multi_line: bool) -> Result<Regex, regex::Error> {
    RegexBuilder::new(text).multi_line(multi_line).size_limit(MAX_BYTES).build()
}
