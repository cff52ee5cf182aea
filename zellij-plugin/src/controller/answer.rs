//! Answers to commands that came by pipe.

use super::Controller;
use crate::command::{self, Command, Format};
use crate::delivery::Sending;
use crate::effect::Effect;
use crate::event::PaneId;
use crate::observe;
use crate::pane;
use crate::report::Report;
use crate::segment::{Markup, segment};
use madohub_detect::text::{clean, fit, since, width};
use madohub_detect::{Explanation, State};
use serde_json::json;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Most pipes that listen to events at once; the oldest one ends when another comes.
const LISTENERS: usize = 16;
/// Most deliveries at once.
const DELIVERIES: usize = 32;

impl Controller {
    pub(super) fn command(
        &mut self,
        pipe: Option<String>,
        payload: &str,
        args: &BTreeMap<String, String>,
        now: f64,
        out: &mut Vec<Effect>,
    ) {
        // Nothing that was seen is missing in the answer.
        self.news = true;
        self.publish(out);
        self.news = true;
        let text = match command::parse(payload, args) {
            Err(wrong) => format!("{}\n\n{}", clean(&wrong), command::HELP),
            Ok(Command::Help) => command::HELP.to_owned(),
            Ok(Command::Status { format, json }) => self.status(format, json, now),
            Ok(Command::List { json: true }) => format!("{}\n", self.report.list_json()),
            Ok(Command::List { json: false }) => table(&self.report, &self.settings.looks, now),
            Ok(Command::Jump { state }) => self.jump(state, out),
            Ok(Command::Explain { pane, json, text }) => self.explain(pane, json, text, now),
            Ok(Command::Pause) => self.pause(true),
            Ok(Command::Resume) => self.pause(false),
            Ok(Command::Events) => {
                if let Some(pipe) = pipe {
                    if self.listeners.len() >= LISTENERS {
                        out.push(Effect::EndPipe(self.listeners.remove(0)));
                    }
                    out.push(Effect::HoldPipe(pipe.clone()));
                    self.listeners.push(pipe);
                }
                return;
            }
            Ok(Command::Send(send)) => {
                let busy = self.deliveries.iter().any(|d| d.send.pane == send.pane);
                if !self.settings.send {
                    "refused: the setting `send` is off\n".to_owned()
                } else if busy || self.deliveries.len() >= DELIVERIES {
                    "refused: another delivery is on its way\n".to_owned()
                } else {
                    out.extend(pipe.clone().map(Effect::HoldPipe));
                    self.deliveries.push(Sending::new(pipe, send, now));
                    return;
                }
            }
        };
        if let Some(pipe) = pipe {
            out.push(Effect::Answer { pipe: pipe.clone(), text });
            out.push(Effect::EndPipe(pipe));
        }
    }

    fn status(&self, format: Format, as_json: bool, now: f64) -> String {
        let (preset, markup) = match format {
            Format::Configured => (self.settings.preset, Markup::Plain),
            Format::Preset(preset) => (preset, Markup::Plain),
            Format::Zjstatus => (self.settings.preset, Markup::Zjstatus),
        };
        let text = segment(&self.report, &self.settings, preset, markup, Some(now));
        if as_json {
            let count = |state: State| crate::segment::count(&self.report, state);
            let counts: BTreeMap<&str, usize> =
                State::BY_NEED.into_iter().map(|s| (s.as_str(), count(s))).collect();
            let answer = json!({
                "v": 1,
                "session": self.report.session,
                "segment": text,
                "counts": counts,
                "total": self.report.rows.len(),
                "paused": self.paused,
                "helper": self.helper.works(),
                "notes": self.report.notes,
                "leader": self.me.client,
                "listeners": self.listeners.len(),
                "reports": !self.pressure.is_high(),
                "late": self.pressure.latest(),
                "zellij": self.me.version,
                "version": env!("CARGO_PKG_VERSION"),
            });
            return format!("{answer}\n");
        }
        let mut lines = vec![text];
        if self.paused {
            lines.push("paused".to_owned());
        }
        if markup == Markup::Plain {
            lines.extend(self.report.notes.iter().map(|note| clean(note)));
        }
        lines.join("\n") + "\n"
    }

