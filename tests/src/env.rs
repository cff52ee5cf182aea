//! A private world for one test: home, XDG folders and sockets of its own, nothing of the
//! person's, and nothing left behind.

use rustix::process::{Pid, Signal, kill_process};
use std::fs::{self, DirBuilder, File, Permissions};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Once;
use tempfile::TempDir;

/// Present in the environment of every process that belongs to a test's world.
const MARK: &str = "MADOHUB_TEST_ENV";
/// Sockets below must stay under the 108 bytes that a socket path may have.
const BASE: &str = "/tmp";
const PREFIX: &str = "mhub-";

/// A folder with everything a program of this test may read or write. Dropping it ends every
/// process that was started in it, also after a failed test, and removes the folder.
#[derive(Debug)]
pub struct TestEnv {
    dir: TempDir,
    path_first: Vec<PathBuf>,
    extra: Vec<(String, String)>,
    /// Held while this world is in use, so that others can tell a dead one from a living one.
    _lock: File,
}

impl TestEnv {
    /// An empty world.
    pub fn new() -> Self {
        sweep_dead_worlds();
        let dir = tempfile::Builder::new().prefix(PREFIX).tempdir_in(BASE).expect("a folder");
        // Under its name only once it is held: a sweep of another test run must not find it free.
        let (unnamed, named) = (dir.path().join("lock.new"), dir.path().join("lock"));
        let lock = File::create(&unnamed).expect("a lock file");
        lock.lock().expect("the lock of a new folder");
        fs::rename(&unnamed, &named).expect("the lock under its name");
        for sub in ["home", "config", "state", "data", "cache", "run", "tmux", "agents", "tmp"] {
            DirBuilder::new().mode(0o700).create(dir.path().join(sub)).expect("a sub-folder");
        }
        fs::write(dir.path().join("home/.bashrc"), "PS1='$ '\n").expect("a start-up file");
        let agents = dir.path().join("agents");
        Self { dir, path_first: vec![agents], extra: Vec::new(), _lock: lock }
    }

    /// Root of the world.
    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// The private home folder.
    pub fn home(&self) -> PathBuf {
        self.path().join("home")
    }

    /// Folder of the agents' executables, first in `PATH`.
    pub fn agents(&self) -> PathBuf {
        self.path().join("agents")
    }

    /// Puts `dir` before everything else in `PATH`.
    pub fn prepend_path(&mut self, dir: &Path) {
        self.path_first.insert(0, dir.to_owned());
    }

    /// Adds a variable to every command.
    pub fn set(&mut self, name: &str, value: &str) {
        self.extra.push((name.to_owned(), value.to_owned()));
    }

    /// Puts a script where agents are, under an agent's name.
    pub fn script(&self, name: &str, script: &str) -> PathBuf {
        let path = self.agents().join(name);
        fs::write(&path, script).expect("a script");
        fs::set_permissions(&path, Permissions::from_mode(0o755)).expect("an executable script");
        path
    }

    /// A command in this world: it sees nothing of the environment that the test runs in but the
    /// system's `PATH`.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env_clear().current_dir(self.home()).env("PATH", self.search_path());
        command.env(MARK, self.path()).env("LANG", "C.UTF-8").env("SHELL", "/bin/bash");
        command.env("TERM", "xterm-256color").env("USER", "user");
        for (name, sub) in [
            ("HOME", "home"),
            ("XDG_CONFIG_HOME", "config"),
            ("XDG_STATE_HOME", "state"),
            ("XDG_DATA_HOME", "data"),
            ("XDG_CACHE_HOME", "cache"),
            ("XDG_RUNTIME_DIR", "run"),
            ("TMUX_TMPDIR", "tmux"),
            ("TMPDIR", "tmp"),
        ] {
            command.env(name, self.path().join(sub));
        }
        command.envs(self.extra.iter().map(|(k, v)| (k, v)));
        command
    }

    fn search_path(&self) -> std::ffi::OsString {
        let system = std::env::var_os("PATH").unwrap_or_default();
        let all = self.path_first.iter().cloned().chain(std::env::split_paths(&system));
        std::env::join_paths(all).expect("no colon in the private folders")
    }

    /// Processes that were started in this world and still live.
    pub fn processes(&self) -> Vec<i32> {
        marked_processes(self.path())
    }
}

impl Default for TestEnv {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for TestEnv {
    fn drop(&mut self) {
        end_marked(self.path());
    }
}

/// Ends what a killed test run left behind: worlds whose lock nobody holds.
fn sweep_dead_worlds() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        for entry in fs::read_dir(BASE).into_iter().flatten().flatten() {
            let path = entry.path();
            if !entry.file_name().to_string_lossy().starts_with(PREFIX) {
                continue;
            }
            let dead = File::open(path.join("lock")).is_ok_and(|lock| lock.try_lock().is_ok());
            if dead {
                end_marked(&path);
                // Another sweep may have been quicker.
                let _ = fs::remove_dir_all(&path);
            }
        }
    });
}

fn marked_processes(world: &Path) -> Vec<i32> {
    let mark = format!("{MARK}={}", world.display());
    let own = std::process::id().cast_signed();
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|s| s.parse::<i32>().ok()) else {
            continue;
        };
        let environ = fs::read(entry.path().join("environ")).unwrap_or_default();
        if pid != own && environ.split(|b| *b == 0).any(|var| var == mark.as_bytes()) {
            found.push(pid);
        }
    }
    found
}

fn end_marked(world: &Path) {
    // Processes may start others while they are looked up.
    for _ in 0..20 {
        let alive = marked_processes(world);
        if alive.is_empty() {
            return;
        }
        for pid in alive.into_iter().filter_map(Pid::from_raw) {
            // It may have ended by itself.
            let _ = kill_process(pid, Signal::KILL);
        }
    }
}
