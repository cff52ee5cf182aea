//! The controller: reads panes, tracks their agents, colours frames, answers commands.

mod answer;
mod deliver;
mod pressure;
mod share;
mod style;
mod watch;

use crate::delivery::Sending;
use crate::effect::Effect;
use crate::event::{Event, Instance, Mode, PaneId, Pipe, PipeSource, Session};
use crate::helper::Helper;
use crate::leader::Election;
use crate::marks::Marks;
use crate::painter::Painter;
use crate::pane::Pane;
use crate::report::{HELLO, REPORT, Report};
use crate::settings::Settings;
use madohub_detect::{Announcer, RuleSet, Tracker};
use pressure::Pressure;
use std::collections::BTreeMap;
use std::sync::Arc;
use style::frame_style;

/// Least seconds between two timers: a wake-up costs a call into the interpreter.
const TICK: f64 = 0.05;

/// One instance of the controller.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each tells of something else")]
pub(crate) struct Controller {
    me: Instance,
    settings: Settings,
    /// Compiled when this instance leads for the first time.
    rules: Option<Arc<RuleSet>>,
    rules_trouble: Option<String>,
    election: Election,
    session: Option<Session>,
    panes: BTreeMap<PaneId, Pane>,
    tracker: Tracker,
    painter: Painter,
    marks: Marks,
    helper: Helper,
    report: Report,
    announcer: Announcer,
    deliveries: Vec<Sending>,
    listeners: Vec<String>,
    pressure: Pressure,
    dark_terminal: Option<bool>,
    denied: bool,
    paused: bool,
    /// The pane that `jump` went to, until the session's next report tells where people are.
    jumped: Option<PaneId>,
    /// This instance took over what the former leader knew.
    begun: bool,
    /// When the timer that was asked for goes off.
    wake_at: Option<f64>,
    last_beat: f64,
    /// Bars that were opened a moment ago may not listen yet.
    share_at: Option<f64>,
    /// Something happened that may change what is shown or told.
    news: bool,
    /// What every instance was told last.
    told: String,
    /// The segment that zjstatus was told last.
    zjstatus_shows: Option<String>,
}

impl Controller {
    pub(crate) fn new(me: Instance, settings: Settings, now: f64) -> Self {
        Self {
            election: Election::new(me.client, me.plugin, now),
            tracker: Tracker::new(settings.tracking),
            painter: Painter::new(
                settings.frames,
                settings.theme.clone().and_then(|names| names.usable(&me.version)),
            ),
            helper: Helper::new(settings.helper.clone()),
            report: Report::default(),
            me,
            settings,
            rules: None,
            rules_trouble: None,
            session: None,
            panes: BTreeMap::new(),
            marks: Marks::default(),
            announcer: Announcer::default(),
            deliveries: Vec::new(),
            listeners: Vec::new(),
            pressure: Pressure::default(),
            dark_terminal: None,
            denied: false,
            paused: false,
            jumped: None,
            begun: false,
            wake_at: None,
            last_beat: now,
            share_at: None,
            news: false,
            told: String::new(),
            zjstatus_shows: None,
        }
    }

    pub(crate) fn set_rules(&mut self, rules: Arc<RuleSet>) {
        self.rules = Some(rules);
    }

    pub(crate) fn update(&mut self, event: Event, now: f64) -> Vec<Effect> {
        let mut out = Vec::new();
        // Most events are one more picture of what is known; those say themselves when they matter.
        self.news |= match &event {
            Event::Screens(_)
            | Event::ScreenRead(..)
            | Event::TitleRead(..)
            | Event::PidRead(..)
            | Event::CommandRead(..)
            | Event::Timer => false,
            Event::Pipe(pipe) => pipe.name != REPORT,
            _ => true,
        };
        self.take(event, now, &mut out);
        self.election.decide(now);
        if self.election.leads() {
            if !self.begun {
                self.begin(now, &mut out);
            }
            self.run(now, &mut out);
        } else if self.begun {
            self.begun = false;
            self.give_up_deliveries(&mut out);
            out.push(Effect::ReceiveScreens(false));
        }
        self.set_timer(now, &mut out);
        out
    }

