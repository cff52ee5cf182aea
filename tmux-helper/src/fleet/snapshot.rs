//! What the publisher leaves for others on this machine: how it is, and how many agents of other
//! hosts are in which state. A small file, so that the segment costs no connection.

use crate::Error;
use crate::config::Paths;
use crate::own_files;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::PathBuf;

/// Bytes that the file may have.
const MAX: u64 = 64 * 1024;
/// Seconds after which a file that was not written again says nothing any more.
pub const WORTH: f64 = 15.0;

/// How the publisher is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Version of the file.
    pub v: u32,
    /// The publisher's process.
    pub pid: u32,
    /// Since when it runs, seconds since the epoch.
    pub started: f64,
    /// When this was written, seconds since the epoch.
    pub written: f64,
    /// What this machine is called.
    pub host: String,
    /// The broker.
    pub broker: String,
    /// There is a connection.
    pub connected: bool,
    /// Why there is none.
    pub trouble: Option<String>,
    /// Panes that are told.
    pub panes: usize,
    /// Messages that wait for the broker.
    pub waiting: usize,
    /// Events that had to be left out.
    pub lost: u64,
    /// Other hosts that are there, where they are listened to.
    pub hosts: usize,
    /// Agents of other hosts by state, where they are listened to.
    pub remote: BTreeMap<String, usize>,
}

/// Where it is.
pub fn path(paths: &Paths) -> PathBuf {
    paths.runtime_dir.join("fleet.json")
}

/// Locked while a publisher lives.
pub fn lock(paths: &Paths) -> PathBuf {
    paths.runtime_dir.join("fleet.lock")
}

impl Snapshot {
    /// Writes it, as a whole or not at all.
    pub fn write(&self, paths: &Paths) -> Result<(), Error> {
        let (path, dir) = (path(paths), paths.ensure_runtime_dir()?);
        let temporary = dir.join(format!(".fleet.json.{}", self.pid));
        let text = serde_json::to_vec(self).map_err(|error| Error::failed(error.to_string()))?;
        own_files::replace(&path, &temporary, &text)
            .map(drop)
            .map_err(|error| Error::file("cannot write", &path, &error))
    }

    /// Reads it; nothing where no publisher wrote one lately.
    pub fn read(paths: &Paths, now: f64) -> Option<Self> {
        let mut text = Vec::new();
        fs::File::open(path(paths)).ok()?.take(MAX).read_to_end(&mut text).ok()?;
        let snapshot: Self = serde_json::from_slice(&text).ok()?;
        ((now - snapshot.written).abs() <= WORTH).then_some(snapshot)
    }

    /// Takes it away.
    pub fn remove(paths: &Paths) {
        // Where it stays, it is worth nothing before long.
        let _ = fs::remove_file(path(paths));
    }
}

/// Agents of other hosts by state; none where no publisher listens to them.
pub fn remote(paths: &Paths, now: f64) -> BTreeMap<String, usize> {
    let snapshot = Snapshot::read(paths, now).filter(|snapshot| snapshot.connected);
    snapshot.map(|snapshot| snapshot.remote).unwrap_or_default()
}
