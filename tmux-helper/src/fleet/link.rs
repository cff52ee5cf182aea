//! One connection to a broker as MQTT 5 has it, without input or output: bytes in, bytes out, and
//! the time as an argument (seconds by a clock that never goes back).

use super::message::PACKET_MAX;
use super::secret::Secret;
use mqtt_protocol_core::mqtt::common::Cursor;
use mqtt_protocol_core::mqtt::connection::{ConnectionOptions, Event, TimerKind};
use mqtt_protocol_core::mqtt::packet::{
    MessageExpiryInterval, Packet, Property, Qos, SessionExpiryInterval, SubEntry, SubOpts, v5_0,
};
use mqtt_protocol_core::mqtt::prelude::GenericPacketTrait as _;
use mqtt_protocol_core::mqtt::result_code::{
    ConnectReasonCode, DisconnectReasonCode, MqttError, SubackReasonCode,
};
use mqtt_protocol_core::mqtt::{Connection, Version, role};
use std::collections::{BTreeMap, BTreeSet};

/// Messages that the broker has not confirmed, at most: with a slow broker the rest waits where a
/// newer state takes the place of an older one.
const IN_FLIGHT_MAX: usize = 32;
/// Bytes that wait for the network, at most.
const OUTPUT_MAX: usize = 128 * 1024;
/// Messages that the broker may send us unconfirmed.
const RECEIVE_MAX: u16 = 200;
/// Seconds within which the broker must answer.
const ANSWER_MAX: f64 = 10.0;

/// How a connection begins.
#[derive(Debug, Clone)]
pub struct Opening {
    /// Name of this client, the only one of this name at the broker.
    pub client_id: String,
    /// Who we are.
    pub user: Option<String>,
    /// And the proof.
    pub password: Option<Secret>,
    /// Seconds without a word after which either side takes the other for gone.
    pub keep_alive: u16,
    /// Begin anew, with nothing that the broker kept for us.
    pub clean: bool,
    /// Seconds for which the broker keeps what comes while we are away.
    pub session_expiry: u32,
    /// What the broker is to say when we vanish.
    pub will: Option<Out>,
}

/// A message to publish. All are sent until the broker confirms them (`QoS` 1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Out {
    /// Its topic.
    pub topic: String,
    /// What it says; an empty one takes a retained one away.
    pub payload: Vec<u8>,
    /// The broker keeps it for those who come later.
    pub retain: bool,
    /// Seconds for which it is worth something.
    pub expiry: Option<u32>,
}

/// A message that came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Its topic.
    pub topic: String,
    /// What it says.
    pub payload: Vec<u8>,
    /// The broker had kept it.
    pub retained: bool,
    /// Seconds for which it is worth something still.
    pub expiry: Option<u32>,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Heard {
    /// The broker took us in; whether it still knew us.
    Up {
        /// It kept what came while we were away.
        session: bool,
    },
    /// A message came.
    Message(Message),
    /// The broker has this message of ours, or does not allow it.
    Confirmed {
        /// Its number.
        id: u16,
        /// It is allowed.
        allowed: bool,
    },
    /// The broker answered a subscription; whether it allows it.
    Subscribed {
        /// Its number.
        id: u16,
        /// It is allowed.
        allowed: bool,
    },
    /// The connection is over.
    Down(Why),
}

/// Why a connection is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// There is none: the name is not known, nobody listens, or nothing comes through.
    Unreachable(String),
    /// It is not the broker that we trust, or no encryption was agreed on.
    Untrusted(String),
    /// User or password are wrong, or the broker does not let them in.
    Refused(String),
    /// The broker cannot do what is needed.
    Unable(String),
    /// Another client took our name.
    TakenOver,
    /// It broke.
    Lost(String),
}

