//! A real zellij on a private socket with fake agents in its panes, and clients of it whose
//! screens can be read.

use crate::agent::{Agent, AgentCommand};
use crate::env::TestEnv;
use crate::screen::Screen;
use crate::tmux::{Tmux, TmuxProgram};
use crate::wait::{wait_for, wait_until};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::cell::RefCell;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

mod listener;
mod setup;
mod view;

pub use listener::Listener;
pub use setup::{WITNESS, ZellijOptions, zellij_program};
pub use view::{STATE_COLOURS, ZellijPane};

use setup::{built_plugin, quoted};

/// Name of the session.
const SESSION: &str = "stage";
/// How long a client may show nothing until it is sent a key.
const KEY_AFTER: Duration = Duration::from_secs(3);
/// How long one command of zellij may take; one that hangs is run again.
const COMMAND_WITHIN: Duration = Duration::from_secs(8);
/// How long the command that starts a session may take; it cannot be run again.
const START_WITHIN: Duration = Duration::from_secs(45);

/// A session with the plugin. Dropping it ends everything.
#[derive(Debug)]
pub struct ZellijStage {
    /// The world.
    pub env: Arc<TestEnv>,
    /// The agents in their panes, in the order of the options.
    pub agents: Vec<Agent>,
    /// The server that plays the terminals around the clients.
    terminal: Tmux,
    program: PathBuf,
    plugin: PathBuf,
    size: (u16, u16),
    places: RefCell<Vec<ZellijPane>>,
}

impl ZellijStage {
    /// Starts zellij with the plugin and waits until every agent shows its first scene.
    pub fn new(options: &ZellijOptions) -> Self {
        let mut env = TestEnv::new();
        let sockets = env.path().join("z");
        fs::create_dir(&sockets).expect("a folder for sockets");
        env.set("ZELLIJ_SOCKET_DIR", sockets.to_str().expect("a short path"));
        // Without it zellij 0.45.1 makes a folder in the home and prefers that one from then on.
        let config = env.path().join("config/zellij");
        env.set("ZELLIJ_CONFIG_DIR", config.to_str().expect("a path"));
        env.set("COLORTERM", "truecolor");
        let program = zellij_program();
        if let Some(folder) = program.parent() {
            env.prepend_path(folder);
        }
        let env = Arc::new(env);
        let terminal = Tmux::new(&env, &TmuxProgram::system(), "terminal");
        let idle = "exec sleep infinity";
        terminal.run(&["new-session", "-d", "-s", "none", idle]);
        terminal.run(&["set-option", "-g", "status", "off"]);
        terminal.run(&["set-option", "-g", "default-terminal", "tmux-256color"]);
        terminal.run(&["set-option", "-as", "terminal-features", "xterm-256color:RGB"]);
        let plugin = env.path().join("data/madohub.wasm");
        fs::copy(built_plugin(), &plugin).expect("a copy of the plugin");
        let mut stage = Self {
            env,
            agents: Vec::new(),
            terminal,
            program,
            plugin,
            size: options.size,
            places: RefCell::default(),
        };
        let commands = stage.write_files(options);
        (options.before)(&stage.env, &stage.plugin);
        let layout = options.layout;
        if options.attached {
            let session = ["--session", SESSION, "--new-session-with-layout", layout];
            stage.start_client("one", &session);
        } else {
            let layout = ["--layout", layout, "attach", "--create-background", SESSION];
            let mut command = stage.command();
            let output = output_within(command.args(layout), START_WITHIN).expect("a session");
            assert!(output.status.success(), "{output:?}");
        }
        stage.agents = commands.into_iter().map(AgentCommand::started).collect();
        stage
    }

    /// Whether the zellij under test is this version (major and minor number) or a newer one.
    pub fn is_at_least(&self, version: (u32, u32)) -> bool {
        let output = self.command().arg("--version").output().expect("zellij's version");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let mut numbers = text.trim().trim_start_matches("zellij ").split('.').map(str::parse);
        let (Some(Ok(major)), Some(Ok(minor))) = (numbers.next(), numbers.next()) else {
            panic!("no version: {text}");
        };
        (major, minor) >= version
    }

    /// Chooses a frame style at run time: `full`, `titles` or `none`; false where zellij has none of
    /// that name. Before 0.45 it has the first and the last, and one command that goes from one to
    /// the other.
    pub fn set_frame_style(&self, style: &str) -> bool {
        if self.is_at_least((0, 45)) {
            self.action(&["set-pane-frame-style", style]);
            return true;
        }
        if style == "titles" {
            return false;
        }
        self.action(&["toggle-pane-frames"]);
        true
    }

    /// A zellij command in this world.
    pub fn command(&self) -> Command {
        let mut command = self.env.command(&self.program);
        command.stdin(Stdio::null());
        command
    }

