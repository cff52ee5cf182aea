//! The daemon's socket.

use super::hub::Hub;
use super::sends::Waiting;
use crate::Error;
use crate::protocol::{
    Answer, Ask, Body, REQUEST_MAX, Request, RouteAnswer, RouteAsk, SendAsk, VERSION,
};
use rustix::process::{Resource, geteuid, getrlimit};
use std::fs::{self, Permissions};
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::Shutdown;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

/// Connections at a time; a request beyond is turned away.
const CONNECTIONS_MAX: usize = 64;
/// Descriptors that connections leave alone: for runs of tmux, files, file events and programs. A
/// daemon that cannot open `/proc` would take every agent for gone.
const DESCRIPTORS_ELSE: u64 = 40;
/// How long a client may take to ask, and to read what it asked for.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long `stop` may take to put everything back.
const STOP_PATIENCE: Duration = Duration::from_secs(15);
/// How often it is looked whether a client that waits is still there.
const HANGUP_TICK: Duration = Duration::from_millis(250);
/// The threads only copy lines.
const STACK: usize = 256 * 1024;

/// A wish of a client, or of the system, to the daemon's loop.
#[derive(Debug)]
pub(super) enum Wish {
    /// Put everything back and end.
    Stop {
        /// Gets what could not be put back.
        outcome: Sender<Option<String>>,
        /// Ends when whoever asked was told; until then the process must live.
        told: Receiver<()>,
    },
    /// About routes.
    Route {
        /// What is asked.
        ask: RouteAsk,
        /// Gets the answer.
        answer: Sender<RouteAnswer>,
    },
    /// Deliver a text.
    Send {
        /// What and where.
        ask: SendAsk,
        /// Who waits for it.
        waiting: Waiting,
    },
}

/// Connections at a time under the limit of this process; each may take two descriptors.
fn most_connections() -> usize {
    let limit = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    let left = limit.saturating_sub(DESCRIPTORS_ELSE) / 2;
    usize::try_from(left).unwrap_or(CONNECTIONS_MAX).clamp(1, CONNECTIONS_MAX)
}

/// Listens on `path` until the process ends. Call only while holding the lock: what is there is
/// of a daemon that died.
pub(super) fn listen(path: &Path, hub: &Arc<Hub>, wishes: &Sender<Wish>) -> Result<(), Error> {
    let failed = |error: &io::Error| Error::file("cannot listen on", path, error);
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(&error)),
        _ => {}
    }
    let listener = UnixListener::bind(path).map_err(|error| failed(&error))?;
    fs::set_permissions(path, Permissions::from_mode(0o600)).map_err(|error| failed(&error))?;
    let (open, most) = (Arc::new(AtomicUsize::new(0)), most_connections());
    let (hub, wishes) = (Arc::clone(hub), wishes.clone());
    thread::Builder::new()
        .name("listen".to_owned())
        .stack_size(STACK)
        .spawn(move || {
            for stream in listener.incoming() {
                let Ok(stream) = stream else {
                    // Out of file descriptors, most likely; do not spin.
                    thread::sleep(Duration::from_millis(100));
                    continue;
                };
                if is_own(&stream) && open.load(Ordering::Relaxed) < most {
                    welcome(stream, &hub, &wishes, &open);
                }
            }
        })
        .map(drop)
        .map_err(|error| failed(&error))
}

fn welcome(stream: UnixStream, hub: &Arc<Hub>, wishes: &Sender<Wish>, open: &Arc<AtomicUsize>) {
    let (hub, wishes, open) = (Arc::clone(hub), wishes.clone(), Arc::clone(open));
    open.fetch_add(1, Ordering::Relaxed);
    let counter = Counted(open);
    let spawned =
        thread::Builder::new().name("client".to_owned()).stack_size(STACK).spawn(move || {
            let _counter = counter;
            if let Err(error) = attend(stream, &hub, &wishes) {
                tracing::debug!(%error, "a client left");
            }
        });
    if let Err(error) = spawned {
        tracing::warn!(%error, "cannot attend to a client");
    }
}

/// Counts a connection for as long as it lives.
struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Whether the other end is this user. The socket's mode says so already; a folder that somebody
/// opened does not change it.
#[cfg(target_os = "linux")]
fn is_own(stream: &UnixStream) -> bool {
    rustix::net::sockopt::socket_peercred(stream).is_ok_and(|peer| peer.uid == geteuid())
}

#[cfg(not(target_os = "linux"))]
fn is_own(_stream: &UnixStream) -> bool {
    let _ = geteuid;
    true
}

