//! Hears of all hosts: once, as `madohub fleet list` does, or for as long as somebody listens.

use super::bell::Bell;
use super::ear::{Ear, Wants};
use super::link::{Message, Opening, Why};
use super::secret::Secret;
use super::station::{self, Backoff, Flow, Role, Tools};
use super::topic::Topics;
use super::wire::Dial;
use crate::config::Fleet;
use crate::protocol::Event;
use crate::{Error, time};

/// Seconds that the answer may take when it is asked once.
const PATIENCE: f64 = 8.0;
/// Seconds of silence after which nothing more is waited for when it is asked once.
const QUIET: f64 = 0.3;
/// Seconds until a broker that refuses us is asked again.
const REFUSED: f64 = 60.0;
/// Seconds for which the broker keeps what comes while a listener is away.
const SESSION_EXPIRY: u32 = 120;
/// Seconds without a word after which the connection is taken for dead.
const KEEP_ALIVE: u16 = 10;

/// Hears what comes. Each is told the time by the station's clock.
pub trait Listener {
    /// Something was heard, or time went by; false ends it.
    fn heard(&mut self, ear: &mut Ear, now: f64) -> bool;
    /// When it has something to do again, by itself.
    fn again(&self) -> Option<f64> {
        None
    }
    /// A change of state.
    fn event(&mut self, _event: Event) {}
    /// There is a connection, or why there is none.
    fn connection(&mut self, _trouble: Option<&Why>) {}
}

/// All hosts as they are now.
pub fn once(fleet: &Fleet, wants: Wants) -> Result<(Ear, f64), Error> {
    let mut reader = Reader::new(fleet, wants, None)?;
    reader.once = Some(Once::default());
    let dial = Dial::new(fleet)?;
    station::run(&dial, &mut reader, Bell::new()?);
    match reader.once.and_then(|once| once.failed) {
        Some(why) => Err(super::error(&why, &dial.name())),
        None => Ok((reader.ear, reader.now)),
    }
}

/// Listens until the listener ends it. `but` is a host that is not heard.
pub fn listen(
    fleet: &Fleet,
    wants: Wants,
    but: Option<String>,
    listener: &mut dyn Listener,
    bell: Bell,
) -> Result<(), Error> {
    let reader = Reader::new(fleet, wants, but)?;
    let mut role = Listening { reader, listener };
    station::run(&Dial::new(fleet)?, &mut role, bell);
    Ok(())
}

struct Reader {
    fleet: Fleet,
    password: Option<Secret>,
    client_id: String,
    ear: Ear,
    is_first: bool,
    is_up: bool,
    backoff: Backoff,
    once: Option<Once>,
    now: f64,
}

/// It is asked once.
#[derive(Default)]
struct Once {
    last: f64,
    failed: Option<Why>,
}

impl Reader {
    fn new(fleet: &Fleet, wants: Wants, but: Option<String>) -> Result<Self, Error> {
        let topics = Topics::below(&fleet.prefix);
        let salt = time::now().to_bits() & 0xffff_ffff;
        Ok(Self {
            password: super::password(fleet)?,
            client_id: format!("madohub-reader-{}-{salt:08x}", std::process::id()),
            ear: Ear::new(topics, wants, but),
            fleet: fleet.clone(),
            is_first: true,
            is_up: false,
            backoff: Backoff::new(),
            once: None,
            now: 0.0,
        })
    }

    fn hear(&mut self, message: &Message, tools: &mut Tools<'_>) -> Option<Event> {
        self.now = tools.now;
        if let Some(once) = &mut self.once {
            once.last = tools.now;
        }
        self.ear.message(message, tools)
    }
}

impl Role for Reader {
    fn opening(&mut self) -> Opening {
        let is_kept = self.once.is_none();
        Opening {
            client_id: self.client_id.clone(),
            user: self.fleet.user.clone(),
            password: self.password.clone(),
            keep_alive: KEEP_ALIVE,
            clean: std::mem::take(&mut self.is_first),
            session_expiry: if is_kept { SESSION_EXPIRY } else { 0 },
            will: None,
        }
    }

    fn up(&mut self, _session: bool, tools: &mut Tools<'_>) {
        self.is_up = true;
        self.backoff.reset();
        if let Some(once) = &mut self.once {
            once.last = tools.now;
        }
        self.ear.up(tools);
    }

    fn message(&mut self, message: Message, tools: &mut Tools<'_>) {
        self.hear(&message, tools);
    }

    fn subscribed(&mut self, id: u16, allowed: bool, tools: &mut Tools<'_>) {
        self.ear.subscribed(id, allowed, tools);
        if let Some(once) = &mut self.once {
            once.last = tools.now;
        }
    }

    fn down(&mut self, why: &Why, now: f64) -> Option<f64> {
        self.is_up = false;
        self.now = now;
        if let Some(once) = &mut self.once {
            once.failed = Some(why.clone());
            return None;
        }
        Some(match why {
            Why::Unreachable(_) | Why::Lost(_) => self.backoff.pause(),
            Why::Refused(_) | Why::Untrusted(_) | Why::Unable(_) | Why::TakenOver => REFUSED,
        })
    }

    fn turn(&mut self, tools: Option<&mut Tools<'_>>, now: f64) -> Flow {
        self.now = now;
        let next = self.ear.turn(tools, now);
        let Some(once) = &mut self.once else { return Flow::Until(next) };
        let is_over = self.is_up
            && self.ear.has_asked()
            && (now - once.last >= QUIET
                || (self.ear.is_complete() && now - once.last >= QUIET / 3.0));
        if is_over || (self.is_up && now >= PATIENCE) {
            if !self.ear.is_allowed() {
                once.failed = Some(Why::Refused("it does not allow to listen".to_owned()));
            }
            return Flow::End;
        }
        let soon = now + QUIET / 3.0;
        Flow::Until(Some(next.map_or(soon, |next| next.min(soon))))
    }
}

/// A reader with somebody who listens.
struct Listening<'a> {
    reader: Reader,
    listener: &'a mut dyn Listener,
}

impl Role for Listening<'_> {
    fn opening(&mut self) -> Opening {
        self.reader.opening()
    }

    fn up(&mut self, session: bool, tools: &mut Tools<'_>) {
        self.reader.up(session, tools);
        self.listener.connection(None);
    }

    fn message(&mut self, message: Message, tools: &mut Tools<'_>) {
        if let Some(event) = self.reader.hear(&message, tools) {
            self.listener.event(event);
        }
    }

    fn subscribed(&mut self, id: u16, allowed: bool, tools: &mut Tools<'_>) {
        self.reader.subscribed(id, allowed, tools);
        if !allowed {
            let why = Why::Refused("it does not allow to listen".to_owned());
            self.listener.connection(Some(&why));
        }
    }

    fn down(&mut self, why: &Why, now: f64) -> Option<f64> {
        self.listener.connection(Some(why));
        self.reader.down(why, now)
    }

    fn turn(&mut self, tools: Option<&mut Tools<'_>>, now: f64) -> Flow {
        let flow = self.reader.turn(tools, now);
        if !self.listener.heard(&mut self.reader.ear, now) {
            return Flow::End;
        }
        match (flow, self.listener.again()) {
            (Flow::Until(until), Some(again)) => {
                Flow::Until(Some(until.map_or(again, |until| until.min(again))))
            }
            (flow, _) => flow,
        }
    }
}
