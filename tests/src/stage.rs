//! A tmux server with fake agents in its panes, and a client of it whose screen can be read.

use crate::agent::{Agent, AgentCommand};
use crate::borders::{PaneBox, Side};
use crate::env::TestEnv;
use crate::product::{ListRow, Madohub, Watch};
use crate::recording::role_path;
use crate::screen::{Hue, Screen};
use crate::tmux::{Tmux, TmuxProgram};
use crate::wait::{wait_for, wait_until};
use rustix::process::{Pid, Signal, kill_process};
use std::path::PathBuf;
use std::sync::Arc;

/// How a stage is set up.
#[derive(Debug, Clone)]
pub struct StageOptions {
    /// The tmux under test; the terminal around it is always the system's.
    pub program: TmuxProgram,
    /// Columns and rows of the client.
    pub size: (u16, u16),
    /// `TERM` of the client.
    pub term: &'static str,
    /// The client's terminal takes RGB colours.
    pub rgb: bool,
    /// The client's terminal answers what tmux asks it. One that does not is known by its type alone.
    pub answers: bool,
}

impl Default for StageOptions {
    fn default() -> Self {
        let program = TmuxProgram::system();
        Self { program, size: (190, 24), term: "tmux-256color", rgb: false, answers: true }
    }
}

/// The whole set-up. Dropping it ends everything.
#[derive(Debug)]
pub struct Stage {
    /// The world.
    pub env: Arc<TestEnv>,
    /// The server under test, with a session `main`.
    pub tmux: Tmux,
    /// The server that plays the terminal around the client.
    pub terminal: Tmux,
    /// The product.
    pub madohub: Madohub,
    client: StageOptions,
}

/// The bytes that a client has sent to its terminal since the record began.
#[derive(Debug)]
pub struct ClientRecord(PathBuf);

impl ClientRecord {
    /// All of them so far.
    pub fn bytes(&self) -> Vec<u8> {
        std::fs::read(&self.0).expect("the record")
    }
}

impl Stage {
    /// An 190x24 client of the system's tmux with one pane that runs a shell.
    pub fn new() -> Self {
        Self::with(&StageOptions::default())
    }

    /// Columns and rows of the client, everything else as usual.
    pub fn sized(cols: u16, rows: u16) -> Self {
        Self::with(&StageOptions { size: (cols, rows), ..StageOptions::default() })
    }

    /// A set-up as asked for.
    pub fn with(options: &StageOptions) -> Self {
        let mut env = TestEnv::new();
        if let Some(dir) = options.program.path.parent().filter(|dir| dir.is_absolute()) {
            env.prepend_path(dir);
        }
        let env = Arc::new(env);
        let madohub = Madohub::new(&env);
        Self::in_env(env, madohub, options)
    }

    /// A set-up in a world that exists already.
    pub fn in_env(env: Arc<TestEnv>, madohub: Madohub, options: &StageOptions) -> Self {
        Self::on(env, madohub, options, ["inner", "terminal"])
    }

    /// Another server in the same world, with a client of its own.
    #[must_use]
    pub fn other_server(&self, name: &str) -> Self {
        let (env, madohub) = (Arc::clone(&self.env), self.madohub.clone());
        Self::on(env, madohub, &StageOptions::default(), [name, &format!("terminal-{name}")])
    }

    /// A set-up whose server and terminal have these sockets.
    fn on(
        env: Arc<TestEnv>,
        madohub: Madohub,
        options: &StageOptions,
        [server, screen]: [&str; 2],
    ) -> Self {
        let tmux = Tmux::new(&env, &options.program, server);
        let terminal = Tmux::new(&env, &TmuxProgram::system(), screen);
        let (cols, rows) = (options.size.0.to_string(), options.size.1.to_string());
        tmux.run(&["new-session", "-d", "-s", "main", "-x", &cols, "-y", &rows, SHELL]);
        tmux.run(&["set-option", "-g", "default-command", SHELL]);
        if options.rgb {
            tmux.run(&["set-option", "-as", "terminal-features", &format!("{}:RGB", options.term)]);
        }
        let idle = "exec sleep infinity";
        terminal.run(&["new-session", "-d", "-s", "screen", "-x", &cols, "-y", &rows, idle]);
        terminal.run(&["set-option", "-g", "status", "off"]);
        terminal.run(&["set-option", "-g", "remain-on-exit", "on"]);
        let stage = Self { env, tmux, terminal, madohub, client: options.clone() };
        stage.attach();
        stage
    }

    /// Attaches a client in the terminal, in place of the one before.
    pub fn attach(&self) {
        let mut attach = attach_command(&self.tmux, "main", self.client.term);
        if !self.client.answers {
            attach = without_answers(&attach, self.client.size);
        }
        self.terminal.run(&["respawn-pane", "-k", "-t", "screen", &attach]);
        wait_until("a client to be attached", || self.clients(), |clients| !clients.is_empty());
    }

