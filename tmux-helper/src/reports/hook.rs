//! The last report of an agent's own hooks.

use super::{create_folder, sweep, write};
use crate::Error;
use crate::config::Paths;
use crate::pid_files::PidFiles;
use crate::time;
use madohub_detect::{HookReport, Process};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Ending of the files; the number before it is the agent's process.
const ENDING: &str = ".hook.json";
/// Version of the files; another one is not read.
const VERSION: u32 = 1;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct HookFile {
    v: u32,
    hook: HookReport,
    /// Start of the agent's process, against reuse of its id.
    start: Option<u64>,
}

/// Writes a report of this process of an agent; it takes the place of the one before.
pub fn write_hook(paths: &Paths, of: &Process, agent: &str, record: &str) -> Result<(), Error> {
    let dir = create_folder(paths)?;
    let path = dir.join(format!("{}{ENDING}", of.pid));
    if !path.exists() {
        sweep(&dir, ENDING);
    }
    let time = Some(time::now());
    let hook = HookReport { agent: agent.to_owned(), record: record.to_owned(), time };
    let file = HookFile { v: VERSION, hook, start: of.start_time };
    write(&path, &file).map_err(|error| Error::file("cannot write", &path, &error))
}

/// Reads the reports.
#[derive(Debug)]
pub(super) struct HookReader(PidFiles<HookFile>);

impl HookReader {
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

    /// The newest report of these processes.
    pub(super) fn hook(&mut self, processes: &[Process]) -> Option<HookReport> {
        let files = processes.iter().filter_map(|process| {
            self.0.get(process.pid).filter(|f| f.v == VERSION && f.start == process.start_time)
        });
        let time = |hook: &HookReport| hook.time.unwrap_or_default();
        files.map(|file| file.hook).max_by(|a, b| time(a).total_cmp(&time(b)))
    }
}
