//! The `madohub` binary under test.

use crate::built::workspace_binary;
use crate::env::TestEnv;
use crate::tmux::Tmux;
use serde::Deserialize;
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;

/// Variable with the path of a finished `madohub` to test instead of this workspace's.
const BINARY_VARIABLE: &str = "MADOHUB_BIN";

/// The product in a test's world.
#[derive(Debug, Clone)]
pub struct Madohub {
    env: Arc<TestEnv>,
    program: OnceLock<PathBuf>,
}

/// One row of `madohub list --json`, as far as tests look at it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct ListRow {
    /// Pane id.
    pub pane: String,
    /// Agent id.
    pub agent: String,
    /// State.
    pub state: String,
    /// Where the state comes from.
    pub state_source: String,
    /// Why it is in this state.
    pub reason: Option<String>,
    /// Since when.
    pub since: f64,
}

/// One line of `madohub watch --json`, as far as tests look at it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Event {
    /// Version of the form.
    pub v: u32,
    /// Number in this daemon's life.
    pub seq: u64,
    /// Pane id.
    pub pane: String,
    /// Agent id.
    pub agent: String,
    /// Former state.
    pub from: String,
    /// State entered.
    pub to: String,
    /// Why.
    pub reason: Option<String>,
}

impl Madohub {
    /// The binary of this workspace, built when it is first needed, or the one that
    /// `MADOHUB_BIN` names.
    pub fn new(env: &Arc<TestEnv>) -> Self {
        Self { env: Arc::clone(env), program: OnceLock::new() }
    }

    /// Path of this workspace's binary, or of the one that `MADOHUB_BIN` names.
    pub fn of_workspace() -> PathBuf {
        std::env::var_os(BINARY_VARIABLE)
            .map_or_else(workspace_binary, |path| absolute(Path::new(&path)))
    }

    /// The binary at `program`.
    pub fn at(env: &Arc<TestEnv>, program: &Path) -> Self {
        Self { env: Arc::clone(env), program: absolute(program).into() }
    }

    /// The executable.
    pub fn program(&self) -> &Path {
        self.program.get_or_init(Self::of_workspace)
    }

    /// A command of the product, not run yet.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = self.env.command(self.program());
        command.args(args).stdin(Stdio::null());
        command
    }

    /// Runs a command whatever comes of it.
    pub fn try_run(&self, args: &[&str]) -> Output {
        self.command(args).output().expect("madohub runs")
    }

    /// Runs a command that must succeed.
    #[track_caller]
    pub fn run(&self, args: &[&str]) -> String {
        let output = self.try_run(args);
        assert!(
            output.status.success(),
            "madohub {args:?}: {}\n{}{}",
            output.status,
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// `madohub tmux VERB` for that server.
    #[track_caller]
    pub fn tmux(&self, verb: &str, tmux: &Tmux) -> String {
        self.run(&["tmux", verb, "-L", &tmux.socket])
    }

    /// `madohub list --json` as it comes.
    #[track_caller]
    pub fn list_json(&self, tmux: &Tmux) -> Vec<Value> {
        let text = self.run(&["list", "--json", "-L", &tmux.socket]);
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("no array: {error}\n{text}"))
    }

    /// `madohub list --json`.
    #[track_caller]
    pub fn list(&self, tmux: &Tmux) -> Vec<ListRow> {
        let rows = self.list_json(tmux).into_iter();
        rows.map(|row| serde_json::from_value(row).expect("the keys of a row")).collect()
    }

    /// Process ids of the daemons in this world: what runs as `madohub tmux start`.
    pub fn daemons(&self) -> Vec<i32> {
        let is_daemon = |pid: &i32| {
            let argv = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            let words: Vec<&[u8]> = argv.split(|byte| *byte == 0).collect();
            matches!(words[..], [program, b"tmux", b"start", ..] if program.ends_with(b"madohub"))
        };
        self.env.processes().into_iter().filter(is_daemon).collect()
    }

    /// Starts `madohub watch --json` with more arguments.
    pub fn watch(&self, tmux: &Tmux, more: &[&str]) -> Watch {
        let args = [&["watch", "--json", "-L", &tmux.socket], more].concat();
        let mut command = self.command(&args);
        let mut child = command.stdout(Stdio::piped()).spawn().expect("madohub runs");
        let lines = Arc::new(Mutex::new(Vec::new()));
        let (sink, out) = (Arc::clone(&lines), child.stdout.take().expect("a pipe"));
        thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                sink.lock().expect("no panic inside").push(line);
            }
        });
        Watch { child, lines }
    }
}

/// A `madohub watch --json` that runs until it is dropped.
#[derive(Debug)]
pub struct Watch {
    child: Child,
    lines: Arc<Mutex<Vec<String>>>,
}

impl Watch {
    /// Process id of the watcher.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The lines so far, as they came.
    pub fn lines(&self) -> Vec<String> {
        self.lines.lock().expect("no panic inside").clone()
    }

    /// The events so far.
    #[track_caller]
    pub fn events(&self) -> Vec<Event> {
        let lines = self.lines();
        let parse = |line: &String| {
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{error} in {line}"))
        };
        lines.iter().map(parse).collect()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Whether a command ended with this status and said these words.
#[track_caller]
pub fn assert_ends(output: &Output, code: i32, words: &str) {
    let said = [&output.stdout[..], &output.stderr[..]].concat();
    let said = String::from_utf8_lossy(&said);
    assert_eq!(output.status.code(), Some(code), "{said}");
    assert!(said.contains(words), "{said}");
}

fn absolute(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
