//! A private home with private tmux servers; all that was started ends with it.

use madohub::tmux::Server;
use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Far above what anything here needs, also on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) struct World {
    root: tempfile::TempDir,
}

/// Screens of Claude Code, as far as its rules need them.
pub(crate) const WORKING: &str = "✻ Pondering… (12s · ↓ 300 tokens)\n\n────────────────────────────\n\
                           ❯ \n────────────────────────────\n  ? for shortcuts\n";
pub(crate) const IDLE: &str = "────────────────────────────\n❯ \n────────────────────────────\n\
                        \x20 ? for shortcuts\n";
pub(crate) const WAITING: &str = "────────────────────────────\n Bash command\n\n   cargo test\n\n\
                           \x20Do you want to proceed?\n ❯ 1. Yes\n   2. No\n\n Esc to cancel\n";

impl World {
    pub(crate) fn new() -> Self {
        // Short, because sockets have short paths.
        let root = tempfile::Builder::new().prefix("mh").tempdir_in("/tmp").unwrap();
        for name in ["home", "run", "tmux"] {
            fs::create_dir(root.path().join(name)).unwrap();
        }
        let world = Self { root };
        let private = std::os::unix::fs::PermissionsExt::from_mode(0o700);
        fs::set_permissions(world.path("run"), private).unwrap();
        world
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    pub(crate) fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("LANG", "C.UTF-8")
            .env("TERM", "xterm-256color")
            .env("SHELL", "/bin/sh")
            .env("HOME", self.path("home"))
            .env("XDG_CONFIG_HOME", self.path("config"))
            .env("XDG_STATE_HOME", self.path("state"))
            .env("XDG_RUNTIME_DIR", self.path("run"))
            .env("TMUX_TMPDIR", self.path("tmux"))
            .current_dir(self.root.path())
            .stdin(Stdio::null());
        command
    }

    /// The program itself, on the server with this name.
    pub(crate) fn madohub(&self, server: &str, args: &[&str]) -> Output {
        let mut command = self.command(env!("CARGO_BIN_EXE_madohub"));
        command.args(args).args(["-L", server]).output().unwrap()
    }

