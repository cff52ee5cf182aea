//! The segment for a status line or a shell prompt.

use super::{PaneRow, clean, for_tmux, since};
use crate::cli::SegmentStyle;
use crate::config::{Config, Depth, Segment, SegmentPreset};
use madohub_detect::State;

/// The segment that the settings ask for.
pub fn segment(rows: &[PaneRow], config: &Config, style: SegmentStyle, now: f64) -> String {
    segment_with(rows, config, &config.segment, style, now)
}

/// The segment with these settings in place of the configured ones. `rows` are sorted by need.
pub fn segment_with(
    rows: &[PaneRow],
    config: &Config,
    segment: &Segment,
    style: SegmentStyle,
    now: f64,
) -> String {
    let paint = Paint { config, style };
    match &segment.preset {
        SegmentPreset::Minimal => minimal(rows, &paint),
        SegmentPreset::Counts => counts(rows, &paint),
        SegmentPreset::Names => names(rows, segment, &paint, now),
        SegmentPreset::Custom(template) => template.fill(|field| match field {
            "minimal" => minimal(rows, &paint),
            "counts" => counts(rows, &paint),
            "names" => names(rows, segment, &paint, now),
            "total" => rows.len().to_string(),
            state => state.parse().map_or(0, |state| count(rows, state)).to_string(),
        }),
    }
}

fn count(rows: &[PaneRow], state: State) -> usize {
    rows.iter().filter(|row| row.state == state).count()
}

/// Only what needs a person.
fn minimal(rows: &[PaneRow], paint: &Paint<'_>) -> String {
    numbers(rows, &[State::Waiting, State::Failed], paint)
}

/// One number per state that asks to be seen; `idle` does not.
fn counts(rows: &[PaneRow], paint: &Paint<'_>) -> String {
    let [seen @ .., _idle] = State::BY_NEED;
    numbers(rows, &seen, paint)
}

fn numbers(rows: &[PaneRow], states: &[State], paint: &Paint<'_>) -> String {
    let numbers: Vec<String> = states
        .iter()
        .filter_map(|state| match count(rows, *state) {
            0 => None,
            n => Some(paint.text(*state, &format!("{}{n}", paint.glyph(*state)))),
        })
        .collect();
    numbers.join(" ")
}

/// One entry per pane, as many as fit the setting, then how many more there are.
fn names(rows: &[PaneRow], segment: &Segment, paint: &Paint<'_>, now: f64) -> String {
    let shown = rows.iter().filter(|row| row.state != State::Idle);
    let mut entries: Vec<String> = Vec::new();
    let mut more = 0;
    for row in shown {
        if entries.len() >= segment.names_max {
            more += 1;
            continue;
        }
        let name = paint.clean(&format!("{}·{}", row.session, row.agent));
        // A running turn has no time: it would redraw the status line every second.
        let age = match row.state {
            State::Working => String::new(),
            _ => format!(" {}", since(now - row.since)),
        };
        let text = format!("{} {name}{age}", paint.glyph(row.state));
        entries.push(paint.text(row.state, &text));
    }
    if more > 0 {
        entries.push(format!("+{more}"));
    }
    entries.join(&segment.separator)
}

struct Paint<'a> {
    config: &'a Config,
    style: SegmentStyle,
}

impl Paint<'_> {
    fn glyph(&self, state: State) -> String {
        self.clean(&self.config.looks.of(state).glyph)
    }

    fn clean(&self, text: &str) -> String {
        match self.style {
            SegmentStyle::Tmux => for_tmux(text),
            SegmentStyle::Plain | SegmentStyle::Ansi => clean(text),
        }
    }

    /// `text` in the look of a state.
    fn text(&self, state: State, text: &str) -> String {
        let look = self.config.looks.of(state);
        match self.style {
            SegmentStyle::Plain => text.to_owned(),
            SegmentStyle::Tmux => match look.tmux_style(Depth::Rgb) {
                style if style.is_empty() => text.to_owned(),
                style => format!("#[{style}]{text}#[default]"),
            },
            SegmentStyle::Ansi => match look.ansi(Depth::Sixteen) {
                start if start.is_empty() => text.to_owned(),
                start => format!("{start}{text}\x1b[0m"),
            },
        }
    }
}
