//! The recorded moments of `shared/corpus`, as a detector may see them.

use flate2::read::GzDecoder;
use madohub_detect::Observation;
use serde::Deserialize;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

#[derive(Deserialize)]
struct Recorded {
    observation: Observation,
    #[serde(default)]
    frames: Vec<Vec<String>>,
}

/// Every recorded moment: with all that a host may know, without the agents' own records, with the
/// screen alone; and the screens around it.
pub fn corpus() -> Vec<Observation> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus/recorded");
    let entries = std::fs::read_dir(&folder).expect("the corpus");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "gz"));
    paths.sort();
    assert!(!paths.is_empty(), "{}: nothing recorded", folder.display());
    let mut all = Vec::new();
    for path in paths {
        for line in BufReader::new(GzDecoder::new(File::open(&path).expect("a file"))).lines() {
            let case: Recorded =
                serde_json::from_str(&line.expect("a line")).expect("a recorded moment");
            let full = case.observation;
            let host = Observation { registry: None, log: None, ..full.clone() };
            let screen =
                Observation { processes: None, command: None, pane_pid: None, ..host.clone() };
            let frame = |rows| Observation { screen: Some(rows), ..screen.clone() };
            all.extend(case.frames.into_iter().map(frame));
            all.extend([full, host, screen]);
        }
    }
    all
}
