//! Asking the daemon of a tmux server.

use crate::Error;
use crate::config::Paths;
use crate::daemon::{Files, Lock};
use crate::events::Line;
use crate::output::ListedPane;
use crate::protocol::{
    ANSWER_MAX, Answer, Ask, Body, Hello, PaneHistory, Request, RouteAnswer, RouteAsk, SendAsk,
    VERSION,
};
use crate::tmux::Server;
use madohub_detect::TurnEnd;
use madohub_detect::delivery::Outcome;
use rustix::process::geteuid;
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long the daemon may take; it answers from memory.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long it may take to put everything back.
const STOP_PATIENCE: Duration = Duration::from_secs(20);

/// How long a daemon that was killed may take to be gone.
const DEATH: Duration = Duration::from_secs(1);

/// The daemon of one tmux server, whether it lives or not.
#[derive(Debug, Clone)]
pub struct Client {
    socket: PathBuf,
    lock: PathBuf,
}

/// Events as they come.
#[derive(Debug)]
pub struct Events(BufReader<UnixStream>);

impl Client {
    /// The daemon of this server.
    pub fn of(server: &Server, paths: &Paths) -> Self {
        let Files { socket, lock, .. } = Files::of(server, paths);
        Self { socket, lock }
    }

    /// The daemons of all tmux servers of this user, dead ones too, in no order.
    pub fn all(paths: &Paths) -> Vec<Self> {
        let entries = fs::read_dir(&paths.runtime_dir).into_iter().flatten().flatten();
        let socket = |entry: fs::DirEntry| {
            let path = entry.path();
            let name = entry.file_name();
            let is_ours = name.to_str().is_some_and(|n| n.starts_with("tmux-"))
                && path.extension().is_some_and(|ending| ending == "sock");
            is_ours.then_some(path)
        };
        let sockets = entries.filter_map(socket);
        sockets.map(|socket| Self { lock: socket.with_extension("lock"), socket }).collect()
    }

    /// Path of the daemon's socket.
    pub fn socket(&self) -> &Path {
        &self.socket
    }

    /// Who the daemon is; nothing when there is none.
    pub fn hello(&self) -> Result<Option<Hello>, Error> {
        match self.ask(Ask::Hello)? {
            None => Ok(None),
            Some(Body::Hello(hello)) => Ok(Some(*hello)),
            Some(other) => Err(unexpected(&other)),
        }
    }

    /// The panes with an agent, sorted by need; nothing when there is no daemon.
    pub fn list(&self) -> Result<Option<Vec<ListedPane>>, Error> {
        match self.ask(Ask::List)? {
            None => Ok(None),
            Some(Body::List(rows)) => Ok(Some(rows)),
            Some(other) => Err(unexpected(&other)),
        }
    }

    /// The panes with an agent and their last events, sorted by need; nothing when there is no
    /// daemon.
    pub fn history(&self) -> Result<Option<Vec<PaneHistory>>, Error> {
        match self.ask(Ask::History)? {
            None => Ok(None),
            Some(Body::History(panes)) => Ok(Some(panes)),
            Some(other) => Err(unexpected(&other)),
        }
    }

    /// How the last turn of each pane ended; nothing when there is no daemon.
    pub fn ends(&self) -> Result<Option<BTreeMap<String, TurnEnd>>, Error> {
        match self.ask(Ask::Ends)? {
            None => Ok(None),
            Some(Body::Ends(ends)) => Ok(Some(ends)),
            Some(other) => Err(unexpected(&other)),
        }
    }

    /// Asks about routes; nothing when there is no daemon.
    pub fn route(&self, ask: RouteAsk) -> Result<Option<RouteAnswer>, Error> {
        match self.ask(Ask::Route(ask))? {
            None => Ok(None),
            Some(Body::Route(answer)) => Ok(Some(answer)),
            Some(other) => Err(unexpected(&other)),
        }
    }

    /// Delivers a text, and waits for how that ended for as long as it takes; nothing when there is
    /// no daemon.
    pub fn send(&self, ask: SendAsk) -> Result<Option<Outcome>, Error> {
        let Some(stream) = self.connect()? else { return Ok(None) };
        let mut reader = match send(stream, Ask::Send(ask), PATIENCE) {
            Ok(reader) => reader,
            Err(error) => return self.cut_off(&error).map(|()| None),
        };
        reader.get_ref().set_read_timeout(None).map_err(|error| self.broken(&error))?;
        match self.answer(&mut reader)? {
            Some(Body::Sent(outcome)) => Ok(Some(outcome)),
            Some(other) => Err(unexpected(&other)),
            None => Err(Error::no_server(
                "the daemon ended; whether the text was delivered is not known",
            )),
        }
    }

    /// Has the daemon put everything back and end; nothing when there is none, else what could
    /// not be put back.
    pub fn stop(&self) -> Result<Option<Option<String>>, Error> {
        match self.ask(Ask::Stop)? {
            None => Ok(None),
            Some(Body::Stopped(left)) => Ok(Some(left)),
            Some(other) => Err(unexpected(&other)),
        }
    }

