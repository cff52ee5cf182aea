//! The recorded cases in `shared/corpus`, as typed data. Its README tells what they are.

use flate2::read::GzDecoder;
use madohub_detect::{Observation, State};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Every recorded moment.
pub(crate) static RECORDED: LazyLock<Vec<Recorded>> =
    LazyLock::new(|| files("recorded", ".jsonl.gz").iter().flat_map(|path| lines(path)).collect());

/// One moment of a real program in a real pane, with the truth about it.
#[derive(Debug, Deserialize)]
pub(crate) struct Recorded {
    pub(crate) observation: Observation,
    pub(crate) expected: Expected,
    /// Screens around the moment, 250 ms apart, oldest first; the truth is the same in all.
    #[serde(default)]
    pub(crate) frames: Vec<Vec<String>>,
}

impl Recorded {
    /// `claude-2.1.332/wait-bash`.
    pub(crate) fn id(&self) -> &str {
        &self.observation.id
    }

    /// `claude-2.1.332`.
    pub(crate) fn group(&self) -> &str {
        self.id().split('/').next().unwrap()
    }

    /// The moment as one sees it who has the screen, the title and the size alone.
    pub(crate) fn screen_only(&self) -> Observation {
        Observation { processes: None, command: None, pane_pid: None, ..self.host_only() }
    }

    /// The moment without the agent's own records.
    pub(crate) fn host_only(&self) -> Observation {
        Observation { registry: None, log: None, ..self.observation.clone() }
    }
}

/// What is true at a recorded moment.
#[derive(Debug, Deserialize)]
pub(crate) struct Expected {
    pub(crate) agent: String,
    pub(crate) state: State,
    /// States that are right for one who sees no more than the screen.
    pub(crate) screen_accept: Vec<State>,
}

/// Files of a folder of the corpus; none at all is a failure, not an empty pass.
pub(crate) fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(folder);
    let entries =
        std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut found: Vec<_> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_str().unwrap().ends_with(ending))
        .collect();
    found.sort();
    assert!(!found.is_empty(), "{}: no case found", folder.display());
    found
}

/// The lines of a packed file, each one JSON object.
pub(crate) fn lines<T: DeserializeOwned>(path: &Path) -> Vec<T> {
    let file = File::open(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let lines = BufReader::new(GzDecoder::new(file)).lines();
    lines.map(|line| parse(path, line.unwrap().as_bytes())).collect()
}

/// One JSON object of a file.
pub(crate) fn parse<T: DeserializeOwned>(path: &Path, json: &[u8]) -> T {
    serde_json::from_slice(json).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}
