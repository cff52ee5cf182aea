//! Recorded screens of real agents, and how a fake agent is told to replay them.
//!
//! A recording is a folder `recordings/<agent>-<version>/` with an `agent.toml` (processes and
//! scenes) and one `<scene>.ansi` per scene: the rows as `tmux capture-pane -e` printed them.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Variable with the path of a [`Role`], for hosts in which [`role_path`] finds none.
pub const ROLE_VARIABLE: &str = "FAKE_AGENT_ROLE";
/// Variable with the position of a process in [`Recording::process`].
pub const DEPTH_VARIABLE: &str = "FAKE_AGENT_DEPTH";

/// The `agent.toml` of a recording.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recording {
    /// Agent id.
    pub agent: String,
    /// Version that was recorded.
    pub version: String,
    /// The agent keeps a `sessions/<pid>.json` as Claude Code does.
    #[serde(default)]
    pub registry: bool,
    /// Processes under the shell, outermost first; each starts the next.
    pub process: Vec<ProcessSpec>,
    /// What the agent can show.
    pub scene: Vec<Scene>,
    /// Where it was read from.
    #[serde(skip)]
    pub dir: PathBuf,
}

/// One process of an agent.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProcessSpec {
    /// File name of the executable.
    pub name: String,
    /// Command line, `argv[0]` included.
    pub argv: Vec<String>,
    /// Kernel's short name where the agent sets its own.
    pub comm: Option<String>,
}

/// One moment of an agent.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    /// Name, and name of the `.ansi` file.
    pub name: String,
    /// The true state, as far as it can be seen from outside the agent.
    pub state: String,
    /// Title that the agent sets.
    pub title: Option<String>,
    /// Whether the agent uses the alternate screen.
    #[serde(default)]
    pub alternate: bool,
    /// Column and row of the cursor where the agent shows it.
    pub cursor: Option<(u16, u16)>,
    /// Column and row where typed text begins, in a scene whose input box takes some.
    pub composer: Option<(u16, u16)>,
    /// What turns while the agent works.
    pub spinner: Option<Spinner>,
    /// Status in the agent's registry.
    pub status: Option<String>,
    /// What a waiting session waits for, in the agent's registry.
    pub waiting_for: Option<String>,
    /// Scene that a key leads to; keys are `esc` and `enter`.
    #[serde(default)]
    pub keys: BTreeMap<String, String>,
}

/// A glyph that turns.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spinner {
    /// Row of the recording, from the top.
    pub row: usize,
    /// The glyphs, in order.
    pub frames: String,
}

impl Spinner {
    /// A row of the recording with the glyph at its frame `n`.
    pub fn turn(&self, row: &str, n: usize) -> String {
        let frames: Vec<char> = self.frames.chars().collect();
        let now = frames[n % frames.len()].to_string();
        match row.find(&frames[..]) {
            Some(at) => {
                let old = row[at..].chars().next().map_or(0, char::len_utf8);
                [&row[..at], &now, &row[at + old..]].concat()
            }
            None => row.to_owned(),
        }
    }
}

impl Recording {
    /// Folder of all recordings.
    pub fn root() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("recordings")
    }

    /// Reads the recording in `dir`.
    pub fn read(dir: &Path) -> Self {
        let file = dir.join("agent.toml");
        let text = std::fs::read_to_string(&file)
            .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let mut read: Self =
            toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        dir.clone_into(&mut read.dir);
        read
    }

    /// The scene of that name.
    pub fn scene(&self, name: &str) -> &Scene {
        self.scene
            .iter()
            .find(|scene| scene.name == name)
            .unwrap_or_else(|| panic!("{}: no scene {name}", self.dir.display()))
    }

    /// The rows of a scene, top first, with colour codes.
    pub fn rows(&self, scene: &Scene) -> Vec<String> {
        let file = self.dir.join(format!("{}.ansi", scene.name));
        let text = std::fs::read_to_string(&file)
            .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        text.lines().map(ToOwned::to_owned).collect()
    }
}

/// What one fake agent plays.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Role {
    /// Folder of the recording.
    pub recording: PathBuf,
    /// Scene to begin with.
    pub scene: String,
    /// Socket on which the agent takes [`Cue`]s.
    pub socket: PathBuf,
}

/// Where a fake agent in this pane finds its role: tmux tells every pane its server and its id.
pub fn role_path(agents: &Path, server: &str, pane: &str) -> PathBuf {
    agents.join(format!("{server}{pane}.role"))
}

/// What a fake agent is told to do; one line of JSON, answered by a [`Done`] once it is done.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "do")]
pub enum Cue {
    /// Nothing but an answer.
    Ping,
    /// Go to a scene.
    Show {
        /// Its name.
        scene: String,
    },
    /// Show these rows instead of the scene's.
    Rows {
        /// Rows with colour codes, top first.
        rows: Vec<String>,
    },
    /// Set the title, as it is.
    Title {
        /// The text between the escape codes.
        title: String,
    },
    /// Draw one more frame of the spinner, and from now on only when told.
    Step,
    /// End like an agent that was told to quit.
    Exit {
        /// Exit status.
        status: u8,
    },
}

/// A fake agent's answer.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Done {
    /// Its process id.
    pub pid: i32,
    /// Bytes that it has written to its terminal so far.
    pub written: u64,
    /// The last bytes that were typed to it.
    pub typed: Vec<u8>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_recording_is_complete() {
        let entries = std::fs::read_dir(Recording::root()).unwrap();
        let dirs: Vec<_> =
            entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect();
        assert!(!dirs.is_empty(), "no recordings");
        for dir in dirs {
            let recording = Recording::read(&dir);
            let name = dir.file_name().unwrap().to_str().unwrap();
            assert_eq!(name, format!("{}-{}", recording.agent, recording.version));
            assert!(!recording.process.is_empty() && !recording.scene.is_empty(), "{name}");
            for scene in &recording.scene {
                let rows = recording.rows(scene);
                assert!(!rows.is_empty(), "{name}/{}", scene.name);
                if let Some(spinner) = &scene.spinner {
                    let row = &rows[spinner.row];
                    assert_ne!(spinner.turn(row, 0), spinner.turn(row, 1), "{name}/{}", scene.name);
                }
                for next in scene.keys.values() {
                    recording.scene(next);
                }
            }
        }
    }
}
