//! The bar: one row that shows what the leader tells, and jumps to the pane that is clicked.
//!
//! It listens, which needs no permission, and asks for one only when it is clicked: a question
//! does not fit into one row, and zellij 0.45.1 loses grants when many instances ask at once.

use crate::effect::Effect;
use crate::event::{Event, PaneId, PipeSource};
use crate::report::{REPORT, Report};
use crate::segment::{count, entry};
use crate::settings::Settings;
use madohub_detect::State;
use madohub_detect::text::{clean, fit, width};
use std::fmt::Write as _;

/// Seconds between two drawings while an age is shown.
const REDRAW: f64 = 5.0;
/// Seconds without a leader until the bar says so.
const ALONE: f64 = 5.0;

/// One instance of the bar.
#[derive(Debug)]
pub(crate) struct Bar {
    settings: Settings,
    report: Option<Report>,
    granted: Option<bool>,
    /// Pane to jump to once that is permitted.
    clicked: Option<PaneId>,
    visible: bool,
    columns: usize,
    since: f64,
    now: f64,
    wake_at: Option<f64>,
}

/// A piece of the row.
struct Piece {
    text: String,
    state: Option<State>,
    pane: Option<PaneId>,
}

impl Bar {
    pub(crate) fn new(settings: Settings, now: f64) -> Self {
        Self {
            settings,
            report: None,
            granted: None,
            clicked: None,
            visible: true,
            columns: 0,
            since: now,
            now,
            wake_at: None,
        }
    }

    pub(crate) fn update(&mut self, event: Event, now: f64) -> Vec<Effect> {
        self.now = now;
        let mut out = match event {
            Event::Loaded(_) => vec![Effect::Selectable(false)],
            Event::Permissions(granted) => {
                self.granted = Some(granted);
                let jump = self.clicked.take().filter(|_| granted).map(Effect::Focus);
                let mut out = vec![Effect::Selectable(false), Effect::Render];
                out.extend(jump);
                out
            }
            Event::Pipe(pipe) if pipe.name == REPORT => {
                let from_plugin = matches!(pipe.source, PipeSource::Plugin(_));
                match pipe.payload.as_deref().filter(|_| from_plugin).and_then(Report::read) {
                    Some(report) if self.report.as_ref() != Some(&report) => {
                        self.report = Some(report);
                        vec![Effect::Render]
                    }
                    _ => Vec::new(),
                }
            }
            Event::Click(column) => match (self.pane_at(column), self.granted) {
                (None, _) => Vec::new(),
                (Some(pane), Some(true)) => vec![Effect::Focus(pane)],
                (Some(pane), _) => {
                    // To be able to answer, should zellij ask.
                    self.clicked = Some(pane);
                    vec![Effect::Selectable(true), Effect::Request]
                }
            },
            Event::Visible(visible) => {
                let shown = visible && !self.visible;
                self.visible = visible;
                if shown { vec![Effect::Render] } else { Vec::new() }
            }
            Event::Resized(columns) => {
                self.columns = columns;
                Vec::new()
            }
            Event::Timer => {
                self.wake_at = None;
                if self.visible { vec![Effect::Render] } else { Vec::new() }
            }
            _ => Vec::new(),
        };
        if self.wake_at.is_none_or(|at| at < now) && (self.report.is_none() || self.shows_age()) {
            self.wake_at = Some(now + REDRAW);
            out.push(Effect::Wake(REDRAW));
        }
        out
    }

    fn shows_age(&self) -> bool {
        let aged = |report: &Report| {
            report.rows.iter().any(|row| !matches!(row.state(), State::Working | State::Idle))
        };
        self.visible && self.report.as_ref().is_some_and(aged)
    }

    /// The row as text for a terminal.
    pub(crate) fn render(&self) -> String {
        let mut out = String::new();
        let ground = self.report.as_ref().and_then(|r| r.ground.as_ref());
        let base = ground.filter(|(text, ground)| is_sgr(text) && is_sgr(ground)).map_or_else(
            || "\u{1b}[0m".to_owned(),
            |(text, ground)| format!("\u{1b}[0;{text};{ground}m"),
        );
        out.push_str(&base);
        let mut used = 0;
        for piece in self.pieces() {
            used += width(&piece.text);
            let look = piece.state.map(|state| self.settings.looks.of(state));
            match look.and_then(|look| Some((look, look.colour?))) {
                Some((look, colour)) => {
                    let bold = if look.bold { "1;" } else { "" };
                    let _ = write!(out, "\u{1b}[{bold}{}m{}{base}", colour.sgr(), piece.text);
                }
                None => out.push_str(&piece.text),
            }
        }
        out.push_str(&" ".repeat(self.columns.saturating_sub(used)));
        out
    }

    /// The widest form that fits.
    fn pieces(&self) -> Vec<Piece> {
        let forms = [true, false].map(|with_age| self.names(with_age));
        for form in forms.into_iter().chain([self.counts()]) {
            if form.iter().map(|piece| width(&piece.text)).sum::<usize>() <= self.columns {
                return form;
            }
        }
        let text: String = self.counts().into_iter().map(|piece| piece.text).collect();
        vec![Piece { text: fit(&text, self.columns), state: None, pane: None }]
    }

    fn say(text: &str) -> Vec<Piece> {
        vec![Piece { text: format!(" {text}"), state: None, pane: None }]
    }