    /// Runs `zellij action …` on the session; its output.
    #[track_caller]
    pub fn action(&self, args: &[&str]) -> String {
        let output = self.session_command("action", args);
        assert!(output.status.success(), "action {args:?}: {output:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Sends the plugin a command by pipe; its answer, which is never empty.
    ///
    /// zellij 0.45.1 removes every client of the command line twice and gives its number to the
    /// next one in between; what the second removal hits loses its answer, or waits for ever. So
    /// a command without an answer is sent again.
    #[track_caller]
    pub fn ask(&self, command: &str) -> String {
        wait_for(&format!("an answer to {command}"), || {
            let output = self.session_command("pipe", &["--name", "madohub", "--", command]);
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            if text.is_empty() { Err(format!("{output:?}")) } else { Ok(text) }
        })
    }

    fn session_command(&self, verb: &str, args: &[&str]) -> Output {
        let mut command = self.command();
        command.args(["--session", SESSION, verb]).args(args);
        wait_for(&format!("zellij to answer {verb} {args:?}"), || {
            let output = output_within(&mut command, COMMAND_WITHIN)?;
            let text = String::from_utf8_lossy(&output.stderr).into_owned();
            if text.contains("no active session") { Err(text) } else { Ok(output) }
        })
    }

    /// Starts a `zellij pipe` that stays open.
    pub fn listen(&self, command: &str) -> Listener {
        let file = tempfile::NamedTempFile::new_in(self.env.path()).expect("a file");
        let (file, path) = file.keep().expect("a file that stays");
        let mut listener = self.command();
        listener.args(["--session", SESSION, "pipe", "--name", "madohub", "--", command]);
        Listener { child: listener.stdout(file).spawn().expect("zellij runs"), path }
    }

    /// Listens to `events`, proved by what `change` causes.
    pub fn listen_to_events(&self, change: impl Fn()) -> Listener {
        wait_for("a listener that hears", || {
            let listener = self.listen("events");
            change();
            let heard = fs::read_to_string(&listener.path).expect("its output");
            // See `ask`: it may be cut off without being told.
            if heard.is_empty() { Err("it hears nothing".to_owned()) } else { Ok(listener) }
        })
    }

    /// `state` of each pane that holds an agent, by the pane's number.
    pub fn states(&self) -> Vec<(u32, String)> {
        let rows: Value = serde_json::from_str(&self.ask("list --json")).unwrap_or_default();
        let mut states: Vec<(u32, String)> = rows
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|row| {
                let pane = row["pane"].as_str()?.strip_prefix("terminal_")?.parse().ok()?;
                Some((pane, row["state"].as_str()?.to_owned()))
            })
            .collect();
        states.sort();
        states
    }

    /// Waits until the plugin says this of the panes.
    #[track_caller]
    pub fn wait_states(&self, wanted: &[(u32, &str)]) {
        wait_for(&format!("the states {wanted:?}"), || {
            let states = self.states();
            let same = states.iter().map(|(p, s)| (*p, s.as_str())).eq(wanted.iter().copied());
            if same { Ok(()) } else { Err(format!("{states:?}")) }
        });
    }

    /// Attaches a client in a terminal of its own.
    pub fn attach(&self, client: &str) {
        self.start_client(client, &["attach", SESSION]);
    }

    /// Detaches a client as a person does.
    pub fn detach(&self, client: &str) {
        self.terminal.run(&["send-keys", "-t", client, "C-o"]);
        self.terminal.run(&["send-keys", "-t", client, "d"]);
        let gone = |sessions: &String| !sessions.lines().any(|line| line == client);
        wait_until(
            "the client to be gone",
            || self.terminal.run(&["list-sessions", "-F", "#S"]),
            gone,
        );
    }

    /// Types keys in a client.
    pub fn type_keys(&self, client: &str, keys: &[&str]) {
        let args: Vec<&str> = ["send-keys", "-t", client].iter().chain(keys).copied().collect();
        self.terminal.run(&args);
    }

    /// Runs a program in a terminal of its own, outside of zellij.
    pub fn open(&self, terminal: &str, argv: &[&str]) {
        let (cols, rows) = (self.size.0.to_string(), self.size.1.to_string());
        let line = self.line(argv);
        self.terminal.run(&["new-session", "-d", "-s", terminal, "-x", &cols, "-y", &rows, &line]);
    }

    /// What a terminal shows, as text.
    pub fn text(&self, terminal: &str) -> String {
        self.terminal.capture(terminal)
    }

    /// The command line that runs a program in this world.
    fn line(&self, argv: &[&str]) -> String {
        let mut line = String::from("exec env TERM=xterm-256color");
        for (name, value) in self.command().get_envs() {
            if let Some(value) = value.filter(|_| name != "TERM") {
                write!(line, " {}={}", name.display(), quoted(&value.to_string_lossy()))
                    .expect("a string takes all");
            }
        }
        for word in argv {
            write!(line, " {}", quoted(word)).expect("a string takes all");
        }
        line
    }

    fn start_client(&self, client: &str, args: &[&str]) {
        let program = self.program.to_string_lossy();
        let line = self.line(&[&[&*program], args].concat());
        let (cols, rows) = (self.size.0.to_string(), self.size.1.to_string());
        let start =
            ["new-session", "-d", "-s", client, "-x", &cols, "-y", &rows, &line].map(str::to_owned);
        // In a new home the first picture may come with the first key only (zellij 0.45.1); keys
        // that come before the session is ready are lost and do harm. Where the machine is just slow
        // the key is heard, too: the first ones are such that zellij keeps, for the pane above the one
        // in the corner, which there is not. An agent would take a blank for typed text.
        let mut next_key = Instant::now();
        let mut keys = ["M-Up", "M-Up"].into_iter();
        wait_for("the client's first picture", || {
            let shown = self.terminal.try_run(&["capture-pane", "-p", "-t", client]);
            if !shown.status.success() {
                // Not started yet, or ended by what `ask` tells of.
                self.terminal.run(&start.each_ref().map(String::as_str));
                next_key = Instant::now() + KEY_AFTER;
            } else if Instant::now() >= next_key {
                let key = keys.next().unwrap_or("Space");
                self.terminal.run(&["send-keys", "-t", client, key]);
                next_key = Instant::now() + KEY_AFTER;
            }
            if shown.stdout.trim_ascii().is_empty() { Err(self.log()) } else { Ok(()) }
        });
    }

    /// What a client shows.
    pub fn screen(&self, client: &str) -> Screen {
        Screen::parse(&self.terminal.run(&["capture-pane", "-p", "-e", "-t", client]))
    }

    /// All of zellij's log.
    pub fn whole_log(&self) -> String {
        let uid = rustix::process::geteuid().as_raw();
        let path = self.env.path().join(format!("tmp/zellij-{uid}/zellij-log/zellij.log"));
        fs::read_to_string(path).unwrap_or_default()
    }

    /// The end of zellij's log.
    pub fn log(&self) -> String {
        let text = self.whole_log();
        // Of every pipe that takes a second, which says nothing.
        let lines: Vec<&str> = text.lines().filter(|line| !line.contains("CliPipe did")).collect();
        lines[lines.len().saturating_sub(30)..].join("\n")
    }

    /// Process of the session's server.
    pub fn server_pid(&self) -> i32 {
        let is_server = |pid: &i32| {
            let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            line.split(|b| *b == 0).any(|word| word == b"--server")
        };
        self.env.processes().into_iter().find(is_server).expect("a server")
    }

    /// Path of the plugin that is loaded.
    pub fn plugin(&self) -> &Path {
        &self.plugin
    }
}

impl Drop for ZellijStage {
    /// A test that fails tells all that can still be asked.
    fn drop(&mut self) {
        if !thread::panicking() {
            return;
        }
        let pipe = |command: &str| {
            let args = ["--session", SESSION, "pipe", "--name", "madohub", "--", command];
            // A plugin that does not answer is what may have failed.
            let output = output_within(self.command().args(args), COMMAND_WITHIN);
            output.map_or_else(|late| late, |o| String::from_utf8_lossy(&o.stdout).into_owned())
        };
        for command in ["status --json", "list --json"] {
            eprintln!("{command}: {}", pipe(command));
        }
        for pane in 0..self.agents.len() {
            eprintln!("pane {pane}: {}", pipe(&format!("explain --text {pane}")));
        }
        for list in ["list-clients", "list-tabs"] {
            let args = ["--session", SESSION, "action", list];
            let output = output_within(self.command().args(args), COMMAND_WITHIN);
            eprintln!("{list}: {output:?}");
        }
        eprintln!("zellij's log:\n{}", self.log());
    }
}

/// Output of a command that is killed when it takes too long.
fn output_within(command: &mut Command, limit: Duration) -> Result<Output, String> {
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let pid = Pid::from_child(&child);
    let (sender, receiver) = mpsc::channel();
    let waiting = thread::spawn(move || sender.send(child.wait_with_output()));
    let output = receiver.recv_timeout(limit);
    if output.is_err() {
        // It may have ended in this moment.
        let _ = kill_process(pid, Signal::KILL);
    }
    // The other end of the channel is there.
    let _ = waiting.join();
    match output {
        Ok(output) => Ok(output.expect("its output")),
        Err(_) => Err(format!("{command:?} took longer than {limit:?}")),
    }
}
