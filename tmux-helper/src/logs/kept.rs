//! What is kept of a log: the newest records that say something.

use super::source::Source;
use jiff::Timestamp;
use madohub_detect::{LogDetail, RuleSet};
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::Arc;

/// Records kept of one log. The engine reads them from the newest on and stops at the first few.
const RECORDS_MAX: usize = 32;
/// So many records say how the last turn stands, and what came before it.
const ENOUGH: usize = 2;
/// Characters of a prompt that are compared.
const PROMPT_MAX: usize = 200;
/// A provisional record is believed when nothing followed it for so many seconds.
const PROVISIONAL: f64 = 0.4;

/// The newest records of one log that say something about the agent.
#[derive(Debug)]
pub(super) struct Kept {
    rules: Arc<RuleSet>,
    agent: &'static str,
    is_provisional: fn(&Value) -> bool,
    add_detail: fn(&Value, &mut LogDetail),
    prompt_of: fn(&Value) -> Option<&str>,
    /// Start of the agent's process, seconds since the epoch: what was written before is of an
    /// earlier one, and how that ended is no news.
    since: Option<f64>,
    records: VecDeque<Record>,
    /// A record of an earlier process was left out.
    earlier: bool,
    detail: LogDetail,
    /// The beginning of the newest prompt, to be compared with screens.
    prompt: Option<String>,
    skipped: u64,
    /// Work that outlives the turn.
    background: u32,
    /// The newest record is held back.
    withheld: bool,
    changed: bool,
}

#[derive(Debug)]
struct Record {
    line: String,
    /// Until when it is held back, seconds since the epoch.
    until: Option<f64>,
}

impl Kept {
    pub(super) fn new(rules: Arc<RuleSet>, source: &dyn Source, since: Option<f64>) -> Self {
        Self {
            rules,
            agent: source.agent(),
            is_provisional: source.is_provisional(),
            add_detail: source.detail(),
            prompt_of: source.prompt(),
            since,
            records: VecDeque::new(),
            earlier: false,
            detail: LogDetail::default(),
            prompt: None,
            skipped: 0,
            background: 0,
            withheld: false,
            changed: true,
        }
    }

    /// Takes the next record.
    pub(super) fn take(&mut self, record: &str) {
        let Ok(value) = serde_json::from_str::<Value>(record) else {
            self.skip();
            return;
        };
        (self.add_detail)(&value, &mut self.detail);
        if let Some(prompt) = (self.prompt_of)(&value) {
            self.prompt = Some(prompt.chars().take(PROMPT_MAX).collect());
        }
        let time = time_of(&value);
        if !self.rules.log_speaks(self.agent, &value) {
            return;
        }
        if self.since.zip(time).is_some_and(|(since, time)| time < since) {
            self.changed |= !self.earlier;
            self.earlier = true;
            return;
        }
        if self.records.len() == RECORDS_MAX {
            self.records.pop_front();
        }
        let until = time.filter(|_| (self.is_provisional)(&value)).map(|time| time + PROVISIONAL);
        self.records.push_back(Record { line: record.to_owned(), until });
        self.changed = true;
    }

    /// A record could not be read.
    pub(super) fn skip(&mut self) {
        self.skipped += 1;
        self.changed = true;
    }

    /// The process is known to have started then.
    pub(super) fn set_since(&mut self, since: Option<f64>) {
        self.since = since;
    }

    /// So much is at work beside the turn.
    pub(super) fn set_background(&mut self, count: u32) {
        self.changed |= self.background != count;
        self.background = count;
    }

    /// The log is read anew.
    pub(super) fn restart(&mut self) {
        self.changed |= !self.records.is_empty() || self.earlier || self.skipped > 0;
        self.records.clear();
        self.earlier = false;
        self.skipped = 0;
    }

    /// Whether more of the log would say nothing new. What stands before a record of an earlier
    /// process is of an earlier process too.
    pub(super) fn is_enough(&self) -> bool {
        self.earlier || self.records.len() >= ENOUGH
    }

    /// Whether all that the log says is of an earlier process.
    pub(super) fn no_turn_yet(&self) -> bool {
        self.earlier && self.records.is_empty()
    }

    /// Whether anything changed since this was asked last. `now` is in seconds since the epoch.
    pub(super) fn take_change(&mut self, now: f64) -> bool {
        let withheld = self.withholds(now);
        self.changed |= withheld != self.withheld;
        self.withheld = withheld;
        std::mem::take(&mut self.changed)
    }

    /// Whether the newest record is held back at this time.
    fn withholds(&self, now: f64) -> bool {
        let until = self.records.back().and_then(|record| record.until);
        // Not for longer than that by a clock that was set back.
        until.is_some_and(|until| (0.0..=PROVISIONAL).contains(&(until - now)))
    }

    /// Whether a record that was held back is believed now.
    pub(super) fn is_due(&self, now: f64) -> bool {
        self.withheld && !self.withholds(now)
    }

    /// The records, oldest first.
    pub(super) fn records(&self) -> Vec<String> {
        let count = self.records.len() - usize::from(self.withheld);
        self.records.iter().take(count).map(|record| record.line.clone()).collect()
    }

    /// The agent whose log it is.
    pub(super) fn agent(&self) -> &'static str {
        self.agent
    }

    /// The beginning of the newest prompt.
    pub(super) fn prompt(&self) -> Option<&str> {
        self.prompt.as_deref()
    }

    /// What is at work beside the turn.
    pub(super) fn background(&self) -> u32 {
        self.background
    }

    /// The newest record, also one that is held back.
    pub(super) fn newest(&self) -> Option<&str> {
        self.records.back().map(|record| record.line.as_str())
    }

    /// How many records could not be read.
    pub(super) fn skipped(&self) -> u64 {
        self.skipped
    }

    /// What people want to know beside the state.
    pub(super) fn detail(&self) -> &LogDetail {
        &self.detail
    }
}

/// Time of a record, seconds since the epoch.
pub(super) fn time_of(record: &Value) -> Option<f64> {
    let time = record.get("timestamp")?.as_str()?.parse::<Timestamp>().ok()?;
    Some(time.as_duration().as_secs_f64())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failing test may panic")]

    use super::*;
    use crate::logs::agents::{Homes, sources};

    #[test]
    fn a_provisional_record_is_held_back_for_a_moment() {
        let homes = Homes::at(std::path::Path::new("/nowhere"));
        let sources = sources(&homes);
        let copilot = sources.iter().find(|source| source.agent() == "copilot").unwrap();
        let mut kept = Kept::new(Arc::new(RuleSet::builtin().unwrap()), &**copilot, None);
        let end = 1_767_261_600.0;
        kept.take(r#"{"type":"assistant.turn_start","timestamp":"2026-01-01T09:59:50Z"}"#);
        kept.take(r#"{"type":"assistant.turn_end","timestamp":"2026-01-01T10:00:00Z"}"#);
        assert!(kept.take_change(end + 0.1));
        assert_eq!(kept.records().len(), 1);
        assert!(!kept.take_change(end + 0.3));
        assert!(!kept.is_due(end + 0.3));
        assert!(kept.is_due(end + 0.5));
        assert!(kept.take_change(end + 0.5));
        assert!(!kept.is_due(end + 0.6));
        assert_eq!(kept.records().len(), 2);
        kept.take(r#"{"type":"session.error","timestamp":"2026-01-01T10:00:00.1Z"}"#);
        assert!(kept.take_change(end + 0.2), "what followed says more");
        assert_eq!(kept.records().len(), 3);
    }
}
