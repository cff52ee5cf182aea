//! Draws the dashboard.

mod foot;
mod list;
mod side;

use super::model::{Dash, Mode, needs_person};
use super::style::Palette;
use crate::output::{clean, fit, width};
use madohub_detect::State;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders, Padding, Paragraph};

/// From so many columns on, list and side stand beside each other.
const WIDE: u16 = 120;
/// Below so many rows there is only the list.
const LOW: u16 = 10;

/// Draws everything; writes down where, for the mouse.
pub(super) fn draw(frame: &mut Frame<'_>, dash: &mut Dash, palette: &Palette, now: f64) {
    let [head, body, foot] =
        Layout::vertical([Constraint::Length(1), Constraint::Fill(1), Constraint::Length(1)])
            .areas(frame.area());
    frame.render_widget(Paragraph::new(heading(dash, palette, head.width)), head);
    let (list, side) = split(body, dash.shown().len());
    dash.places.list = list;
    dash.places.side = side;
    list::draw(frame, list, dash, palette, now);
    if side.height > 0 {
        let side = if side.x > list.x { lined(frame, side) } else { side };
        side::draw(frame, side, dash, palette, now);
    }
    foot::draw(frame, foot, dash);
    if dash.mode == Mode::Help {
        foot::help(frame, body);
    }
}

/// Where the list is, and what is beside or below it; no place for that where there is no room.
fn split(body: Rect, rows: usize) -> (Rect, Rect) {
    if body.height < LOW || rows == 0 {
        return (body, Rect::new(body.x, body.bottom(), 0, 0));
    }
    if body.width >= WIDE {
        let [list, side] =
            Layout::horizontal([Constraint::Fill(5), Constraint::Fill(6)]).areas(body);
        return (list, side);
    }
    let rows = u16::try_from(rows).unwrap_or(u16::MAX);
    let room = rows.clamp(3, body.height / 2);
    let [list, side] =
        Layout::vertical([Constraint::Length(room), Constraint::Fill(1)]).areas(body);
    (list, side)
}

/// Draws a line at the left of this place; answers what is left of it.
fn lined(frame: &mut Frame<'_>, place: Rect) -> Rect {
    let dim = Style::new().add_modifier(Modifier::DIM);
    let block = Block::new().borders(Borders::LEFT).border_style(dim).padding(Padding::left(1));
    let inner = block.inner(place);
    frame.render_widget(block, place);
    inner
}

/// The name, and how many panes are in which state.
fn heading(dash: &Dash, palette: &Palette, columns: u16) -> Line<'static> {
    let bold = Style::new().add_modifier(Modifier::BOLD);
    let mut spans = vec![Span::styled("madohub", bold)];
    let mut room = usize::from(columns).saturating_sub(7);
    for state in State::BY_NEED.into_iter().chain([State::Unknown]) {
        let count = dash.all().filter(|pane| pane.row.state == state).count();
        if count == 0 {
            continue;
        }
        let long = format!("{} {count} {state}", palette.glyph(state));
        let short = format!("{}{count}", palette.glyph(state));
        let text = if columns < 70 { short } else { long };
        let cells = width(&text) + 2;
        let Some(rest) = room.checked_sub(cells) else { break };
        room = rest;
        let mut style = palette.state(state);
        if needs_person(state) {
            style = style.add_modifier(Modifier::BOLD);
        }
        spans.push(Span::raw("  "));
        spans.push(Span::styled(text, style));
    }
    let gone: Vec<String> = dash.gone().map(clean).collect();
    if !gone.is_empty() && room > 9 {
        let text = fit(&format!("gone: {}", gone.join(", ")), room - 2);
        spans.push(Span::raw("  "));
        spans.push(Span::styled(text, Style::new().add_modifier(Modifier::DIM)));
    }
    Line::from(spans)
}

#[cfg(test)]
mod tests;
