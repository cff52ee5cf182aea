//! The role of a publisher: what it says and when, and whom it lets speak first.

use super::say::Said;
use super::{instance, topics};
use crate::config::Fleet;
use crate::fleet::bell::Rope;
use crate::fleet::book::Book;
use crate::fleet::deliver::Deliveries;
use crate::fleet::ear::{Ear, Wants};
use crate::fleet::link::{Message, Opening, Why};
use crate::fleet::local::Local;
use crate::fleet::message::read_presence;
use crate::fleet::snapshot::Snapshot;
use crate::fleet::station::{Backoff, Flow, Role, Tools};
use crate::fleet::topic::Kind;
use crate::fleet::{self, Secret};
use crate::output::clean;
use crate::{Context, Error, time};
use std::collections::BTreeMap;
use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;

/// Seconds for which goodbyes are waited for.
const FAREWELL: f64 = 3.0;
/// Seconds until a broker that refuses us is asked again.
const REFUSED: f64 = 60.0;
/// Seconds within which the broker tells of another program that speaks for this host, after it has
/// answered that it will.
const PROBE: f64 = 0.3;
/// Seconds that a sign of life may be late.
const LATE: f64 = 1.0;
/// Seconds between two snapshots at least, and at most.
const SNAPSHOT: (f64, f64) = (0.5, 5.0);

/// What a publisher listens to for the segment.
const LISTEN: Wants = Wants { panes: true, events: false, screens: false };

/// What other threads have to say to a publisher.
pub(super) struct Ends {
    /// News of this machine.
    pub(super) hear: Receiver<Local>,
    /// Somebody wants it to end.
    pub(super) is_ending: Arc<AtomicBool>,
    /// Wakes it.
    pub(super) bell_rope: Rope,
}

/// Tells of this host, through a [`station`](crate::fleet::station).
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(super) struct Publisher {
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
    /// The broker was asked for what it has of this host.
    has_asked: bool,
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
    /// A publisher that has told nothing yet.
    pub(super) fn new(
        settings: &Fleet,
        host: String,
        broker: String,
        ctx: &Context,
        ends: Ends,
    ) -> Result<Self, Error> {
        Ok(Self {
            said: Said::new(settings, &host, instance()),
            deliveries: Deliveries::new(settings, &host, ctx, ends.bell_rope),
            ear: ctx
                .config()?
                .segment
                .tells_of_others()
                .then(|| Ear::new(topics(settings), LISTEN, Some(host.clone()))),
            client_id: format!("{}-{host}", settings.prefix.replace('/', "-")),
            broker,
            fleet: settings.clone(),
            host,
            password: fleet::password(settings)?,
            ctx: ctx.clone(),
            hear: ends.hear,
            is_ready: !settings.publish.states,
            has_asked: false,
            is_ending: ends.is_ending,
            ending_until: None,
            standby: settings.publish.states.then_some(f64::INFINITY),
            asked: None,
            is_connected: false,
            trouble: None,
            last_line: String::new(),
            heartbeat: 0.0,
            snapshot: f64::NEG_INFINITY,
            is_changed: true,
            backoff: Backoff::new(),
            started: time::now(),
        })
    }

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
        // What a presence says of the panes is best said once they are told; but it must be said.
        if now - self.heartbeat > LATE {
            self.beat(tools);
        }
        while tools.link.has_room() {
            let Some(out) = self.deliveries.answer().or_else(|| self.said.next(now)) else {
                return self.beat(tools);
            };
            match tools.publish(&out) {
                Some(id) => self.said.sent(id, out),
                None => return self.said.unsent(out),
            }
        }
    }

    /// Says that this host is there, when that is due.
    fn beat(&mut self, tools: &mut Tools<'_>) {
        let is_due = self.fleet.publish.states
            && self.ending_until.is_none()
            && self.heartbeat <= tools.now
            && tools.link.has_room();
        if is_due && tools.publish(&self.said.presence(true)).is_some() {
            self.heartbeat = tools.now + self.keep_alive() / 3.0;
        }
    }

    /// Asks for what an earlier life left at the broker, and for texts from other hosts.
    fn ask_own(&mut self, tools: &mut Tools<'_>) {
        let all = "+".to_owned();
        let own = [
            self.said.topic(&Kind::Pane(all.clone())),
            self.said.topic(&Kind::Screen(all)),
            self.deliveries.topic(),
        ];
        self.has_asked = tools.subscribe(&own).is_some();
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
        let mut remote = BTreeMap::new();
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
            return Flow::Until(Some(until.min(now + SNAPSHOT.1)));
        }
        self.standby = None;
        self.is_connected = false;
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
        self.heartbeat = tools.now;
        self.has_asked = !self.fleet.publish.states;
        if self.standby.is_some() {
            self.standby = Some(f64::INFINITY);
            self.asked = tools.subscribe(&[self.said.topic(&Kind::Presence)]);
            return;
        }
        self.backoff.reset();
        self.tell(None);
        self.said.renew();
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
            (Some(Kind::Route), None) => self.deliveries.take(&message, tools.now),
            (None, None) => {
                if let Some(ear) = &mut self.ear {
                    ear.message(&message, tools);
                    self.is_changed = true;
                }
            }
            _ => {}
        }
    }

    fn confirmed(&mut self, id: u16, allowed: bool) {
        self.said.confirmed(id);
        if !allowed {
            let topics = self.said.topic(&Kind::Presence);
            let topics = topics.trim_end_matches("presence");
            self.tell(Some(format!("{} does not allow to write below {topics}", self.broker)));
        }
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
        self.tell(Some(format!("{}; it is tried again", fleet::describe(why, &self.broker))));
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
                if !self.has_asked {
                    self.ask_own(tools);
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