fn attend(stream: UnixStream, hub: &Hub, wishes: &Sender<Wish>) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut line = String::new();
    BufReader::new(&stream).take(REQUEST_MAX).read_line(&mut line)?;
    let request = match serde_json::from_str::<Request>(&line) {
        Ok(request) if request.v == VERSION => request,
        Ok(request) => {
            let text = format!("this daemon speaks version {VERSION}, not {}", request.v);
            return say(&stream, Body::Error(text));
        }
        Err(error) => return say(&stream, Body::Error(format!("no request: {error}"))),
    };
    match request.ask {
        Ask::Hello => say(&stream, Body::Hello(Box::new(hub.picture().hello.clone()))),
        Ask::List => say(&stream, Body::List(hub.picture().rows.as_ref().clone())),
        Ask::History => say(&stream, Body::History(hub.history())),
        Ask::Ends => say(&stream, Body::Ends(hub.picture().ends.as_ref().clone())),
        Ask::Watch { since } => watch(stream, hub, since),
        Ask::Route(ask) => {
            let (sender, answer) = channel();
            let sent = wishes.send(Wish::Route { ask, answer: sender }).is_ok();
            match answer.recv_timeout(STOP_PATIENCE) {
                Ok(answer) if sent => say(&stream, Body::Route(answer)),
                _ => say(&stream, Body::Error("the daemon did not answer in time".to_owned())),
            }
        }
        Ask::Send(ask) => send(&stream, wishes, ask),
        Ask::Stop => {
            let (sender, outcome) = channel();
            // Dropped when the answer is written.
            let (_telling, told) = channel();
            let sent = wishes.send(Wish::Stop { outcome: sender, told }).is_ok();
            let left = if sent {
                outcome
                    .recv_timeout(STOP_PATIENCE)
                    .unwrap_or_else(|_| Some("the daemon did not answer in time".to_owned()))
            } else {
                Some("the daemon is ending already".to_owned())
            };
            say(&stream, Body::Stopped(left))
        }
    }
}

fn send(stream: &UnixStream, wishes: &Sender<Wish>, ask: SendAsk) -> io::Result<()> {
    let (sender, outcome) = channel();
    let is_gone = Arc::new(AtomicBool::new(false));
    let waiting = Waiting { outcome: sender, is_gone: Arc::clone(&is_gone) };
    let ending = || say(stream, Body::Error("the daemon is ending".to_owned()));
    if wishes.send(Wish::Send { ask, waiting }).is_err() {
        return ending();
    }
    loop {
        match outcome.recv_timeout(HANGUP_TICK) {
            Ok(outcome) => return say(stream, Body::Sent(outcome)),
            Err(RecvTimeoutError::Disconnected) => return ending(),
            Err(RecvTimeoutError::Timeout) if has_hung_up(stream) => {
                is_gone.store(true, Ordering::Relaxed);
                return Ok(());
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

/// Whether the client is gone; it has nothing more to say.
fn has_hung_up(mut stream: &UnixStream) -> bool {
    let _ = stream.set_nonblocking(true);
    let hung_up = match stream.read(&mut [0; 64]) {
        Ok(read) => read == 0,
        Err(error) => error.kind() != io::ErrorKind::WouldBlock,
    };
    let _ = stream.set_nonblocking(false);
    hung_up
}

fn watch(stream: UnixStream, hub: &Hub, since: Option<u64>) -> io::Result<()> {
    let Some(_watcher) = hub.watcher() else {
        return say(&stream, Body::Error("too many programs listen to events".to_owned()));
    };
    let cursor = since.unwrap_or_else(|| hub.ring().last());
    say(&stream, Body::Watching(cursor))?;
    let mut ear = stream.try_clone()?;
    ear.set_read_timeout(None)?;
    // Who is stopped for a while goes on later, and is told what it missed.
    stream.set_write_timeout(None)?;
    let is_over = AtomicBool::new(false);
    // The events end when the client hangs up, so that nobody waits for an event to find out.
    thread::scope(|scope| {
        let mouth = || tell(stream, hub, cursor, &is_over);
        thread::Builder::new()
            .name("watch".to_owned())
            .stack_size(STACK)
            .spawn_scoped(scope, mouth)?;
        let mut ignored = [0; 64];
        while matches!(ear.read(&mut ignored), Ok(n) if n > 0) {}
        is_over.store(true, Ordering::Relaxed);
        hub.wake();
        let _ = ear.shutdown(Shutdown::Both);
        Ok(())
    })
}

fn tell(mut stream: UnixStream, hub: &Hub, mut cursor: u64, is_over: &AtomicBool) {
    while let Some(batch) = hub.next(cursor, is_over) {
        let told = batch.lines.iter().try_for_each(|line| stream.write_all(line.as_bytes()));
        if told.is_err() {
            break;
        }
        cursor = batch.cursor;
    }
    let _ = stream.shutdown(Shutdown::Both);
}

fn say(mut stream: &UnixStream, body: Body) -> io::Result<()> {
    let mut line = serde_json::to_vec(&Answer::new(body))?;
    line.push(b'\n');
    stream.write_all(&line)
}
