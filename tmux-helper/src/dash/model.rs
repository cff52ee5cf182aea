//! What the dashboard shows and what the person means. No input and no output.

mod parts;

use super::feed::{Beside, News, Source};
use super::fleet::HostNews;
use super::keys::{self, Action};
use crate::output::{ListedPane, by_need, clean};
use madohub_detect::State;
use ratatui::crossterm::event::Event;
use ratatui::layout::Position;
use std::collections::{BTreeMap, BTreeSet};

pub(super) use parts::{Effect, Focus, Mode, PaneKey, Places, Side};

/// Characters of a text to send or to look for.
const INPUT_MAX: usize = 16 * 1024;

/// The dashboard.
#[derive(Debug, Default)]
pub(super) struct Dash {
    keep: bool,
    panes: BTreeMap<Source, Vec<ListedPane>>,
    troubles: BTreeMap<Source, String>,
    /// Machines that vanished.
    gone: BTreeSet<String>,
    /// Every source has told its panes, or that it cannot.
    is_complete: bool,
    selected: Option<PaneKey>,
    /// The panes that are shown, by need.
    shown: Vec<ListedPane>,
    pub(super) mode: Mode,
    pub(super) filter: String,
    pub(super) side: Side,
    beside: Option<(Focus, Beside)>,
    /// Rows by which what is beside the list is moved: down from its start, or up from its end
    /// where its end is what matters.
    pub(super) scroll: usize,
    note: Option<String>,
    pub(super) places: Places,
}

impl Dash {
    /// Nothing is known yet.
    pub(super) fn new(keep: bool) -> Self {
        Self { keep, ..Self::default() }
    }

    /// The panes that are shown, by need.
    pub(super) fn shown(&self) -> &[ListedPane] {
        &self.shown
    }

    /// All panes, in no order.
    pub(super) fn all(&self) -> impl Iterator<Item = &ListedPane> {
        self.panes.values().flatten()
    }

    /// Machines that vanished.
    pub(super) fn gone(&self) -> impl Iterator<Item = &str> {
        self.gone.iter().map(String::as_str)
    }

    /// Whether all sources have answered once.
    pub(super) fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Row of the chosen pane.
    pub(super) fn at(&self) -> Option<usize> {
        let selected = self.selected.as_ref()?;
        self.shown.iter().position(|pane| PaneKey::of(pane) == *selected)
    }

    /// The chosen pane.
    pub(super) fn chosen(&self) -> Option<&ListedPane> {
        self.shown.get(self.at()?)
    }

    /// What is beside the list, if it is there yet.
    pub(super) fn beside(&self) -> Option<&Beside> {
        let (focus, beside) = self.beside.as_ref()?;
        (Some(focus) == self.focus().as_ref()).then_some(beside)
    }

    /// What the person should read now: how the last action ended, else what is wrong.
    pub(super) fn note(&self) -> Option<&str> {
        self.note.as_deref().or_else(|| self.troubles.values().next().map(String::as_str))
    }

    /// Says something until the next key.
    pub(super) fn say(&mut self, text: impl Into<String>) {
        self.note = Some(text.into());
    }

    /// Takes over what happened.
    pub(super) fn update(&mut self, news: News) -> Vec<Effect> {
        match news {
            News::HungUp => vec![Effect::Leave],
            News::Input(event) => self.input(&event),
            News::Panes(source, Ok(panes)) => {
                self.troubles.remove(&source);
                self.panes.insert(source, panes);
                self.arrange()
            }
            News::Panes(source, Err(trouble)) => {
                self.panes.remove(&source);
                self.troubles.insert(source, trouble);
                self.arrange()
            }
            News::Hosts(hosts) => {
                for HostNews { host, panes, is_gone } in hosts {
                    if is_gone {
                        self.gone.insert(host.clone());
                    } else {
                        self.gone.remove(&host);
                    }
                    match panes {
                        Some(panes) => drop(self.panes.insert(Source::Host(host), panes)),
                        None => drop(self.panes.remove(&Source::Host(host))),
                    }
                }
                self.arrange()
            }
            News::Gone(source) => {
                self.panes.remove(&source);
                self.troubles.remove(&source);
                self.arrange()
            }
            News::Complete => {
                self.is_complete = true;
                Vec::new()
            }
            News::Beside(focus, beside) => {
                if self.focus().as_ref() == Some(&focus) {
                    self.beside = Some((focus, beside));
                }
                Vec::new()
            }
            News::Said(text) => {
                self.say(text);
                Vec::new()
            }
        }
    }

