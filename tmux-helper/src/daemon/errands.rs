//! Programs and files that routes lead to, run beside the daemon's loop: what a program or a slow disk
//! takes is no time in which the panes are not looked at.

use super::jobs;
use crate::routes::Ended;
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::Builder;

/// Programs at a time.
const PROGRAMS_MAX: usize = 8;

/// A decision that was carried out, by its number, and how.
pub(super) type Finished = (u64, Ended);

/// A line for a file: the decision's number, the file, the line.
pub(super) type Line = (u64, PathBuf, String);

/// What is being done.
#[derive(Debug)]
pub(super) struct Errands {
    results: Receiver<Finished>,
    sender: Sender<Finished>,
    programs: HashSet<u64>,
    /// Lines on their way. They go one batch after the other, so that their order stays.
    lines: HashSet<u64>,
}

impl Errands {
    /// Nothing is being done.
    pub(super) fn new() -> Self {
        let (sender, results) = channel();
        Self { results, sender, programs: HashSet::new(), lines: HashSet::new() }
    }

    /// How many programs may be started now.
    pub(super) fn room(&self) -> usize {
        PROGRAMS_MAX.saturating_sub(self.programs.len())
    }

    /// Whether lines may be written now.
    pub(super) fn may_write(&self) -> bool {
        self.lines.is_empty()
    }

    /// Starts a program.
    pub(super) fn run(&mut self, id: u64, argv: Vec<String>) {
        self.programs.insert(id);
        let sender = self.sender.clone();
        let started = Builder::new().name("route".to_owned()).spawn(move || {
            let _ = sender.send((id, jobs::run(&argv)));
        });
        if let Err(error) = started {
            let _ = self.sender.send((id, Ended::Failed(error.to_string())));
        }
    }

    /// Appends lines to files, in this order.
    pub(super) fn write(&mut self, lines: Vec<Line>) {
        if lines.is_empty() {
            return;
        }
        let ids: Vec<u64> = lines.iter().map(|(id, ..)| *id).collect();
        self.lines.extend(&ids);
        let sender = self.sender.clone();
        let started = Builder::new().name("route-files".to_owned()).spawn(move || {
            for (id, path, text) in lines {
                let _ = sender.send((id, jobs::append(&path, &text)));
            }
        });
        if let Err(error) = started {
            for id in ids {
                let _ = self.sender.send((id, Ended::Failed(error.to_string())));
            }
        }
    }

    /// What is done since the last time.
    pub(super) fn finished(&mut self) -> Vec<Finished> {
        let finished: Vec<Finished> = self.results.try_iter().collect();
        for (id, _) in &finished {
            self.programs.remove(id);
            self.lines.remove(id);
        }
        finished
    }

    /// Whether lines are on their way, which takes no long time.
    pub(super) fn is_writing(&self) -> bool {
        !self.lines.is_empty()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failing test may panic")]

    use super::*;

    #[test]
    fn lines_keep_their_order_and_programs_run_beside_them() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let mut errands = Errands::new();
        errands.run(100, vec!["true".to_owned()]);
        assert_eq!((errands.room(), errands.may_write()), (PROGRAMS_MAX - 1, true));
        errands.write((0..10).map(|id| (id, path.clone(), id.to_string())).collect());
        assert!(!errands.may_write());
        let mut finished = Vec::new();
        while finished.len() < 11 {
            finished.extend(errands.finished());
            std::thread::yield_now();
        }
        assert!(finished.iter().all(|(_, ended)| *ended == Ended::Done), "{finished:?}");
        assert_eq!((errands.room(), errands.may_write()), (PROGRAMS_MAX, true));
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.split_whitespace().collect::<String>(), "0123456789");
    }
}