    fn take(&mut self, event: Event, now: f64, out: &mut Vec<Effect>) {
        match event {
            Event::Loaded(saved) => {
                if let Some(former) = saved.as_deref().and_then(Report::read) {
                    self.report = former;
                }
                out.push(Effect::Request);
                for complaint in &self.settings.complaints {
                    out.push(Effect::Log(format!("setting {complaint}")));
                }
            }
            Event::Permissions(granted) => self.denied = !granted,
            Event::Timer => {
                if let Some(at) = self.wake_at.filter(|at| now + 0.01 >= *at) {
                    self.wake_at = None;
                    if self.election.leads() && self.pressure.timer_was_late(now - at, now) {
                        out.push(Effect::ReceiveScreens(!self.pressure.is_high()));
                    }
                }
            }
            Event::Session(session) => self.take_session(session, now, out),
            Event::Screens(screens) if self.election.leads() => {
                for (pane, screen) in screens {
                    self.take_screen(pane, screen, now);
                }
            }
            Event::ScreenRead(pane, Some(screen)) => self.take_screen(pane, screen, now),
            Event::ScreenRead(pane, None) => self.take_no_screen(pane, now),
            Event::TitleRead(pane, title) => {
                let covered = self.marks.covers_title(pane);
                out.extend(self.marks.title_read(pane, title.as_deref()));
                self.take_title(pane, title.filter(|_| !covered), now);
            }
            Event::PlacesRead(panes) => {
                out.extend(self.painter.style_read(frame_style(&panes), now));
            }
            Event::PidRead(pane, pid) => self.take_pid(pane, pid),
            Event::Command(pane, argv, own) => self.take_command(pane, argv, Some(own)),
            Event::CommandRead(pane, argv) => {
                if let Some(argv) = argv {
                    self.take_command(pane, argv, None);
                    if let Some(known) = self.panes.get_mut(&pane) {
                        known.command_read = now;
                    }
                }
            }
            Event::PaneClosed(pane) => self.take_closed(pane, now, out),
            Event::Mode(info) => {
                self.note_mode(&info.mode);
                let effects = self.painter.told(*info, now);
                if self.election.leads() {
                    out.extend(effects);
                }
            }
            Event::Configured => {
                let before = self.painter.mode().is_some();
                let effects = self.painter.configured(now);
                if self.election.leads() {
                    out.extend(effects);
                }
                if before {
                    self.note_configured();
                }
            }
            Event::Saved => {
                self.painter.saved(now);
                self.helper.want_configuration();
            }
            Event::TerminalDark(dark) => {
                // zellij repeats it with every configuration.
                if self.dark_terminal.replace(dark) != Some(dark) {
                    self.painter.theme_in_doubt();
                }
            }
            Event::Helper(answer) => self.take_helper(&answer, now),
            Event::Pipe(pipe) => self.take_pipe(pipe, now, out),
            Event::Screens(_) | Event::Click(_) | Event::Visible(_) | Event::Resized(_) => {}
        }
    }

    fn take_pipe(&mut self, pipe: Pipe, now: f64, out: &mut Vec<Effect>) {
        match (pipe.source, pipe.name.as_str()) {
            (PipeSource::Plugin(source), REPORT) => {
                let payload = pipe.payload.unwrap_or_default();
                let Some((leader, plugin)) = Report::sender(&payload) else { return };
                if source != self.me.plugin {
                    // A plugin of another kind could say anything; only its place counts.
                    if plugin == source {
                        self.election.met(plugin, now);
                    }
                } else if leader != self.me.client {
                    self.election.heard(leader, now);
                    if !self.election.leads()
                        && let Some(report) = Report::read(&payload)
                    {
                        self.report = report;
                    }
                }
            }
            (PipeSource::Plugin(_), HELLO) if self.election.leads() => self.share(out),
            (PipeSource::Cli(id), crate::command::NAME) => {
                // The end of what the command line piped carries nothing.
                let Some(payload) = pipe.payload else { return };
                if self.election.leads() {
                    self.command(Some(id), &payload, &pipe.args, now, out);
                }
            }
            (PipeSource::Key, crate::command::NAME) => {
                let payload = pipe.payload.unwrap_or_default();
                if self.election.leads() {
                    self.command(None, &payload, &pipe.args, now, out);
                }
            }
            _ => {}
        }
    }

