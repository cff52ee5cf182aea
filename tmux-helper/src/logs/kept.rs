//! What is kept of a log: the newest records that say something.

use jiff::Timestamp;
use madohub_detect::RuleSet;
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::Arc;

/// Records kept of one log. The engine reads them from the newest on and stops at the first few.
const RECORDS_MAX: usize = 32;
/// So many records say how the last turn stands, and what came before it.
const ENOUGH: usize = 2;

/// The newest records of one log that say something about the agent.
#[derive(Debug)]
pub(super) struct Kept {
    rules: Arc<RuleSet>,
    agent: &'static str,
    /// Start of the agent's process, seconds since the epoch: what was written before is of an
    /// earlier one, and how that ended is no news.
    since: Option<f64>,
    records: VecDeque<String>,
    skipped: u64,
    changed: bool,
}

impl Kept {
    pub(super) fn new(rules: Arc<RuleSet>, agent: &'static str, since: Option<f64>) -> Self {
        let records = VecDeque::new();
        Self { rules, agent, since, records, skipped: 0, changed: true }
    }

    /// Takes the next record.
    pub(super) fn take(&mut self, record: &str) {
        let Ok(value) = serde_json::from_str::<Value>(record) else {
            self.skip();
            return;
        };
        if self.is_old(&value) || !self.rules.log_speaks(self.agent, &value) {
            return;
        }
        if self.records.len() == RECORDS_MAX {
            self.records.pop_front();
        }
        self.records.push_back(record.to_owned());
        self.changed = true;
    }

    /// A record could not be read.
    pub(super) fn skip(&mut self) {
        self.skipped += 1;
        self.changed = true;
    }

    /// The log is read anew.
    pub(super) fn restart(&mut self) {
        self.changed |= !self.records.is_empty() || self.skipped > 0;
        self.records.clear();
        self.skipped = 0;
    }

    /// Whether more of the log would say nothing new.
    pub(super) fn is_enough(&self) -> bool {
        self.records.len() >= ENOUGH
    }

    /// Whether anything changed since this was asked last.
    pub(super) fn take_change(&mut self) -> bool {
        std::mem::take(&mut self.changed)
    }

    /// The records, oldest first, and how many could not be read.
    pub(super) fn records(&self) -> (Vec<String>, u64) {
        (self.records.iter().cloned().collect(), self.skipped)
    }

    fn is_old(&self, record: &Value) -> bool {
        let time = record.get("timestamp").and_then(Value::as_str);
        let time = time.and_then(|time| time.parse::<Timestamp>().ok());
        self.since.zip(time).is_some_and(|(since, time)| time.as_duration().as_secs_f64() < since)
    }
}
