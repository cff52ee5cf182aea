//! A fake agent in a pane, told what to show.

use crate::env::TestEnv;
use crate::recording::{Cue, Done, Recording, Role};
use crate::wait::wait_for;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

/// The executables of an agent in a world, and how to call it.
#[derive(Debug)]
pub struct AgentCommand {
    /// What is played.
    pub recording: Recording,
    socket: PathBuf,
    role: PathBuf,
}

impl AgentCommand {
    /// Puts the executables of the recording `name` into the world under the real agent's names.
    /// `role` is where the agent will look for its part, `id` a name for its socket.
    pub fn install(env: &TestEnv, name: &str, role: PathBuf, id: &str) -> Self {
        let recording = Recording::read(&Recording::root().join(name));
        for process in &recording.process {
            link(&fake_agent(), &env.agents().join(&process.name));
        }
        Self { recording, socket: env.agents().join(format!("{id}.cue")), role }
    }

    /// Sets what the next start of the agent plays.
    pub fn cast(&self, scene: &str) {
        self.recording.scene(scene);
        let role = Role {
            recording: self.recording.dir.clone(),
            scene: scene.to_owned(),
            socket: self.socket.clone(),
        };
        // A former run's socket would take the cues of the next one.
        let _ = fs::remove_file(&self.socket);
        fs::write(&self.role, serde_json::to_string(&role).expect("JSON")).expect("the role");
    }

    /// Command line to type in a shell.
    pub fn line(&self) -> String {
        let argv = &self.recording.process[0].argv;
        let quoted = argv.iter().map(|arg| format!("'{}'", arg.replace('\'', r"'\''")));
        // The name itself is typed as a person would type it.
        let first = argv[0].rsplit('/').next().unwrap_or_default().to_owned();
        std::iter::once(first).chain(quoted.skip(1)).collect::<Vec<_>>().join(" ")
    }

    /// Waits until the agent has drawn its first screen.
    #[track_caller]
    pub fn started(self) -> Agent {
        let agent = Agent { socket: self.socket.clone(), command: self };
        wait_for("the agent to start", || agent.try_tell(&Cue::Ping));
        agent
    }
}

/// A fake agent that runs.
#[derive(Debug)]
pub struct Agent {
    /// What it plays.
    pub command: AgentCommand,
    socket: PathBuf,
}

impl Agent {
    /// Goes to a scene; returns once its bytes are written to the terminal.
    #[track_caller]
    pub fn show(&self, scene: &str) {
        self.tell(&Cue::Show { scene: scene.to_owned() });
    }

    /// Gives a cue and waits until it is done.
    #[track_caller]
    pub fn tell(&self, cue: &Cue) -> Done {
        self.try_tell(cue).unwrap_or_else(|error| panic!("{cue:?}: {error}"))
    }

    /// The prompts that were sent to it so far, by whatever agent ran in this pane.
    pub fn prompts(&self) -> Vec<String> {
        let text = fs::read_to_string(self.socket.with_extension("prompts")).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).expect("a prompt")).collect()
    }

    /// Tells the agent to end, as if it were told to quit.
    #[track_caller]
    pub fn exit(&self, status: u8) {
        // It may be gone before its answer is.
        let _ = self.try_tell(&Cue::Exit { status });
        wait_for("the agent to end", || match self.try_tell(&Cue::Ping) {
            Ok(_) => Err("it still answers".to_owned()),
            Err(_) => Ok(()),
        });
    }

    /// Process id of the agent itself.
    #[track_caller]
    pub fn pid(&self) -> i32 {
        self.tell(&Cue::Ping).pid
    }

    fn try_tell(&self, cue: &Cue) -> Result<Done, String> {
        let failed = |error: std::io::Error| format!("{}: {error}", self.socket.display());
        let mut stream = UnixStream::connect(&self.socket).map_err(failed)?;
        let line = serde_json::to_string(cue).expect("JSON");
        writeln!(stream, "{line}").map_err(failed)?;
        let mut answer = String::new();
        BufReader::new(stream).read_line(&mut answer).map_err(failed)?;
        serde_json::from_str(&answer).map_err(|error| format!("no answer: {error}"))
    }
}

/// The `fake_agent` built with these tests.
fn fake_agent() -> PathBuf {
    crate::built::built("fake_agent")
}

fn link(from: &Path, to: &Path) {
    if to.exists() {
        return;
    }
    // Another file system cannot be linked to.
    if fs::hard_link(from, to).is_err() {
        fs::copy(from, to).unwrap_or_else(|error| panic!("{}: {error}", to.display()));
    }
}