/// A connection.
pub struct Link {
    mqtt: Connection<role::Client>,
    /// For the network.
    output: Vec<u8>,
    timers: BTreeMap<u8, (TimerKind, f64)>,
    /// When the broker must have taken us in.
    patience: Option<f64>,
    in_flight: BTreeSet<u16>,
    /// When a message must be confirmed next. What is sent hides from the protocol's own question
    /// after life that nothing comes back.
    confirm_by: Option<f64>,
    is_over: bool,
}

impl Link {
    /// Begins: the first bytes for the network are there.
    pub fn open(opening: &Opening, now: f64) -> Result<Self, Why> {
        let options = ConnectionOptions::new()
            .maximum_packet_size_recv(PACKET_MAX)
            .receive_maximum(RECEIVE_MAX);
        let mut mqtt = Connection::with_options(Version::V5_0, options);
        mqtt.set_auto_pub_response(true);
        mqtt.set_auto_ping_response(true);
        mqtt.set_pingresp_recv_timeout(u64::from(opening.keep_alive).max(1) * 1000);
        let mut link = Self {
            mqtt,
            output: Vec::new(),
            timers: BTreeMap::new(),
            patience: Some(now + ANSWER_MAX),
            in_flight: BTreeSet::new(),
            confirm_by: None,
            is_over: false,
        };
        let connect =
            connect(opening).map_err(|error| Why::Unable(format!("cannot ask for it: {error}")))?;
        let events = link.mqtt.checked_send(connect);
        let mut heard = Vec::new();
        link.take(events, now, &mut heard);
        Ok(link)
    }

    /// Bytes for the network; whoever sends some takes them out.
    pub fn output(&mut self) -> &mut Vec<u8> {
        &mut self.output
    }

    /// Whether there are bytes for the network.
    pub fn has_output(&self) -> bool {
        !self.output.is_empty()
    }

    /// Whether another message can be published now.
    pub fn has_room(&self) -> bool {
        !self.is_over
            && self.patience.is_none()
            && self.in_flight.len() < IN_FLIGHT_MAX
            && self.output.len() < OUTPUT_MAX
            && self.mqtt.get_receive_maximum_vacancy_for_send().is_none_or(|vacancy| vacancy > 0)
    }

    /// Whether the broker has confirmed everything.
    pub fn is_settled(&self) -> bool {
        self.in_flight.is_empty()
    }

    /// When [`Link::tick`] must be called next.
    pub fn deadline(&self) -> Option<f64> {
        let timers = self.timers.values().map(|(_, at)| *at);
        let timers = timers.chain(self.patience).chain(self.confirm_by);
        timers.min_by(f64::total_cmp)
    }

    /// Takes bytes from the network.
    pub fn received(&mut self, bytes: &[u8], now: f64, heard: &mut Vec<Heard>) {
        let mut cursor = Cursor::new(bytes);
        // One packet at a time; what is no packet yet is kept inside.
        while !self.is_over {
            let before = cursor.position();
            let events = self.mqtt.recv(&mut cursor);
            let is_done = events.is_empty() && cursor.position() >= bytes.len() as u64;
            self.take(events, now, heard);
            if is_done || cursor.position() == before || cursor.position() >= bytes.len() as u64 {
                return;
            }
        }
    }

    /// Does what is due.
    pub fn tick(&mut self, now: f64, heard: &mut Vec<Heard>) {
        if self.patience.is_some_and(|at| at <= now) {
            self.patience = None;
            self.over(Why::Unreachable("the broker did not answer".to_owned()), heard);
        }
        if self.confirm_by.is_some_and(|at| at <= now) {
            self.confirm_by = None;
            self.over(Why::Lost("the broker fell silent".to_owned()), heard);
        }
        let due: Vec<u8> =
            self.timers.iter().filter(|(_, (_, at))| *at <= now).map(|(key, _)| *key).collect();
        for key in due {
            let Some((kind, _)) = self.timers.remove(&key) else { continue };
            if matches!(kind, TimerKind::PingrespRecv) {
                self.over(Why::Lost("the broker fell silent".to_owned()), heard);
            }
            let events = self.mqtt.notify_timer_fired(kind);
            self.take(events, now, heard);
        }
    }

