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

/// The segment. The panes are sorted by need. Without the time it tells no ages: what shows it may
/// keep it for long.
pub(crate) fn segment(
    report: &Report,
    settings: &Settings,
    preset: Preset,
    markup: Markup,
    now: Option<f64>,
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

fn names(report: &Report, settings: &Settings, markup: Markup, now: Option<f64>) -> String {
    let shown: Vec<&Row> = report.rows.iter().filter(|row| row.state() != State::Idle).collect();
    let more = shown.len().saturating_sub(settings.names_max);
    let mut entries: Vec<String> = shown
        .iter()
        .take(settings.names_max)
        .map(|row| {
            let look = settings.looks.of(row.state());
            marked(&entry(row, &look.glyph, now), look, markup)
        })
        .collect();
    if more > 0 {
        entries.push(format!("+{more}"));
    }
    match markup {
        Markup::Plain => entries.join(&settings.separator),
        Markup::Zjstatus => entries.join(&literal(&settings.separator)),
    }
}

/// `? api·codex 38s`, without an age where no time is given. A running turn has none: it would redraw
/// the bar every second.
pub(crate) fn entry(row: &Row, glyph: &str, now: Option<f64>) -> String {
    let name = clean(&format!("{}·{}", row.tab_name, row.detection.agent));
    match now.filter(|_| row.state() != State::Working) {
        Some(now) => format!("{glyph} {name} {}", since(now - row.since)),
        None => format!("{glyph} {name}"),
    }
}

fn marked(text: &str, look: &Look, markup: Markup) -> String {
    match (markup, look.colour) {
        (Markup::Zjstatus, Some(colour)) => {
            let bold = if look.bold { ",bold" } else { "" };
            format!("#[fg={colour}{bold}]{}#[default]", literal(text))
        }
        (Markup::Zjstatus, None) => format!("#[default]{}", literal(text)),
        (Markup::Plain, _) => text.to_owned(),
    }
}

/// The text without what zjstatus 0.20 reads in it: `#[` begins a style, `::` ends the message, and a
/// widget's name in braces is replaced by the widget.
fn literal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut before = ' ';
    for c in text.chars() {
        if matches!((before, c), ('#', '[') | (':', ':')) {
            out.push(' ');
        }
        out.push(match c {
            '{' => '(',
            '}' => ')',
            c => c,
        });
        before = c;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zjstatus_finds_nothing_of_its_own_in_a_text() {
        for (text, wanted) in [
            ("plain · text", "plain · text"),
            ("a::b", "a: :b"),
            (":::", ": : :"),
            ("#[fg=red]x", "# [fg=red]x"),
            ("##[", "## ["),
            ("{tabs}{command_x}", "(tabs)(command_x)"),
        ] {
            assert_eq!(literal(text), wanted);
        }
    }
}