    /// Shows what is there now, with the same pane chosen, else the one in its row.
    fn arrange(&mut self) -> Vec<Effect> {
        let (row, before) = (self.at().unwrap_or(0), self.focus());
        let words: Vec<String> = self.filter.split_whitespace().map(str::to_lowercase).collect();
        self.shown =
            self.panes.values().flatten().filter(|pane| holds(pane, &words)).cloned().collect();
        by_need(&mut self.shown);
        if self.at().is_none() {
            let row = row.min(self.shown.len().saturating_sub(1));
            self.selected = self.shown.get(row).map(PaneKey::of);
        }
        self.refocus(before.as_ref())
    }

    fn focus(&self) -> Option<Focus> {
        self.selected.clone().map(|key| Focus { key, side: self.side })
    }

    /// What is asked for now.
    #[cfg(test)]
    pub(super) fn focus_for_test(&self) -> Focus {
        #[expect(clippy::unwrap_used, reason = "a failing test may panic")]
        self.focus().unwrap()
    }

    fn refocus(&mut self, before: Option<&Focus>) -> Vec<Effect> {
        let now = self.focus();
        if now.as_ref() == before {
            return Vec::new();
        }
        self.scroll = 0;
        vec![Effect::Look(now)]
    }

    fn input(&mut self, event: &Event) -> Vec<Effect> {
        let Some(action) = keys::action(event, &self.mode) else { return Vec::new() };
        if !matches!(action, Action::Wheel { .. }) {
            self.note = None;
        }
        self.act(action)
    }

    /// Does what the person means.
    pub(super) fn act(&mut self, action: Action) -> Vec<Effect> {
        let before = self.focus();
        match action {
            Action::Leave => return vec![Effect::Leave],
            Action::Back => self.back(),
            Action::Go => return self.go(),
            Action::Step(by) => self.step(by),
            Action::First => self.choose(0),
            Action::Last => self.choose(usize::MAX),
            Action::NextNeed => self.next_need(),
            Action::Show(side) => self.side = side,
            Action::NextSide => self.side = self.side.next(),
            Action::Scroll(by) => self.scroll(by),
            Action::Help => self.mode = Mode::Help,
            Action::Filter => self.mode = Mode::Filter,
            Action::Send => self.begin_send(),
            Action::Type(text) => return self.typed(&text),
            Action::Erase => return self.erase(),
            Action::EraseAll => return self.erase_all(),
            Action::Done => return self.done(),
            Action::Click(at) => return self.click(at),
            Action::Wheel { at, by } => {
                if self.places.side.contains(at) {
                    self.scroll(by);
                } else {
                    self.step(by);
                }
            }
        }
        self.refocus(before.as_ref())
    }

    /// One step out: from a mode, then from the filter.
    fn back(&mut self) {
        if self.mode == Mode::Choose || self.mode == Mode::Filter {
            self.filter.clear();
        }
        self.mode = Mode::Choose;
        // `act` asks for what is beside the list.
        let _ = self.arrange();
    }

    fn go(&mut self) -> Vec<Effect> {
        let Some(pane) = self.chosen().cloned().map(Box::new) else { return Vec::new() };
        if let Some(host) = &pane.host {
            self.say(format!("That pane is on {}: go there first, as by ssh.", clean(host)));
            return Vec::new();
        }
        vec![if self.keep { Effect::GoBehind(pane) } else { Effect::Go(pane) }]
    }

    fn step(&mut self, by: isize) {
        let row = self.at().unwrap_or(0).saturating_add_signed(by);
        self.choose(row);
    }

    fn choose(&mut self, row: usize) {
        let row = row.min(self.shown.len().saturating_sub(1));
        self.selected = self.shown.get(row).map(PaneKey::of);
    }

    /// The next pane below, and around, that waits for a person or ended a turn.
    fn next_need(&mut self) {
        let rows = self.shown.len();
        let after = self.at().map_or(0, |row| row + 1);
        let row = (0..rows).map(|n| (after + n) % rows).find(|row| {
            let state = self.shown.get(*row).map(|pane| pane.row.state);
            state.is_some_and(needs_person)
        });
        match row {
            Some(row) => self.choose(row),
            None => self.say("No pane needs you."),
        }
    }

