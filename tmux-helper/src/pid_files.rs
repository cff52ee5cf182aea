//! Folders with one small JSON file for each process, named by its id.
//!
//! Only names that are a number and the ending are ever opened; whatever else lies in such a
//! folder, keys above all, is left alone. Files of other users, links and huge files are none.

use crate::shortage::is_shortage;
use rustix::fs::OFlags;
use rustix::process::geteuid;
use serde::de::DeserializeOwned;
use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fs::{self, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// Longest file that is read, in bytes.
const SIZE_MAX: u64 = 64 * 1024;

/// Reads such a folder, each file once per change.
#[derive(Debug)]
pub(crate) struct PidFiles<T> {
    folder: Option<PathBuf>,
    /// What follows the number in a file's name, dot included.
    ending: &'static str,
    /// Process ids that have a file, and the state of the folder when that was seen.
    pids: HashSet<i64>,
    seen: Option<Stamp>,
    files: HashMap<i64, (Stamp, Option<T>)>,
}

/// What changes when a file or folder changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    inode: u64,
    size: u64,
    seconds: i64,
    nanoseconds: i64,
}

impl<T: DeserializeOwned + Clone> PidFiles<T> {
    /// The folder, where it is known.
    pub(crate) fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// The files in this folder, which need not exist.
    pub(crate) fn new(folder: Option<PathBuf>, ending: &'static str) -> Self {
        Self { folder, ending, pids: HashSet::new(), seen: None, files: HashMap::new() }
    }

    /// Begins a new look: notices files that came and went.
    pub(crate) fn begin(&mut self) {
        let Some(folder) = &self.folder else { return };
        let stamp = fs::symlink_metadata(folder).ok().filter(fs::Metadata::is_dir).map(stamp);
        if stamp == self.seen {
            return;
        }
        let names = fs::read_dir(folder);
        if names.as_ref().is_err_and(is_shortage) {
            // What is known stays, and the next look tries again.
            return;
        }
        self.seen = stamp;
        let names = names.into_iter().flatten().flatten();
        self.pids = names.filter_map(|entry| pid_of(&entry.file_name(), self.ending)).collect();
        let pids = &self.pids;
        self.files.retain(|pid, _| pids.contains(pid));
    }

    /// Whether this process has a file.
    pub(crate) fn has(&self, pid: i64) -> bool {
        self.pids.contains(&pid)
    }

    /// The content of a process's file, where it can be used.
    pub(crate) fn get(&mut self, pid: i64) -> Option<T> {
        if !self.has(pid) {
            return None;
        }
        let path = self.folder.as_ref()?.join(format!("{pid}{}", self.ending));
        let now = fs::symlink_metadata(&path).ok().map(stamp)?;
        if let Some((_, content)) = self.files.get(&pid).filter(|(then, _)| *then == now) {
            return content.clone();
        }
        match read(&path) {
            Err(error) if is_shortage(&error) => self.files.get(&pid)?.1.clone(),
            read => {
                let content: Option<T> = read.ok().flatten();
                self.files.insert(pid, (now, content.clone()));
                content
            }
        }
    }
}

/// The process id in a name such as `4711.json`; nothing for every other name.
pub(crate) fn pid_of(name: &OsStr, ending: &str) -> Option<i64> {
    let digits = name.to_str()?.strip_suffix(ending)?;
    let number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    digits.parse().ok().filter(|_| number)
}

/// Reads a small regular file of this user; links are not followed. Nothing where it is no such file.
fn read<T: DeserializeOwned>(path: &Path) -> io::Result<Option<T>> {
    let mut options = OpenOptions::new();
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    options.read(true).custom_flags(flags.bits().cast_signed());
    let file = options.open(path)?;
    let meta = file.metadata()?;
    if !meta.is_file() || meta.uid() != geteuid().as_raw() || meta.len() > SIZE_MAX {
        return Ok(None);
    }
    let mut text = String::new();
    file.take(SIZE_MAX).read_to_string(&mut text)?;
    Ok(serde_json::from_str(&text).ok())
}

#[expect(clippy::needless_pass_by_value, reason = "reads well in map")]
fn stamp(meta: fs::Metadata) -> Stamp {
    Stamp {
        inode: meta.ino(),
        size: meta.size(),
        seconds: meta.mtime(),
        nanoseconds: meta.mtime_nsec(),
    }
}
