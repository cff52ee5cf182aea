//! Showing states in tmux: options of panes, windows and the server, written when they change.

use crate::config::{
    Border, BorderStatus, BorderStyle, Config, Depth, Paths, Segment, SegmentPreset,
};
use crate::fleet::snapshot;
use crate::output::{Agents, ListedPane, PaneRow, Script, for_tmux, label, segment_with};
use crate::scan::Reach;
use crate::tmux::names::{global, pane, window};
use crate::tmux::{
    Batch, Formats, Leftovers, OwnValues, Pane, PaneId, PaneValues, Replies, Server, Slot, Support,
    Taken, TmuxError, WindowId, give_back, unset_pane,
};
use madohub_detect::State;
use std::collections::{BTreeMap, HashMap, HashSet};
use tmux_interface::{SetOption, ShowOptions};

use super::pulse;

/// For so many seconds a window whose last agent left keeps its look: an agent that is started
/// again at once must not make every pane of it resize twice.
const GRACE: f64 = 5.0;
/// A text of the segment that only differs in its times is written this often, in seconds.
const AGES: f64 = 15.0;
/// It is looked for news of other machines this often, in seconds.
const REMOTE_PAUSE: f64 = 1.0;

/// Remembers what was written, so that nothing is written twice: every `set` redraws whole
/// windows.
#[derive(Debug)]
pub(super) struct Painter {
    config: Config,
    support: Support,
    panes: HashMap<PaneId, PaneValues>,
    depths: HashMap<PaneId, Depth>,
    windows: HashMap<WindowId, Window>,
    globals: HashMap<&'static str, String>,
    segment: Option<WrittenSegment>,
    /// Agents of other machines, where they are counted.
    others: Option<Others>,
    /// A run failed in the middle: what tmux has must be read before the next one.
    unsure: bool,
}

/// Of what the segment was written, and when.
#[derive(Debug)]
struct WrittenSegment {
    of: Vec<(String, State)>,
    depth: Depth,
    at: f64,
}

/// Agents of other machines, as the publisher left their numbers.
#[derive(Debug)]
struct Others {
    paths: Paths,
    read: f64,
    counts: BTreeMap<String, usize>,
}

/// What is written on a window.
#[derive(Debug, Default)]
struct Window {
    saved: String,
    state: String,
    /// Last time that it held an agent.
    held_agent: f64,
    /// Options set since the last look at all: what the look says of them is older.
    fresh: bool,
    /// The user set `pane-border-status` of this window after us: theirs stays.
    status_is_users: bool,
}

/// All that is to be shown.
pub(super) struct Scene<'a> {
    pub(super) panes: Vec<Shown<'a>>,
    /// Panes of which anything is new.
    pub(super) touched: &'a [PaneId],
    /// The panes with an agent, sorted by need.
    pub(super) rows: &'a [ListedPane],
    /// `rows` are not as before.
    pub(super) listed: bool,
    /// The least colours of all terminals, which show the same segment.
    pub(super) depth: Depth,
    /// How much the last look covered.
    pub(super) reach: Reach,
    /// What the last look said of the user's own global values, if it asked.
    pub(super) user_values: Option<(UserValues, &'a Replies)>,
}

/// The question for the user's own global values.
#[derive(Debug, Clone, Copy)]
pub(super) struct UserValues([(Taken, Slot); 3]);

/// A pane and what it shows.
pub(super) struct Shown<'a> {
    pub(super) pane: &'a Pane,
    pub(super) depth: Depth,
    /// Nothing for a pane without an agent.
    pub(super) row: Option<&'a PaneRow>,
}

impl Others {
    /// Reads the numbers, now and then; whether they are others than before.
    fn is_news(&mut self, now: f64) -> bool {
        if (now - self.read).abs() < REMOTE_PAUSE {
            return false;
        }
        self.read = now;
        let counts = snapshot::remote(&self.paths, now);
        let is_news = counts != self.counts;
        self.counts = counts;
        is_news
    }
}

