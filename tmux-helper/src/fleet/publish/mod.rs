//! `madohub fleet publish`: tells the broker of this machine's agents, for as long as it runs.

mod say;

use super::bell::{Bell, Rope};
use super::book::Book;
use super::deliver::Deliveries;
use super::ear::{Ear, Wants};
use super::link::{Message, Opening, Why};
use super::local::{self, Local, Teller};
use super::message::{Presence, VERSION, read_presence};
use super::secret::Secret;
use super::snapshot::{self, Snapshot};
use super::station::{self, Backoff, Flow, Role, Tools};
use super::topic::{Kind, Topics};
use super::wire::Dial;
use crate::config::Fleet;
use crate::daemon::Lock;
use crate::output::clean;
use crate::{Context, Error, Kind as ErrorKind, time};
use say::Said;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

/// Seconds for which goodbyes are waited for.
const FAREWELL: f64 = 3.0;
/// Seconds until a broker that refuses us is asked again.
const REFUSED: f64 = 60.0;
/// Seconds for which the broker keeps what was said of a host's presence last.
const PRESENCE_EXPIRY: u32 = 24 * 3600;
/// Seconds within which the broker tells of another program that speaks for this host, after it has
/// answered that it will.
const PROBE: f64 = 0.3;
/// Seconds between two snapshots at least, and at most.
const SNAPSHOT: (f64, f64) = (0.5, 5.0);

/// Publishes until it is ended by a signal.
pub fn run(fleet: &Fleet, ctx: &Context) -> Result<(), Error> {
    let dial = Dial::new(fleet)?;
    let host = super::host_name(fleet)?;
    let password = super::password(fleet)?;
    ctx.paths().ensure_runtime_dir()?;
    let lock_path = snapshot::lock(ctx.paths());
    let _lock = Lock::await_turn(&lock_path).map_err(|error| match error.kind() {
        ErrorKind::Refused => {
            let who = Lock::holder(&lock_path).map(|pid| format!(" (process {pid})"));
            Error::refused(format!(
                "`madohub fleet publish` runs already{}",
                who.unwrap_or_default()
            ))
        }
        _ => error,
    })?;
    let bell = Bell::new()?;
    let is_ending = Arc::new(AtomicBool::new(false));
    heed_signals(Arc::clone(&is_ending), bell.rope())?;
    let (tell, hear) = channel();
    if fleet.publish.states {
        local::start(fleet.publish.screens, ctx, &Teller::new(tell, bell.rope()))?;
    }
    let mut publisher = Publisher {
        said: Said::new(fleet, &host, instance()),
        deliveries: Deliveries::new(fleet, &host, ctx, bell.rope()),
        ear: ctx
            .config()?
            .segment
            .tells_of_others()
            .then(|| Ear::new(topics(fleet), LISTEN, Some(host.clone()))),
        client_id: format!("{}-{host}", fleet.prefix.replace('/', "-")),
        broker: dial.name(),
        fleet: fleet.clone(),
        host,
        password,
        ctx: ctx.clone(),
        hear,
        is_ready: !fleet.publish.states,
        is_ending,
        ending_until: None,
        standby: fleet.publish.states.then_some(f64::INFINITY),
        asked: None,
        is_connected: false,
        trouble: None,
        last_line: String::new(),
        heartbeat: 0.0,
        snapshot: f64::NEG_INFINITY,
        is_changed: true,
        backoff: Backoff::new(),
        started: time::now(),
    };
    station::run(&dial, &mut publisher, bell);
    Snapshot::remove(ctx.paths());
    Ok(())
}

/// What a publisher listens to for the segment.
const LISTEN: Wants = Wants { panes: true, events: false, screens: false };

fn topics(fleet: &Fleet) -> Topics {
    Topics::below(&fleet.prefix)
}

/// A number that another publisher has not.
fn instance() -> u64 {
    time::now().to_bits() ^ u64::from(std::process::id()).rotate_left(32)
}

fn heed_signals(is_ending: Arc<AtomicBool>, rope: Rope) -> Result<(), Error> {
    let mut signals = Signals::new([SIGTERM, SIGINT, SIGHUP])?;
    let heed = move || {
        for _ in signals.forever() {
            if is_ending.swap(true, Ordering::Relaxed) {
                // Whoever asks twice does not want to wait.
                std::process::exit(1);
            }
            rope.ring();
        }
    };
    thread::Builder::new().name("signals".to_owned()).spawn(heed)?;
    Ok(())
}

struct Publisher {
    fleet: Fleet,
    host: String,
    client_id: String,
    broker: String,
    password: Option<Secret>,
    ctx: Context,
    hear: Receiver<Local>,
    /// What is so on this machine, and what the broker has of it.
    said: Said,
    /// Other hosts, for the segment.
    ear: Option<Ear>,
    /// Texts from other hosts.
    deliveries: Deliveries,
    /// The daemons were asked once.
    is_ready: bool,
    is_ending: Arc<AtomicBool>,
    ending_until: Option<f64>,
    /// It is not known yet that no other program speaks for this host: that is waited for, until this
    /// time. Two that take each other's place would do so for ever.
    standby: Option<f64>,
    asked: Option<u16>,
    is_connected: bool,
    trouble: Option<String>,
    last_line: String,
    heartbeat: f64,
    snapshot: f64,
    is_changed: bool,
    backoff: Backoff,
    started: f64,
}

