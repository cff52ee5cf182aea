//! The last row: what is typed, what was said, or the keys; and the help.

use crate::dash::keys::KEYS;
use crate::dash::model::{Dash, Mode};
use crate::output::{clean, fit, width};
use ratatui::Frame;
use ratatui::layout::{Constraint, Flex, Layout, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Paragraph};

/// The keys that fit, most wanted first.
const HINTS: [&str; 8] =
    ["Enter go", "s send", "/ filter", "n next", "h history", "e explain", "? keys", "q leave"];

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, dash: &Dash) {
    match &dash.mode {
        Mode::Filter => typed(frame, area, "/", &dash.filter),
        Mode::Send { to, text } => {
            let pane = dash.all().find(|pane| super::super::model::PaneKey::of(pane) == *to);
            let place = pane.map_or_else(|| clean(&to.pane), |pane| clean(&pane.place()));
            typed(frame, area, &format!("to {place}: "), text);
        }
        Mode::Choose | Mode::Help => {
            let columns = usize::from(area.width);
            let line = match dash.note() {
                Some(note) => {
                    let bold = Style::new().add_modifier(Modifier::BOLD);
                    Line::from(Span::styled(fit(&clean(note), columns), bold))
                }
                None => Line::styled(hints(columns), Style::new().add_modifier(Modifier::DIM)),
            };
            frame.render_widget(Paragraph::new(line), area);
        }
    }
}

fn hints(columns: usize) -> String {
    let mut out = String::new();
    for hint in HINTS {
        let gap = if out.is_empty() { "" } else { "  " };
        if width(&out) + gap.len() + width(hint) > columns {
            break;
        }
        out.push_str(gap);
        out.push_str(hint);
    }
    out
}

/// The end of what is typed, with the cursor behind it.
fn typed(frame: &mut Frame<'_>, area: Rect, before: &str, text: &str) {
    let room = usize::from(area.width).saturating_sub(width(before) + 1);
    let text = clean(text);
    // From the end: what is typed now must show.
    let mut tail = text.as_str();
    while width(tail) > room {
        let mut chars = tail.chars();
        chars.next();
        tail = chars.as_str();
    }
    let line = format!("{before}{tail}");
    let x = u16::try_from(width(&line)).unwrap_or(u16::MAX);
    frame.render_widget(Paragraph::new(line), area);
    let last = area.right().saturating_sub(1);
    frame.set_cursor_position((area.x.saturating_add(x).min(last), area.y));
}

/// All keys, in a box over everything else.
pub(super) fn help(frame: &mut Frame<'_>, area: Rect) {
    let longest = KEYS.iter().map(|(key, _)| width(key)).max().unwrap_or(0);
    let line = |(key, what): &(&str, &str)| {
        let gap = " ".repeat(longest.saturating_sub(width(key)) + 2);
        Line::raw(format!(" {key}{gap}{what} "))
    };
    let lines: Vec<Line<'_>> = KEYS.iter().map(line).collect();
    let columns = lines.iter().map(Line::width).max().unwrap_or(0);
    let cells = |n: usize| Constraint::Length(u16::try_from(n + 2).unwrap_or(u16::MAX));
    let [middle] = Layout::vertical([cells(lines.len())]).flex(Flex::Center).areas(area);
    let [middle] = Layout::horizontal([cells(columns)]).flex(Flex::Center).areas(middle);
    frame.render_widget(Clear, middle);
    frame.render_widget(Paragraph::new(lines).block(Block::bordered().title("keys")), middle);
}
