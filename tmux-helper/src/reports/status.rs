//! The last program status report of an agent that `madohub run` started.

use super::{create_folder, sweep, write};
use crate::config::Paths;
use crate::pid_files::PidFiles;
use crate::processes::{self, ProcessSource};
use crate::time;
use madohub_detect::{Process, ProgramStatus, Report};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::PathBuf;

/// Ending of the files; the number before it is the process of `madohub run`.
const ENDING: &str = ".status.json";
/// Version of the files; another one is not read.
const VERSION: u32 = 1;
/// The same report again is written at most this often, in seconds.
const AGAIN: f64 = 1.0;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct StatusFile {
    v: u32,
    status: ProgramStatus,
    /// Start of the process that leads the group which reported, against reuse of its id.
    start: Option<u64>,
    /// When it was reported, seconds since the epoch.
    time: f64,
}

/// Keeps the last report in a file while the agent runs. Where that cannot be written, the agent
/// runs on without it.
pub struct StatusWriter {
    path: Option<PathBuf>,
    processes: Box<dyn ProcessSource>,
    last: Option<(ProgramStatus, f64)>,
}

impl std::fmt::Debug for StatusWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StatusWriter").field("path", &self.path).finish_non_exhaustive()
    }
}

impl StatusWriter {
    /// The writer of this process.
    pub fn new(paths: &Paths) -> Self {
        let dir = create_folder(paths).ok();
        if let Some(dir) = &dir {
            sweep(dir, ENDING);
        }
        let path = dir.map(|dir| dir.join(format!("{}{ENDING}", std::process::id())));
        Self { path, processes: processes::source(), last: None }
    }

    /// Takes over what stands reported, by this process group.
    pub fn write(&mut self, report: Option<&Report>, group: Option<i32>) {
        let Some(path) = &self.path else { return };
        let Some(report) = report else {
            self.last = None;
            let _ = fs::remove_file(path);
            return;
        };
        let status = ProgramStatus { pgid: group.map(i64::from), ..ProgramStatus::from(report) };
        let now = time::now();
        let again = |(last, then): &(ProgramStatus, f64)| {
            *last == status && (0.0..AGAIN).contains(&(now - then))
        };
        if self.last.as_ref().is_some_and(again) {
            return;
        }
        self.processes.begin();
        let sign = status.pgid.and_then(|pid| self.processes.sign(pid));
        let start = sign.map(|sign| sign.start);
        let file = StatusFile { v: VERSION, status: status.clone(), start, time: now };
        if write(path, &file).is_ok() {
            self.last = Some((status, now));
        }
    }
}

impl Drop for StatusWriter {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            let _ = fs::remove_file(path);
        }
    }
}

/// Reads the reports.
#[derive(Debug)]
pub(super) struct StatusReader(PidFiles<StatusFile>);

impl StatusReader {
    /// The reports in this folder.
    pub(super) fn new(dir: Option<PathBuf>) -> Self {
        Self(PidFiles::new(dir, ENDING))
    }

    /// Begins a new look.
    pub(super) fn begin(&mut self) {
        self.0.begin();
    }

    /// Whether a process has a report that may change without the screen.
    pub(super) fn has_report(&self, pid: i64) -> bool {
        self.0.has(pid)
    }

    /// What stands reported in a pane with these processes: by a group whose leader is among them.
    /// Beside it the time when it was written.
    pub(super) fn status(&mut self, processes: &[Process]) -> Option<(ProgramStatus, f64)> {
        let files = processes.iter().rev().filter_map(|process| self.0.get(process.pid));
        let mut files = files.filter(|file| file.v == VERSION);
        let file = files.find(|file| {
            let leads = |process: &Process| {
                Some(process.pid) == file.status.pgid && process.start_time == file.start
            };
            processes.iter().any(leads)
        })?;
        Some((file.status, file.time))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::reports::Reports;
    use madohub_detect::{Observation, StatusRecord, StatusScanner};

    fn paths(base: &std::path::Path) -> Paths {
        Paths::from_lookup(|name| (name == "XDG_RUNTIME_DIR").then(|| base.to_owned()))
    }

    /// What stands reported after this output.
    fn record(output: &str) -> StatusRecord {
        let mut record = StatusRecord::new();
        StatusScanner::new().feed(output.as_bytes(), |signal| {
            record.take(signal);
        });
        record
    }

    /// This process as one of a pane, as it reports and as it looks.
    fn own() -> Process {
        let pid = i64::from(std::process::id());
        let mut source = processes::source();
        source.begin();
        source.tree(pid).unwrap().into_iter().find(|process| process.pid == pid).unwrap()
    }

    #[test]
    fn a_report_comes_through_and_ends_with_its_writer() {
        let base = tempfile::tempdir().unwrap();
        let paths = paths(base.path());
        let mut writer = StatusWriter::new(&paths);
        let mut reports = Reports::new(&paths);
        let own = own();
        let mut seen = Observation { processes: Some(vec![own.clone()]), ..Observation::default() };
        let mut look = |reports: &mut Reports| {
            reports.begin();
            let new = reports.take_into(&mut seen, time::now());
            (new, seen.program_status.clone().map(|status| (status.state, status.kind)))
        };
        assert_eq!(look(&mut reports), (false, None));
        let group = i32::try_from(own.pid).ok();
        let blocked = record("\x1b]7501;state=blocked:kind=auth\x07");
        writer.write(blocked.report(), group);
        let told = Some(("blocked".to_owned(), Some("auth".to_owned())));
        assert_eq!(look(&mut reports), (true, told.clone()));
        assert_eq!(look(&mut reports), (false, told), "that it grew older is nothing new");
        writer.write(record("\x1b]7501;state=working\x07").report(), group);
        assert_eq!(look(&mut reports), (true, Some(("working".to_owned(), None))));
        writer.write(None, group);
        assert_eq!(look(&mut reports), (true, None));
        writer.write(blocked.report(), group);
        drop(writer);
        assert_eq!(fs::read_dir(base.path().join("madohub/reports")).unwrap().count(), 0);
    }

    #[test]
    fn a_report_needs_the_process_that_wrote_it() {
        let base = tempfile::tempdir().unwrap();
        let paths = paths(base.path());
        let mut writer = StatusWriter::new(&paths);
        let own = own();
        writer.write(record("\x1b]7501;state=done\x07").report(), i32::try_from(own.pid).ok());
        for (process, counts) in [
            (own.clone(), true),
            (Process { start_time: own.start_time.map(|start| start + 1), ..own.clone() }, false),
            (Process { pid: own.pid + 1, ..own }, false),
        ] {
            let mut seen = Observation { processes: Some(vec![process]), ..Observation::default() };
            let mut reports = Reports::new(&paths);
            reports.begin();
            assert_eq!(reports.take_into(&mut seen, time::now()), counts);
        }
    }

    #[test]
    fn what_killed_writers_left_is_swept() {
        let base = tempfile::tempdir().unwrap();
        let paths = paths(base.path());
        drop(StatusWriter::new(&paths));
        let dir = base.path().join("madohub/reports");
        let (dead, other) = (dir.join("999999999.status.json"), dir.join("notes"));
        fs::write(&dead, "{}").unwrap();
        fs::write(&other, "").unwrap();
        drop(StatusWriter::new(&paths));
        assert!(!dead.exists() && other.exists());
    }
}