impl Painter {
    /// A painter for a server of this kind, which may hold what a former daemon left.
    pub(super) fn new(config: Config, support: Support, paths: &Paths) -> Self {
        let others = config.segment.tells_of_others().then(|| Others {
            paths: paths.clone(),
            read: f64::NEG_INFINITY,
            counts: BTreeMap::new(),
        });
        Self {
            others,
            config,
            support,
            panes: HashMap::new(),
            depths: HashMap::new(),
            windows: HashMap::new(),
            globals: HashMap::new(),
            segment: None,
            unsure: true,
        }
    }

    /// Adds the question for the user's own global values, which panes without an agent go on
    /// showing. They are read, never set.
    pub(super) fn ask_user_values(&self, batch: &mut Batch) -> Option<UserValues> {
        let ask = |taken: Taken, batch: &mut Batch| {
            let show = ShowOptions::new().global().window().value().option(taken.option());
            (taken, batch.ask(show.build()))
        };
        let taken = [Taken::Border, Taken::ActiveBorder, Taken::Label];
        self.config.border.enabled.then(|| UserValues(taken.map(|taken| ask(taken, batch))))
    }

    /// Shows the panes, as far as anything changed.
    pub(super) fn paint(
        &mut self,
        server: &Server,
        scene: &Scene<'_>,
        now: f64,
    ) -> Result<(), TmuxError> {
        let all = self.unsure;
        if self.unsure {
            self.read_back(server)?;
        }
        // Until everything is written, nothing is certain.
        self.unsure = true;
        let mut write = Batch::new();
        self.paint_formats(&mut write);
        if let Some((values, replies)) = &scene.user_values {
            for (taken, slot) in values.0 {
                let answer = replies.get(slot).unwrap_or_default();
                let value = answer.strip_suffix('\n').unwrap_or(answer).to_owned();
                self.set_global(taken.copy(), value, &mut write);
            }
        }
        self.paint_segment(scene, now, &mut write);
        if scene.reach == Reach::All {
            let there: HashSet<PaneId> = scene.panes.iter().map(|shown| shown.pane.id).collect();
            self.panes.retain(|id, _| there.contains(id));
            self.depths.retain(|id, _| there.contains(id));
        }
        if all || scene.listed || scene.reach == Reach::All {
            self.paint_windows(server, scene, now, &mut write)?;
        }
        for shown in &scene.panes {
            let id = shown.pane.id;
            let deeper = self.depths.insert(id, shown.depth) != Some(shown.depth);
            if all || deeper || scene.touched.contains(&id) {
                self.paint_pane(shown, &mut write);
            }
        }
        server.run(&write)?;
        self.unsure = false;
        Ok(())
    }

    /// What tmux holds of us, as it says itself.
    fn read_back(&mut self, server: &Server) -> Result<(), TmuxError> {
        let left = Leftovers::read(server)?;
        self.panes = left.panes.into_iter().collect();
        let mut windows = HashMap::new();
        for found in left.windows {
            let mut known = self.windows.remove(&found.id).unwrap_or_default();
            known.saved = found.saved;
            known.state = found.state;
            known.fresh = false;
            windows.insert(found.id, known);
        }
        self.windows = windows;
        self.globals.clear();
        self.segment = None;
        Ok(())
    }

    fn paint_formats(&mut self, write: &mut Batch) {
        let border = &self.config.border;
        if !border.enabled || self.globals.contains_key(global::LABEL) {
            return;
        }
        let formats = match self.support {
            Support::Full => Formats::full(border, border.style == BorderStyle::Label),
            Support::LabelOnly | Support::TooOld => Formats::label_only(),
        };
        self.set_global(global::CLOCK, "%s".to_owned(), write);
        self.set_global(global::BORDER, formats.border, write);
        self.set_global(global::ACTIVE_BORDER, formats.active_border, write);
        self.set_global(global::LABEL, formats.label, write);
    }