    /// This instance leads from now on: it takes over what the former leader knew.
    fn begin(&mut self, now: f64, out: &mut Vec<Effect>) {
        self.begun = true;
        self.news = true;
        self.pressure = Pressure::default();
        out.push(Effect::ReceiveScreens(true));
        if self.rules.is_none() {
            match RuleSet::builtin() {
                Ok(rules) => self.rules = Some(Arc::new(rules)),
                Err(error) => self.rules_trouble = Some(error.to_string()),
            }
        }
        self.panes.clear();
        self.tracker = Tracker::new(self.settings.tracking);
        self.announcer = std::mem::take(&mut self.report.announcer);
        self.paused = self.report.paused;
        self.painter.take_over(&self.report.painted);
        for row in std::mem::take(&mut self.report.rows) {
            let tracked = madohub_detect::Tracked {
                detection: row.detection,
                since: row.since,
                turn: row.turn,
                acknowledged: row.acknowledged,
            };
            self.tracker.restore(&crate::pane::name(row.pane), tracked);
        }
        if let Some(session) = self.session.clone() {
            self.adopt(&session, now, out);
        }
        self.helper.want_configuration();
        self.last_beat = now;
    }

    /// Everything that the leader does after each event.
    fn run(&mut self, now: f64, out: &mut Vec<Effect>) {
        self.watch(now, out);
        self.news |= self.announcer.deadline().is_some_and(|at| at <= now);
        for told in self.announcer.due(now) {
            self.emit(&told, now, out);
        }
        self.deliver(now, out);
        let pids: Vec<i64> = self.panes.values().filter_map(|p| p.pid).collect();
        let trouble = self.helper.trouble().map(str::to_owned);
        out.extend(self.helper.advance(&pids, now));
        self.news |= self.helper.trouble() != trouble.as_deref();
        self.publish(out);
        let fell_back = self.painter.fell_back();
        let painting = self.painter.advance(now);
        self.news |= !painting.is_empty() || self.painter.fell_back() != fell_back;
        out.extend(painting);
        let beat = !self.election.attached() && now >= self.last_beat + crate::leader::BEAT;
        let opened = self.share_at.is_some_and(|at| now >= at);
        if beat || opened {
            self.last_beat = now;
            self.share_at = None;
            self.share(out);
        }
        if opened {
            self.tell_zjstatus(true, out);
        }
    }

    fn note_mode(&mut self, mode: &Mode) {
        let me = self.me.client;
        let Some(focus) = self.session.as_ref().and_then(|s| s.focus.get(&me)) else { return };
        if let Some(pane) = self.panes.get_mut(focus) {
            pane.scrolled = *mode == Mode::Scroll;
            pane.dirty = true;
        }
    }

    /// A configuration that was not ours may have brought another theme, also one that was in force
    /// for a moment only, until ours that puts the former one back came after it.
    fn note_configured(&mut self) {
        if !self.painter.knows() || self.painter.has_own() {
            self.helper.want_configuration();
        }
    }

    fn set_timer(&mut self, now: f64, out: &mut Vec<Effect>) {
        let mut next = self.election.deadline();
        if self.election.leads() {
            let beat = (!self.election.attached()).then_some(self.last_beat + crate::leader::BEAT);
            let more = [
                self.painter.deadline(),
                self.helper.deadline(),
                self.watch_deadline(now),
                self.announcer.deadline(),
                self.deliveries.iter().map(|s| s.deadline(now)).min_by(f64::total_cmp),
                beat,
                self.share_at,
            ];
            next = more.into_iter().chain([next]).flatten().min_by(f64::total_cmp);
        }
        let Some(next) = next else { return };
        let next = next.max(now + TICK);
        if self.wake_at.is_none_or(|at| at > next + TICK || at < now) {
            self.wake_at = Some(next);
            out.push(Effect::Wake(next - now));
        }
    }
}

#[cfg(test)]
mod tests;
