//! What agents report of themselves through this program: files in the runtime folder, one for each
//! process, which the daemon and `madohub probe` read.
//!
//! Files need no daemon: whoever reports never waits, and a daemon that is started later knows
//! what stands. A file counts only for processes that live and were there when it was written.

mod hook;
mod status;

pub use hook::write_hook;
pub use status::StatusWriter;

use crate::Error;
use crate::config::Paths;
use crate::own_files;
use crate::pid_files::pid_of;
use hook::HookReader;
use madohub_detect::{Observation, ProgramStatus};
use rustix::process::{Pid, test_kill_process};
use serde::Serialize;
use status::StatusReader;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

/// Reads what agents report.
#[derive(Debug)]
pub struct Reports {
    status: StatusReader,
    hooks: HookReader,
}

impl Reports {
    /// The reports to this user. Where others can get into the folder, there are none.
    pub fn new(paths: &Paths) -> Self {
        let dir = paths.check_runtime_dir().is_ok().then(|| folder(paths));
        Self { status: StatusReader::new(dir.clone()), hooks: HookReader::new(dir) }
    }

    /// No reports.
    pub fn none() -> Self {
        Self { status: StatusReader::new(None), hooks: HookReader::new(None) }
    }

    /// Begins a new look: notices files that came and went.
    pub fn begin(&mut self) {
        self.status.begin();
        self.hooks.begin();
    }

    /// Whether this process has a report, which may change without the screen.
    pub fn has_report(&self, pid: i64) -> bool {
        self.status.has_report(pid) || self.hooks.has_report(pid)
    }

    /// Takes over what the processes of this pane report. Answers whether that is anything new;
    /// that a report grew older is not.
    pub fn take_into(&mut self, seen: &mut Observation, now: f64) -> bool {
        let hook = self.take_hook(seen);
        self.take_status(seen, now) || hook
    }

    fn take_hook(&mut self, seen: &mut Observation) -> bool {
        let hook = self.hooks.hook(seen.processes.as_deref().unwrap_or_default());
        let new = hook != seen.hook;
        seen.hook = hook;
        new
    }

    fn take_status(&mut self, seen: &mut Observation, now: f64) -> bool {
        let status = self.status.status(seen.processes.as_deref().unwrap_or_default());
        let before = seen.program_status.take();
        let known = before.as_ref().map(|before| ProgramStatus { age_s: None, ..before.clone() });
        if known == status.as_ref().map(|(status, _)| status.clone()) {
            seen.program_status = before;
            return false;
        }
        seen.program_status = status
            .map(|(status, time)| ProgramStatus { age_s: Some((now - time).max(0.0)), ..status });
        true
    }
}

/// The folder of the reports. Its own folder is checked for who can get in.
fn folder(paths: &Paths) -> PathBuf {
    paths.runtime_dir.join("reports")
}

/// Creates the folder, for this user alone.
fn create_folder(paths: &Paths) -> Result<PathBuf, Error> {
    paths.ensure_runtime_dir()?;
    let dir = folder(paths);
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(&dir)
        .map_err(|error| Error::file("cannot create the folder", &dir, &error))?;
    Ok(dir)
}

/// Writes a file so that a reader finds the old or the new one, never a half.
fn write(path: &Path, content: &impl Serialize) -> io::Result<()> {
    let new = path.with_extension(format!("new{}", std::process::id()));
    own_files::replace(path, &new, &serde_json::to_vec(content)?).map(drop)
}

/// Removes what processes left behind that were killed.
fn sweep(dir: &Path, ending: &str) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let pid = pid_of(&entry.file_name(), ending);
        let pid = pid.and_then(|pid| i32::try_from(pid).ok()).and_then(Pid::from_raw);
        if pid.is_some_and(|pid| test_kill_process(pid).is_err()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}
