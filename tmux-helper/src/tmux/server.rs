//! One tmux server: which one is meant, and running commands in it.

use super::batch::{Batch, Replies};
use super::version::Version;
use crate::cli::ServerArgs;
use crate::shortage::is_shortage;
use crate::{Error, child};
use rustix::process::geteuid;
use std::ffi::OsStr;
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tmux_interface::{DisplayMessage, SourceFile, Tmux, TmuxCommand};

/// How long tmux may take for one run. Far above what it needs on a busy machine; a server that
/// takes longer hangs.
const LIMIT: Duration = Duration::from_secs(5);

/// A tmux server, by the path of its socket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    socket: PathBuf,
    limit: Duration,
    /// How commands get in; known once the version is.
    feed: Feed,
    no_start: bool,
}

/// How a batch is given to tmux.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Feed {
    Stdin,
    /// tmux 3.0 has no `source-file -`: through a file in this folder.
    File(PathBuf),
}

/// One life of a server. Ids of panes and windows mean nothing in another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// Process of the server.
    pub pid: i64,
    /// When it was started, seconds since the epoch.
    pub start_time: i64,
    /// Version of the server; the client's may be newer.
    pub version: Version,
}

/// Why tmux did not do what it was asked for.
#[derive(Debug, thiserror::Error)]
pub enum TmuxError {
    /// There is no `tmux` on the path.
    #[error("tmux is not installed, or not in PATH")]
    NotInstalled,
    /// Nothing listens on the socket.
    #[error("no tmux server is running on {}", .0.display())]
    NoServer(PathBuf),
    /// Another server listens on the socket than before.
    #[error("another tmux server was started on {}", .0.display())]
    Replaced(PathBuf),
    /// The server did not answer in time.
    #[error("the tmux server on {} did not answer within {} s", .0.display(), .1.as_secs_f64())]
    TimedOut(PathBuf, Duration),
    /// tmux refused, in its own words.
    #[error("tmux: {0}")]
    Refused(String),
    /// The processes that run in the panes could not be read.
    #[error("the processes of the panes cannot be read")]
    NoProcesses,
    /// tmux could not be run, or its answer could not be read.
    #[error("cannot talk to tmux: {0}")]
    Io(#[from] io::Error),
}

impl TmuxError {
    /// Whether the life of the server that was talked to is over.
    pub fn is_end(&self) -> bool {
        matches!(self, Self::NoServer(_) | Self::Replaced(_))
    }
}

impl From<TmuxError> for Error {
    fn from(error: TmuxError) -> Self {
        let text = error.to_string();
        match error {
            TmuxError::NotInstalled => {
                Self::no_server(text).remedy("Install tmux 3.2 or newer, or put it into PATH.")
            }
            TmuxError::NoServer(_) => Self::no_server(text)
                .remedy("Start tmux first, or name its socket with -L NAME or -S PATH."),
            TmuxError::Replaced(_) => Self::failed(text).remedy("Try again."),
            TmuxError::TimedOut(..)
            | TmuxError::Refused(_)
            | TmuxError::NoProcesses
            | TmuxError::Io(_) => Self::failed(text),
        }
    }
}

impl Server {
    /// The server on this socket.
    pub fn at(socket: impl Into<PathBuf>) -> Self {
        Self { socket: socket.into(), limit: LIMIT, feed: Feed::Stdin, no_start: false }
    }

    /// The server that the arguments mean, exactly as tmux itself understands them: `-S PATH`,
    /// `-L NAME`, else `$TMUX`, else the default one. It need not run.
    pub fn resolve(args: &ServerArgs) -> Self {
        Self::at(socket_path(args, |name| std::env::var_os(name)))
    }

    /// Path of the socket.
    pub fn socket(&self) -> &Path {
        &self.socket
    }

    /// The path as text, for output.
    pub fn name(&self) -> String {
        self.socket.to_string_lossy().into_owned()
    }

