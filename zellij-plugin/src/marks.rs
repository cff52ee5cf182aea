//! Marks beside the frame's colour, each a setting: a tint behind panes that need a person, a
//! glyph in front of pane titles, a glyph in front of tab names. What was there before is kept
//! and put back.

use crate::colour::Colour;
use crate::effect::Effect;
use crate::event::{PaneId, Session};
use crate::report::Report;
use crate::settings::Settings;
use madohub_detect::State;
use std::collections::BTreeMap;

/// How much of a state's colour is mixed into a pane's background, in percent.
const TINT_SHARE: u8 = 14;

/// The marks that were set.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    /// Tinted panes, with the background that they had.
    tints: BTreeMap<PaneId, Tint>,
    titles: BTreeMap<PaneId, Title>,
    tabs: BTreeMap<u64, Tab>,
}

#[derive(Debug, PartialEq)]
struct Tint {
    before: Option<Colour>,
    set: Colour,
}

#[derive(Debug)]
struct Title {
    /// The title before; whether the user gave it, once known.
    before: String,
    given: Option<bool>,
    set: String,
}

#[derive(Debug)]
struct Tab {
    before: String,
    set: String,
}

impl Marks {
    /// Whether the pane's title is one of ours, and says nothing of its program.
    pub(crate) fn covers_title(&self, pane: PaneId) -> bool {
        self.titles.contains_key(&pane)
    }

    /// Sets what the report asks for and takes back what it does not.
    pub(crate) fn update(
        &mut self,
        report: &Report,
        session: &Session,
        settings: &Settings,
        dark: bool,
    ) -> Vec<Effect> {
        let mut effects = Vec::new();
        self.forget_gone(session);
        self.update_tints(report, session, settings, dark, &mut effects);
        self.update_titles(report, settings, &mut effects);
        self.update_tabs(report, session, settings, &mut effects);
        effects
    }

    /// The program's own title came, after the pane's name was taken away for a moment: when it
    /// differs from the title before, a person had named the pane.
    pub(crate) fn title_read(&mut self, pane: PaneId, own: Option<&str>) -> Vec<Effect> {
        let Some(title) = self.titles.get_mut(&pane).filter(|t| t.given.is_none()) else {
            return Vec::new();
        };
        title.given = Some(own.is_some_and(|own| own != title.before));
        vec![Effect::RenamePane(pane, title.set.clone())]
    }

    fn forget_gone(&mut self, session: &Session) {
        let lives = |pane: &PaneId| session.panes.iter().any(|p| p.id == *pane);
        self.tints.retain(|pane, _| lives(pane));
        self.titles.retain(|pane, _| lives(pane));
        self.tabs.retain(|tab, _| session.tabs.iter().any(|t| t.id == *tab));
    }

    fn update_tints(
        &mut self,
        report: &Report,
        session: &Session,
        settings: &Settings,
        dark: bool,
        effects: &mut Vec<Effect>,
    ) {
        let ground = if dark { Colour::Rgb(0, 0, 0) } else { Colour::Rgb(255, 255, 255) };
        let wanted: BTreeMap<PaneId, Colour> = report
            .rows
            .iter()
            .filter(|row| settings.tint && !report.paused && needs_person(row.state()))
            .filter_map(|row| {
                let colour = settings.looks.of(row.state()).colour?;
                Some((row.pane, ground.mixed(colour, TINT_SHARE)))
            })
            .collect();
        self.tints.retain(|pane, tint| {
            let keep = wanted.contains_key(pane);
            if !keep {
                effects.push(Effect::Tint(*pane, tint.before));
            }
            keep
        });
        for (pane, set) in wanted {
            match self.tints.get_mut(&pane) {
                Some(tint) if tint.set == set => continue,
                Some(tint) => tint.set = set,
                None => {
                    let facts = session.panes.iter().find(|p| p.id == pane);
                    let before = facts.and_then(|p| p.background.as_ref()?.parse().ok());
                    self.tints.insert(pane, Tint { before, set });
                }
            }
            effects.push(Effect::Tint(pane, Some(set)));
        }
    }

    fn update_titles(&mut self, report: &Report, settings: &Settings, effects: &mut Vec<Effect>) {
        let glyph_of = |state: State| match state {
            State::Idle | State::Unknown => None,
            state => Some(settings.looks.of(state).glyph.as_str()),
        };
        let wanted: BTreeMap<PaneId, (&str, &str)> = report
            .rows
            .iter()
            .filter(|_| settings.title_glyph && !report.paused)
            .filter_map(|row| Some((row.pane, (glyph_of(row.state())?, row.title.as_str()))))
            .collect();
        self.titles.retain(|pane, title| {
            let keep = wanted.contains_key(pane);
            if !keep {
                let name =
                    if title.given == Some(true) { title.before.clone() } else { String::new() };
                effects.push(Effect::RenamePane(*pane, name));
            }
            keep
        });
        for (pane, (glyph, now)) in wanted {
            match self.titles.get_mut(&pane) {
                None => {
                    let set = format!("{glyph} {}", madohub_detect::text::clean(now));
                    let title = Title { before: now.to_owned(), given: None, set };
                    self.titles.insert(pane, title);
                    effects.push(Effect::RenamePane(pane, String::new()));
                    effects.push(Effect::ReadTitle(pane));
                }
                Some(title) => {
                    let set = format!("{glyph} {}", madohub_detect::text::clean(&title.before));
                    if title.set != set {
                        title.set = set;
                        effects.push(Effect::RenamePane(pane, title.set.clone()));
                    }
                }
            }
        }
    }

    fn update_tabs(
        &mut self,
        report: &Report,
        session: &Session,
        settings: &Settings,
        effects: &mut Vec<Effect>,
    ) {
        for tab in &session.tabs {
            let neediest = report
                .rows
                .iter()
                .filter(|row| row.tab_id == tab.id && row.state() != State::Idle)
                .min_by_key(|row| row.state().need_rank());
            let glyph = neediest
                .filter(|_| settings.tab_marker && !report.paused)
                .map(|row| settings.looks.of(row.state()).glyph.as_str());
            let known = self.tabs.remove(&tab.id);
            let before = match &known {
                Some(known) if known.set == tab.name => known.before.clone(),
                // Another name: the user's, or one that a former instance marked.
                _ => unmarked(&tab.name, settings).to_owned(),
            };
            let name = glyph.map_or_else(|| before.clone(), |glyph| format!("{glyph} {before}"));
            if name != tab.name && (glyph.is_some() || known.is_some()) {
                effects.push(Effect::RenameTab(tab.id, name.clone()));
            }
            if glyph.is_some() {
                self.tabs.insert(tab.id, Tab { before, set: name });
            }
        }
    }
}

/// A name without a mark of ours in front.
fn unmarked<'a>(name: &'a str, settings: &Settings) -> &'a str {
    if !settings.tab_marker {
        return name;
    }
    State::BY_NEED
        .iter()
        .find_map(|state| {
            name.strip_prefix(settings.looks.of(*state).glyph.as_str())?.strip_prefix(' ')
        })
        .unwrap_or(name)
}

/// States that a tint and the one-colour highlight are for.
pub(crate) fn needs_person(state: State) -> bool {
    matches!(state, State::Waiting | State::Failed)
}
