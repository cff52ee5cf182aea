//! Messages to the zellij plugin, as command lines and other plugins can send them. NUL stands between
//! them; the first byte of each says from where it comes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use madohub_zellij::{
    App, Effect, Event, Instance, PaneFacts, Pipe, PipeSource, Screen, Session, Settings, TabFacts,
};
use std::collections::BTreeMap;
use std::sync::Arc;

fn app(role: &str) -> App {
    let block = [("role", role), ("helper", "off")];
    let block = block.map(|(key, value)| (key.to_owned(), value.to_owned()));
    let me = Instance { plugin: 1, client: 1, server_pid: 1, version: "0.45.1".to_owned() };
    let settings = Settings::from_block(&BTreeMap::from(block));
    App::new(me, settings, 1000.0).with_rules(Arc::clone(&madohub_fuzz::RULES))
}

/// A controller that leads and follows one pane.
fn controller() -> App {
    let mut app = app("controller");
    let tab = TabFacts { id: 1, name: "tab".to_owned(), clients: vec![1], ..TabFacts::default() };
    let pane = PaneFacts { id: 3, size: (80, 24), ..PaneFacts::default() };
    let session = Session {
        name: "session".to_owned(),
        tabs: vec![tab],
        panes: vec![pane],
        focus: BTreeMap::from([(1, 3)]),
        ..Session::default()
    };
    let rows = ["❯ ", "  ? for shortcuts"].map(str::to_owned).to_vec();
    app.update(Event::Loaded(None), 1000.0);
    app.update(Event::Session(session), 1000.1);
    app.update(Event::ScreenRead(3, Some(Screen { rows, cursor: None })), 1000.2);
    app
}

fn message(source: PipeSource, name: &str, text: &str) -> Event {
    let payload = Some(text.to_owned());
    Event::Pipe(Pipe { source, name: name.to_owned(), payload, args: BTreeMap::new() })
}

/// Control characters other than the end of a row.
fn is_unclean(text: &str) -> bool {
    text.chars().any(|c| c.is_control() && c != '\n')
}

fuzz_target!(|data: &[u8]| {
    let (mut leader, mut bar) = (controller(), app("bar"));
    bar.update(Event::Loaded(None), 1000.0);
    bar.update(Event::Resized(80), 1000.0);
    let mut now = 1001.0;
    for (n, part) in data.split(|byte| *byte == 0).enumerate() {
        let Some((from, text)) = part.split_first() else { continue };
        let text = String::from_utf8_lossy(text);
        now += 0.1;
        match from % 3 {
            0 => {
                let id = n.to_string();
                let done =
                    leader.update(message(PipeSource::Cli(id.clone()), "madohub", &text), now);
                let ends = |e: &Effect| *e == Effect::EndPipe(id.clone());
                let held = done.contains(&Effect::HoldPipe(id.clone()));
                let ended = done.iter().filter(|e| ends(e)).count();
                assert!(ended == 1 || (held && ended == 0), "{text:?}: {done:?}");
                for effect in &done {
                    let Effect::Answer { text: answer, .. } = effect else { continue };
                    assert!(!is_unclean(answer), "{text:?}: {answer:?}");
                }
            }
            1 => {
                leader.update(message(PipeSource::Plugin(1), "madohub:report", &text), now);
            }
            _ => {
                bar.update(message(PipeSource::Plugin(1), "madohub:report", &text), now);
                let row = bar.render();
                assert!(!is_unclean(&without_colours(&row)), "{text:?}: {row:?}");
            }
        }
    }
});

/// A row without its SGR sequences.
fn without_colours(row: &str) -> String {
    let mut pieces = row.split("\u{1b}[");
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let parameters = piece.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';');
        match parameters.strip_prefix('m') {
            Some(text) => out.push_str(text),
            None => out.push('\u{1b}'),
        }
    }
    out
}