    fn paint_segment(&mut self, scene: &Scene<'_>, now: f64, write: &mut Batch) {
        let rows = scene.rows;
        if self.others.as_mut().is_some_and(|others| others.is_news(now)) {
            self.segment = None;
        }
        let depth = scene.depth;
        let aged = |then: f64| !(0.0..AGES).contains(&(now - then)) && !rows.is_empty();
        let written = self.segment.as_ref().filter(|old| old.depth == depth && !aged(old.at));
        if !scene.listed && written.is_some() {
            return;
        }
        let of: Vec<_> = rows.iter().map(|listed| (listed.place(), listed.row.state)).collect();
        if written.is_some_and(|old| old.of == of) {
            return;
        }
        let here = Agents::here(rows);
        let all = match &self.others {
            Some(others) => Agents { remote: &others.counts, ..here },
            None => here,
        };
        let (config, settings) = (&self.config, &self.config.segment);
        let status = segment_with(all, config, settings, Script::Tmux(depth), now);
        let counts = Segment { preset: SegmentPreset::Counts, remote: false, ..settings.clone() };
        let counts = segment_with(here, config, &counts, Script::Plain, now);
        self.set_global(global::STATUS, status, write);
        self.set_global(global::COUNTS, counts.replace('#', "##"), write);
        self.segment = Some(WrittenSegment { of, depth, at: now });
    }

    fn set_global(&mut self, name: &'static str, value: String, write: &mut Batch) {
        if self.globals.get(name) != Some(&value) {
            write.tell(SetOption::new().global().option(name).value(value.as_str()).build());
            self.globals.insert(name, value);
        }
    }

    fn paint_windows(
        &mut self,
        server: &Server,
        scene: &Scene<'_>,
        now: f64,
        write: &mut Batch,
    ) -> Result<(), TmuxError> {
        let reach = scene.reach;
        let mut by_window: BTreeMap<WindowId, Vec<&Shown<'_>>> = BTreeMap::new();
        for shown in &scene.panes {
            by_window.entry(shown.pane.window).or_default().push(shown);
        }
        if reach == Reach::All {
            self.windows.retain(|id, _| by_window.contains_key(id));
        }
        let mut ask = Batch::new();
        let mut asked = Vec::new();
        for (id, shown) in &by_window {
            let Some(first) = shown.first().map(|shown| shown.pane) else { continue };
            let state = shown
                .iter()
                .filter_map(|shown| shown.row.map(|row| row.state))
                .min_by_key(|state| state.need_rank());
            if state.is_none() && !self.windows.contains_key(id) {
                continue;
            }
            let known = self.windows.entry(*id).or_default();
            if state.is_some() {
                known.held_agent = now;
            }
            known.show_state(*id, state, write);
            if reach == Reach::All {
                known.notice_users_changes(first);
                known.fresh = false;
            }
            let held = (0.0..GRACE).contains(&(now - known.held_agent))
                && (state.is_some() || !known.saved.is_empty());
            let wanted = if held {
                known.wanted(first, &self.config.border, self.support)
            } else {
                Vec::new()
            };
            let unwanted: Vec<Taken> = Taken::ALL
                .into_iter()
                .filter(|taken| taken.is_in(&known.saved) && !wanted.contains(taken))
                .collect();
            if !unwanted.is_empty() {
                let fresh = known.fresh;
                let saved = std::mem::take(&mut known.saved);
                known.saved = give_back(write, *id, &saved, &unwanted, |taken| {
                    fresh || first.ours.has(taken)
                });
            }
            let missing: Vec<Taken> =
                wanted.into_iter().filter(|taken| !taken.is_in(&known.saved)).collect();
            if !missing.is_empty() {
                asked.push((*id, OwnValues::ask(&mut ask, *id, &missing)));
            }
        }
        let replies = server.run(&ask)?;
        for (id, values) in asked {
            let Some(known) = self.windows.get_mut(&id) else { continue };
            known.saved = values.take(&replies, &known.saved, write);
            known.fresh = true;
        }
        self.windows.retain(|_, known| {
            !known.saved.is_empty() || !known.state.is_empty() || known.status_is_users
        });
        Ok(())
    }

