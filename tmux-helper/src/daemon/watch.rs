//! The daemon's loop.

mod tell;

use super::files::{Files, Lock};
use super::hub::{Hub, Picture};
use super::life::{Life, Report};
use super::log::{self, LogFile};
use super::routing::Routing;
use super::sends::Sends;
use super::serve::{Wish, listen};
use super::store::Stored;
use crate::config::{Config, Paths};
use crate::events::{Entry, Ring, Teller};
use crate::notify::{Notifier, Policy};
use crate::protocol::{Hello, RouteAnswer, Scene};
use crate::tmux::{Identity, Server, Support, TmuxError, restore};
use crate::{Error, Kind, time};
use madohub_detect::RuleSet;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::fs;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// After the server went away the daemon waits for another one on the same socket for so long.
const LINGER: Duration = Duration::from_mins(1);
/// How often it looks for one.
const LINGER_TICK: Duration = Duration::from_millis(500);
/// A server that does not answer is asked again after this, and then ever more seldom.
const RETRY: Duration = Duration::from_millis(500);
const RETRY_MAX: Duration = Duration::from_secs(10);

/// While something is being typed, the pane is looked at this often.
const TYPING_TICK: Duration = Duration::from_millis(60);
/// How often the daemon looks after its own files.
const UPKEEP: Duration = Duration::from_secs(10);
/// How long whoever stopped the daemon may take to hear of it.
const FAREWELL: Duration = Duration::from_secs(2);

/// What a daemon works with.
#[derive(Debug)]
pub struct Setup {
    /// The tmux server.
    pub server: Server,
    /// The settings.
    pub config: Config,
    /// The rules.
    pub rules: Arc<RuleSet>,
    /// What is wrong with the user's rule files.
    pub warnings: Vec<String>,
    /// The user's folders.
    pub paths: Paths,
    /// The daemon's files; their folders exist.
    pub files: Files,
    /// Log to the standard error output instead of the log file.
    pub log_to_terminal: bool,
}

/// Is the daemon until somebody stops it or the server is gone for good. `ready` is called once,
/// after the first look.
pub fn run(setup: Setup, ready: impl FnOnce(&Hello)) -> Result<(), Error> {
    let lock = Lock::await_turn(&setup.files.lock)?;
    if setup.log_to_terminal {
        log::init(std::io::stderr);
    } else {
        let path = &setup.files.log;
        log::init(
            LogFile::open(path)
                .map_err(|error| Error::file("cannot write the log", path, &error))?,
        );
    }
    for warning in &setup.warnings {
        tracing::warn!("{warning}");
    }
    let identity = setup.server.identity()?;
    check(&identity)?;
    let (sender, wishes) = channel();
    heed_signals(&sender)?;
    let mut daemon = Daemon::new(setup, identity, lock)?;
    listen(&daemon.setup.files.socket, &daemon.hub, &sender)?;
    tracing::info!(server = %daemon.setup.server.name(), "watching");
    ready(&daemon.hub.picture().hello);
    daemon.run(&wishes, &sender);
    daemon.hub.close();
    if daemon.lock.is_at(&daemon.setup.files.lock) {
        let _ = fs::remove_file(&daemon.setup.files.socket);
    }
    tracing::info!("ended");
    Ok(())
}

/// Whether we can do anything for a server of this version.
fn check(identity: &Identity) -> Result<(), Error> {
    if identity.version.support() == Support::TooOld {
        return Err(Error::failed(format!("tmux {} is too old", identity.version))
            .remedy("MadoHub needs tmux 3.2 or newer; 3.0 and 3.1 show labels only."));
    }
    Ok(())
}

/// `kill`, the terminal's end and Ctrl-C put everything back too.
fn heed_signals(wishes: &Sender<Wish>) -> Result<(), Error> {
    let mut signals = Signals::new([SIGTERM, SIGINT, SIGHUP])
        .map_err(|error| Error::failed(format!("cannot heed signals: {error}")))?;
    let wishes = wishes.clone();
    std::thread::Builder::new()
        .name("signals".to_owned())
        .stack_size(128 * 1024)
        .spawn(move || {
            for _ in signals.forever() {
                let (outcome, _) = channel();
                let (_, told) = channel();
                if wishes.send(Wish::Stop { outcome, told }).is_err() {
                    break;
                }
            }
        })
        .map(drop)
        .map_err(|error| Error::new(Kind::Failed, format!("cannot heed signals: {error}")))
}

