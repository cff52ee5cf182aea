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
    /// By log, when its process was gone, seconds since the epoch.
    gone: HashMap<LogId, f64>,
    /// The logs of processes in no pane, by their numbers.
    others: HashMap<u64, LogId>,
}

impl Past {
    /// The process of a pane is gone.
    pub(super) fn end(&mut self, pane: Option<&PaneLog>, now: f64) {
        if let Some(Tie::Log(log, _)) = pane.map(|pane| &pane.tie) {
            self.add(log.clone(), now);
        }
    }

    /// These are the logs of processes in no pane now.
    pub(super) fn take_others(&mut self, others: HashMap<u64, LogId>, now: f64) {
        let before = std::mem::replace(&mut self.others, others);
        for (who, log) in before {
            if !self.others.contains_key(&who) {
                self.add(log, now);
            }
        }
    }

    /// Whether a log is of another process than one that started at this time.
    pub(super) fn is_past(&self, log: &LogId, started: f64) -> bool {
        self.gone.get(log).is_some_and(|gone| started < *gone)
    }

    fn add(&mut self, log: LogId, now: f64) {
        if self.gone.len() >= LOGS_MAX {
            let oldest = self.gone.iter().min_by(|a, b| a.1.total_cmp(b.1));
            if let Some(oldest) = oldest.map(|(log, _)| log.clone()) {
                self.gone.remove(&oldest);
            }
        }
        self.gone.insert(log, now);
    }
}