impl Publisher {
    fn keep_alive(&self) -> f64 {
        self.fleet.keep_alive.as_secs_f64()
    }

    /// Says something once, on the standard error.
    fn tell(&mut self, trouble: Option<String>) {
        let line = match &trouble {
            Some(trouble) => clean(trouble),
            None => format!("connected to {} as {}", self.broker, self.host),
        };
        if self.last_line == line {
            return;
        }
        self.last_line.clone_from(&line);
        // Where stderr is closed, `madohub fleet status` still tells it.
        let _ = writeln!(std::io::stderr().lock(), "madohub: {line}");
        self.trouble = trouble;
        self.is_changed = true;
    }

    fn local(&mut self) {
        for news in self.hear.try_iter() {
            self.is_changed = true;
            match news {
                Local::Complete => self.is_ready = true,
                news => self.said.local(news),
            }
        }
    }

    /// Brings on its way what goes.
    fn pump(&mut self, tools: &mut Tools<'_>) {
        let now = tools.now;
        if self.fleet.publish.states && self.ending_until.is_none() && self.heartbeat <= now {
            let beat = self.said.presence(true);
            if tools.link.has_room() && tools.publish(&beat).is_some() {
                self.heartbeat = now + self.keep_alive() / 3.0;
            }
        }
        while tools.link.has_room() {
            let Some(out) = self.deliveries.answer().or_else(|| self.said.next(now)) else {
                return;
            };
            match tools.publish(&out) {
                Some(id) => self.said.sent(id, out),
                None => return self.said.unsent(out),
            }
        }
    }

    fn write_snapshot(&mut self, now: f64) {
        let since = now - self.snapshot;
        if since < SNAPSHOT.0 || (!self.is_changed && since < SNAPSHOT.1) {
            return;
        }
        self.is_changed = false;
        self.snapshot = now;
        let book = self.ear.as_ref().map(|ear| &ear.book);
        let online = |book: &Book| book.hosts().filter(|(_, host)| host.is_online()).count();
        let mut remote = std::collections::BTreeMap::new();
        for (_, host) in book.into_iter().flat_map(Book::hosts).filter(|(_, h)| h.is_online()) {
            for pane in host.rows() {
                *remote.entry(pane.row.state.to_string()).or_insert(0) += 1;
            }
        }
        let snapshot = Snapshot {
            v: 1,
            pid: std::process::id(),
            started: self.started,
            written: time::now(),
            host: self.host.clone(),
            broker: self.broker.clone(),
            connected: self.is_connected && self.standby.is_none(),
            trouble: self.trouble.clone(),
            panes: self.said.panes_told(),
            waiting: self.said.waiting(),
            lost: self.said.lost(),
            hosts: book.map_or(0, online),
            remote,
        };
        if let Err(error) = snapshot.write(self.ctx.paths()) {
            tracing::warn!(%error, "cannot leave a snapshot");
        }
    }

    /// While another program may speak for this host: begins anew once it does not.
    fn wait_turn(&mut self, until: f64, now: f64) -> Flow {
        if until > now {
            return Flow::Until(Some(until).filter(|until| until.is_finite()));
        }
        self.standby = None;
        Flow::Again
    }
}

impl Role for Publisher {
    fn opening(&mut self) -> Opening {
        // The broker waits half as long again as what it is told.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "3 to 600")]
        let keep_alive = ((self.keep_alive() / 1.5) as u16).max(2);
        let speaks = self.fleet.publish.states && self.standby.is_none();
        let suffix = match (self.standby, self.fleet.publish.states) {
            (Some(_), _) => format!("-standby-{}", std::process::id()),
            (None, true) => String::new(),
            (None, false) => format!("-listener-{}", std::process::id()),
        };
        Opening {
            client_id: format!("{}{suffix}", self.client_id),
            user: self.fleet.user.clone(),
            password: self.password.clone(),
            keep_alive,
            clean: true,
            session_expiry: 0,
            will: speaks.then(|| self.said.presence(false)),
        }
    }

    fn up(&mut self, _session: bool, tools: &mut Tools<'_>) {
        self.is_connected = true;
        self.is_changed = true;
        self.heartbeat = 0.0;
        if self.standby.is_some() {
            self.standby = Some(f64::INFINITY);
            self.asked = tools.subscribe(&[self.said.topic(&Kind::Presence)]);
            return;
        }
        self.backoff.reset();
        self.tell(None);
        if self.fleet.publish.states {
            self.said.renew();
            // Panes that an earlier life left at the broker.
            let mut own = vec![self.said.topic(&Kind::Pane("+".to_owned()))];
            own.push(self.said.topic(&Kind::Screen("+".to_owned())));
            own.push(self.deliveries.topic());
            tools.subscribe(&own);
        }
        if let Some(ear) = &mut self.ear {
            ear.up(tools);
        }
    }

