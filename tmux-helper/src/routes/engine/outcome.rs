//! What the log says of a decision and of a job's end.

use super::super::log::LogEntry;
use madohub_detect::delivery::Outcome;

/// How a job ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// A letter.
    Letter(Outcome),
    /// A program or a file did what it should.
    Done,
    /// It did not.
    Failed(String),
}

/// The word of the log for this end, and why it came to it.
pub(super) fn words(ended: &Ended) -> (&'static str, Option<String>) {
    match ended {
        Ended::Letter(Outcome::Delivered) => ("delivered", None),
        Ended::Letter(Outcome::Unproved) => {
            ("unproved", Some("no turn was seen to start".to_owned()))
        }
        Ended::Letter(Outcome::Refused(why) | Outcome::NotNow(why)) => {
            ("refused", Some(why.clone()))
        }
        Ended::Letter(Outcome::Expired(why)) => ("expired", Some(why.clone())),
        Ended::Letter(Outcome::Stopped(why)) => ("stopped", Some(why.clone())),
        Ended::Done => ("done", None),
        Ended::Failed(why) => ("failed", Some(why.clone())),
    }
}

pub(super) fn entry(
    route: &str,
    seq: u64,
    from: &str,
    to: &str,
    outcome: &str,
    now: f64,
) -> LogEntry {
    LogEntry {
        v: 1,
        time: now,
        route: route.to_owned(),
        seq,
        from: from.to_owned(),
        to: to.to_owned(),
        outcome: outcome.to_owned(),
        why: None,
    }
}

impl LogEntry {
    pub(super) fn because(self, why: String) -> Self {
        Self { why: Some(why), ..self }
    }
}
