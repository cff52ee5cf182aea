#![expect(clippy::unwrap_used, reason = "a failing test may panic")]

use super::*;
use crate::fleet::message::{PaneMessage, VERSION};
use crate::fleet::topic::pane_id;
use crate::output::example_pane;
use madohub_detect::State;

struct World {
    book: Book,
    topics: Topics,
}

impl World {
    fn new() -> Self {
        Self { book: Book::default(), topics: Topics::below("madohub") }
    }

    fn take(&mut self, host: &str, kind: &Kind, payload: &[u8], now: f64) -> Told {
        let topic = self.topics.of(host, kind);
        self.book.take(&topic, payload, None, &self.topics, 1, now)
    }

    fn presence(&mut self, host: &str, change: impl FnOnce(&mut Presence), now: f64) -> Told {
        let mut presence = Presence {
            v: VERSION,
            host: host.to_owned(),
            online: true,
            instance: 1,
            since: 0.0,
            keep_alive: 15,
            expiry: 1000,
            version: "1".to_owned(),
            panes: 0,
            sum: 0,
            screens: false,
        };
        change(&mut presence);
        self.take(host, &Kind::Presence, &serde_json::to_vec(&presence).unwrap(), now)
    }

    fn pane(&mut self, host: &str, pane: usize, n: u64, round: u64) {
        let mut row = example_pane("s", "claude", State::Working).row;
        row.pane = format!("%{pane}");
        let kind = Kind::Pane(pane_id(&row));
        let message = PaneMessage { v: VERSION, host: host.to_owned(), n, pane_index: 0, row };
        let payload = serde_json::to_vec(&message).unwrap();
        let topic = self.topics.of(host, &kind);
        self.book.take(&topic, &payload, None, &self.topics, round, 0.0);
    }

    fn online(&self) -> Vec<&str> {
        self.book.hosts().filter(|(_, host)| host.is_online()).map(|(name, _)| name).collect()
    }
}

#[test]
fn a_host_is_gone_when_it_says_so_or_nothing() {
    let mut world = World::new();
    assert_eq!(world.presence("zeus", |_| {}, 0.0), Told::Host("zeus".to_owned()));
    assert_eq!(world.presence("zeus", |_| {}, 5.0), Told::Nothing);
    world.pane("zeus", 1, 1, 1);
    assert_eq!((world.online(), world.book.rows().len()), (vec!["zeus"], 1));
    // Nothing for as long as it said.
    assert_eq!(world.book.deadline(), Some(20.0));
    assert!(world.book.expire(19.9).is_empty());
    assert_eq!(world.book.expire(20.0), ["zeus"]);
    assert_eq!((world.online().len(), world.book.rows().len()), (0, 0));
    let host = world.book.host_named("zeus").unwrap();
    assert_eq!((host.gone_for(30.0), host.count()), (Some(10.0), 1));
    // It is back, and then the broker says that it is not.
    assert_eq!(world.presence("zeus", |_| {}, 40.0), Told::Host("zeus".to_owned()));
    world.presence("zeus", |presence| presence.online = false, 41.0);
    assert!(world.online().is_empty());
    // It takes itself away.
    world.take("zeus", &Kind::Presence, b"", 42.0);
    assert!(world.book.host_named("zeus").is_none());
    assert_eq!(world.book.panes, 0);
}

#[test]
fn what_the_broker_kept_is_as_old_as_it_is() {
    let mut world = World::new();
    let topic = world.topics.of("zeus", &Kind::Presence);
    let mut presence = Presence {
        v: VERSION,
        host: "zeus".to_owned(),
        online: true,
        instance: 1,
        since: 0.0,
        keep_alive: 15,
        expiry: 1000,
        version: String::new(),
        panes: 0,
        sum: 0,
        screens: false,
    };
    let payload = serde_json::to_vec(&presence).unwrap();
    world.book.take(&topic, &payload, Some(990), &world.topics, 1, 100.0);
    assert_eq!(world.book.deadline(), Some(105.0));
    world.book.take(&topic, &payload, Some(960), &world.topics, 1, 100.0);
    let host = world.book.host_named("zeus").unwrap();
    assert_eq!((host.is_online(), host.gone_for(100.0)), (false, Some(25.0)));
    // Whatever a host says of times, it harms itself alone.
    presence.expiry = u32::MAX;
    let payload = serde_json::to_vec(&presence).unwrap();
    world.book.take(&topic, &payload, Some(0), &world.topics, 1, 100.0);
    assert!(world.online().is_empty());
}

