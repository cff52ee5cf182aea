//! Another client of the broker: it plays hosts, and sees what the product tells.

use mqtt_protocol_core::mqtt::common::Cursor;
use mqtt_protocol_core::mqtt::connection::Event;
use mqtt_protocol_core::mqtt::packet::{
    MessageExpiryInterval, Packet, Property, Qos, SubEntry, SubOpts, v5_0,
};
use mqtt_protocol_core::mqtt::prelude::*;
use mqtt_protocol_core::mqtt::{Connection, Version, role};
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// A plain, waiting client without a password.
pub struct Mqtt {
    stream: TcpStream,
    protocol: Connection<role::Client>,
    is_in: bool,
    /// What is retained, by topic, as far as it was heard.
    pub retained: BTreeMap<String, Vec<u8>>,
    /// Messages that are not retained, as they came.
    pub messages: Vec<(String, Vec<u8>)>,
}

impl Mqtt {
    /// Connects under a name of its own.
    pub fn connect(port: u16, name: &str) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", port)).expect("a broker");
        stream.set_nodelay(true).expect("a socket");
        stream.set_read_timeout(Some(Duration::from_millis(20))).expect("a socket");
        let mut mqtt = Self {
            stream,
            protocol: Connection::new(Version::V5_0),
            is_in: false,
            retained: BTreeMap::new(),
            messages: Vec::new(),
        };
        mqtt.protocol.set_auto_pub_response(true);
        let connect = v5_0::Connect::builder().client_id(name).expect("a name").keep_alive(0);
        let events = mqtt.protocol.checked_send(connect.build().expect("a packet"));
        mqtt.take(events);
        crate::wait_for("the broker to let us in", || {
            mqtt.hear();
            if mqtt.is_in { Ok(()) } else { Err(String::new()) }
        });
        mqtt
    }

    /// Asks for topics.
    pub fn subscribe(&mut self, filter: &str) {
        let id = self.protocol.acquire_packet_id().expect("a number");
        let options = SubOpts::new().set_qos(Qos::AtLeastOnce).set_rap(true);
        let entry = SubEntry::new(filter, options).expect("a filter");
        let packet = v5_0::Subscribe::builder().entries(vec![entry]).packet_id(id);
        let events = self.protocol.checked_send(packet.build().expect("a packet"));
        self.take(events);
    }

    /// Publishes a message that nobody confirms.
    pub fn publish(&mut self, topic: &str, payload: &[u8], retain: bool) {
        let packet = v5_0::Publish::builder()
            .topic_name(topic)
            .expect("a topic")
            .qos(Qos::AtMostOnce)
            .retain(retain)
            .payload(payload)
            .props(vec![Property::from(MessageExpiryInterval::new(600).expect("seconds"))]);
        let events = self.protocol.checked_send(packet.build().expect("a packet"));
        self.take(events);
    }

    /// Takes what came, for a moment.
    pub fn hear(&mut self) {
        let mut chunk = vec![0; 64 * 1024];
        let Ok(read) = self.stream.read(&mut chunk) else { return };
        let mut cursor = Cursor::new(&chunk[..read]);
        while cursor.position() < read as u64 {
            let events = self.protocol.recv(&mut cursor);
            self.take(events);
        }
    }

    fn take(&mut self, events: Vec<Event>) {
        for event in events {
            match event {
                Event::RequestSendPacket { packet, .. } => {
                    self.stream.write_all(&packet.to_continuous_buffer()).expect("the broker");
                }
                Event::NotifyPacketReceived(Packet::V5_0Publish(packet)) => {
                    let topic = packet.topic_name().to_owned();
                    let payload = packet.payload().as_slice().to_vec();
                    match (packet.retain(), payload.is_empty()) {
                        (true, false) => drop(self.retained.insert(topic, payload)),
                        (true, true) => drop(self.retained.remove(&topic)),
                        (false, _) => self.messages.push((topic, payload)),
                    }
                }
                Event::NotifyPacketReceived(Packet::V5_0Connack(_)) => self.is_in = true,
                Event::NotifyError(error) => panic!("{error}"),
                _ => {}
            }
        }
    }
}
