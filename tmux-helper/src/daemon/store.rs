//! What a later daemon of the same server must know, so that it repeats no event.

use crate::events::Entry;
use crate::own_files;
use crate::tmux::Identity;
use madohub_detect::{Announcer, Detection, Tracked};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

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
    /// What waits to be told, and what was.
    #[serde(default)]
    announcer: Announcer,
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
        announcer: &Announcer,
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
            announcer: announcer.clone(),
        }
    }

    /// Reads the file; nothing where there is none or it cannot be used.
    pub(super) fn read(path: &Path) -> Option<Self> {
        let bytes = fs::read(path).ok()?;
        match serde_json::from_slice::<Self>(&bytes) {
            Ok(stored) => (stored.v == VERSION).then_some(stored),
            Err(error) => {
                tracing::warn!(%error, "what the last daemon knew cannot be read; starting anew");
                None
            }
        }
    }

    /// What the last daemon knew: the file, and the events that it told after it wrote the file.
    pub(super) fn resumed(path: &Path, identity: &Identity, told: &[Arc<Entry>]) -> Option<Self> {
        let mut stored = Self::read(path)?;
        if !stored.is_of(identity) {
            stored.panes.clear();
            stored.announcer = Announcer::default();
        }
        let seq = stored.seq;
        for entry in told.iter().filter(|entry| entry.event().seq > seq) {
            stored.seq = entry.event().seq;
            if entry.is_of(identity.pid) && stored.is_of(identity) {
                stored.take_over(entry);
            }
        }
        Some(stored)
    }

    fn take_over(&mut self, entry: &Entry) {
        let event = entry.event();
        self.announcer.note(&event.pane, event.to, event.turn_number());
        let known = self.panes.get_mut(&event.pane).filter(|pane| pane.pid == entry.pid());
        let Some(pane) = known else { return };
        pane.detection.agent = event.agent.clone();
        pane.detection.state = event.to;
        pane.detection.state_source = event.state_source;
        pane.detection.reason.clone_from(&event.reason);
        pane.detection.evidence.clone_from(&event.evidence);
        pane.since = event.since;
        pane.turn = event.turn_number();
        pane.acknowledged = false;
    }

    /// What waits to be told, and what was.
    pub(super) fn announcer(&self) -> &Announcer {
        &self.announcer
    }

    fn is_of(&self, identity: &Identity) -> bool {
        (self.server_pid, self.server_start) == (identity.pid, identity.start_time)
    }

    /// The state of a pane, when it is still the same process in the same life of the server.
    pub(super) fn pane(&self, name: &str, pid: i64, identity: &Identity) -> Option<Tracked> {
        let same = self.is_of(identity);
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
        own_files::replace(path, &new, &serde_json::to_vec(self)?).map(drop)
    }
}
