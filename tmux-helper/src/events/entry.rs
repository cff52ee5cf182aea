//! One event as it is kept, and one line of the stream as it is read.

use crate::protocol::Event;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// An event with what a later daemon must know to take it over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Record {
    /// Process of the tmux server that the pane belongs to.
    pub(super) server: i64,
    /// Process of the pane; 0 where it is gone.
    pub(super) pid: i64,
    pub(super) event: Event,
}

/// An event and the line that readers get of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub(super) record: Record,
    line: Arc<str>,
}

impl Entry {
    pub(super) fn new(record: Record) -> serde_json::Result<Self> {
        let line = format!("{}\n", serde_json::to_string(&record.event)?);
        Ok(Self { record, line: line.into() })
    }

    /// The event.
    pub fn event(&self) -> &Event {
        &self.record.event
    }

    /// Process of the pane; 0 where it was gone already.
    pub fn pid(&self) -> i64 {
        self.record.pid
    }

    /// The event as a line of JSON, with its line end.
    pub fn line(&self) -> &Arc<str> {
        &self.line
    }
}

/// Events that a reader did not get: it read too slowly, or asked for what is no longer kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gap {
    /// The last event before the gap.
    pub after: u64,
    /// The first event that follows. It is not after `after` where the numbers began anew.
    pub next: u64,
}

/// One line of `madohub watch --json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Line {
    /// An event.
    Event(Box<Event>),
    /// Events are missing here.
    Gap {
        /// Version of the line.
        v: u32,
        /// What is missing.
        gap: Gap,
    },
}

impl Gap {
    /// As a line of JSON, with its line end.
    pub(super) fn line(self) -> Arc<str> {
        let Self { after, next } = self;
        format!("{{\"v\":1,\"gap\":{{\"after\":{after},\"next\":{next}}}}}\n").into()
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failing test may panic")]

    use super::*;

    #[test]
    fn a_gap_reads_as_it_is_written() {
        let gap = Gap { after: 17, next: 203 };
        let read: Line = serde_json::from_str(gap.line().trim_end()).unwrap();
        assert_eq!(read, Line::Gap { v: 1, gap });
    }
}
