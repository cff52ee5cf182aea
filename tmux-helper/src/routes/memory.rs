//! What routes must know after a restart.

use super::item::{Item, OneShot};
use crate::own_files;
use crate::protocol::Event;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

/// Version of the file; another one is not read.
const VERSION: u32 = 1;

/// All that is remembered.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Memory {
    v: u32,
    /// Process and start of the tmux server whose panes these are.
    pub(super) server: (i64, i64),
    /// The last event that was considered.
    pub(super) seq: u64,
    /// Nothing fires.
    pub(super) paused: bool,
    /// Number of the last decision or one-shot.
    pub(super) last_id: u64,
    /// Events whose state must last before they fire.
    pub(super) pending: Vec<Pending>,
    /// What was decided and is not finished.
    pub(super) queue: Vec<Item>,
    /// Routes that fire once.
    pub(super) once: Vec<OneShot>,
    /// When a route fired last for a pane, by both.
    pub(super) fired: BTreeMap<String, f64>,
    /// The last turn of each pane of which the agent's late word was considered.
    pub(super) refined: BTreeMap<String, u64>,
    /// Turns that were started by a route, by pane.
    pub(super) chains: BTreeMap<String, Chain>,
}

/// An event that fires a route when its state has lasted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Pending {
    pub(super) route: String,
    pub(super) event: Event,
    pub(super) hops: u32,
    pub(super) due: f64,
}

/// A turn that was started by a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Chain {
    pub(super) turn: u64,
    pub(super) hops: u32,
}

impl Memory {
    /// Of panes of the server with this process and start, with events up to `seq` behind it.
    pub fn new(server: (i64, i64), seq: u64) -> Self {
        Self { v: VERSION, server, seq, ..Self::default() }
    }

    /// Reads the file; nothing where there is none. The error says why it cannot be used.
    pub fn read(path: &Path) -> Result<Option<Self>, String> {
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.to_string()),
        };
        let memory: Self = serde_json::from_slice(&bytes).map_err(|error| error.to_string())?;
        if memory.v == VERSION { Ok(Some(memory)) } else { Err("another version".to_owned()) }
    }

    /// Writes the file so that a reader finds the old or the new one, never a half.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let new = path.with_extension("routes.new");
        own_files::replace(path, &new, &serde_json::to_vec(self)?).map(drop)
    }

    /// Whether nothing fires.
    pub fn is_paused(&self) -> bool {
        self.paused
    }

    /// The last event that was considered.
    pub fn seq(&self) -> u64 {
        self.seq
    }

    /// What was decided and is not finished.
    pub fn queue(&self) -> &[Item] {
        &self.queue
    }

    /// Routes that fire once.
    pub fn once(&self) -> &[OneShot] {
        &self.once
    }
}

#[cfg(test)]
pub(super) mod tests {
    #![allow(clippy::unwrap_used, reason = "a failing test may panic")]

    use super::*;
    use madohub_detect::{AgentId, Detection, State, StateSource, Tracked};

    /// `from>to turn source`, at the second of its number.
    pub(in crate::routes) fn event(seq: u64, pane: &str, line: &str) -> Event {
        let words: Vec<&str> = line.split_whitespace().collect();
        let word = |n: usize| words.get(n).copied().unwrap_or_default();
        let (from, to) = word(0).split_once('>').unwrap();
        let source =
            if word(2) == "log" { StateSource::JsonlWatcher } else { StateSource::PtyScrape };
        #[expect(clippy::cast_precision_loss, reason = "small")]
        let time = seq as f64;
        Event {
            v: 1,
            seq,
            time,
            host: "devbox".to_owned(),
            mux: "tmux".to_owned(),
            server: "/s".to_owned(),
            pane: pane.to_owned(),
            agent: AgentId::new("claude"),
            from: from.parse().unwrap(),
            to: to.parse().unwrap(),
            state_source: source,
            reason: None,
            since: time,
            turn: word(1).to_owned(),
            evidence: Vec::new(),
        }
    }

    pub(in crate::routes) fn agent_in(state: State, turn: u64) -> Tracked {
        let detection = Detection {
            id: String::new(),
            agent: AgentId::new("claude"),
            agent_name: None,
            agent_version: None,
            state,
            state_source: StateSource::PtyScrape,
            reason: None,
            background: 0,
            evidence: Vec::new(),
            held: false,
        };
        Tracked { detection, since: 0.0, turn, acknowledged: false }
    }

    #[test]
    fn a_file_is_read_as_written_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.routes");
        assert_eq!(Memory::read(&path), Ok(None));
        let mut memory = Memory::new((7, 70), 41);
        memory.pending.push(Pending {
            route: "a".to_owned(),
            event: event(3, "%1", "working>stopped 1"),
            hops: 0,
            due: 5.0,
        });
        memory.write(&path).unwrap();
        assert_eq!(Memory::read(&path), Ok(Some(memory)));
        let whole = fs::read(&path).unwrap();
        fs::write(&path, whole.get(..whole.len() / 2).unwrap()).unwrap();
        assert!(Memory::read(&path).is_err());
    }
}