    /// Publishes a message; its number, by which it is confirmed.
    pub fn publish(&mut self, out: &Out, now: f64, heard: &mut Vec<Heard>) -> Option<u16> {
        let id = self.mqtt.acquire_packet_id().ok()?;
        let Ok(packet) = publish(out, id) else {
            let events = self.mqtt.release_packet_id(id);
            self.take(events, now, heard);
            return None;
        };
        self.in_flight.insert(id);
        self.confirm_by = self.confirm_by.or(Some(now + ANSWER_MAX));
        let events = self.mqtt.checked_send(packet);
        self.take(events, now, heard);
        self.in_flight.contains(&id).then_some(id)
    }

    /// Asks for the messages of these topics; the number of the answer.
    pub fn subscribe(
        &mut self,
        filters: &[String],
        now: f64,
        heard: &mut Vec<Heard>,
    ) -> Option<u16> {
        let id = self.mqtt.acquire_packet_id().ok()?;
        let entry = |filter: &String| {
            // What we say ourselves need not come back, and what the broker kept is marked so.
            let options = SubOpts::new().set_qos(Qos::AtLeastOnce).set_nl(true).set_rap(true);
            SubEntry::new(filter.as_str(), options)
        };
        let entries: Result<Vec<SubEntry>, MqttError> = filters.iter().map(entry).collect();
        let packet =
            entries.and_then(|all| v5_0::Subscribe::builder().entries(all).packet_id(id).build());
        let events = match packet {
            Ok(packet) => self.mqtt.checked_send(packet),
            Err(_) => self.mqtt.release_packet_id(id),
        };
        self.take(events, now, heard);
        Some(id)
    }

    /// Says goodbye: nobody hears the last will, and the broker keeps nothing for us.
    pub fn close(&mut self, now: f64) {
        let packet = v5_0::Disconnect::builder()
            .reason_code(DisconnectReasonCode::NormalDisconnection)
            .props(session_expiry(0))
            .build();
        if let Ok(packet) = packet {
            let events = self.mqtt.checked_send(packet);
            self.take(events, now, &mut Vec::new());
        }
        self.is_over = true;
    }

    fn take(&mut self, events: Vec<Event>, now: f64, heard: &mut Vec<Heard>) {
        for event in events {
            match event {
                Event::RequestSendPacket { packet, .. } => {
                    self.output.extend_from_slice(&packet.to_continuous_buffer());
                }
                Event::NotifyPacketReceived(packet) => self.packet(packet, now, heard),
                Event::NotifyPacketIdReleased(id) => drop(self.in_flight.remove(&id)),
                #[expect(clippy::cast_precision_loss, reason = "milliseconds of minutes")]
                Event::RequestTimerReset { kind, duration_ms } => {
                    self.timers.insert(key(kind), (kind, now + duration_ms as f64 / 1000.0));
                }
                Event::RequestTimerCancel(kind) => drop(self.timers.remove(&key(kind))),
                Event::NotifyError(error) => {
                    self.over(Why::Lost(format!("what came is no MQTT: {error}")), heard);
                }
                Event::RequestClose => {
                    self.over(Why::Lost("the connection ended".to_owned()), heard);
                }
            }
        }
    }