#[test]
fn the_last_will_of_another_program_says_nothing() {
    let mut world = World::new();
    world.presence("zeus", |presence| presence.instance = 2, 0.0);
    world.presence("zeus", |presence| presence.online = false, 1.0);
    assert_eq!(world.online(), ["zeus"]);
}

#[test]
fn a_lost_message_is_noticed_once() {
    let mut world = World::new();
    world.presence("zeus", |_| {}, 0.0);
    world.pane("zeus", 1, 3, 1);
    world.pane("zeus", 2, 4, 1);
    world.presence("zeus", |presence| (presence.panes, presence.sum) = (2, 7), 1.0);
    assert!(world.book.differing(0.0, 100.0).is_empty());
    for (panes, sum) in [(2, 9), (3, 7), (1, 4)] {
        world.presence("zeus", |presence| (presence.panes, presence.sum) = (panes, sum), 2.0);
        assert!(world.book.differing(1.0, 2.5).is_empty());
        assert_eq!(world.book.differing(1.0, 3.0), ["zeus"]);
        assert!(world.book.differing(1.0, 4.0).is_empty());
    }
}

#[test]
fn panes_that_are_not_told_again_are_forgotten() {
    let mut world = World::new();
    world.presence("zeus", |_| {}, 0.0);
    world.pane("zeus", 1, 1, 1);
    world.pane("zeus", 2, 2, 1);
    world.pane("zeus", 2, 3, 2);
    world.book.sweep("zeus", 2);
    let rows = world.book.rows();
    assert_eq!(rows.iter().map(|pane| pane.row.pane.as_str()).collect::<Vec<_>>(), ["%2"]);
}

#[test]
fn nobody_fills_the_memory() {
    let mut world = World::new();
    for pane in 0..PANES_MAX + 50 {
        world.pane("zeus", pane, 1, 1);
    }
    assert_eq!(world.book.host_named("zeus").unwrap().count(), PANES_MAX);
    assert_eq!(world.book.refused().too_many, 50);
    for host in 0..HOSTS_MAX + 50 {
        world.presence(&format!("h{host}"), |_| {}, 0.0);
    }
    assert_eq!(world.book.hosts().count(), HOSTS_MAX);
    for host in 0..HOSTS_MAX {
        for pane in 0..25 {
            world.pane(&format!("h{host}"), pane, 1, 1);
        }
    }
    assert_eq!(world.book.panes, ALL_PANES_MAX);
    let panes: usize = world.book.hosts().map(|(_, host)| host.count()).sum();
    assert_eq!(panes, ALL_PANES_MAX);
}

#[test]
fn an_event_is_told_once() {
    let mut world = World::new();
    let event = |seq: u64| {
        serde_json::json!({
            "v": 1, "seq": seq, "time": 1.0, "host": "zeus", "mux": "tmux", "server": "/s",
            "pane": "%3", "agent": "claude", "from": "working", "to": "waiting",
            "state_source": "pty-scrape", "reason": null, "since": 1.0, "turn": "2",
            "evidence": [],
        })
        .to_string()
    };
    let mut told = |seq: u64| {
        matches!(world.take("zeus", &Kind::Event, event(seq).as_bytes(), 0.0), Told::Event(_))
    };
    let heard: Vec<bool> = [7, 7, 8, 6, 8, 9].map(&mut told).to_vec();
    assert_eq!(heard, [true, false, true, false, false, true]);
    // Numbers that began anew.
    assert!(told(5000) && told(1));
}
