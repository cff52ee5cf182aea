//! The segment for a status line or a shell prompt.

use super::{ListedPane, clean, for_tmux, since};
use crate::cli::SegmentStyle;
use crate::config::{Config, Depth, Segment, SegmentPreset};
use madohub_detect::State;
use std::collections::BTreeMap;

/// What a segment tells of.
#[derive(Debug, Clone, Copy)]
pub struct Agents<'a> {
    /// The panes of this machine, sorted by need.
    pub panes: &'a [ListedPane],
    /// How many agents of other machines are in a state, by its name.
    pub remote: &'a BTreeMap<String, usize>,
}

impl<'a> Agents<'a> {
    /// Of this machine alone.
    pub fn here(panes: &'a [ListedPane]) -> Self {
        static NOBODY: BTreeMap<String, usize> = BTreeMap::new();
        Self { panes, remote: &NOBODY }
    }

    fn is_empty(&self) -> bool {
        self.panes.is_empty() && self.remote.values().all(|count| *count == 0)
    }

    fn here_in(&self, state: State) -> usize {
        self.panes.iter().filter(|pane| pane.row.state == state).count()
    }

    fn elsewhere_in(&self, state: State) -> usize {
        self.remote.get(state.as_str()).copied().unwrap_or(0)
    }
}

/// How the segment is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Script {
    /// Text alone.
    Plain,
    /// With escape sequences.
    Ansi,
    /// With styles of tmux, for terminals with so many colours: tmux itself would make an orange red
    /// where there are few, which means something else.
    Tmux(Depth),
}

impl From<SegmentStyle> for Script {
    fn from(style: SegmentStyle) -> Self {
        match style {
            SegmentStyle::Plain => Self::Plain,
            SegmentStyle::Ansi => Self::Ansi,
            SegmentStyle::Tmux => Self::Tmux(Depth::Rgb),
        }
    }
}

/// The segment with these settings, which may be others than the configured ones; empty where there
/// is no agent, whatever they say.
pub fn segment_with(
    agents: Agents<'_>,
    config: &Config,
    segment: &Segment,
    script: Script,
    now: f64,
) -> String {
    if agents.is_empty() {
        return String::new();
    }
    let paint = Paint { config, script };
    let panes = agents.panes;
    let of_preset = |text: String, states: &[State]| {
        if !segment.remote {
            return text;
        }
        let remote = numbers(|state| agents.elsewhere_in(state), states, &paint);
        match (text.is_empty(), remote.is_empty()) {
            (_, true) => text,
            (true, false) => format!("| {remote}"),
            (false, false) => format!("{text} | {remote}"),
        }
    };
    let here = |states: &[State]| numbers(|state| agents.here_in(state), states, &paint);
    match &segment.preset {
        SegmentPreset::Minimal => of_preset(here(&NEEDY), &NEEDY),
        SegmentPreset::Counts => of_preset(here(&seen()), &seen()),
        SegmentPreset::Names => of_preset(names(panes, segment, &paint, now), &seen()),
        SegmentPreset::Custom(template) => template.fill(|field| match field {
            "minimal" => here(&NEEDY),
            "counts" => here(&seen()),
            "names" => names(panes, segment, &paint, now),
            "remote" => numbers(|state| agents.elsewhere_in(state), &seen(), &paint),
            "total" => panes.len().to_string(),
            state => state.parse().map_or(0, |state| agents.here_in(state)).to_string(),
        }),
    }
}

/// Only what needs a person.
const NEEDY: [State; 2] = [State::Waiting, State::Failed];

/// The states that ask to be seen; `idle` does not.
fn seen() -> Vec<State> {
    State::BY_NEED.into_iter().filter(|state| *state != State::Idle).collect()
}

/// One number per state.
fn numbers(count: impl Fn(State) -> usize, states: &[State], paint: &Paint<'_>) -> String {
    let numbers: Vec<String> = states
        .iter()
        .filter_map(|state| match count(*state) {
            0 => None,
            n => Some(paint.text(*state, &format!("{}{n}", paint.glyph(*state)))),
        })
        .collect();
    numbers.join(" ")
}