    /// The same server with another time limit for each run of tmux.
    #[must_use]
    pub fn with_limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// The same server, talked to as its version wants it; `scratch` is a folder of the user's
    /// own for the command files that tmux 3.0 needs.
    #[must_use]
    pub fn for_version(mut self, version: Version, scratch: &Path) -> Self {
        self.feed =
            if version.reads_stdin() { Feed::Stdin } else { Feed::File(scratch.to_owned()) };
        self.no_start = version.has_no_start();
        self
    }

    /// Whether anything listens on the socket, as far as can be known. Costs no process.
    pub fn listens(&self) -> bool {
        UnixStream::connect(&self.socket).map_or_else(|error| is_shortage(&error), |_| true)
    }

    /// Which life of the server this is, and its version.
    pub fn identity(&self) -> Result<Identity, TmuxError> {
        if !self.listens() {
            return Err(TmuxError::NoServer(self.socket.clone()));
        }
        let said = self.exec(Identity::question(), b"", self.limit)?;
        let text = String::from_utf8_lossy(&said.stdout);
        Identity::read(&text).ok_or_else(|| {
            if gone(&said.stderr) {
                TmuxError::NoServer(self.socket.clone())
            } else {
                TmuxError::Refused(reason(&said.stderr, &text))
            }
        })
    }

    /// Runs a batch. Commands that fail are no error: their answers are empty. An error means
    /// that nothing is known, so that the caller must keep what it knew.
    pub fn run(&self, batch: &Batch) -> Result<Replies, TmuxError> {
        if batch.is_empty() {
            return Ok(Replies::default());
        }
        let script = batch.script();
        let said = match &self.feed {
            Feed::Stdin => {
                self.exec(SourceFile::new().path("-").build(), script.as_bytes(), self.limit)?
            }
            Feed::File(folder) => {
                let file = CommandFile::write(folder, &script)?;
                let path = file.0.to_string_lossy();
                self.exec(SourceFile::new().path(path).build(), b"", self.limit)?
            }
        };
        let replies = batch.replies(&said.stdout);
        let failed = !said.status.success() && (!batch.asks() || said.stdout.is_empty());
        if replies.is_complete() && !(failed && gone(&said.stderr)) {
            return Ok(replies);
        }
        if gone(&said.stderr) {
            return Err(TmuxError::NoServer(self.socket.clone()));
        }
        Err(TmuxError::Refused(reason(&said.stderr, "it broke off in the middle")))
    }

    fn exec(
        &self,
        command: TmuxCommand<'_>,
        input: &[u8],
        limit: Duration,
    ) -> Result<child::Said, TmuxError> {
        let socket = self.socket.to_string_lossy();
        // `-u`: without it a daemon that was started in the C locale gets `_` for every letter
        // beyond ASCII (tmux 3.3a).
        let mut tmux = Tmux::new().force_utf8().socket_path(socket).add_command(command);
        if self.no_start {
            tmux = tmux.no_start();
        }
        let mut command = tmux.into_command();
        // The commands name their panes; what the caller's pane is must not matter.
        command.env_remove("TMUX").env_remove("TMUX_PANE");
        child::run(command, input, limit).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => TmuxError::NotInstalled,
            io::ErrorKind::TimedOut => TmuxError::TimedOut(self.socket.clone(), limit),
            _ => TmuxError::Io(error),
        })
    }
}

impl Identity {
    /// The question for it.
    pub(crate) fn question() -> TmuxCommand<'static> {
        DisplayMessage::new().print().message("#{pid} #{start_time} #{version}").build()
    }

    /// Reads the answer.
    pub(crate) fn read(answer: &str) -> Option<Self> {
        let mut words = answer.split_whitespace();
        Some(Self {
            pid: words.next()?.parse().ok()?,
            start_time: words.next()?.parse().ok()?,
            version: words.next()?.parse().ok()?,
        })
    }
}

