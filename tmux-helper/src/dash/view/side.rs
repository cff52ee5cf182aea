//! What is beside the list.

use crate::dash::feed::Beside;
use crate::dash::model::{Dash, Side};
use crate::dash::screen;
use crate::dash::style::Palette;
use crate::output::{clean, since};
use crate::protocol::Event;
use crate::routes::LogEntry;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::{Paragraph, Wrap};

pub(super) fn draw(
    frame: &mut Frame<'_>,
    area: Rect,
    dash: &mut Dash,
    palette: &Palette,
    now: f64,
) {
    let [head, body] = Layout::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(area);
    frame.render_widget(Paragraph::new(tabs(dash, head.width)), head);
    let Some(beside) = dash.beside() else { return };
    let text = match beside {
        Beside::Screen(captured) => {
            let mut lines = screen::lines(captured);
            if !palette.has_colours() {
                let spans = lines.iter_mut().flat_map(|line| &mut line.spans);
                spans.for_each(|span| span.style = Style::new());
            }
            return screen_end(frame, body, dash, lines);
        }
        Beside::History(events) if events.is_empty() => {
            Text::raw("Nothing changed since the daemon began to watch this pane.")
        }
        Beside::History(events) => events.iter().map(|event| told(event, palette, now)).collect(),
        Beside::Routes(entries) if entries.is_empty() => {
            Text::raw("No route of this server did anything yet.")
        }
        Beside::Routes(entries) => entries.iter().map(|entry| logged(entry, now)).collect(),
        Beside::Text(lines) => lines.iter().map(|line| Line::raw(clean(line))).collect(),
        Beside::Missing(why) => Text::raw(clean(why)),
    };
    let is_prose = matches!(beside, Beside::Missing(_));
    let most = text.height().saturating_sub(usize::from(body.height));
    dash.scroll = dash.scroll.min(most);
    let from = u16::try_from(dash.scroll).unwrap_or(u16::MAX);
    let paragraph = Paragraph::new(text).scroll((from, 0));
    let paragraph = if is_prose { paragraph.wrap(Wrap { trim: true }) } else { paragraph };
    frame.render_widget(paragraph, body);
}

/// The names of what can be shown, the one that is shown marked, and the pane.
fn tabs(dash: &Dash, columns: u16) -> Line<'static> {
    let dim = Style::new().add_modifier(Modifier::DIM);
    let mut spans = vec![Span::styled("── ", dim)];
    for side in Side::ALL {
        let style = if side == dash.side {
            Style::new().add_modifier(Modifier::BOLD | Modifier::UNDERLINED)
        } else {
            dim
        };
        spans.push(Span::styled(side.name(), style));
        spans.push(Span::raw(" "));
    }
    let used: usize = spans.iter().map(Span::width).sum();
    spans.push(Span::styled("─".repeat(usize::from(columns).saturating_sub(used)), dim));
    Line::from(spans)
}

/// A screen has its newest rows at its end.
fn screen_end(frame: &mut Frame<'_>, area: Rect, dash: &mut Dash, lines: Vec<Line<'_>>) {
    let hidden = lines.len().saturating_sub(usize::from(area.height));
    dash.scroll = dash.scroll.min(hidden);
    let from = u16::try_from(hidden - dash.scroll).unwrap_or(u16::MAX);
    frame.render_widget(Paragraph::new(lines).scroll((from, 0)), area);
}

fn told(event: &Event, palette: &Palette, now: f64) -> Line<'static> {
    let style = palette.state(event.to);
    let reason = event.reason.as_ref().map(|reason| format!(" ({})", clean(reason)));
    let age = since(now - event.time);
    Line::from(vec![
        Span::raw(format!("{age:>6} ago  {:<9} → ", event.from.as_str())),
        Span::styled(format!("{} {}", palette.glyph(event.to), event.to), style),
        Span::raw(reason.unwrap_or_default()),
        Span::styled(
            format!("  {}", event.state_source.as_str()),
            Style::new().add_modifier(Modifier::DIM),
        ),
    ])
}

fn logged(entry: &LogEntry, now: f64) -> Line<'static> {
    let why = entry.why.as_ref().map(|why| format!(": {}", clean(why)));
    Line::raw(format!(
        "{:>6} ago  {}  {} → {}  {}{}",
        since(now - entry.time),
        clean(&entry.route),
        clean(&entry.from),
        clean(&entry.to),
        clean(&entry.outcome),
        why.unwrap_or_default()
    ))
}
