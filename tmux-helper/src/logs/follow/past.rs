//! Logs of processes that are gone: no process that ran beside them began one of those.

use super::super::source::LogId;
use super::super::tie::Tie;
use super::pane::PaneLog;
use std::collections::HashMap;

/// Logs that are remembered.
const LOGS_MAX: usize = 256;

/// Logs that were known to be a process's that is gone now.
#[derive(Debug, Default)]
pub(super) struct Past {
    gone: HashMap<LogId, Gone>,
    /// The logs of processes in no pane, by their numbers.
    others: HashMap<i64, LogId>,
}

/// The process that a log was of.
#[derive(Debug, Clone, Copy)]
struct Gone {
    pid: i64,
    /// When it was gone, seconds since the epoch.
    at: f64,
}

impl Past {
    /// The process of a pane is gone.
    pub(super) fn end(&mut self, pane: Option<&PaneLog>, now: f64) {
        if let Some((Tie::Log(log, _), pid)) = pane.map(|pane| (&pane.tie, pane.subject.pid)) {
            self.add(log.clone(), Gone { pid, at: now });
        }
    }

    /// These are the logs of processes in no pane now.
    pub(super) fn take_others(&mut self, others: HashMap<i64, LogId>, now: f64) {
        let before = std::mem::replace(&mut self.others, others);
        for (pid, log) in before {
            if !self.others.contains_key(&pid) {
                self.add(log, Gone { pid, at: now });
            }
        }
    }

    /// Whether a log is of another process than this one, that ran beside it. Its own may seem gone
    /// for a moment: a process is seen in no pane before its pane is looked at.
    pub(super) fn is_past(&self, log: &LogId, pid: i64, started: f64) -> bool {
        self.gone.get(log).is_some_and(|gone| gone.pid != pid && started < gone.at)
    }

    fn add(&mut self, log: LogId, gone: Gone) {
        if self.gone.len() >= LOGS_MAX {
            let oldest = self.gone.iter().min_by(|a, b| a.1.at.total_cmp(&b.1.at));
            if let Some(oldest) = oldest.map(|(log, _)| log.clone()) {
                self.gone.remove(&oldest);
            }
        }
        self.gone.insert(log, gone);
    }
}