    fn packet(&mut self, packet: Packet, now: f64, heard: &mut Vec<Heard>) {
        match packet {
            Packet::V5_0Connack(packet) => match packet.reason_code() {
                ConnectReasonCode::Success => {
                    self.patience = None;
                    heard.push(Heard::Up { session: packet.session_present() });
                }
                code => self.over(refused(code), heard),
            },
            Packet::V5_0Publish(packet) => heard.push(Heard::Message(Message {
                topic: packet.topic_name().to_owned(),
                payload: packet.payload().as_slice().to_vec(),
                retained: packet.retain(),
                expiry: packet.props.iter().find_map(|property| match property {
                    Property::MessageExpiryInterval(seconds) => Some(seconds.val()),
                    _ => None,
                }),
            })),
            Packet::V5_0Puback(packet) => {
                let id = packet.packet_id();
                self.in_flight.remove(&id);
                self.confirm_by = (!self.in_flight.is_empty()).then_some(now + ANSWER_MAX);
                let allowed = packet.reason_code().is_none_or(|code| code.is_success());
                heard.push(Heard::Confirmed { id, allowed });
            }
            Packet::V5_0Suback(packet) => {
                let granted = |code: &SubackReasonCode| code.is_success();
                let allowed = packet.reason_codes().iter().all(granted);
                heard.push(Heard::Subscribed { id: packet.packet_id(), allowed });
            }
            Packet::V5_0Disconnect(packet) => self.over(
                match packet.reason_code() {
                    Some(DisconnectReasonCode::SessionTakenOver) => Why::TakenOver,
                    Some(DisconnectReasonCode::NotAuthorized) => {
                        Why::Refused("it does not allow what we asked for".to_owned())
                    }
                    Some(code) => Why::Lost(format!("the broker ended it: {code}")),
                    None => Why::Lost("the broker ended it".to_owned()),
                },
                heard,
            ),
            _ => {}
        }
    }

    /// The first reason counts.
    fn over(&mut self, why: Why, heard: &mut Vec<Heard>) {
        if !self.is_over {
            self.is_over = true;
            heard.push(Heard::Down(why));
        }
    }
}

fn key(kind: TimerKind) -> u8 {
    match kind {
        TimerKind::PingreqSend => 0,
        TimerKind::PingreqRecv => 1,
        TimerKind::PingrespRecv => 2,
    }
}

fn refused(code: ConnectReasonCode) -> Why {
    match code {
        ConnectReasonCode::BadUserNameOrPassword
        | ConnectReasonCode::NotAuthorized
        | ConnectReasonCode::Banned => Why::Refused("user or password are not accepted".to_owned()),
        ConnectReasonCode::UnsupportedProtocolVersion => {
            Why::Unable("it does not speak MQTT 5".to_owned())
        }
        ConnectReasonCode::RetainNotSupported => {
            Why::Unable("it keeps no retained messages".to_owned())
        }
        code => Why::Lost(format!("the broker does not take us in: {code}")),
    }
}

fn session_expiry(seconds: u32) -> Vec<Property> {
    SessionExpiryInterval::new(seconds).ok().map(Property::from).into_iter().collect()
}

fn message_expiry(out: &Out) -> Vec<Property> {
    let expiry = out.expiry.and_then(|seconds| MessageExpiryInterval::new(seconds).ok());
    expiry.map(Property::from).into_iter().collect()
}

fn connect(opening: &Opening) -> Result<v5_0::Connect, MqttError> {
    let mut connect = v5_0::Connect::builder()
        .client_id(opening.client_id.as_str())?
        .clean_start(opening.clean)
        .keep_alive(opening.keep_alive)
        .props(session_expiry(opening.session_expiry));
    if let Some(user) = &opening.user {
        connect = connect.user_name(user.as_str())?;
    }
    if let Some(password) = &opening.password {
        connect = connect.password(password.bytes().to_vec())?;
    }
    if let Some(will) = &opening.will {
        connect = connect
            .will_message(will.topic.as_str(), will.payload.clone(), Qos::AtLeastOnce, will.retain)?
            .will_props(message_expiry(will));
    }
    connect.build()
}

fn publish(out: &Out, id: u16) -> Result<v5_0::Publish, MqttError> {
    v5_0::Publish::builder()
        .topic_name(out.topic.as_str())?
        .qos(Qos::AtLeastOnce)
        .retain(out.retain)
        .packet_id(id)
        .payload(out.payload.as_slice())
        .props(message_expiry(out))
        .build()
}

#[cfg(test)]
mod tests;
