#![expect(clippy::unwrap_used, reason = "a failing test may panic")]

use super::*;
use proptest::prelude::*;

fn opening() -> Opening {
    Opening {
        client_id: "madohub-zeus".to_owned(),
        user: Some("me".to_owned()),
        password: None,
        keep_alive: 10,
        clean: true,
        session_expiry: 0,
        will: Some(Out {
            topic: "madohub/zeus/presence".to_owned(),
            payload: b"{}".to_vec(),
            retain: true,
            expiry: Some(60),
        }),
    }
}

/// CONNACK without properties: taken in.
const CONNACK: [u8; 5] = [0x20, 3, 0, 0, 0];

fn up() -> (Link, Vec<Heard>) {
    let mut link = Link::open(&opening(), 0.0).unwrap();
    let mut heard = Vec::new();
    link.received(&CONNACK, 1.0, &mut heard);
    assert_eq!(heard, [Heard::Up { session: false }]);
    (link, Vec::new())
}

fn out(n: u8) -> Out {
    Out { topic: "t".to_owned(), payload: vec![n], retain: false, expiry: None }
}

#[test]
fn what_the_broker_answers_is_told() {
    for (code, told) in [
        (0x86, Why::Refused("user or password are not accepted".to_owned())),
        (0x87, Why::Refused("user or password are not accepted".to_owned())),
        (0x84, Why::Unable("it does not speak MQTT 5".to_owned())),
    ] {
        let mut link = Link::open(&opening(), 0.0).unwrap();
        let mut heard = Vec::new();
        link.received(&[0x20, 3, 0, code, 0], 1.0, &mut heard);
        assert_eq!(heard.first(), Some(&Heard::Down(told)), "{code:x}");
    }
    let (mut link, mut heard) = up();
    // Session taken over, and whatever comes behind it.
    link.received(&[0xe0, 2, 0x8e, 0, 0xff, 0xff], 2.0, &mut heard);
    assert_eq!(heard, [Heard::Down(Why::TakenOver)]);
}

#[test]
fn a_broker_that_says_nothing_is_given_up() {
    let mut link = Link::open(&opening(), 0.0).unwrap();
    let mut heard = Vec::new();
    assert_eq!(link.deadline(), Some(ANSWER_MAX));
    link.tick(ANSWER_MAX, &mut heard);
    assert!(matches!(heard.first(), Some(Heard::Down(Why::Unreachable(_)))), "{heard:?}");
    let (mut link, mut heard) = up();
    // It is asked whether it lives, and then waited for as long again.
    let mut now = 1.0;
    while heard.is_empty() {
        now = link.deadline().unwrap();
        link.tick(now, &mut heard);
    }
    assert_eq!(heard.first(), Some(&Heard::Down(Why::Lost("the broker fell silent".to_owned()))));
    assert!((11.0..=25.0).contains(&now), "{now}");
}

#[test]
fn a_broker_that_confirms_nothing_gets_no_more() {
    let (mut link, mut heard) = up();
    let mut ids = Vec::new();
    while link.has_room() {
        ids.push(link.publish(&out(1), 2.0, &mut heard).unwrap());
        link.output().clear();
    }
    assert_eq!(ids.len(), IN_FLIGHT_MAX);
    let first = *ids.first().unwrap();
    let [high, low] = first.to_be_bytes();
    link.received(&[0x40, 2, high, low], 3.0, &mut heard);
    assert_eq!(heard, [Heard::Confirmed { id: first, allowed: true }]);
    assert!(link.has_room());
    // Another one is not allowed.
    heard.clear();
    let second = *ids.get(1).unwrap();
    let [high, low] = second.to_be_bytes();
    link.received(&[0x40, 3, high, low, 0x87], 4.0, &mut heard);
    assert_eq!(heard, [Heard::Confirmed { id: second, allowed: false }]);
    // However much is sent, what is not confirmed means that nobody is there.
    heard.clear();
    link.publish(&out(2), 13.0, &mut heard);
    link.tick(13.9, &mut heard);
    assert_eq!(heard, []);
    link.tick(14.0, &mut heard);
    assert!(matches!(heard.first(), Some(Heard::Down(Why::Lost(_)))), "{heard:?}");
}

#[test]
fn a_message_comes_in_pieces() {
    let (mut link, mut heard) = up();
    // PUBLISH, retained, QoS 0, topic `a/b`, three properties' bytes less: none, payload `hi`.
    let packet = [0x31, 8, 0, 3, b'a', b'/', b'b', 0, b'h', b'i'];
    for byte in packet {
        assert!(heard.is_empty());
        link.received(&[byte], 2.0, &mut heard);
    }
    let expected =
        Message { topic: "a/b".to_owned(), payload: b"hi".to_vec(), retained: true, expiry: None };
    assert_eq!(heard, [Heard::Message(expected.clone())]);
    heard.clear();
    link.received(&packet.repeat(3), 2.0, &mut heard);
    assert_eq!(heard, vec![Heard::Message(expected); 3]);
}

#[test]
fn a_packet_that_is_too_large_ends_it() {
    let (mut link, mut heard) = up();
    link.received(&[0x30, 0xff, 0xff, 0xff, 0x7f], 2.0, &mut heard);
    assert!(matches!(heard.first(), Some(Heard::Down(_))), "{heard:?}");
}

proptest! {
    #[test]
    fn whatever_comes_does_no_harm(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let (mut link, mut heard) = up();
        link.received(&bytes, 2.0, &mut heard);
        link.tick(100.0, &mut heard);
    }
}