/// Goes on where a former daemon of the server was; answers what it knew of the panes.
fn resume(
    teller: &mut Teller,
    told: &[Arc<Entry>],
    files: &Files,
    identity: &Identity,
) -> Option<Stored> {
    let stored = Stored::resumed(&files.state, identity, told)?;
    teller.resume(stored.announcer().clone(), stored.seq);
    Some(stored)
}

struct Daemon {
    lock: Lock,
    /// When the daemon's own files were looked at last.
    upkept: Instant,
    setup: Setup,
    hub: Arc<Hub>,
    teller: Teller,
    sends: Sends,
    routing: Routing,
    started: f64,
    looks: u64,
    life: Option<Life>,
    /// Since when there is no server.
    gone: Instant,
    retry: Duration,
    trouble: Option<String>,
    /// What a later daemon must know is not written down, and why.
    unwritten: Option<String>,
    policy: Policy,
    notifier: Notifier,
}

impl Daemon {
    fn new(setup: Setup, identity: Identity, lock: Lock) -> Result<Self, Error> {
        let uname = rustix::system::uname();
        let scene = Scene {
            host: uname.nodename().to_string_lossy().into_owned(),
            server: setup.server.name(),
        };
        let started = time::now();
        let (mut teller, told) = Teller::open(scene, &setup.files.events);
        let server = identity.pid;
        let stored = resume(&mut teller, &told, &setup.files, &identity);
        let life_of = (identity.pid, identity.start_time);
        let mut routing = Routing::open(
            setup.config.routes.clone(),
            (&setup.files.routes, &setup.files.route_log),
            life_of,
            teller.seq(),
            started,
        );
        routing.begin(life_of, started);
        // What was told and not considered before the last daemon ended.
        let is_new = |entry: &&Arc<Entry>| entry.is_of(server) && entry.event().seq > routing.seq();
        let unconsidered: Vec<Arc<Entry>> = told.iter().filter(is_new).cloned().collect();
        let mut life = Life::begin(&setup, identity, stored);
        let report = life.first_look(started)?;
        let hello = Hello {
            pid: std::process::id(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            server: setup.server.name(),
            server_pid: None,
            tmux: None,
            started,
            looked: started,
            panes: 0,
            agents: 0,
            clients: 0,
            looks: 0,
            warnings: Vec::new(),
            trouble: None,
        };
        let hub = Hub::new(Picture { hello, rows: Arc::default(), ends: Arc::default() });
        *hub.ring() = Ring::restored(told, server, teller.seq());
        let notify = &setup.config.notify;
        let policy = Policy::new(notify.settings.clone());
        let notifier = Notifier::start(notify.via, notify.sound);
        let mut daemon = Self {
            lock,
            upkept: Instant::now(),
            setup,
            hub: Arc::new(hub),
            teller,
            sends: Sends::default(),
            routing,
            started,
            looks: 0,
            life: Some(life),
            gone: Instant::now(),
            retry: RETRY,
            trouble: None,
            unwritten: None,
            policy,
            notifier,
        };
        daemon.routing.take(&unconsidered, daemon.life.as_ref(), started);
        daemon.tell(report, started);
        Ok(daemon)
    }

    fn run(&mut self, wishes: &Receiver<Wish>, sender: &Sender<Wish>) {
        loop {
            if self.upkept.elapsed() >= UPKEEP {
                self.upkept = Instant::now();
                self.forget_closed_panes();
                let hub = &self.hub;
                self.teller.write_again(|| hub.ring().kept());
                if self.unwritten.is_some() {
                    self.store();
                    self.show(time::now());
                }
                if let Err(error) = self.keep_files(sender) {
                    tracing::warn!(%error, "another daemon took over");
                    return;
                }
            }
            let Some(pause) = self.step() else {
                tracing::info!("the tmux server is gone");
                return;
            };
            let pause = self.deliver(pause);
            self.notify();
            match wishes.recv_timeout(pause) {
                Ok(Wish::Stop { outcome, told }) => {
                    let _ = outcome.send(self.stop());
                    let _ = told.recv_timeout(FAREWELL);
                    return;
                }
                Ok(Wish::Route { ask, answer }) => {
                    let answered = self.routing.answer(ask, self.life.as_ref(), time::now());
                    let _ = answer.send(answered.unwrap_or_else(RouteAnswer::Refused));
                }
                Ok(Wish::Send { ask, waiting }) => {
                    self.sends.take(&ask, waiting, self.life.as_ref(), time::now());
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    /// Brings on what is to be typed into panes; answers how long to rest.
    fn deliver(&mut self, pause: Duration) -> Duration {
        let Some(life) = &mut self.life else {
            self.sends.end();
            return pause;
        };
        let now = time::now();
        self.routing.advance(life, &self.notifier, self.sends.busy(), now);
        self.sends.advance(life, self.routing.busy(), now);
        let is_typing = !self.sends.busy().is_empty() || !self.routing.busy().is_empty();
        let rests = !is_typing && !self.routing.is_in_haste();
        if rests { pause } else { pause.min(TYPING_TICK) }
    }

    /// Makes the daemon's files anew when they were swept away: without them nobody could reach
    /// it, and a second daemon could be started. Fails when there is one already.
    fn keep_files(&mut self, sender: &Sender<Wish>) -> Result<(), Error> {
        let files = &self.setup.files;
        if self.lock.is_at(&files.lock) && files.socket.exists() {
            return Ok(());
        }
        tracing::info!("the daemon's files were swept away; making them anew");
        if !self.lock.is_at(&files.lock) {
            let made =
                files.create_folders(&self.setup.paths).and_then(|()| Lock::acquire(&files.lock));
            match made {
                Ok(lock) => self.lock = lock,
                Err(error) if error.kind() == Kind::Refused => return Err(error),
                Err(error) => {
                    tracing::warn!(%error, "cannot make the lock");
                    return Ok(());
                }
            }
        }
        if let Err(error) = listen(&files.socket, &self.hub, sender) {
            tracing::warn!(%error, "cannot listen");
        }
        Ok(())
    }

    /// One step; how long to rest after it, or nothing when there is nothing left to do.
    fn step(&mut self) -> Option<Duration> {
        let now = time::now();
        let Some(life) = &mut self.life else { return self.wait_for_server(now) };
        let is_busy = !self.sends.is_empty() || self.routing.is_busy();
        let watched = self.hub.is_watched() || is_busy;
        match life.step(watched, now) {
            Ok((pause, report)) => {
                self.retry = RETRY;
                match report {
                    Some(report) => {
                        self.trouble = None;
                        self.tell(report, now);
                    }
                    // Time alone makes a waiting end an event.
                    None if self.teller.is_waiting() => self.tell(Report::default(), now),
                    None => {}
                }
                Some(pause)
            }
            Err(error) if error.is_end() => {
                tracing::info!("the tmux server ended");
                self.end_life(now);
                Some(LINGER_TICK)
            }
            Err(error) => {
                // Nothing is known, so nothing is forgotten.
                if self.trouble.is_none() {
                    tracing::warn!(%error, "cannot look at tmux");
                }
                self.trouble = Some(error.to_string());
                self.show(now);
                let pause = self.retry;
                self.retry = (self.retry * 2).min(RETRY_MAX);
                Some(pause)
            }
        }
    }

    fn wait_for_server(&mut self, now: f64) -> Option<Duration> {
        let server = &self.setup.server;
        if !server.listens() {
            return (self.gone.elapsed() < LINGER).then_some(LINGER_TICK);
        }
        let begun = server.identity().and_then(|identity| {
            tracing::info!(pid = identity.pid, tmux = %identity.version, "a new tmux server");
            let mut life = Life::begin(&self.setup, identity, None);
            life.first_look(now).map(|report| (life, report))
        });
        match begun {
            Ok((life, report)) if life.support() != Support::TooOld => {
                let identity = life.identity();
                self.routing.begin((identity.pid, identity.start_time), now);
                self.life = Some(life);
                self.teller.begin_anew();
                self.hub.ring().retain_histories(|_| false);
                self.tell(report, now);
                Some(Duration::ZERO)
            }
            Ok(_) => None,
            Err(_) => Some(LINGER_TICK),
        }
    }

    /// The server is gone, and all its panes with it.
    fn end_life(&mut self, now: f64) {
        self.gone = Instant::now();
        if let Some(life) = self.life.take() {
            let report = life.end();
            self.tell(report, now);
        }
    }

    /// Puts everything back; answers what could not be.
    fn stop(&mut self) -> Option<String> {
        self.store();
        match restore(&self.setup.server) {
            Ok(restored) => {
                tracing::info!(panes = restored.panes, windows = restored.windows, "put back");
                None
            }
            // With the server everything is gone that could be put back.
            Err(TmuxError::NoServer(_)) => None,
            Err(error) => {
                tracing::warn!(%error, "cannot put tmux's options back");
                Some(error.to_string())
            }
        }
    }
}