    fn jump(&mut self, state: Option<State>, out: &mut Vec<Effect>) -> String {
        let wanted = |s: State| match state {
            Some(wanted) => s == wanted,
            None => matches!(s, State::Waiting | State::Failed | State::Stopped | State::Completed),
        };
        let all: Vec<PaneId> =
            self.report.rows.iter().filter(|r| wanted(r.state())).map(|r| r.pane).collect();
        // Who is at one of them already means the next one, the last one being followed by the
        // first. What `jump` did a moment ago may not be reported yet.
        let here = all.iter().position(|pane| match self.jumped {
            Some(jumped) => *pane == jumped,
            None => self.in_front(*pane),
        });
        let next = here.and_then(|here| all.get(here + 1)).or(all.first());
        match next {
            Some(pane) => {
                self.jumped = Some(*pane);
                out.push(Effect::Focus(*pane));
                format!("{}\n", pane::name(*pane))
            }
            None => "no pane needs a person\n".to_owned(),
        }
    }

    fn explain(&self, id: PaneId, as_json: bool, text: bool, now: f64) -> String {
        let (Some(pane), Some(rules)) = (self.panes.get(&id), &self.rules) else {
            return format!("nothing is known of {}\n", pane::name(id));
        };
        let tracked = self.tracker.get(&pane::name(id));
        let former = tracked.map(|t| &t.detection);
        let mut explanation = observe::explanation(rules, pane, former, now);
        if !text {
            for region in &mut explanation.regions {
                region.text.clear();
            }
        }
        if as_json {
            let shown = json!({ "explanation": explanation, "tracked": tracked });
            return format!("{shown}\n");
        }
        describe(&explanation, former.map(|f| f.state))
    }

    fn pause(&mut self, paused: bool) -> String {
        self.paused = paused;
        let word = if paused { "paused" } else { "resumed" };
        format!("{word}\n")
    }
}

/// An explanation for people.
fn describe(explanation: &Explanation, tracked: Option<State>) -> String {
    let seen = &explanation.detection;
    let reason = seen.reason.as_deref().map(|r| format!(", {r}")).unwrap_or_default();
    let mut out = format!("{}: {}{reason}\n", seen.agent, seen.state);
    if let Some(state) = tracked.filter(|s| *s != seen.state) {
        let _ = writeln!(out, "shown as {state}");
    }
    for evidence in &seen.evidence {
        let rows = evidence.rows.map(|(a, b)| format!(", rows {a}-{b}")).unwrap_or_default();
        let _ = writeln!(out, "  because of {} ({}{rows})", evidence.rule, evidence.via.as_str());
    }
    for region in &explanation.regions {
        let (first, last) = region.rows;
        let _ = writeln!(out, "  region {}: rows {first}-{last}", region.region);
        for line in region.text.lines() {
            let _ = writeln!(out, "    | {}", clean(line));
        }
    }
    for attempt in &explanation.tried {
        let word = if attempt.matched { "matched" } else { "no" };
        let failed =
            attempt.failed.as_deref().map(|f| format!(": {}", clean(f))).unwrap_or_default();
        let _ = writeln!(out, "  {word:7} {} in {}{failed}", attempt.rule, attempt.region);
    }
    out
}

/// The list for people.
fn table(report: &Report, looks: &crate::looks::Looks, now: f64) -> String {
    if report.rows.is_empty() {
        return "no pane holds an agent; start one and it shows up by itself\n".to_owned();
    }
    let heads = ["PANE", "AGENT", "STATE", "SINCE", "WHY", "TAB"].map(str::to_owned);
    let mut rows = vec![heads];
    for row in &report.rows {
        let seen = &row.detection;
        let version = seen.agent_version.as_deref().map(|v| format!(" {}", clean(v)));
        rows.push([
            pane::name(row.pane),
            format!("{}{}", clean(seen.agent.as_str()), version.unwrap_or_default()),
            format!("{} {}", looks.of(row.state()).glyph, row.state()),
            since(now - row.since),
            clean(row.what()),
            fit(&clean(&row.tab_name), 24),
        ]);
    }
    let mut out = String::new();
    for row in &rows {
        let mut line = String::new();
        for (n, cell) in row.iter().enumerate() {
            let column = rows.iter().filter_map(|r| r.get(n)).map(|c| width(c)).max().unwrap_or(0);
            line.push_str(cell);
            line.push_str(&" ".repeat(column.saturating_sub(width(cell)) + 2));
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}
