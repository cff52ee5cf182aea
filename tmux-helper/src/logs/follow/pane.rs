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
