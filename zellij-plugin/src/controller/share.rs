//! What the leader shows and tells: frames, marks, bars, successors.

use super::Controller;
use crate::colour::Colour;
use crate::effect::Effect;
use crate::marks::needs_person;
use crate::painter::Want;
use crate::pane;
use crate::report::{REPORT, Report, Row};
use crate::segment::{Markup, segment};
use crate::settings::{Focused, Frames};
use madohub_detect::Detection;
use std::collections::BTreeMap;

/// How much of the text's colour is mixed into the frame of the focused pane, in percent.
const BRIGHTER: u8 = 45;

impl Controller {
    /// Shows what changed since the last time.
    pub(super) fn publish(&mut self, out: &mut Vec<Effect>) {
        if !std::mem::take(&mut self.news) {
            return;
        }
        let Some(session) = self.session.take() else { return };
        let mut report = Report {
            leader: self.me.client,
            plugin: self.me.plugin,
            session: session.name.clone(),
            paused: self.paused,
            seq: self.report.seq,
            notes: self.notes(),
            rows: Vec::new(),
            ground: self.painter.palette().map(|p| {
                let ink = p.text_unselected;
                (ink.base.sgr(), ink.background.sgr_background())
            }),
            painted: self.painter.painted(),
            announcer: self.announcer.clone(),
        };
        for (id, pane) in &self.panes {
            let Some(tracked) = self.tracker.get(&pane::name(*id)) else { continue };
            if !tracked.detection.agent.is_agent() {
                continue;
            }
            let tab = session.tabs.iter().find(|t| t.position == pane.facts.tab);
            report.rows.push(Row {
                pane: *id,
                tab: pane.facts.tab,
                tab_id: tab.map_or(0, |t| t.id),
                tab_name: tab.map(|t| t.name.clone()).unwrap_or_default(),
                title: pane.title().to_owned(),
                cwd: pane.host.as_ref().and_then(|h| h.cwd.clone()),
                pid: pane.host.as_ref().map(|h| h.pid),
                model: pane.host.as_ref().and_then(|h| h.model.clone()),
                detection: without_evidence(&tracked.detection),
                since: tracked.since,
                turn: tracked.turn,
                acknowledged: tracked.acknowledged,
            });
        }
        report.sort();
        self.session = Some(session);
        self.want_frames(&report);
        if self.report != report {
            self.report = report;
            self.show_marks(out);
            self.tell_zjstatus(false, out);
            let text = self.report.to_text();
            if text != self.told {
                self.told.clone_from(&text);
                out.push(Effect::Broadcast { name: REPORT.to_owned(), payload: text.clone() });
                out.push(Effect::Save(text));
            }
        }
    }

    /// Brings zjstatus the segment where it is another one than the last time, or `again`: a bar that
    /// was opened since knows none.
    pub(super) fn tell_zjstatus(&mut self, again: bool, out: &mut Vec<Effect>) {
        if !self.settings.zjstatus {
            return;
        }
        let preset = self.settings.preset;
        let text = segment(&self.report, &self.settings, preset, Markup::Zjstatus, None);
        if again || self.zjstatus_shows.as_ref() != Some(&text) {
            let payload = format!("zjstatus::pipe::pipe_madohub::{text}");
            out.push(Effect::Broadcast { name: "zjstatus".to_owned(), payload });
            self.zjstatus_shows = Some(text);
        }
    }

    fn show_marks(&mut self, out: &mut Vec<Effect>) {
        let Some(session) = &self.session else { return };
        let dark = self.painter.palette().is_none_or(crate::theme::Palette::is_dark);
        out.extend(self.marks.update(&self.report, session, &self.settings, dark));
    }

    fn want_frames(&mut self, report: &Report) {
        let single = self.settings.frames == Frames::Highlight || self.painter.fell_back();
        let mut wanted = BTreeMap::new();
        for row in report.rows.iter().filter(|_| !report.paused) {
            let state = row.state();
            if single && !needs_person(state) {
                continue;
            }
            let Some(colour) = self.settings.looks.of(state).colour else { continue };
            let colour = match (self.in_front(row.pane), self.settings.focused) {
                (false, _) | (true, Focused::Same) => colour,
                (true, Focused::Theme) => continue,
                (true, Focused::Bright) => colour.mixed(self.text_colour(), BRIGHTER),
            };
            wanted.insert(row.pane, Want { rank: state.need_rank(), colour });
        }
        self.painter.want(wanted);
    }

    /// White on dark themes, black on light ones.
    fn text_colour(&self) -> Colour {
        match self.painter.palette() {
            Some(palette) if !palette.is_dark() => Colour::Rgb(0, 0, 0),
            _ => Colour::Rgb(255, 255, 255),
        }
    }

    /// What a person should know about the plugin itself.
    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.denied {
            notes.push("permissions were denied: nothing can be read or coloured".to_owned());
        }
        if let Some(trouble) = &self.rules_trouble {
            notes.push(format!("the built-in rules cannot be used: {trouble}"));
        }
        if let Some(trouble) = self.helper.trouble() {
            notes.push(format!("working without the helper: {trouble}"));
        }
        if self.painter.fell_back() {
            notes.push(
                "zellij takes no colour per frame: only what needs a person is shown".to_owned(),
            );
        }
        if self.painter.hides_a_theme() {
            notes.push(
                "your configuration was saved while a frame was painted: if it has another theme, \
                 save it again"
                    .to_owned(),
            );
        }
        notes.extend(self.settings.complaints.iter().map(|c| format!("setting {c}")));
        notes
    }

    /// Tells every instance and bar.
    pub(super) fn share(&mut self, out: &mut Vec<Effect>) {
        self.report.leader = self.me.client;
        let payload = self.report.to_text();
        out.push(Effect::Broadcast { name: REPORT.to_owned(), payload });
    }
}

/// What is known without what it rests on.
fn without_evidence(detection: &Detection) -> Detection {
    Detection {
        id: detection.id.clone(),
        agent: detection.agent.clone(),
        agent_name: detection.agent_name.clone(),
        agent_version: detection.agent_version.clone(),
        state: detection.state,
        state_source: detection.state_source,
        reason: detection.reason.clone(),
        background: detection.background,
        evidence: Vec::new(),
        held: detection.held,
    }
}
