//! Drives a real tmux server on a private socket.

use crate::env::TestEnv;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

/// An executable tmux and its version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TmuxProgram {
    /// The executable.
    pub path: PathBuf,
    /// Version as it prints it, `3.3a`.
    pub version: String,
}

impl TmuxProgram {
    /// The tmux of the system.
    pub fn system() -> Self {
        Self::at(Path::new("tmux"))
    }

    /// The tmux at `path`.
    pub fn at(path: &Path) -> Self {
        let output = Command::new(path).arg("-V").output();
        let output = output.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let said = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        let version = said.strip_prefix("tmux ").unwrap_or_else(|| panic!("no version: {said}"));
        Self { path: path.to_owned(), version: version.to_owned() }
    }

    /// Major and minor number; what does not parse counts as newest.
    pub fn number(&self) -> (u32, u32) {
        let digits = |s: &str| s.chars().take_while(char::is_ascii_digit).collect::<String>();
        let number = self.version.trim_start_matches(|c: char| !c.is_ascii_digit());
        let mut parts = number.split('.').map(|part| digits(part).parse().unwrap_or(u32::MAX));
        (parts.next().unwrap_or(u32::MAX), parts.next().unwrap_or(0))
    }
}

/// A tmux server on a private socket. It ends with its world.
#[derive(Debug, Clone)]
pub struct Tmux {
    /// The world that it lives in.
    pub env: Arc<TestEnv>,
    /// The executable.
    pub program: TmuxProgram,
    /// Socket name, as in `tmux -L`.
    pub socket: String,
}

impl Tmux {
    /// A server that is not started yet.
    pub fn new(env: &Arc<TestEnv>, program: &TmuxProgram, socket: &str) -> Self {
        Self { env: Arc::clone(env), program: program.clone(), socket: socket.to_owned() }
    }

    /// A tmux command for this server, not run yet.
    pub fn command(&self) -> Command {
        let mut command = self.env.command(&self.program.path);
        command.args(["-u", "-L", &self.socket, "-f", "/dev/null"]);
        command.stdin(Stdio::null());
        command
    }

    /// Runs a tmux command whatever comes of it.
    pub fn try_run(&self, args: &[&str]) -> Output {
        self.command().args(args).output().expect("tmux runs")
    }

    /// Runs a tmux command that must succeed; the answer is its output without the last line end.
    #[track_caller]
    pub fn run(&self, args: &[&str]) -> String {
        let output = self.try_run(args);
        assert!(
            output.status.success(),
            "tmux {args:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        let text = String::from_utf8_lossy(&output.stdout);
        text.strip_suffix('\n').unwrap_or(&text).to_owned()
    }

    /// A format's value for a target (`%3`, `@1`, a session).
    #[track_caller]
    pub fn get(&self, target: &str, format: &str) -> String {
        self.run(&["display-message", "-p", "-t", target, format])
    }

    /// Visible rows of a pane as text.
    #[track_caller]
    pub fn capture(&self, pane: &str) -> String {
        self.run(&["capture-pane", "-p", "-t", pane])
    }

    /// Path of the server's socket.
    pub fn socket_path(&self) -> PathBuf {
        PathBuf::from(self.run(&["display-message", "-p", "#{socket_path}"]))
    }

    /// Process id of the server.
    pub fn pid(&self) -> i32 {
        self.run(&["display-message", "-p", "#{pid}"]).parse().expect("a process id")
    }

    /// Ends the server.
    pub fn kill_server(&self) {
        let _ = self.try_run(&["kill-server"]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_ordered() {
        let number = |version: &str| {
            TmuxProgram { path: PathBuf::new(), version: version.to_owned() }.number()
        };
        assert_eq!(number("3.3a"), (3, 3));
        assert_eq!(number("next-3.9"), (3, 9));
        assert!(number("3.1c") < number("3.2"));
        assert!(number("openbsd-master") > number("3.8"));
    }
}
