//! The short text for a bar: in the plugin's own bar, for zjstatus, or plain.

use crate::looks::{Look, Looks};
use crate::report::{Report, Row};
use crate::settings::{Preset, Settings};
use madohub_detect::State;
use madohub_detect::text::{clean, since};

/// How colours are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Markup {
    /// Not at all.
    Plain,
    /// As zjstatus reads them: `#[fg=#ffa000]`.
    Zjstatus,
}

/// The segment. The panes are sorted by need.
pub(crate) fn segment(
    report: &Report,
    settings: &Settings,
    preset: Preset,
    markup: Markup,
    now: f64,
) -> String {
    let looks = &settings.looks;
    match preset {
        Preset::Minimal => numbers(report, &[State::Waiting, State::Failed], looks, markup),
        Preset::Counts => {
            // `idle` asks for nothing.
            let [seen @ .., _idle] = State::BY_NEED;
            numbers(report, &seen, looks, markup)
        }
        Preset::Names => names(report, settings, markup, now),
    }
}

/// How many panes are in a state.
pub(crate) fn count(report: &Report, state: State) -> usize {
    report.rows.iter().filter(|row| row.state() == state).count()
}

fn numbers(report: &Report, states: &[State], looks: &Looks, markup: Markup) -> String {
    let numbers: Vec<String> = states
        .iter()
        .filter_map(|state| match count(report, *state) {
            0 => None,
            n => Some(marked(&format!("{}{n}", looks.of(*state).glyph), looks.of(*state), markup)),
        })
        .collect();
    numbers.join(" ")
}

fn names(report: &Report, settings: &Settings, markup: Markup, now: f64) -> String {
    let shown: Vec<&Row> = report.rows.iter().filter(|row| row.state() != State::Idle).collect();
    let more = shown.len().saturating_sub(settings.names_max);
    let mut entries: Vec<String> = shown
        .iter()
        .take(settings.names_max)
        .map(|row| {
            let look = settings.looks.of(row.state());
            marked(&entry(row, &look.glyph, true, now), look, markup)
        })
        .collect();
    if more > 0 {
        entries.push(format!("+{more}"));
    }
    entries.join(&settings.separator)
}

/// `? api·codex 38s`. A running turn has no time: it would redraw the bar every second.
pub(crate) fn entry(row: &Row, glyph: &str, with_age: bool, now: f64) -> String {
    let name = clean(&format!("{}·{}", row.tab_name, row.detection.agent));
    match row.state() {
        State::Working => format!("{glyph} {name}"),
        _ if with_age => format!("{glyph} {name} {}", since(now - row.since)),
        _ => format!("{glyph} {name}"),
    }
}

fn marked(text: &str, look: &Look, markup: Markup) -> String {
    match (markup, look.colour) {
        (Markup::Zjstatus, Some(colour)) => {
            let bold = if look.bold { ",bold" } else { "" };
            // zjstatus reads `#[…]` in the text as well.
            format!("#[fg={colour}{bold}]{}#[default]", text.replace("#[", "# ["))
        }
        (Markup::Zjstatus, None) => text.replace("#[", "# ["),
        (Markup::Plain, _) => text.to_owned(),
    }
}