    /// What the program says, which must succeed.
    pub(crate) fn said(&self, server: &str, args: &[&str]) -> String {
        let output = self.madohub(server, args);
        assert!(output.status.success(), "{args:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// What tmux says; its errors end the test.
    pub(crate) fn tmux(&self, server: &str, args: &[&str]) -> String {
        let mut command = self.command("tmux");
        command.args(["-u", "-f", "/dev/null", "-L", server]).args(args);
        let output = command.output().unwrap();
        assert!(output.status.success(), "tmux {args:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Starts a server with one pane that shows nothing.
    pub(crate) fn server(&self, name: &str) -> Server {
        self.tmux(name, &["new-session", "-d", "-s", "s", "-x", "100", "-y", "30", "exec cat"]);
        // tmux reads it late, and its default names windows after programs that we start.
        self.tmux(name, &["set-option", "-g", "automatic-rename", "off"]);
        Server::at(self.tmux(name, &["display-message", "-p", "#{socket_path}"]).trim())
    }

    /// Ends a server and waits until it is gone: another one started at once would meet it.
    pub(crate) fn end_server(&self, name: &str) {
        let pid = self.tmux(name, &["display-message", "-p", "#{pid}"]).trim().parse().unwrap();
        self.tmux(name, &["kill-server"]);
        until_gone(pid);
    }

    /// Adds a pane with an agent that shows the screen in this file; answers its id.
    pub(crate) fn agent(&self, server: &str, screen: &str) -> String {
        self.agent_with(server, screen, "claude", "")
    }

    /// The same of another name; `more` is added to the shell's command line.
    pub(crate) fn agent_with(&self, server: &str, screen: &str, name: &str, more: &str) -> String {
        let file = self.path(screen);
        OpenOptions::new().create(true).append(true).open(&file).unwrap();
        let script = format!("exec -a {name} tail -n 200 -f {} {more}", file.display());
        let split = ["split-window", "-d", "-h", "-P", "-F", "#{pane_id}", "bash", "-c", &script];
        let id = self.tmux(server, &split);
        self.tmux(server, &["select-layout", "even-horizontal"]);
        id.trim().to_owned()
    }

    /// Has the agent show another screen.
    pub(crate) fn show(&self, screen: &str, text: &str) {
        let mut file = OpenOptions::new().append(true).open(self.path(screen)).unwrap();
        write!(file, "\x1b[H\x1b[2J{}", text.trim_end_matches('\n')).unwrap();
    }

    /// State of every pane with an agent, by pane.
    pub(crate) fn states(&self, server: &str) -> Vec<(String, String)> {
        let rows: Vec<serde_json::Value> =
            serde_json::from_str(&self.said(server, &["list", "--json"])).unwrap();
        let text = |row: &serde_json::Value, key: &str| row[key].as_str().unwrap().to_owned();
        let mut states: Vec<_> =
            rows.iter().map(|row| (text(row, "pane"), text(row, "state"))).collect();
        states.sort();
        states
    }

    /// Waits until the pane is in the state.
    pub(crate) fn until(&self, server: &str, pane: &str, state: &str) {
        wait(&format!("{pane} is {state}"), || {
            let states = self.states(server);
            let found = states.iter().any(|(p, s)| p == pane && s == state);
            if found { Ok(()) } else { Err(format!("{states:?}")) }
        });
    }

    /// What was told of a pane, oldest first, each as `from>to`.
    pub(crate) fn told(&self, server: &str, pane: &str) -> Vec<String> {
        let rows: serde_json::Value =
            serde_json::from_str(&self.said(server, &["list", "--history", "--json"])).unwrap();
        let row = rows.as_array().unwrap().iter().find(|row| row["pane"] == pane);
        let events = row.map(|row| row["history"].as_array().unwrap().clone()).unwrap_or_default();
        let word = |event: &serde_json::Value, key: &str| event[key].as_str().unwrap().to_owned();
        events
            .iter()
            .map(|event| format!("{}>{}", word(event, "from"), word(event, "to")))
            .collect()
    }

    /// The pane's option in tmux, which says the state.
    pub(crate) fn shown(&self, server: &str, pane: &str) -> String {
        let ask = ["display-message", "-p", "-t", pane, "#{@madohub_state}"];
        self.tmux(server, &ask).trim().to_owned()
    }

    /// Waits until the pane's option says the state. Asks tmux alone.
    pub(crate) fn until_shown(&self, server: &str, pane: &str, state: &str) {
        wait(&format!("{pane} shows {state}"), || {
            let shown = self.shown(server, pane);
            if shown == state { Ok(()) } else { Err(shown) }
        });
    }

    /// What the daemon says that is wrong; nothing where nothing is.
    pub(crate) fn trouble(&self, server: &str) -> Option<String> {
        let status = self.said(server, &["tmux", "status", "--json"]);
        let status: serde_json::Value = serde_json::from_str(&status).unwrap();
        status["trouble"].as_str().map(str::to_owned)
    }

    /// Process of the daemon.
    pub(crate) fn daemon(&self, server: &str) -> i32 {
        let status = self.said(server, &["tmux", "status", "--json"]);
        let status: serde_json::Value = serde_json::from_str(&status).unwrap();
        i32::try_from(status["pid"].as_i64().unwrap()).unwrap()
    }

    /// Every option and variable of the server, in every scope.
    pub(crate) fn options(&self, server: &str) -> String {
        let mut out = String::new();
        let mut scopes: Vec<Vec<String>> = [&["-s"][..], &["-g"], &["-gw"]]
            .iter()
            .map(|scope| scope.iter().map(|word| (*word).to_owned()).collect())
            .collect();
        for (list, id, flag) in [
            (&["list-sessions"][..], "#{session_id}", ""),
            (&["list-windows", "-a"], "#{window_id}", "-w"),
            (&["list-panes", "-a"], "#{pane_id}", "-p"),
        ] {
            let ids = self.tmux(server, &[list, &["-F", id]].concat());
            for id in ids.lines() {
                let words = [flag, "-t", id].into_iter().filter(|word| !word.is_empty());
                scopes.push(words.map(str::to_owned).collect());
            }
        }
        for scope in scopes {
            let words: Vec<&str> = scope.iter().map(String::as_str).collect();
            writeln!(out, "## {scope:?}").unwrap();
            out += &self.tmux(server, &[&["show-options"], &words[..]].concat());
            if words != ["-s"] {
                out += &self.tmux(server, &[&["show-hooks"], &words[..]].concat());
            }
        }
        for flags in ["-g", "-gh"] {
            writeln!(out, "## environment {flags}").unwrap();
            out += &self.tmux(server, &["show-environment", flags]);
        }
        out
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let sockets = fs::read_dir(self.path("tmux")).into_iter().flatten().flatten();
        let sockets = sockets.flat_map(|folder| fs::read_dir(folder.path()).into_iter().flatten());
        for socket in sockets.flatten().map(|entry| entry.path()) {
            let name = socket.file_name().unwrap().to_str().unwrap().to_owned();
            let _ = self.madohub(&name, &["tmux", "stop"]);
            let mut kill = self.command("tmux");
            let _ = kill.arg("-S").arg(&socket).arg("kill-server").output();
        }
    }
}

/// Waits until `check` succeeds; its last word of failure ends the test.
pub(crate) fn wait<T>(what: &str, mut check: impl FnMut() -> Result<T, String>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        match check() {
            Ok(value) => return value,
            Err(last) if Instant::now() > deadline => panic!("waited for: {what}; last: {last}"),
            Err(_) => std::thread::sleep(Duration::from_millis(20)),
        }
    }
}

/// Sends a signal.
pub(crate) fn signal(pid: i32, signal: rustix::process::Signal) {
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    rustix::process::kill_process(pid, signal).unwrap();
}

/// Ends a process without giving it a chance, and waits until it is gone.
pub(crate) fn kill(pid: i32) {
    signal(pid, rustix::process::Signal::KILL);
    until_gone(pid);
}

pub(crate) fn until_gone(pid: i32) {
    let folder = PathBuf::from(format!("/proc/{pid}"));
    wait("the process is gone", || {
        let stat = fs::read_to_string(Path::new(&folder).join("stat")).unwrap_or_default();
        if stat.is_empty() || stat.contains(") Z ") { Ok(()) } else { Err(stat) }
    });
}
