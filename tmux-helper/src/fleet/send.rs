//! Sends a text to a pane of another host, and waits for how that ended.

use super::bell::Bell;
use super::deliver::{TEXT_MAX, WAIT_MAX};
use super::link::{Message, Opening, Out, Why};
use super::message::{AnswerMessage, PANE_MAX, RouteMessage, VERSION, bounded, read_presence};
use super::secret::Secret;
use super::station::{self, Flow, Role, Tools};
use super::topic::{Kind, Topics};
use super::wire::Dial;
use crate::config::Fleet;
use crate::{Error, time};

/// Seconds within which the host must be known to be there.
const PRESENCE_WAIT: f64 = 3.0;
/// Seconds that the host may take beside what its pane may.
const ANSWER_WAIT: f64 = 30.0;

/// A text for a pane of another host.
#[derive(Debug, Clone, PartialEq)]
pub struct Sending {
    /// The host.
    pub host: String,
    /// The pane, `%3` or `session:window.pane`.
    pub pane: String,
    /// The text.
    pub text: String,
    /// Wait until the pane can take it, for so many seconds.
    pub wait: Option<f64>,
}

/// Sends it; what the host answered.
pub fn send(fleet: &Fleet, sending: &Sending) -> Result<AnswerMessage, Error> {
    if sending.text.trim().is_empty() {
        return Err(Error::usage("there is no text to deliver"));
    }
    if sending.text.len() > TEXT_MAX {
        return Err(Error::usage(format!("the text is longer than {} KiB", TEXT_MAX >> 10)));
    }
    let dial = Dial::new(fleet)?;
    let id = format!("{:016x}-{}", time::now().to_bits(), std::process::id());
    let mut sender = Sender {
        topics: Topics::below(&fleet.prefix),
        own: super::host_name(fleet)?,
        password: super::password(fleet)?,
        fleet: fleet.clone(),
        sending: sending.clone(),
        id,
        asked: None,
        is_there: false,
        is_sent: false,
        until: PRESENCE_WAIT + ANSWER_WAIT,
        ended: None,
    };
    station::run(&dial, &mut sender, Bell::new()?);
    match sender.ended {
        Some(Ok(answer)) => Ok(answer),
        Some(Err(Why::Unable(what))) => Err(Error::failed(what)),
        Some(Err(why)) => Err(super::error(&why, &dial.name())),
        None => Err(Error::failed(format!(
            "{} did not answer; whether the text was delivered is not known",
            sending.host
        ))),
    }
}

struct Sender {
    fleet: Fleet,
    topics: Topics,
    own: String,
    password: Option<Secret>,
    sending: Sending,
    id: String,
    asked: Option<u16>,
    is_there: bool,
    is_sent: bool,
    until: f64,
    ended: Option<Result<AnswerMessage, Why>>,
}

impl Sender {
    fn route(&self) -> Out {
        let message = RouteMessage {
            v: VERSION,
            id: self.id.clone(),
            from: self.own.clone(),
            pane: self.sending.pane.clone(),
            text: self.sending.text.clone(),
            wait: self.sending.wait.map(|wait| wait.min(WAIT_MAX)),
        };
        Out {
            topic: self.topics.of(&self.sending.host, &Kind::Route),
            payload: serde_json::to_vec(&message).unwrap_or_default(),
            retain: false,
            expiry: Some(30),
        }
    }
}

impl Role for Sender {
    fn opening(&mut self) -> Opening {
        Opening {
            client_id: format!("madohub-sender-{}", self.id),
            user: self.fleet.user.clone(),
            password: self.password.clone(),
            keep_alive: 10,
            clean: true,
            session_expiry: 0,
            will: None,
        }
    }

    fn up(&mut self, _session: bool, tools: &mut Tools<'_>) {
        self.until = tools.now + PRESENCE_WAIT;
        self.asked = tools.subscribe(&[
            self.topics.of(&self.own, &Kind::Answer(self.id.clone())),
            self.topics.of(&self.sending.host, &Kind::Presence),
        ]);
    }

    fn message(&mut self, message: Message, tools: &mut Tools<'_>) {
        match self.topics.read(&message.topic) {
            Some((host, Kind::Presence)) if host == self.sending.host => {
                let presence = read_presence(&message.payload, host);
                let left = message.expiry;
                self.is_there =
                    presence.is_some_and(|presence| presence.online && presence.worth(left) > 0.0);
            }
            Some((_, Kind::Answer(id))) if id == self.id => {
                let answer: Option<AnswerMessage> = bounded(&message.payload, PANE_MAX);
                self.ended = answer.filter(|answer| answer.id == id).map(Ok).or(self.ended.take());
            }
            _ => {}
        }
        if self.is_there && !self.is_sent && self.asked.is_none() {
            self.is_sent = tools.publish(&self.route()).is_some();
            self.until = tools.now + ANSWER_WAIT + self.sending.wait.unwrap_or(0.0).min(WAIT_MAX);
        }
    }

    fn confirmed(&mut self, _id: u16, allowed: bool) {
        if !allowed {
            let what = format!("it does not allow to send texts to {}", self.sending.host);
            self.ended = Some(Err(Why::Refused(what)));
        }
    }

    fn subscribed(&mut self, id: u16, allowed: bool, tools: &mut Tools<'_>) {
        if self.asked != Some(id) {
            return;
        }
        self.asked = None;
        if !allowed {
            self.ended = Some(Err(Why::Refused("it does not allow to hear answers".to_owned())));
        } else if self.is_there && !self.is_sent {
            self.is_sent = tools.publish(&self.route()).is_some();
            self.until = tools.now + ANSWER_WAIT + self.sending.wait.unwrap_or(0.0).min(WAIT_MAX);
        }
    }

    fn down(&mut self, why: &Why, _now: f64) -> Option<f64> {
        if self.ended.is_none() && !self.is_sent {
            self.ended = Some(Err(why.clone()));
        }
        None
    }

    fn turn(&mut self, _tools: Option<&mut Tools<'_>>, now: f64) -> Flow {
        if self.ended.is_some() {
            return Flow::End;
        }
        if self.until <= now {
            if !self.is_sent {
                let what = format!("{} is not there; nothing was sent", self.sending.host);
                self.ended = Some(Err(Why::Unable(what)));
            }
            return Flow::End;
        }
        Flow::Until(Some(self.until))
    }
}