    fn scroll(&mut self, by: isize) {
        // What matters of a screen is its end: it is moved from there.
        let by = if self.side == Side::Screen { by.saturating_neg() } else { by };
        self.scroll = self.scroll.saturating_add_signed(by);
    }

    fn begin_send(&mut self) {
        let Some(pane) = self.chosen() else { return };
        if let Some(host) = &pane.host {
            let to = format!("{}:{}", clean(host), clean(&pane.row.pane));
            self.say(format!("To another machine: madohub fleet send {to} TEXT"));
        } else if pane.row.mux == "tmux" {
            self.mode = Mode::Send { to: PaneKey::of(pane), text: String::new() };
        } else {
            let what = format!("zellij pipe --name madohub -- send {} TEXT", clean(&pane.row.pane));
            self.say(format!("Texts for zellij's panes go through the plugin: {what}"));
        }
    }

    fn typed(&mut self, more: &str) -> Vec<Effect> {
        let text = match &mut self.mode {
            Mode::Filter => &mut self.filter,
            Mode::Send { text, .. } => text,
            Mode::Choose | Mode::Help => return Vec::new(),
        };
        text.extend(more.chars().take(INPUT_MAX.saturating_sub(text.chars().count())));
        self.edited()
    }

    fn erase(&mut self) -> Vec<Effect> {
        match &mut self.mode {
            Mode::Filter => drop(self.filter.pop()),
            Mode::Send { text, .. } => drop(text.pop()),
            Mode::Choose | Mode::Help => {}
        }
        self.edited()
    }

    fn erase_all(&mut self) -> Vec<Effect> {
        match &mut self.mode {
            Mode::Filter => self.filter.clear(),
            Mode::Send { text, .. } => text.clear(),
            Mode::Choose | Mode::Help => {}
        }
        self.edited()
    }

    fn edited(&mut self) -> Vec<Effect> {
        if self.mode == Mode::Filter { self.arrange() } else { Vec::new() }
    }

    /// The end of typing.
    fn done(&mut self) -> Vec<Effect> {
        let Mode::Send { to, text } = std::mem::take(&mut self.mode) else { return Vec::new() };
        if text.trim().is_empty() {
            return Vec::new();
        }
        // It may be hidden by the filter, or somewhere else in the list by now.
        let pane = self.all().find(|pane| PaneKey::of(pane) == to).cloned();
        let Some(pane) = pane.map(Box::new) else {
            self.say("That pane is gone; nothing was sent.");
            return Vec::new();
        };
        self.say(format!("Sending to {} …", clean(&pane.place())));
        vec![Effect::Send { pane, text }]
    }

    fn click(&mut self, at: Position) -> Vec<Effect> {
        let list = self.places.list;
        if !list.contains(at) {
            return Vec::new();
        }
        let row = self.places.first + usize::from(at.y.saturating_sub(list.y));
        if row >= self.shown.len() {
            return Vec::new();
        }
        if self.at() == Some(row) {
            return self.go();
        }
        let before = self.focus();
        self.choose(row);
        self.refocus(before.as_ref())
    }
}

/// Whether a person has something to do there.
pub(super) fn needs_person(state: State) -> bool {
    matches!(state, State::Waiting | State::Failed | State::Stopped | State::Completed)
}

/// Whether the row holds all words: in its place, agent, state, reason, folder or title.
fn holds(pane: &ListedPane, words: &[String]) -> bool {
    if words.is_empty() {
        return true;
    }
    let row = &pane.row;
    let parts = [
        Some(row.agent.as_str()),
        row.agent_name.as_deref(),
        Some(row.state.as_str()),
        row.reason.as_deref(),
        Some(row.window_name.as_str()),
        row.title.as_deref(),
        row.cwd.as_deref(),
        row.last_message.as_deref(),
    ];
    let mut text = pane.place();
    for part in parts.into_iter().flatten() {
        text.push('\n');
        text.push_str(part);
    }
    let text = text.to_lowercase();
    words.iter().all(|word| text.contains(word))
}

#[cfg(test)]
mod tests;
