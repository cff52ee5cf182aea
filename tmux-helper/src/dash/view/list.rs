//! The list of panes.

use crate::dash::model::{Dash, Mode};
use crate::dash::style::Palette;
use crate::output::{ListedPane, clean, fit, since, width};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

/// Cells of the columns that have a fixed width: glyph and state, how long.
const STATE: usize = 11;
const SINCE: usize = 6;
/// Cells that an agent's and a place's name get at most.
const AGENT_MAX: usize = 10;
const PLACE_MAX: usize = 24;
/// Below so many columns the state is its glyph alone.
const NARROW: usize = 50;

pub(super) fn draw(
    frame: &mut Frame<'_>,
    area: Rect,
    dash: &mut Dash,
    palette: &Palette,
    now: f64,
) {
    if dash.shown().is_empty() {
        frame.render_widget(Paragraph::new(nothing(dash)), area);
        return;
    }
    let height = usize::from(area.height).max(1);
    let at = dash.at().unwrap_or(0);
    // The list moves only as far as it must.
    let last = dash.shown().len().saturating_sub(height);
    let first = dash.places.first.clamp((at + 1).saturating_sub(height), at).min(last);
    dash.places.first = first;
    let shown = dash.shown().get(first..).unwrap_or_default();
    let longest = |cells: &dyn Fn(&ListedPane) -> usize, most: usize| {
        dash.shown().iter().map(cells).max().unwrap_or(0).min(most)
    };
    let columns = Columns {
        all: usize::from(area.width),
        agent: longest(&|pane| width(pane.row.agent.as_str()), AGENT_MAX),
        place: longest(&|pane| width(&clean(&pane.place())), PLACE_MAX),
    };
    let lines: Vec<Line<'_>> = shown
        .iter()
        .take(height)
        .enumerate()
        .map(|(n, pane)| {
            let line = row(pane, &columns, palette, now);
            if first + n == at {
                line.patch_style(Style::new().add_modifier(Modifier::REVERSED))
            } else {
                line
            }
        })
        .collect();
    frame.render_widget(Paragraph::new(lines), area);
}

fn nothing(dash: &Dash) -> Vec<Line<'static>> {
    let text = if dash.all().next().is_some() {
        format!("No pane holds `{}`. Esc shows all again.", clean(&dash.filter))
    } else if dash.is_complete() || dash.mode != Mode::Choose {
        "No agent runs. Start one in a pane: it shows up by itself.".to_owned()
    } else {
        "Looking …".to_owned()
    };
    vec![Line::default(), Line::raw(text)]
}

/// Cells of the columns.
struct Columns {
    all: usize,
    agent: usize,
    place: usize,
}

fn row(pane: &ListedPane, columns: &Columns, palette: &Palette, now: f64) -> Line<'static> {
    let row = &pane.row;
    let glyph = palette.glyph(row.state);
    let state = if columns.all < NARROW {
        padded(glyph, 1)
    } else {
        padded(&format!("{glyph} {}", row.state), STATE)
    };
    let head = [
        Span::styled(state, palette.state(row.state)),
        Span::raw(format!(" {:>SINCE$} ", since(now - row.since))),
        Span::raw(format!("{} ", padded(&clean(row.agent.as_str()), columns.agent))),
        Span::raw(format!("{} ", padded(&clean(&pane.place()), columns.place))),
    ];
    let used: usize = head.iter().map(Span::width).sum();
    let what = padded(&what(pane), columns.all.saturating_sub(used));
    head.into_iter().chain([Span::raw(what)]).collect()
}

/// Why it has its state, and what it is about.
fn what(pane: &ListedPane) -> String {
    let row = &pane.row;
    let mut parts: Vec<String> = row.reason.iter().map(|reason| clean(reason)).collect();
    if row.background > 0 {
        parts.push(format!("+{} in background", row.background));
    }
    let about = row.last_message.as_deref().or(row.title.as_deref());
    parts.extend(about.map(|text| clean(text.trim())).filter(|text| !text.is_empty()));
    parts.join(" · ")
}

/// The text in exactly so many cells.
fn padded(text: &str, cells: usize) -> String {
    let text = fit(text, cells);
    let gap = cells.saturating_sub(width(&text));
    text + &" ".repeat(gap)
}
