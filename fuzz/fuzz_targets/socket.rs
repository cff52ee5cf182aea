//! A line on the daemon's socket, from either side. What it says of panes is shown as the command
//! line and the status line show it: no control character comes through, and no tmux format.
#![no_main]

use libfuzzer_sys::fuzz_target;
use madohub::config::{Config, Depth, Segment, SegmentPreset};
use madohub::output::{
    Agents, ListedPane, Script, TableOptions, Terminal, history_text, list_table, segment_with,
};
use madohub::protocol::{Answer, Body, Request};
use std::sync::LazyLock;

static CONFIG: LazyLock<Config> = LazyLock::new(Config::default);

fn shown(text: &str) {
    let control = |c: char| c.is_control() && c != '\n';
    assert!(!text.contains(control), "{text:?}");
}

fn show(panes: &[ListedPane]) {
    let terminal = Terminal::default();
    let options = TableOptions { looks: &CONFIG.looks, home: None, terminal };
    shown(&list_table(panes, &options, 0.0));
    let names = Segment { preset: SegmentPreset::Names, ..CONFIG.segment.clone() };
    for script in [Script::Plain, Script::Tmux(Depth::Rgb), Script::Tmux(Depth::Eight)] {
        let agents = Agents::here(panes);
        shown(&segment_with(agents, &CONFIG, &CONFIG.segment, script, 0.0));
        let text = segment_with(agents, &CONFIG, &names, script, 0.0);
        shown(&text);
        let is_format = text.replace("##", "").contains("#(");
        assert!(script == Script::Plain || !is_format, "{text:?}");
    }
}

fuzz_target!(|data: &[u8]| {
    let line = String::from_utf8_lossy(data);
    if let Ok(request) = serde_json::from_str::<Request>(&line) {
        let text = serde_json::to_string(&request).expect("a request can be written");
        serde_json::from_str::<Request>(&text).expect("and read again");
    }
    let Ok(answer) = serde_json::from_str::<Answer>(&line) else { return };
    match answer.body {
        Body::List(panes) => show(&panes),
        Body::History(panes) => {
            shown(&history_text(&panes, &CONFIG.looks, Terminal::default(), 0.0));
            show(&panes.into_iter().map(|it| it.pane).collect::<Vec<_>>());
        }
        _ => {}
    }
});