/// A file of commands that is gone when it is no longer needed.
struct CommandFile(PathBuf);

impl CommandFile {
    fn write(folder: &Path, script: &str) -> io::Result<Self> {
        let path = folder.join(format!("batch-{}.conf", std::process::id()));
        let _ = std::fs::remove_file(&path);
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
        let guard = Self(path);
        file.write_all(script.as_bytes())?;
        Ok(guard)
    }
}

impl Drop for CommandFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Whether tmux's words mean that there is no server (any more).
fn gone(stderr: &[u8]) -> bool {
    let text = String::from_utf8_lossy(stderr);
    ["no server running on", "error connecting to", "server exited", "lost server"]
        .iter()
        .any(|words| text.contains(words))
}

/// tmux's own words, one line.
fn reason(stderr: &[u8], otherwise: &str) -> String {
    let text = String::from_utf8_lossy(stderr);
    let line = madohub_detect::text::first_line(&text);
    crate::output::clean(line.unwrap_or_else(|| otherwise.trim()))
}

fn socket_path(args: &ServerArgs, var: impl Fn(&str) -> Option<std::ffi::OsString>) -> PathBuf {
    if let Some(path) = &args.socket_path {
        return std::path::absolute(path).unwrap_or_else(|_| path.clone());
    }
    let named = |name: &OsStr| {
        let base = var("TMUX_TMPDIR").filter(|dir| !dir.is_empty());
        let base = base.map_or_else(|| PathBuf::from("/tmp"), PathBuf::from);
        // tmux itself resolves links here (`/tmp` is one on macOS).
        let base = std::fs::canonicalize(&base).unwrap_or(base);
        base.join(format!("tmux-{}", geteuid().as_raw())).join(name)
    };
    if let Some(name) = &args.socket_name {
        return named(OsStr::new(name));
    }
    // `socket,pid,session`; the path itself may hold a comma.
    let inside = var("TMUX").and_then(|value| {
        let text = value.into_string().ok()?;
        let mut parts = text.rsplitn(3, ',');
        let (_session, _pid) = (parts.next()?, parts.next()?);
        parts.next().filter(|path| path.starts_with('/')).map(PathBuf::from)
    });
    inside.unwrap_or_else(|| named(OsStr::new("default")))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::ffi::OsString;

    fn path(name: Option<&str>, file: Option<&str>, vars: &[(&str, &str)]) -> PathBuf {
        let args = ServerArgs {
            socket_name: name.map(str::to_owned),
            socket_path: file.map(PathBuf::from),
        };
        socket_path(&args, |wanted| {
            vars.iter().find(|(name, _)| *name == wanted).map(|(_, value)| OsString::from(value))
        })
    }

    #[test]
    fn finds_the_socket_as_tmux_does() {
        let uid = geteuid().as_raw();
        let inside = ("TMUX", "/run/a,b/work,4711,0");
        let folder = ("TMUX_TMPDIR", "/nowhere/else");
        assert_eq!(path(None, Some("/x/y"), &[inside]), PathBuf::from("/x/y"));
        assert_eq!(
            path(Some("w"), None, &[inside, folder]),
            PathBuf::from(format!("/nowhere/else/tmux-{uid}/w"))
        );
        assert_eq!(path(None, None, &[inside, folder]), PathBuf::from("/run/a,b/work"));
        for vars in [&[folder][..], &[folder, ("TMUX", "rubbish")], &[folder, ("TMUX", "")]] {
            let default = PathBuf::from(format!("/nowhere/else/tmux-{uid}/default"));
            assert_eq!(path(None, None, vars), default);
        }
    }

    #[test]
    fn a_socket_that_nobody_listens_on_is_no_server() {
        let folder = tempfile::tempdir().unwrap();
        let server = Server::at(folder.path().join("none"));
        assert!(matches!(server.identity(), Err(TmuxError::NoServer(_))));
    }
}