    fn message(&mut self, message: Message, tools: &mut Tools<'_>) {
        let own = topics(&self.fleet);
        let own = own.read(&message.topic).filter(|(host, _)| *host == self.host);
        match (own.map(|(_, kind)| kind), self.standby) {
            (Some(Kind::Presence), Some(_)) => {
                let presence = read_presence(&message.payload, &self.host);
                let other = presence.filter(|presence| {
                    presence.online && presence.instance != self.said.instance()
                });
                let left = other.as_ref().map_or(0.0, |other| other.worth(message.expiry));
                self.standby = Some(tools.now + left.max(0.0));
                if left > 0.0 {
                    self.tell(Some(format!(
                        "another `madohub fleet publish` is called {} at {}. This one waits until \
                         that has ended; give each machine a name of its own (fleet.host)",
                        self.host, self.broker
                    )));
                }
            }
            (Some(Kind::Pane(_) | Kind::Screen(_)), None) => {
                self.said.found(&message.topic, &message.payload);
            }
            (Some(Kind::Route), None) => self.deliveries.take(&message),
            (None, None) => {
                if let Some(ear) = &mut self.ear {
                    ear.message(&message, tools);
                    self.is_changed = true;
                }
            }
            _ => {}
        }
    }

    fn confirmed(&mut self, id: u16) {
        self.said.confirmed(id);
    }

    fn subscribed(&mut self, id: u16, allowed: bool, tools: &mut Tools<'_>) {
        if self.asked.take_if(|asked| *asked == id).is_some() {
            self.standby = self.standby.map(|until| until.min(tools.now + PROBE));
        } else if let Some(ear) = &mut self.ear {
            ear.subscribed(id, allowed, tools);
        }
        if !allowed {
            let what = format!("{} does not allow to listen to all that is needed", self.broker);
            let _ = writeln!(std::io::stderr().lock(), "madohub: {what}");
        }
    }

    fn down(&mut self, why: &Why, _now: f64) -> Option<f64> {
        self.is_connected = false;
        self.is_changed = true;
        if self.ending_until.is_some() || self.is_ending.load(Ordering::Relaxed) {
            return None;
        }
        // Another program may have taken our place; not every broker says so.
        self.standby = self.fleet.publish.states.then_some(f64::INFINITY);
        let pause = match why {
            Why::Refused(_) | Why::Untrusted(_) | Why::Unable(_) => REFUSED,
            Why::Unreachable(_) | Why::Lost(_) | Why::TakenOver => self.backoff.pause(),
        };
        self.tell(Some(format!("{}; it is tried again", super::describe(why, &self.broker))));
        Some(pause)
    }

    fn turn(&mut self, tools: Option<&mut Tools<'_>>, now: f64) -> Flow {
        self.local();
        if self.is_ending.load(Ordering::Relaxed) && self.ending_until.is_none() {
            self.ending_until = Some(now + FAREWELL);
            self.said.goodbye();
        }
        self.write_snapshot(now);
        let mut next = vec![now + SNAPSHOT.1];
        if self.is_changed {
            next.push(self.snapshot + SNAPSHOT.0);
        }
        if let Some(until) = self.ending_until {
            let is_over = match &tools {
                Some(tools) if self.standby.is_none() => {
                    until <= now || (self.said.is_empty() && tools.link.is_settled())
                }
                _ => true,
            };
            if is_over {
                return Flow::End;
            }
            next.push(until);
        }
        match (tools, self.standby) {
            (Some(_), Some(until)) if self.is_connected => return self.wait_turn(until, now),
            (Some(tools), None) if self.is_ready && self.is_connected => {
                if let Some(ear) = &mut self.ear {
                    next.extend(ear.turn(Some(tools), now));
                }
                next.extend(self.said.refresh(now));
                self.pump(tools);
                next.push(self.heartbeat);
            }
            (_, None) => {
                if let Some(ear) = &mut self.ear {
                    next.extend(ear.turn(None, now));
                }
            }
            _ => {}
        }
        let soonest = next.into_iter().filter(|at| *at > now).min_by(f64::total_cmp);
        Flow::Until(soonest)
    }
}

/// The last will says what the presence does, but for being there.
pub(super) fn presence(host: &str, instance: u64, since: f64, fleet: &Fleet) -> Presence {
    Presence {
        v: VERSION,
        host: host.to_owned(),
        online: true,
        instance,
        since,
        keep_alive: u32::try_from(fleet.keep_alive.as_secs()).unwrap_or(u32::MAX),
        expiry: PRESENCE_EXPIRY,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        panes: 0,
        sum: 0,
        screens: fleet.publish.screens,
    }
}