    /// Attaches a client of another type in place of the one before.
    pub fn attach_as(&mut self, term: &'static str) {
        self.client.term = term;
        self.tmux.run(&["detach-client", "-s", "main"]);
        self.attach();
        let list = ["list-clients", "-t", "main", "-F", "#{client_termname}"];
        let terms = || self.tmux.run(&list);
        wait_until("the other client", terms, |terms| terms == term);
    }

    /// Names of the clients, one a line.
    pub fn clients(&self) -> String {
        self.tmux.run(&["list-clients", "-F", "#{client_name}"])
    }

    /// Name of the client.
    pub fn client(&self) -> String {
        self.clients().lines().next().expect("a client").to_owned()
    }

    /// Writes the product's configuration.
    pub fn configure(&self, toml: &str) {
        let dir = self.env.path().join("config/madohub");
        std::fs::create_dir_all(&dir).expect("the configuration folder");
        std::fs::write(dir.join("config.toml"), toml).expect("the configuration");
    }

    /// Records from now on every byte that the client sends to its terminal.
    pub fn record_client(&self) -> ClientRecord {
        let file = self.env.path().join("tmp/client-bytes");
        std::fs::write(&file, "").expect("an empty record");
        let sink = format!("exec cat >> '{}'", file.display());
        self.terminal.run(&["pipe-pane", "-t", "screen", &sink]);
        ClientRecord(file)
    }

    /// Process ids of the daemons in this world.
    pub fn daemons(&self) -> Vec<i32> {
        self.madohub.daemons()
    }

    /// Process id of the one daemon.
    #[track_caller]
    pub fn daemon(&self) -> i32 {
        let all = self.daemons();
        let [daemon] = all[..] else { panic!("not one daemon: {all:?}") };
        daemon
    }

    /// Ends the daemon in a way that it cannot notice, and waits until it is gone.
    #[track_caller]
    pub fn kill_daemon(&self) {
        let daemon = self.daemon();
        self.signal_daemon(Signal::KILL);
        // A process that ends has no command line for a while before its files are closed.
        let stat = || std::fs::read_to_string(format!("/proc/{daemon}/stat")).unwrap_or_default();
        let is_over = |stat: &String| {
            let state = stat.rsplit(") ").next().and_then(|rest| rest.chars().next());
            matches!(state, None | Some('Z' | 'X'))
        };
        wait_until("the daemon to be gone", stat, is_over);
    }

    /// Stops the daemon's process as a suspended machine would.
    #[track_caller]
    pub fn pause_daemon(&self) {
        self.signal_daemon(Signal::STOP);
    }

    /// Lets a paused daemon go on.
    #[track_caller]
    pub fn resume_daemon(&self) {
        self.signal_daemon(Signal::CONT);
    }

    #[track_caller]
    fn signal_daemon(&self, signal: Signal) {
        let pid = Pid::from_raw(self.daemon()).expect("a process id");
        kill_process(pid, signal).expect("a process of ours");
    }

    /// Starts `madohub watch --json` and waits until the daemon has let it in.
    #[track_caller]
    pub fn watch(&self) -> Watch {
        self.watch_with(&[])
    }

    /// Starts `madohub watch --json` with more arguments, as [`Stage::watch`] does.
    #[track_caller]
    pub fn watch_with(&self, more: &[&str]) -> Watch {
        let daemon = self.daemon();
        // The daemon attends to every watcher with a thread of this name.
        let watchers = || {
            let tasks = std::fs::read_dir(format!("/proc/{daemon}/task"));
            let is_watch = |task: &std::fs::DirEntry| {
                let comm = std::fs::read_to_string(task.path().join("comm"));
                comm.is_ok_and(|comm| comm.trim() == "watch")
            };
            let found = tasks.into_iter().flatten().flatten().filter(is_watch);
            found.map(|task| task.file_name()).collect::<Vec<_>>()
        };
        // One of those may be about to end: their number would tell nothing.
        let before = watchers();
        let watch = self.madohub.watch(&self.tmux, more);
        let new = || watchers().iter().filter(|task| !before.contains(task)).count();
        wait_until("the daemon to take the watcher", new, |count| *count > 0);
        watch
    }

