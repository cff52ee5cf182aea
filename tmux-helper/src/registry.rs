//! What Claude Code says of itself: `sessions/<pid>.json` in its folder, one file for each of its
//! running processes (seen in 2.1.142 and 2.1.332).
//!
//! A file counts only for a live process with the same start time: after a kill the file stays
//! behind, and process ids are reused. The folder also holds `<pid>.<hash>.key` files with
//! secrets; only names that are a number and `.json` are ever opened.

use crate::pid_files::PidFiles;
use madohub_detect::{Process, Registry};
use std::path::{Path, PathBuf};

/// Reads the registry, each file once per change.
#[derive(Debug)]
pub struct RegistryReader(PidFiles<Registry>);

impl RegistryReader {
    /// The registry of this user: in `$CLAUDE_CONFIG_DIR`, else `~/.claude`.
    pub fn from_env() -> Self {
        let absolute = |name: &str| {
            std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute())
        };
        let home = || absolute("HOME").map(|home| home.join(".claude"));
        Self::new(absolute("CLAUDE_CONFIG_DIR").or_else(home).map(|dir| dir.join("sessions")))
    }

    /// The registry in this folder.
    pub fn new(folder: Option<PathBuf>) -> Self {
        Self(PidFiles::new(folder, ".json"))
    }

    /// The folder, where it is known.
    pub fn folder(&self) -> Option<&Path> {
        self.0.folder()
    }

    /// Begins a new look: notices files that came and went.
    pub fn begin(&mut self) {
        self.0.begin();
    }

    /// The entry for one of these processes of a pane: of the nearest to the pane's own where
    /// several have one, those in the foreground first.
    pub fn entry(&mut self, processes: &[Process]) -> Option<Registry> {
        let mut candidates: Vec<&Process> =
            processes.iter().filter(|p| self.0.has(p.pid)).collect();
        candidates.sort_by_key(|process| process.foreground != Some(true));
        candidates
            .into_iter()
            .find_map(|process| self.0.get(process.pid).filter(|entry| belongs(entry, process)))
    }

    /// Whether any of these processes has an entry that may change without the screen.
    pub fn has_entry(&self, pid: i64) -> bool {
        self.0.has(pid)
    }
}

/// The entry is about this very process, not about an earlier one with its number.
fn belongs(entry: &Registry, process: &Process) -> bool {
    let start = entry.proc_start.as_deref().and_then(|start| start.parse::<u64>().ok());
    entry.pid == Some(process.pid) && start.is_some() && start == process.start_time
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::pid_files::pid_of;
    use std::fs;

    fn process(pid: i64, start: u64) -> Process {
        Process {
            pid,
            start_time: Some(start),
            foreground: Some(true),
            comm: "claude".into(),
            ..Process::default()
        }
    }

    fn write(folder: &Path, pid: i64, start: &str, status: &str) {
        let text = format!(r#"{{"pid":{pid},"procStart":"{start}","status":"{status}","x":[1]}}"#);
        fs::write(folder.join(format!("{pid}.json")), text).unwrap();
    }

    fn status(reader: &mut RegistryReader, processes: &[Process]) -> Option<String> {
        reader.begin();
        reader.entry(processes).and_then(|entry| entry.status)
    }

    #[test]
    fn an_entry_needs_the_same_process_start() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), 10, "77", "busy");
        let mut reader = RegistryReader::new(Some(folder.path().to_owned()));
        assert_eq!(status(&mut reader, &[process(10, 77)]).as_deref(), Some("busy"));
        assert_eq!(status(&mut reader, &[process(10, 78)]), None, "the number was reused");
        assert_eq!(status(&mut reader, &[process(11, 77)]), None, "another process");
        let unknown = Process { start_time: None, ..process(10, 77) };
        assert_eq!(status(&mut reader, &[unknown]), None, "nothing proves it");
    }

    #[test]
    fn changes_come_through() {
        let folder = tempfile::tempdir().unwrap();
        let mut reader = RegistryReader::new(Some(folder.path().to_owned()));
        assert_eq!(status(&mut reader, &[process(10, 77)]), None);
        write(folder.path(), 10, "77", "busy");
        assert_eq!(status(&mut reader, &[process(10, 77)]).as_deref(), Some("busy"));
        write(folder.path(), 10, "77", "waiting");
        assert_eq!(status(&mut reader, &[process(10, 77)]).as_deref(), Some("waiting"));
        fs::remove_file(folder.path().join("10.json")).unwrap();
        assert_eq!(status(&mut reader, &[process(10, 77)]), None);
    }

    #[test]
    fn the_foreground_goes_first() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), 10, "1", "idle");
        write(folder.path(), 11, "2", "busy");
        let mut reader = RegistryReader::new(Some(folder.path().to_owned()));
        let behind = Process { foreground: Some(false), ..process(10, 1) };
        assert_eq!(status(&mut reader, &[behind, process(11, 2)]).as_deref(), Some("busy"));
    }

    #[test]
    fn links_rubbish_and_huge_files_are_no_entries() {
        let folder = tempfile::tempdir().unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        write(elsewhere.path(), 10, "77", "busy");
        std::os::unix::fs::symlink(elsewhere.path().join("10.json"), folder.path().join("10.json"))
            .unwrap();
        fs::write(folder.path().join("11.json"), "{\"pid\": 11, ").unwrap();
        fs::write(folder.path().join("12.json"), vec![b' '; 70_000]).unwrap();
        fs::write(folder.path().join("13.json"), b"\xff\xfe{}").unwrap();
        fs::create_dir(folder.path().join("14.json")).unwrap();
        let mut reader = RegistryReader::new(Some(folder.path().to_owned()));
        for pid in 10..=14 {
            assert_eq!(status(&mut reader, &[process(pid, 77)]), None, "{pid}");
        }
    }

    #[test]
    fn keys_and_other_names_are_never_opened() {
        for name in ["10.abc.key", "10.key", "pid-1.json", "+10.json", ".json", "10.json.bak", "x"]
        {
            assert_eq!(pid_of(std::ffi::OsStr::new(name), ".json"), None, "{name}");
        }
        assert_eq!(pid_of(std::ffi::OsStr::new("4711.json"), ".json"), Some(4711));
    }
}
