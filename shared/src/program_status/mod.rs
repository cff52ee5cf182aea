//! Program status reports: what a program says of itself in its own output (OSC 7501, "Program
//! Status Protocol", revision 0.4).
//!
//! A report is `ESC ] 7501 ; key=value:key=value… ST`, where ST is `ESC \` or BEL. Codex 0.171
//! writes them unasked; Claude Code 2.1.332 only after the terminal answered its query
//! (`ESC ] 7501 ; ? ST`) with the same bytes, and before it answered anything that the program
//! asked later. A host that holds a program's output feeds it to a [`StatusScanner`] and keeps a
//! [`StatusRecord`].
//!
//! Everything in a report is untrusted: whatever writes to the terminal can write one. It counts
//! only under a process that is a known agent.

mod report;
mod scanner;

pub use report::{Blocked, Report, ReportState};
pub use scanner::{StatusScanner, StatusSignal, Terminator};

/// What stands reported of the program in one terminal: its root record. Records of children,
/// which carry an `id`, are left out: an agent's interface tells more of its subagents.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StatusRecord(Option<Report>);

impl StatusRecord {
    /// Nothing is reported yet.
    pub const fn new() -> Self {
        Self(None)
    }

    /// What stands reported.
    pub fn report(&self) -> Option<&Report> {
        self.0.as_ref()
    }

    /// Takes over what was heard; answers whether the record is written anew, which a report that
    /// says the same again does too.
    pub fn take(&mut self, heard: StatusSignal) -> bool {
        match heard {
            StatusSignal::Query(_) => false,
            StatusSignal::Report(report) if report.is_of_child => false,
            StatusSignal::Report(report) if report.state == ReportState::Clear => self.drop_it(),
            StatusSignal::Report(report) => {
                self.0 = Some(report);
                true
            }
            // A shell shows its prompt: what ran is over, how it ended still stands.
            StatusSignal::Prompt => {
                let ended = |report: &Report| {
                    matches!(report.state, ReportState::Done | ReportState::Error)
                };
                !self.0.as_ref().is_none_or(ended) && self.drop_it()
            }
            StatusSignal::Reset => self.drop_it(),
        }
    }

    fn drop_it(&mut self) -> bool {
        self.0.take().is_some()
    }
}

#[cfg(test)]
mod tests;