    /// `madohub tmux status --json`.
    #[track_caller]
    pub fn daemon_status(&self) -> serde_json::Value {
        let text = self.madohub.run(&["tmux", "status", "--json", "-L", &self.tmux.socket]);
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    /// Output of `madohub status`.
    #[track_caller]
    pub fn status(&self, args: &[&str]) -> String {
        let server = ["status", "-L", &self.tmux.socket];
        self.madohub.run(&[&server[..], args].concat())
    }

    /// The first pane of the session.
    pub fn first_pane(&self) -> String {
        self.tmux
            .run(&["list-panes", "-t", "main", "-F", "#{pane_id}"])
            .lines()
            .next()
            .unwrap()
            .into()
    }

    /// Puts agents side by side in the session's first window, the first in its first pane.
    pub fn side_by_side(&self, agents: &[(&str, &str)]) -> Vec<(String, Agent)> {
        let mut panes = vec![self.first_pane()];
        for _ in 1..agents.len() {
            panes.push(self.split());
        }
        self.tmux.run(&["select-pane", "-t", &panes[0]]);
        let started = panes.iter().zip(agents);
        started.map(|(pane, (name, scene))| (pane.clone(), self.agent(pane, name, scene))).collect()
    }

    /// One more pane with a shell at the right of the session's current window.
    pub fn split(&self) -> String {
        let pane = self.tmux.run(&["split-window", "-h", "-t", "main", "-P", "-F", "#{pane_id}"]);
        self.tmux.run(&["select-layout", "-t", "main", "even-horizontal"]);
        pane
    }

    /// Starts an agent from the shell of a pane, as a person does.
    pub fn agent(&self, pane: &str, recording: &str, scene: &str) -> Agent {
        let command = self.agent_command(&self.tmux, pane, recording, scene);
        self.type_line(pane, &command.line());
        command.started()
    }

    /// Casts an agent for a pane without starting it.
    pub fn agent_command(
        &self,
        tmux: &Tmux,
        pane: &str,
        recording: &str,
        scene: &str,
    ) -> AgentCommand {
        let role = role_path(&self.env.agents(), &tmux.socket, pane);
        let id = format!("{}{pane}", tmux.socket);
        let command = AgentCommand::install(&self.env, recording, role, &id);
        command.cast(scene);
        command
    }

    /// Types a command line into the shell of a pane once the shell is there to read it.
    pub fn type_line(&self, pane: &str, line: &str) {
        wait_until(
            "a shell prompt",
            || self.tmux.capture(pane),
            |screen| screen.trim_end().ends_with('$'),
        );
        self.tmux.run(&["send-keys", "-t", pane, "-l", line]);
        // What is typed next must not find the prompt that this line was typed at.
        let solid = |text: &str| text.split_whitespace().collect::<String>();
        let typed = format!("${}", solid(line));
        wait_until(
            "the line to be echoed",
            || self.tmux.capture(pane),
            |screen| solid(screen).ends_with(&typed),
        );
        self.tmux.run(&["send-keys", "-t", pane, "Enter"]);
    }

    /// Starts the daemon of the server under test.
    #[track_caller]
    pub fn start(&self) {
        self.madohub.tmux("start", &self.tmux);
    }

    /// What the client shows now.
    pub fn screen(&self) -> Screen {
        Screen::parse(&self.terminal.run(&["capture-pane", "-e", "-p", "-t", "screen"]))
    }

    /// The row that `madohub list` has for a pane.
    pub fn row(&self, pane: &str) -> Option<ListRow> {
        self.madohub.list(&self.tmux).into_iter().find(|row| row.pane == pane)
    }

    /// Waits until `madohub list` says that the pane is in that state.
    #[track_caller]
    pub fn wait_state(&self, pane: &str, state: &str) -> ListRow {
        wait_for(&format!("pane {pane} to be {state}"), || match self.row(pane) {
            Some(row) if row.state == state => Ok(row),
            other => Err(format!("{other:?}\n{}", self.screen())),
        })
    }

    /// Waits until the cells of that side of a pane's border are there and all have that hue.
    #[track_caller]
    pub fn wait_border(&self, pane: &str, side: Side, hue: Hue) -> Screen {
        let what = format!("the border of {pane} ({side:?}) to be {hue:?}");
        wait_until(&what, || self.screen(), |screen| self.border_is(screen, pane, side, hue))
    }

    /// Whether all cells of that side of a pane's border have that hue on this screen.
    pub fn border_is(&self, screen: &Screen, pane: &str, side: Side, hue: Hue) -> bool {
        let cells = PaneBox::of(&self.tmux, pane).border(screen, side);
        // Where a border meets another pane's, the last cells are drawn in that pane's colour.
        let own = if cells.len() > 8 { &cells[..cells.len() - 3] } else { &cells[..] };
        !own.is_empty() && own.iter().all(|cell| cell.style.fg.hue() == hue)
    }
}

impl Default for Stage {
    fn default() -> Self {
        Self::new()
    }
}

/// The shell of a pane. It reads the private home's start-up file.
const SHELL: &str = "exec bash";

/// The same command line in a terminal inside of the pane, to which nothing is typed: what tmux asks
/// it goes to the pane, and the answers to nobody. An end of input would be typed as Ctrl-D, so that
/// there is none.
fn without_answers(attach: &str, (cols, rows): (u16, u16)) -> String {
    format!(
        "stty raw -echo; test -p ~/silence || mkfifo ~/silence; \
         exec script -qefc \"stty cols {cols} rows {rows}; {attach}\" /dev/null <>~/silence"
    )
}

/// Command line of a client of `tmux` for another terminal.
pub(crate) fn attach_command(tmux: &Tmux, session: &str, term: &str) -> String {
    format!(
        "exec env -u TMUX -u TMUX_PANE TERM={term} '{}' -u -L {} attach-session -t {session}",
        tmux.program.path.display(),
        tmux.socket
    )
}
