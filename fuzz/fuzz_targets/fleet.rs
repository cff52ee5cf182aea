//! A message of another machine: the first byte is its topic's kind, the rest what it says. What it
//! says of panes and changes is shown without control characters, and grows no further than its limits.
#![no_main]

use libfuzzer_sys::fuzz_target;
use madohub::config::Looks;
use madohub::fleet::book::{Book, Told};
use madohub::fleet::topic::{Kind, Topics};
use madohub::output::{TableOptions, Terminal, list_table};
use std::sync::LazyLock;

static LOOKS: LazyLock<Looks> = LazyLock::new(Looks::default);

fuzz_target!(|data: &[u8]| {
    let Some((kind, payload)) = data.split_first() else { return };
    let topics = Topics::below("madohub");
    let id = "tmux:default:%253".to_owned();
    let topic = match kind % 5 {
        0 => topics.of("zeus", &Kind::Presence),
        1 => topics.of("zeus", &Kind::Pane(id)),
        2 => topics.of("zeus", &Kind::Screen(id)),
        3 => topics.of("zeus", &Kind::Event),
        _ => String::from_utf8_lossy(payload).into_owned(),
    };
    let mut book = Book::default();
    for expiry in [None, Some(u32::from(*kind))] {
        if let Told::Event(event) = book.take(&topic, payload, expiry, &topics, 1, 1.0) {
            let words = [&event.pane, &event.server, &event.mux, &event.turn];
            assert!(words.iter().all(|word| !word.contains(char::is_control)), "{event:?}");
        }
    }
    book.expire(2.0);
    let rows: Vec<_> = book.hosts().flat_map(|(_, host)| host.rows().cloned()).collect();
    let terminal = Terminal::default();
    let text = list_table(&rows, &TableOptions { looks: &LOOKS, home: None, terminal }, 0.0);
    assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
});