    fn names(&self, with_age: bool) -> Vec<Piece> {
        if self.granted == Some(false) {
            return Self::say("madohub: permission denied; `madohub zellij install` can grant it");
        }
        let Some(report) = &self.report else {
            let alone = self.now - self.since >= ALONE;
            let hint = "madohub: nobody reports; is it in load_plugins, and was it permitted?";
            return Self::say(if alone { hint } else { "madohub" });
        };
        if report.paused {
            return Self::say("madohub: paused");
        }
        let mut pieces = Vec::new();
        // Of an agent whose state is not known there is nothing to show.
        for row in report.rows.iter().filter(|row| row.state() != State::Unknown) {
            let glyph = &self.settings.looks.of(row.state()).glyph;
            let now = Some(self.now).filter(|_| with_age && row.state() != State::Idle);
            let text = format!(" {} ", entry(row, glyph, now));
            pieces.push(Piece { text, state: Some(row.state()), pane: Some(row.pane) });
        }
        if pieces.is_empty() {
            return Self::say("no agents");
        }
        pieces
    }

    fn counts(&self) -> Vec<Piece> {
        let Some(report) = self.report.as_ref().filter(|r| !r.rows.is_empty()) else {
            return self.names(false);
        };
        State::BY_NEED
            .into_iter()
            .filter(|state| count(report, *state) > 0)
            .map(|state| Piece {
                text: format!(" {}{}", self.settings.looks.of(state).glyph, count(report, state)),
                state: Some(state),
                pane: report.rows.iter().find(|row| row.state() == state).map(|row| row.pane),
            })
            .collect()
    }

    fn pane_at(&self, column: usize) -> Option<PaneId> {
        let mut end = 0;
        self.pieces().into_iter().find_map(|piece| {
            end += width(&clean(&piece.text));
            (column < end).then_some(piece.pane)
        })?
    }
}

/// Parameters of an SGR sequence and nothing else.
fn is_sgr(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_digit() || c == ';')
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::event::Pipe;
    use crate::report::Row;
    use madohub_detect::{AgentId, Detection, StateSource};
    use std::collections::BTreeMap;

    fn row(pane: PaneId, tab: &str, agent: &str, state: State, since: f64) -> Row {
        Row {
            pane,
            tab: 0,
            tab_id: 0,
            tab_name: tab.to_owned(),
            title: String::new(),
            cwd: None,
            pid: None,
            model: None,
            detection: Detection {
                id: String::new(),
                agent: AgentId::new(agent),
                agent_name: None,
                agent_version: None,
                state,
                state_source: StateSource::PtyScrape,
                reason: None,
                background: 0,
                evidence: Vec::new(),
                held: false,
            },
            since,
            turn: 0,
            acknowledged: false,
        }
    }

    fn bar(columns: usize) -> Bar {
        let mut bar = Bar::new(Settings::default(), 100.0);
        bar.update(Event::Resized(columns), 100.0);
        let mut report = Report {
            rows: vec![
                row(1, "web", "claude", State::Working, 90.0),
                row(2, "api\u{1b}[2J", "codex", State::Waiting, 62.0),
            ],
            ..Report::default()
        };
        report.sort();
        let pipe = Pipe {
            source: PipeSource::Plugin(3),
            name: REPORT.to_owned(),
            payload: Some(report.to_text()),
            args: BTreeMap::new(),
        };
        assert!(bar.update(Event::Pipe(pipe), 100.0).contains(&Effect::Render));
        bar
    }

    fn plain(bar: &Bar) -> String {
        let text = bar.render();
        let mut out = String::new();
        let mut parts = text.split('\u{1b}');
        out.push_str(parts.next().unwrap());
        for part in parts {
            out.push_str(part.split_once('m').unwrap().1);
        }
        out
    }

    #[test]
    fn needs_come_first_and_the_row_is_filled() {
        assert_eq!(plain(&bar(40)), " ? api␛[2J·codex 38s  ● web·claude      ");
        assert!(bar(40).render().contains("\u{1b}[1;38;2;255;160;0m ? api"));
    }

    #[test]
    fn narrow_bars_say_less() {
        assert_eq!(plain(&bar(34)).trim_end(), " ? api␛[2J·codex  ● web·claude");
        assert_eq!(plain(&bar(10)), " ?1 ●1    ");
        assert_eq!(plain(&bar(4)), " ?1…");
        assert_eq!(plain(&bar(0)), "");
    }

    #[test]
    fn a_click_jumps_to_the_pane_under_it() {
        let mut bar = bar(40);
        let asks = bar.update(Event::Click(3), 100.0);
        assert_eq!(asks, [Effect::Selectable(true), Effect::Request]);
        assert!(bar.update(Event::Permissions(true), 100.0).contains(&Effect::Focus(2)));
        assert_eq!(bar.update(Event::Click(3), 100.0).first(), Some(&Effect::Focus(2)));
        assert_eq!(bar.update(Event::Click(25), 100.0).first(), Some(&Effect::Focus(1)));
        assert_eq!(bar.update(Event::Click(39), 100.0).first(), None);
    }

    #[test]
    fn says_what_is_missing() {
        let mut bar = Bar::new(Settings::default(), 0.0);
        bar.update(Event::Resized(90), 0.0);
        assert!(plain(&bar).starts_with(" madohub "));
        bar.update(Event::Timer, 6.0);
        assert!(plain(&bar).contains("load_plugins"));
        bar.update(Event::Permissions(false), 7.0);
        assert!(plain(&bar).contains("denied"));
    }

    #[test]
    fn a_message_from_a_command_line_is_not_a_report() {
        let mut bar = Bar::new(Settings::default(), 0.0);
        let pipe = Pipe {
            source: PipeSource::Cli("x".into()),
            name: REPORT.to_owned(),
            payload: Some("{}".into()),
            args: BTreeMap::new(),
        };
        bar.update(Event::Pipe(pipe), 1.0);
        assert_eq!(bar.report, None);
    }
}