    /// Events from now on, or from after the one with the number `since`; nothing when there is no
    /// daemon.
    pub fn watch(&self, since: Option<u64>) -> Result<Option<Events>, Error> {
        let Some(stream) = self.connect()? else { return Ok(None) };
        let mut reader = match send(stream, Ask::Watch { since }, PATIENCE) {
            Ok(reader) => reader,
            Err(error) => return self.cut_off(&error).map(|()| None),
        };
        match self.answer(&mut reader)? {
            None => Ok(None),
            Some(Body::Watching(_)) => {
                reader.get_ref().set_read_timeout(None).map_err(|error| self.broken(&error))?;
                Ok(Some(Events(reader)))
            }
            Some(other) => Err(unexpected(&other)),
        }
    }

    fn ask(&self, ask: Ask) -> Result<Option<Body>, Error> {
        let Some(stream) = self.connect()? else { return Ok(None) };
        let patience = if ask == Ask::Stop { STOP_PATIENCE } else { PATIENCE };
        match send(stream, ask, patience) {
            Ok(mut reader) => self.answer(&mut reader),
            Err(error) => self.cut_off(&error).map(|()| None),
        }
    }

    /// The daemon hung up. One that is killed takes its connections along a moment before it is
    /// gone: that is no daemon. One that lives on is in trouble.
    fn cut_off(&self, error: &io::Error) -> Result<(), Error> {
        let hung_up = matches!(
            error.kind(),
            io::ErrorKind::ConnectionReset
                | io::ErrorKind::BrokenPipe
                | io::ErrorKind::UnexpectedEof
        );
        let deadline = Instant::now() + DEATH;
        while hung_up && Instant::now() < deadline {
            if !Lock::is_held(&self.lock) {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Err(self.broken(error))
    }

    /// Connects, if a socket of this user is there and somebody listens on it.
    fn connect(&self) -> Result<Option<UnixStream>, Error> {
        let meta = match fs::symlink_metadata(&self.socket) {
            Ok(meta) => meta,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::file("cannot look at", &self.socket, &error)),
        };
        if !meta.file_type().is_socket() || meta.uid() != geteuid().as_raw() {
            return Err(Error::refused(format!("{} is no socket of yours", self.socket.display()))
                .remedy("Remove it, or set XDG_RUNTIME_DIR to a folder of your own (mode 0700)."));
        }
        match UnixStream::connect(&self.socket) {
            Ok(stream) => Ok(Some(stream)),
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::ConnectionRefused | io::ErrorKind::NotFound
                ) =>
            {
                Ok(None)
            }
            Err(error) => Err(self.broken(&error)),
        }
    }

    fn answer(&self, reader: &mut BufReader<UnixStream>) -> Result<Option<Body>, Error> {
        let mut line = String::new();
        let read = reader.by_ref().take(ANSWER_MAX).read_line(&mut line);
        let cut = || io::Error::from(io::ErrorKind::UnexpectedEof);
        let whole = read.and_then(|_| line.strip_suffix('\n').map(drop).ok_or_else(cut));
        if let Err(error) = whole {
            return self.cut_off(&error).map(|()| None);
        }
        let answer: Answer = serde_json::from_str(&line).map_err(|error| {
            Error::failed(format!("the daemon's answer cannot be read: {error}")).remedy(RESTART)
        })?;
        match answer.body {
            Body::Error(text) => {
                Err(Error::failed(format!("the daemon says: {text}")).remedy(RESTART))
            }
            body => Ok(Some(body)),
        }
    }

    fn broken(&self, error: &io::Error) -> Error {
        let socket = self.socket.display();
        let what = match error.kind() {
            // A read that waits too long ends with the former on Linux, with the latter elsewhere.
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
                format!("the daemon on {socket} did not answer in time")
            }
            _ => format!("cannot talk to the daemon on {socket}: {error}"),
        };
        Error::failed(what).remedy(RESTART)
    }
}

/// Asks, and makes ready to read the answer.
fn send(stream: UnixStream, ask: Ask, patience: Duration) -> io::Result<BufReader<UnixStream>> {
    let mut line = serde_json::to_vec(&Request { v: VERSION, ask })?;
    line.push(b'\n');
    stream.set_read_timeout(Some(patience))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    (&stream).write_all(&line)?;
    Ok(BufReader::new(stream))
}

/// What helps against a daemon of another version, or one that hangs.
const RESTART: &str = "Run `madohub tmux restart`.";

fn unexpected(body: &Body) -> Error {
    Error::failed(format!("the daemon answered something else: {body:?}")).remedy(RESTART)
}

impl Iterator for Events {
    /// The line as it came, and what it says.
    type Item = Result<(String, Line), Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut line = String::new();
        match self.0.by_ref().take(ANSWER_MAX).read_line(&mut line) {
            Ok(0) => None,
            Ok(_) => {
                let line = line.trim_end().to_owned();
                Some(match serde_json::from_str(&line) {
                    Ok(said) => Ok((line, said)),
                    Err(error) => Err(Error::failed(format!(
                        "an event of the daemon cannot be read: {error}"
                    ))
                    .remedy(RESTART)),
                })
            }
            Err(error) => Some(Err(Error::failed(format!("the daemon went silent: {error}")))),
        }
    }
}
