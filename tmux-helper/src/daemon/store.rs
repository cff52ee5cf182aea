//! What a later daemon of the same server must know, so that it repeats no event.

use crate::tmux::Identity;
use madohub_detect::{Detection, Tracked};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

/// Version of the file; another one is not read.
const VERSION: u32 = 1;

/// The file's content.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Stored {
    v: u32,
    /// Number of the last event.
    pub(super) seq: u64,
    /// Which life of the server the panes belong to.
    server_pid: i64,
    server_start: i64,
    panes: BTreeMap<String, StoredPane>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct StoredPane {
    /// Process of the pane; another one is another pane to us.
    pid: i64,
    detection: Detection,
    since: f64,
    turn: u64,
    acknowledged: bool,
}

impl Stored {
    /// What to store. `panes` are names, processes and states.
    pub(super) fn new<'a>(
        seq: u64,
        identity: &Identity,
        panes: impl Iterator<Item = (String, i64, &'a Tracked)>,
    ) -> Self {
        let panes = panes.map(|(name, pid, tracked)| {
            let stored = StoredPane {
                pid,
                detection: tracked.detection.clone(),
                since: tracked.since,
                turn: tracked.turn,
                acknowledged: tracked.acknowledged,
            };
            (name, stored)
        });
        Self {
            v: VERSION,
            seq,
            server_pid: identity.pid,
            server_start: identity.start_time,
            panes: panes.collect(),
        }
    }

    /// Reads the file; nothing where there is none or it cannot be used.
    pub(super) fn read(path: &Path) -> Option<Self> {
        let bytes = fs::read(path).ok()?;
        let stored: Self = serde_json::from_slice(&bytes).ok()?;
        (stored.v == VERSION).then_some(stored)
    }

    /// The state of a pane, when it is still the same process in the same life of the server.
    pub(super) fn pane(&self, name: &str, pid: i64, identity: &Identity) -> Option<Tracked> {
        let same = (self.server_pid, self.server_start) == (identity.pid, identity.start_time);
        let stored = self.panes.get(name).filter(|stored| same && stored.pid == pid)?;
        Some(Tracked {
            detection: stored.detection.clone(),
            since: stored.since,
            turn: stored.turn,
            acknowledged: stored.acknowledged,
        })
    }

    /// Writes the file so that a reader finds the old or the new one, never a half.
    pub(super) fn write(&self, path: &Path) -> io::Result<()> {
        let new = path.with_extension("json.new");
        let mut file =
            OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&new)?;
        file.write_all(&serde_json::to_vec(self)?)?;
        drop(file);
        fs::rename(&new, path)
    }
}