    fn paint_pane(&mut self, shown: &Shown<'_>, write: &mut Batch) {
        let id = shown.pane.id;
        let values = shown.row.map(|row| self.values(row, shown.depth)).unwrap_or_default();
        let old = self.panes.get(&id).cloned().unwrap_or_default();
        for ((name, value), old) in pane::ALL.into_iter().zip(&values).zip(&old) {
            if value == old {
                continue;
            }
            if value.is_empty() {
                write.tell(unset_pane(id, name));
            } else {
                let set = SetOption::new().pane().target_pane(id.to_string());
                write.tell(set.option(name).value(value.as_str()).build());
            }
        }
        if shown.row.is_some() {
            self.panes.insert(id, values);
        } else {
            self.panes.remove(&id);
        }
    }

    /// The values in the order of [`pane::ALL`].
    fn values(&self, row: &PaneRow, depth: Depth) -> PaneValues {
        let look = self.config.looks.of(row.state);
        let background =
            if row.background > 0 { format!("+{}", row.background) } else { String::new() };
        let pulses = self.support == Support::Full
            && self.config.border.pulse
            && row.state == State::Working;
        [
            row.state.to_string(),
            for_tmux(row.agent.as_str()),
            for_tmux(&look.glyph),
            look.tmux_style(depth),
            format!("{}", row.since.floor()),
            row.reason.as_deref().map(for_tmux).unwrap_or_default(),
            for_tmux(row.what()),
            background,
            if pulses { pulse::other_style(look, depth) } else { String::new() },
            self.wide(row).to_string(),
        ]
    }

    /// Cells that the whole label takes at its longest: with `10h59m`, and the corners that tmux
    /// keeps around it.
    fn wide(&self, row: &PaneRow) -> usize {
        let Config { border, looks, .. } = &self.config;
        let text = label(row, border, looks, row.since + 39_599.0, usize::MAX);
        crate::output::width(&text) + 6
    }
}

impl Window {
    fn show_state(&mut self, id: WindowId, state: Option<State>, write: &mut Batch) {
        let state = state.map_or_else(String::new, |state| state.to_string());
        if state == self.state {
            return;
        }
        let set = SetOption::new().window().target_pane(id.to_string()).option(window::STATE);
        if state.is_empty() {
            write.tell(set.unset().quiet().build());
        } else {
            write.tell(set.value(state.as_str()).build());
        }
        self.state = state;
    }

    /// What the user set on the window after us is the user's own value from now on.
    fn notice_users_changes(&mut self, pane: &Pane) {
        if self.fresh || self.saved.is_empty() {
            return;
        }
        let changed: Vec<Taken> = Taken::ALL
            .into_iter()
            .filter(|taken| taken.is_in(&self.saved) && !pane.ours.has(*taken))
            .collect();
        if changed.is_empty() {
            return;
        }
        self.status_is_users |= changed.contains(&Taken::Status);
        let kept: Vec<&str> = self
            .saved
            .split(' ')
            .filter(|entry| !changed.iter().any(|taken| taken.is_in(entry)))
            .collect();
        self.saved = kept.join(" ");
    }

    /// The options that should have our value.
    fn wanted(&self, pane: &Pane, border: &Border, support: Support) -> Vec<Taken> {
        if !border.enabled || support == Support::TooOld {
            return Vec::new();
        }
        let mut wanted = vec![Taken::Label];
        if support == Support::Full && border.style == BorderStyle::Line {
            wanted.extend([Taken::Border, Taken::ActiveBorder]);
        }
        let line = match border.status {
            BorderStatus::Auto => pane.window_panes > 1,
            BorderStatus::Top => true,
            BorderStatus::Off => false,
        };
        // Where the user has such a line already, it is theirs.
        let free = pane.border_status == "off" || Taken::Status.is_in(&self.saved);
        if line && free && !self.status_is_users {
            wanted.push(Taken::Status);
        }
        wanted
    }
}
