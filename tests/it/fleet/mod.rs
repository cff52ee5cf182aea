//! Several machines over a real broker. A machine is a world of its own: home, tmux server, daemon
//! and publisher.

mod dash;
mod doctor;
mod hostile;
mod many;
mod network;
mod publish;
mod route;
mod security;
mod zellij;

use madohub_tests::{Agent, Madohub, Stage, StageOptions, TestEnv, wait_for};
use serde_json::Value;
use std::process::{Child, Output, Stdio};
use std::sync::Arc;

const CLAUDE: &str = "claude-2.1.332";

/// A machine in the fleet.
struct Machine {
    stage: Stage,
    panes: Vec<(String, Agent)>,
    publisher: Option<Child>,
}

impl Machine {
    /// A machine with a waiting and a working agent, and the daemon running; `more` settings of the
    /// fleet beside the broker's.
    fn new(name: &str, port: u16, more: &str) -> Self {
        Self::sized(name, port, more, &StageOptions::default())
    }

    /// The same with a client as asked for.
    fn sized(name: &str, port: u16, more: &str, options: &StageOptions) -> Self {
        let stage = Stage::with(options);
        let panes = stage.side_by_side(&[(CLAUDE, "working"), ("codex-0.171.0", "approval")]);
        let machine = Self { stage, panes, publisher: None };
        machine.configure(name, port, more);
        machine.stage.start();
        machine.stage.wait_state(&machine.panes[0].0, "working");
        machine.stage.wait_state(&machine.panes[1].0, "waiting");
        machine
    }

    fn configure(&self, name: &str, port: u16, more: &str) {
        self.stage.configure(&settings(name, port, more));
    }

    /// Starts the publisher.
    fn publish(&mut self) {
        let log = std::fs::File::create(self.log_path()).unwrap();
        let mut command = self.stage.madohub.command(&["fleet", "publish"]);
        self.publisher = Some(command.stdout(Stdio::null()).stderr(log).spawn().unwrap());
    }

    fn log_path(&self) -> std::path::PathBuf {
        self.stage.env.path().join("publisher.log")
    }

    /// What the publisher said.
    fn log(&self) -> String {
        std::fs::read_to_string(self.log_path()).unwrap_or_default()
    }

    /// Ends the publisher as its owner does, or as nobody wants to.
    fn end(&mut self, signal: rustix::process::Signal) {
        let mut child = self.publisher.take().unwrap();
        let pid = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(pid, signal).unwrap();
        child.wait().unwrap();
    }

    /// The rows of `madohub fleet list --json` as this machine sees them; none while the broker is
    /// away.
    fn list(&self) -> Vec<Value> {
        let output = self.stage.madohub.try_run(&["fleet", "list", "--json"]);
        serde_json::from_slice(&output.stdout).unwrap_or_default()
    }

    /// The states of a host's panes, sorted.
    fn states_of(&self, host: &str) -> Vec<String> {
        let rows = self.list();
        let its = rows.iter().filter(|row| row["host"] == host);
        let mut states: Vec<_> = its.map(|row| row["state"].as_str().unwrap().to_owned()).collect();
        states.sort();
        states
    }

    #[track_caller]
    fn wait_states_of(&self, host: &str, states: &[&str]) {
        wait_for(&format!("{host} with {states:?}"), || {
            let seen = self.states_of(host);
            if seen == states { Ok(()) } else { Err(format!("{seen:?}\n{}", self.log())) }
        });
    }

    /// `madohub fleet status --json`.
    fn status(&self) -> Value {
        let output = self.stage.madohub.try_run(&["fleet", "status", "--json"]);
        serde_json::from_slice(&output.stdout).unwrap_or_default()
    }

    #[track_caller]
    fn wait_said(&self, words: &str) {
        wait_for(&format!("the publisher to say `{words}`"), || {
            let log = self.log();
            if log.contains(words) { Ok(()) } else { Err(log) }
        });
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        if let Some(child) = &mut self.publisher {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// A machine without agents that only looks.
struct Reader {
    env: Arc<TestEnv>,
    madohub: Madohub,
}

impl Reader {
    fn new(port: u16) -> Self {
        Self::with(&settings("hera", port, ""))
    }

    /// A machine with these settings.
    fn with(settings: &str) -> Self {
        let env = Arc::new(TestEnv::new());
        let madohub = Madohub::new(&env);
        let dir = env.path().join("config/madohub");
        std::fs::create_dir_all(&dir).unwrap();
        std::fs::write(dir.join("config.toml"), settings).unwrap();
        Self { env, madohub }
    }

    fn list(&self) -> Output {
        self.madohub.try_run(&["fleet", "list", "--json"])
    }

    fn rows(&self) -> Vec<Value> {
        serde_json::from_slice(&self.list().stdout).unwrap_or_default()
    }
}

/// Settings of a machine that is called so, with a broker on this port without TLS.
fn settings(name: &str, port: u16, more: &str) -> String {
    format!(
        "[fleet]\nbroker = \"127.0.0.1\"\nport = {port}\ntls = false\nhost = \"{name}\"\n{more}\n"
    )
}
