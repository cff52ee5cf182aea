//! Keeps a connection to the broker for as long as it is wanted, and never waits for anything but
//! news: what is done with it is a [`Role`]'s.

use super::bell::Bell;
use super::link::{Heard, Link, Message, Opening, Why};
use super::wire::{Dial, Wire};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Bytes that are taken from the network before anything else is done.
const READ_MAX: usize = 256 * 1024;
/// The longest wait, in seconds.
const NAP_MAX: f64 = 60.0;

/// What a connection is for. Times are seconds since the station began.
pub trait Role {
    /// How the next connection begins.
    fn opening(&mut self) -> Opening;
    /// The broker took us in.
    fn up(&mut self, session: bool, tools: &mut Tools<'_>);
    /// A message came.
    fn message(&mut self, message: Message, tools: &mut Tools<'_>);
    /// The broker has this message of ours, or does not allow it.
    fn confirmed(&mut self, _id: u16, _allowed: bool) {}
    /// The broker answered a subscription.
    fn subscribed(&mut self, _id: u16, _allowed: bool, _tools: &mut Tools<'_>) {}
    /// The connection is over, or none came about: when to try again, in seconds; nothing ends it.
    fn down(&mut self, why: &Why, now: f64) -> Option<f64>;
    /// It is time to look at what there is to say. Called whenever anything happened.
    fn turn(&mut self, tools: Option<&mut Tools<'_>>, now: f64) -> Flow;
}

/// What follows from a turn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Flow {
    /// Go on; another turn at this time at the latest.
    Until(Option<f64>),
    /// Say goodbye and end.
    End,
    /// Say goodbye and begin anew.
    Again,
}

/// What a role speaks through.
pub struct Tools<'a> {
    /// The connection.
    pub link: &'a mut Link,
    /// Now.
    pub now: f64,
    heard: &'a mut Vec<Heard>,
}

impl Tools<'_> {
    /// Publishes a message; its number, by which it is confirmed.
    pub fn publish(&mut self, out: &super::link::Out) -> Option<u16> {
        self.link.publish(out, self.now, self.heard)
    }

    /// Asks for the messages of these topics; the number of the answer.
    pub fn subscribe(&mut self, filters: &[String]) -> Option<u16> {
        self.link.subscribe(filters, self.now, self.heard)
    }
}

/// Where a connection is.
enum Way {
    /// There is none, until this time.
    Away(f64),
    /// It is being made.
    Dialling(Receiver<Result<Wire, Why>>),
    /// It is there.
    There(Wire, Box<Link>),
}

/// Connects, and keeps connected, until the role ends it.
pub fn run(dial: &Dial, role: &mut dyn Role, mut bell: Bell) {
    let start = Instant::now();
    let clock = || start.elapsed().as_secs_f64();
    let mut way = Way::Away(0.0);
    let mut heard: Vec<Heard> = Vec::new();
    loop {
        let now = clock();
        way = match way {
            Way::Away(until) if until <= now => Way::Dialling(begin(dial, &bell)),
            Way::Dialling(coming) => match coming.try_recv() {
                Err(TryRecvError::Empty) => Way::Dialling(coming),
                came => {
                    let none = || Why::Unreachable("no thread could be started".to_owned());
                    let opened = came.unwrap_or_else(|_| Err(none())).and_then(|wire| {
                        Ok(Way::There(wire, Box::new(Link::open(&role.opening(), now)?)))
                    });
                    match opened {
                        Ok(way) => way,
                        Err(why) => match role.down(&why, now) {
                            Some(pause) => Way::Away(now + pause),
                            None => return,
                        },
                    }
                }
            },
            Way::There(mut wire, mut link) => {
                exchange(&mut wire, &mut link, now, &mut heard);
                Way::There(wire, link)
            }
            way @ Way::Away(_) => way,
        };
        let mut over = None;
        let flow = if let Way::There(_, link) = &mut way {
            over = attend(role, link, &mut heard, now);
            if over.is_none() {
                let flow = role.turn(Some(&mut Tools { link, now, heard: &mut heard }), now);
                over = attend(role, link, &mut heard, now);
                flow
            } else {
                role.turn(None, now)
            }
        } else {
            role.turn(None, now)
        };
        let until = match flow {
            Flow::End | Flow::Again => {
                if let Way::There(mut wire, mut link) = way {
                    link.close(now);
                    farewell(&mut wire, &mut link);
                }
                if flow == Flow::End {
                    return;
                }
                way = Way::Away(now);
                continue;
            }
            Flow::Until(until) => until,
        };
        if let Some(why) = over {
            match role.down(&why, now) {
                Some(pause) => way = Way::Away(now + pause),
                None => return,
            }
        }
        rest(&way, until, &mut bell, &clock);
    }
}

/// Connects in a thread, because names and handshakes take their time.
fn begin(dial: &Dial, bell: &Bell) -> Receiver<Result<Wire, Why>> {
    let (tell, coming) = channel();
    let (dial, rope) = (dial.clone(), bell.rope());
    let body = move || {
        let _ = tell.send(dial.connect());
        rope.ring();
    };
    // Without a thread the channel is closed, which is no connection.
    let _ = thread::Builder::new().name("broker".to_owned()).spawn(body);
    coming
}

/// Sends and takes what goes now.
fn exchange(wire: &mut Wire, link: &mut Link, now: f64, heard: &mut Vec<Heard>) {
    let mut bytes = Vec::new();
    let mut state = Ok(true);
    while bytes.len() < READ_MAX {
        let before = bytes.len();
        state = wire.read(&mut bytes);
        if !matches!(state, Ok(true)) || bytes.len() == before {
            break;
        }
    }
    link.received(&bytes, now, heard);
    link.tick(now, heard);
    let lost = match (state, wire.write(link.output())) {
        (Err(error), _) | (Ok(true), Err(error)) => error.to_string(),
        (Ok(false), _) => "the broker hung up".to_owned(),
        (Ok(true), Ok(())) => return,
    };
    // What was said before goes before.
    if !heard.iter().any(|news| matches!(news, Heard::Down(_))) {
        heard.push(Heard::Down(Why::Lost(lost)));
    }
}

/// Tells the role what was heard; why the connection is over, if it is.
fn attend(role: &mut dyn Role, link: &mut Link, heard: &mut Vec<Heard>, now: f64) -> Option<Why> {
    while !heard.is_empty() {
        let news = std::mem::take(heard);
        for news in news {
            let mut tools = Tools { link, now, heard };
            match news {
                Heard::Up { session } => role.up(session, &mut tools),
                Heard::Message(message) => role.message(message, &mut tools),
                Heard::Confirmed { id, allowed } => role.confirmed(id, allowed),
                Heard::Subscribed { id, allowed } => role.subscribed(id, allowed, &mut tools),
                Heard::Down(why) => {
                    heard.clear();
                    return Some(why);
                }
            }
        }
    }
    None
}

/// Waits until something happens.
fn rest(way: &Way, until: Option<f64>, bell: &mut Bell, clock: &dyn Fn() -> f64) {
    let own = match way {
        Way::Away(at) => Some(*at),
        Way::There(_, link) => link.deadline(),
        Way::Dialling(_) => None,
    };
    let next = until.into_iter().chain(own).fold(f64::INFINITY, f64::min);
    let nap = (next - clock()).clamp(0.0, NAP_MAX);
    let timeout = Timespec::try_from(Duration::from_secs_f64(nap)).ok();
    let mut fds = vec![PollFd::new(bell, PollFlags::IN)];
    if let Way::There(wire, link) = way {
        let mut flags = PollFlags::IN;
        if link.has_output() || wire.wants_write() {
            flags |= PollFlags::OUT;
        }
        fds.push(PollFd::new(wire, flags));
    }
    // Interrupted or not, it is looked at what there is.
    let _ = poll(&mut fds, timeout.as_ref());
    bell.hush();
}

/// Sends the last bytes, as far as they go within a moment.
fn farewell(wire: &mut Wire, link: &mut Link) {
    let deadline = Instant::now() + Duration::from_secs(1);
    while wire.write(link.output()).is_ok() && (link.has_output() || wire.wants_write()) {
        let left = deadline.saturating_duration_since(Instant::now());
        let Ok(timeout) = Timespec::try_from(left) else { return };
        if left.is_zero() {
            return;
        }
        let _ = poll(&mut [PollFd::new(&*wire, PollFlags::OUT)], Some(&timeout));
    }
}

/// Seconds until the next try: doubled each time up to a limit, and not the same for all hosts of a
/// broker that comes back.
#[derive(Debug, Clone, Copy)]
pub struct Backoff {
    tries: u32,
    salt: u32,
}

impl Backoff {
    /// The first pause, in seconds.
    const FIRST: f64 = 0.5;
    /// The longest one.
    const MOST: f64 = 30.0;

    /// Nothing was tried yet.
    pub fn new() -> Self {
        Self { tries: 0, salt: std::process::id() }
    }

    /// It worked: begin anew.
    pub fn reset(&mut self) {
        self.tries = 0;
    }

    /// How long to wait now.
    pub fn pause(&mut self) -> f64 {
        let pause = (Self::FIRST * f64::from(1_u32 << self.tries.min(10))).min(Self::MOST);
        self.tries += 1;
        self.salt = self.salt.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        pause * (0.75 + f64::from(self.salt >> 16) / 65_536.0 / 2.0)
    }
}

impl Default for Backoff {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tries_come_further_apart_and_never_stop() {
        let mut backoff = Backoff { tries: 0, salt: 7 };
        let pauses: Vec<f64> = (0..40).map(|_| backoff.pause()).collect();
        let first = pauses.first().copied().unwrap_or_default();
        assert!((0.375..=0.625).contains(&first), "{first}");
        assert!(pauses.iter().skip(7).all(|pause| (22.5..=37.5).contains(pause)), "{pauses:?}");
        backoff.reset();
        assert!(backoff.pause() < 1.0);
    }
}
