#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a failing test may panic")]

use super::*;
use crate::config::{Depth, Looks};
use crate::dash::feed::{Beside, News, Source};
use crate::dash::keys::Action;
use crate::dash::model::Side;
use crate::output::{ListedPane, example_pane};
use crate::routes::LogEntry;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::style::Color;

fn panes() -> Vec<ListedPane> {
    let mut waiting = example_pane("api", "codex", State::Waiting);
    waiting.row.reason = Some("approval".to_owned());
    waiting.row.last_message = Some("cargo test\x1b[31m\u{202e}".to_owned());
    let mut working = example_pane("日本", "claude", State::Working);
    "%4".clone_into(&mut working.row.pane);
    (working.row.since, working.row.background) = (4.0, 2);
    let mut idle = example_pane("web", "opencode", State::Idle);
    "%5".clone_into(&mut idle.row.pane);
    vec![waiting, working, idle]
}

fn dash(panes: Vec<ListedPane>) -> Dash {
    let mut dash = Dash::new(false);
    dash.update(News::Panes(Source::Tmux("a".to_owned()), Ok(panes)));
    dash
}

fn beside(dash: &mut Dash, side: Side, beside: Beside) {
    dash.act(Action::Show(side));
    let focus = dash.focus_for_test();
    dash.update(News::Beside(focus, beside));
}

fn drawn(dash: &mut Dash, columns: u16, rows: u16, depth: Option<Depth>) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
    let palette = Palette::new(Looks::default(), depth);
    terminal.draw(|frame| draw(frame, dash, &palette, 138.0)).unwrap();
    terminal.backend().buffer().clone()
}