/// One entry per pane, as many as fit the setting, then how many more there are.
fn names(panes: &[ListedPane], segment: &Segment, paint: &Paint<'_>, now: f64) -> String {
    let quiet = |state: State| matches!(state, State::Idle | State::Unknown);
    let shown = panes.iter().filter(|pane| !quiet(pane.row.state));
    let mut entries: Vec<String> = Vec::new();
    let mut more = 0;
    for ListedPane { row, .. } in shown {
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
    script: Script,
}

impl Paint<'_> {
    fn glyph(&self, state: State) -> String {
        self.clean(&self.config.looks.of(state).glyph)
    }

    fn clean(&self, text: &str) -> String {
        match self.script {
            Script::Tmux(_) => for_tmux(text),
            Script::Plain | Script::Ansi => clean(text),
        }
    }

    /// `text` in the look of a state.
    fn text(&self, state: State, text: &str) -> String {
        let look = self.config.looks.of(state);
        match self.script {
            Script::Plain => text.to_owned(),
            Script::Tmux(depth) => match look.tmux_style(depth) {
                style if style.is_empty() => text.to_owned(),
                style => format!("#[{style}]{text}#[default]"),
            },
            Script::Ansi => match look.ansi(Depth::Sixteen) {
                start if start.is_empty() => text.to_owned(),
                start => format!("{start}{text}\x1b[0m"),
            },
        }
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a failing test may panic")]
mod tests {
    use super::*;
    use crate::output::row::tests::pane;

    fn panes() -> Vec<ListedPane> {
        vec![
            pane("api", "codex", State::Waiting),
            pane("web", "claude", State::Working),
            pane("web", "amp", State::Working),
            pane("docs", "opencode", State::Completed),
            pane("docs", "qwen", State::Idle),
        ]
    }

    fn text(format: &str, script: Script) -> String {
        let config = Config::default();
        let settings = config.segment.with_format(format).unwrap();
        segment_with(Agents::here(&panes()), &config, &settings, script, 138.0)
    }

    #[test]
    fn presets_say_more_or_less() {
        assert_eq!(text("minimal", Script::Plain), "?1");
        assert_eq!(text("counts", Script::Plain), "?1 ●2 ✓1");
        assert_eq!(
            text("names", Script::Plain),
            "? api·codex 38s  ● web·claude  ● web·amp  ✓ docs·opencode 38s"
        );
        assert_eq!(text("{working} of {total}, {idle} idle", Script::Plain), "2 of 5, 1 idle");
    }

    #[test]
    fn nothing_to_say_is_nothing() {
        let config = Config::default();
        let segment = |panes: &[ListedPane], style| {
            segment_with(Agents::here(panes), &config, &config.segment, style, 0.0)
        };
        assert_eq!(segment(&[], Script::Tmux(Depth::Rgb)), "");
        let idle = [pane("a", "claude", State::Idle)];
        assert_eq!(segment(&idle, Script::Plain), "");
        for format in ["minimal", "counts", "names", "{total} agents"] {
            let settings = config.segment.with_format(format).unwrap();
            let nobody = Agents::here(&[]);
            assert_eq!(segment_with(nobody, &config, &settings, Script::Tmux(Depth::Rgb), 0.0), "");
        }
    }

    #[test]
    fn colours_are_written_for_where_they_go() {
        assert_eq!(text("minimal", Script::Tmux(Depth::Rgb)), "#[fg=#ffa000,bold]?1#[default]");
        assert_eq!(text("minimal", Script::Ansi), "\x1b[1;33m?1\x1b[0m");
    }

    #[test]
    fn a_session_cannot_smuggle_a_format_into_tmux() {
        let mut panes = panes();
        panes[0].row.session = "#(reboot)".to_owned();
        let config = Config::default();
        let settings = config.segment.with_format("names").unwrap();
        let text =
            segment_with(Agents::here(&panes), &config, &settings, Script::Tmux(Depth::Rgb), 138.0);
        assert!(text.contains("? ##(reboot)·codex"), "{text}");
    }

    #[test]
    fn names_that_have_no_room_are_counted() {
        let config = Config::default();
        let settings = Segment { preset: SegmentPreset::Names, names_max: 1, ..Segment::default() };
        let text = segment_with(Agents::here(&panes()), &config, &settings, Script::Plain, 138.0);
        assert_eq!(text, "? api·codex 38s  +3");
    }

    #[test]
    fn agents_of_other_machines_are_counted_where_that_is_asked_for() {
        let config = Config::default();
        let remote = [("waiting", 2), ("working", 30), ("idle", 7)];
        let remote = remote.map(|(state, n)| (state.to_owned(), n)).into();
        let panes = panes();
        let text = |panes: &[ListedPane], format: &str, is_asked: bool| {
            let mut settings = config.segment.with_format(format).unwrap();
            settings.remote = is_asked;
            let agents = Agents { panes, remote: &remote };
            segment_with(agents, &config, &settings, Script::Plain, 138.0)
        };
        assert_eq!(text(&panes, "counts", false), "?1 ●2 ✓1");
        assert_eq!(text(&panes, "counts", true), "?1 ●2 ✓1 | ?2 ●30");
        assert_eq!(text(&panes, "minimal", true), "?1 | ?2");
        assert_eq!(text(&[], "minimal", true), "| ?2");
        assert_eq!(text(&panes, "{total} here, {remote} there", false), "5 here, ?2 ●30 there");
    }
}
