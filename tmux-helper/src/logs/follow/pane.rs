//! What is known of the log of one pane.

use super::super::kept::Kept;
use super::super::source::{Candidate, LogId, Reader};
use super::super::tie::Tie;
use madohub_detect::SessionLog;

/// The log of one pane.
pub(super) struct PaneLog {
    pub(super) subject: SubjectKey,
    /// Start of the agent's process, seconds since the epoch.
    pub(super) started: Option<f64>,
    /// Folder that it works in.
    pub(super) cwd: Option<String>,
    pub(super) candidates: Vec<Candidate>,
    pub(super) searched: f64,
    pub(super) tie: Tie,
    pub(super) open: Option<Open>,
    /// The tie is another one than what was answered last.
    pub(super) changed: bool,
}

/// When any of this changes, another search is due at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SubjectKey {
    pub(super) agent: &'static str,
    pub(super) pid: i64,
    pub(super) start: Option<u64>,
    pub(super) session: Option<String>,
}

/// A log that is read.
pub(super) struct Open {
    pub(super) reader: Box<dyn Reader>,
    pub(super) kept: Kept,
    pub(super) trouble: Option<String>,
}

impl PaneLog {
    pub(super) fn new(subject: SubjectKey, started: Option<f64>) -> Self {
        Self {
            subject,
            started,
            cwd: None,
            candidates: Vec::new(),
            searched: f64::NEG_INFINITY,
            tie: Tie::None,
            open: None,
            // Whoever was in the pane before may have had a log.
            changed: true,
        }
    }

    /// Takes the start of the process as it is reckoned now. A clock that was set back moves what is
    /// written from here on before the start that was reckoned first, and a clock that was set forward
    /// would make everything older than the process: the earlier start holds.
    pub(super) fn set_started(&mut self, started: Option<f64>) {
        /// So many seconds are no unsteadiness of the reckoning.
        const JUMP: f64 = 2.0;
        let moved = started.zip(self.started).is_some_and(|(now, then)| now < then - JUMP);
        if moved {
            self.started = started;
            if let Some(open) = &mut self.open {
                open.kept.set_since(started);
            }
        }
    }

    /// Reads what is new; answers whether the engine gets to see anything else now.
    pub(super) fn read(&mut self, now: f64) -> bool {
        let mut changed = std::mem::take(&mut self.changed);
        if let Some(open) = &mut self.open {
            let trouble = open.reader.read(&mut open.kept).err().map(|error| error.to_string());
            changed |= trouble != open.trouble;
            open.trouble = trouble;
            changed |= open.kept.take_change(now);
        }
        changed
    }

    /// Whether a record that was held back is believed now.
    pub(super) fn is_due(&self, now: f64) -> bool {
        self.open.as_ref().is_some_and(|open| open.kept.is_due(now))
    }

    /// What the engine gets to see.
    pub(super) fn seen(&self) -> Option<SessionLog> {
        match (&self.tie, &self.open) {
            (Tie::Log(log, how), Some(open)) => {
                let tie = match &open.trouble {
                    Some(trouble) => format!("{how}; cannot be read: {trouble}"),
                    None => how.clone(),
                };
                Some(SessionLog {
                    path: log.name(),
                    records: open.kept.records(),
                    tie: Some(tie),
                    between: Vec::new(),
                    skipped: open.kept.skipped(),
                    no_turn_yet: open.kept.no_turn_yet(),
                    background: open.kept.background(),
                    detail: open.kept.detail().clone(),
                })
            }
            (Tie::Ambiguous(logs), _) => Some(SessionLog {
                tie: Some("ambiguous".to_owned()),
                between: logs.iter().map(LogId::name).collect(),
                ..SessionLog::default()
            }),
            _ => None,
        }
    }
}