fn text(buffer: &Buffer) -> String {
    let mut out = String::new();
    for y in 0..buffer.area.height {
        let mut line = String::new();
        let mut skip = 0;
        for x in 0..buffer.area.width {
            if skip > 0 {
                skip -= 1;
                continue;
            }
            let symbol = buffer[(x, y)].symbol();
            line.push_str(symbol);
            skip = width(symbol).saturating_sub(1);
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

#[test]
fn list_above_and_screen_below_where_it_is_narrow() {
    let mut dash = dash(panes());
    let screen =
        "one\n\x1b[1;31mtwo\x1b[0m \x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\\n\n\n".to_owned();
    beside(&mut dash, Side::Screen, Beside::Screen(screen));
    let buffer = drawn(&mut dash, 80, 12, Some(Depth::Rgb));
    assert_eq!(
        text(&buffer),
        "\
madohub  ? 1 waiting  ● 1 working  · 1 idle
? waiting      38s codex    api:1.0  approval · cargo test␛[31m�
● working    2m14s claude   日本:1.0 +2 in background
· idle         38s opencode web:1.0
── screen history explanation routes ───────────────────────────────────────────
one
two link




Enter go  s send  / filter  n next  h history  e explain  ? keys  q leave
"
    );
    assert_eq!(buffer[(0, 1)].style().fg, Some(Color::Rgb(255, 160, 0)));
    assert_eq!(buffer[(0, 6)].style().fg, Some(Color::Indexed(1)));
    assert!(buffer[(0, 1)].modifier.contains(Modifier::REVERSED), "the chosen row");
    assert!(!buffer[(0, 2)].modifier.contains(Modifier::REVERSED));
}

#[test]
fn without_colours_glyphs_and_weights_are_left() {
    let mut dash = dash(panes());
    beside(&mut dash, Side::Screen, Beside::Screen("\x1b[41;32mred\x1b[0m".to_owned()));
    let buffer = drawn(&mut dash, 80, 12, None);
    for cell in buffer.content() {
        assert_eq!((cell.fg, cell.bg), (Color::Reset, Color::Reset), "{cell:?}");
    }
    assert!(text(&buffer).contains("? waiting"));
}

#[test]
fn list_and_side_stand_beside_each_other_where_it_is_wide() {
    let mut dash = dash(panes());
    beside(&mut dash, Side::Screen, Beside::Screen("the screen".to_owned()));
    let lines = text(&drawn(&mut dash, 140, 14, None));
    let second = lines.lines().nth(2).unwrap();
    assert!(second.starts_with("● working") && second.ends_with("the screen"), "{lines}");
}

#[test]
fn every_size_is_drawn_and_no_row_is_wider_than_the_terminal() {
    for (columns, rows) in [(1, 1), (7, 3), (20, 5), (49, 10), (60, 15), (80, 24), (200, 50)] {
        let mut dash = dash(panes());
        for side in Side::ALL {
            beside(&mut dash, side, Beside::Text(vec!["x".repeat(500); 500]));
            for action in [Action::Scroll(7), Action::Help, Action::Back, Action::Send] {
                dash.act(action);
                drawn(&mut dash, columns, rows, Some(Depth::Eight));
            }
            dash.act(Action::Back);
        }
    }
    let narrow = text(&drawn(&mut dash(panes()), 46, 15, None));
    assert!(narrow.contains("\n?    38s codex    api:1.0  approval"), "{narrow}");
}

#[test]
fn the_newest_rows_of_a_screen_show_and_one_can_look_back() {
    let mut dash = dash(panes());
    let screen: Vec<String> = (1..=30).map(|n| format!("row {n}")).collect();
    beside(&mut dash, Side::Screen, Beside::Screen(screen.join("\n") + "\n\n\n"));
    let end = text(&drawn(&mut dash, 80, 12, None));
    assert!(end.contains("row 30\n") && !end.contains("row 20\n"), "{end}");
    dash.act(Action::Scroll(-100));
    let start = text(&drawn(&mut dash, 80, 12, None));
    assert!(start.contains("row 1\n") && !start.contains("row 30"), "{start}");
    dash.act(Action::Scroll(1));
    assert!(
        !text(&drawn(&mut dash, 80, 12, None)).contains("row 1\n"),
        "no further than its start"
    );
}

#[test]
fn the_chosen_row_is_always_in_sight() {
    let many: Vec<ListedPane> = (0..50)
        .map(|n| {
            let mut pane = example_pane("api", "codex", State::Idle);
            pane.row.pane = format!("%{n}");
            (pane.pane_index, pane.row.since) = (n, f64::from(n));
            pane
        })
        .collect();
    let mut dash = dash(many);
    for (action, place) in
        [(Action::Last, "api:1.49"), (Action::Step(-20), "api:1.29"), (Action::First, "api:1.0\n")]
    {
        dash.act(action);
        let shown = text(&drawn(&mut dash, 60, 20, None));
        assert!(shown.contains(place), "{place}\n{shown}");
    }
}

#[test]
fn history_routes_and_reasons_are_told() {
    let mut dash = dash(panes());
    let entry = LogEntry {
        v: 1,
        time: 100.0,
        route: "review\x07".to_owned(),
        seq: 7,
        from: "%3".to_owned(),
        to: "%5".to_owned(),
        outcome: "refused".to_owned(),
        why: Some("%5 waits".to_owned()),
    };
    beside(&mut dash, Side::Routes, Beside::Routes(vec![entry]));
    let shown = text(&drawn(&mut dash, 80, 12, None));
    assert!(shown.contains("   38s ago  review␇  %3 → %5  refused: %5 waits\n"), "{shown}");
    beside(&mut dash, Side::History, Beside::History(Vec::new()));
    assert!(text(&drawn(&mut dash, 80, 12, None)).contains("Nothing changed since"));
    beside(&mut dash, Side::Explanation, Beside::Missing("it hangs".to_owned()));
    assert!(text(&drawn(&mut dash, 80, 12, None)).contains("it hangs"));
}

#[test]
fn what_is_typed_and_said_has_the_last_row() {
    let mut dash = dash(panes());
    dash.act(Action::Send);
    dash.act(Action::Type("go on".to_owned()));
    assert!(text(&drawn(&mut dash, 80, 12, None)).ends_with("to api:1.0: go on\n"));
    dash.act(Action::Type("x".repeat(200) + "end"));
    let line = text(&drawn(&mut dash, 80, 12, None));
    assert!(line.trim_end().ends_with("xxxend"), "{line}");
    dash.act(Action::Back);
    dash.say("it\x1b[2J failed");
    assert!(text(&drawn(&mut dash, 80, 12, None)).ends_with("it␛[2J failed\n"));
    dash.act(Action::Help);
    assert!(text(&drawn(&mut dash, 80, 20, None)).contains("the next that needs you"));
}

#[test]
fn an_empty_list_says_what_to_do() {
    let mut dash = Dash::new(false);
    assert!(text(&drawn(&mut dash, 80, 12, None)).contains("Looking …"));
    dash.update(News::Complete);
    assert!(text(&drawn(&mut dash, 80, 12, None)).contains("No agent runs."));
}
