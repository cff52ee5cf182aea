//! Gives each frame its colour, by changing the theme's highlight colour around the call.
//!
//! One configuration is applied at a time; zellij acknowledges it ([`crate::Event::Configured`])
//! after it has handed it to the part that draws, so that a highlight call made then finds the
//! new colour. Panes of one colour are painted by one call. When nothing is left to paint, the
//! user's own theme is put back.

use crate::colour::Colour;
use crate::effect::Effect;
use crate::event::{FrameStyle, Mode, ModeInfo, PaneId};
use crate::settings::Frames;
use crate::theme::{Palette, ThemeNames, own_theme_again};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Seconds to wait for an acknowledgement until it counts as missed.
const ACKNOWLEDGED_WITHIN: f64 = 3.0;
/// Seconds that zellij takes to apply a configuration, where it does not acknowledge it (0.44).
const APPLIED_AFTER: f64 = 0.12;
/// Seconds without anything to paint until the user's theme is put back.
const PUT_BACK_AFTER: f64 = 1.0;
/// Seconds after which a bell has stopped to flash a frame and cleared its colour.
const FLASH: f64 = 0.5;
/// Least seconds between two repaints for bells.
const REPAINT_GAP: f64 = 2.0;
/// Acknowledgements missed in a row until frames fall back to one colour.
const MISSES: u32 = 3;
/// Seconds to wait for the theme to be told until it is asked for again.
const TOLD_WITHIN: f64 = 3.0;
/// Seconds after which colours are tried again: a machine under load is late, not unable.
const TRY_AGAIN: f64 = 60.0;

/// What a frame should look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Want {
    /// Frames of a lower number are painted first.
    pub(crate) rank: usize,
    /// The colour.
    pub(crate) colour: Colour,
}

/// What outlives an instance of the plugin.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Painted {
    /// Panes whose frames were coloured.
    pub(crate) panes: Vec<PaneId>,
    /// The user's own highlight colour, while the theme has another one.
    pub(crate) own_highlight: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Phase {
    Rest,
    /// The frame style in force is being looked up, for the configuration to keep it.
    Checking {
        colour: Option<Colour>,
    },
    /// A configuration is on its way: with a state's colour, or the user's own.
    Applying {
        colour: Option<Colour>,
        since: f64,
    },
}

/// The highlight colour in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Has {
    /// The user's own.
    Own,
    /// This one of ours.
    Ours(Colour),
    /// One that a former instance set.
    Unknown,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Learning {
    /// Nobody asked yet.
    Unasked,
    Asked(f64),
    Known,
}

/// The machine that paints frames.
#[derive(Debug)]
pub(crate) struct Painter {
    frames: Frames,
    acknowledges: bool,
    palette: Option<Palette>,
    names: Option<ThemeNames>,
    style: Option<FrameStyle>,
    /// Panes whose place tells the frame style.
    samples: Vec<PaneId>,
    mode: Option<Mode>,
    learning: Learning,
    asked: u32,
    shown: BTreeMap<PaneId, Colour>,
    wanted: BTreeMap<PaneId, Want>,
    stale: BTreeSet<PaneId>,
    theme_has: Has,
    /// The user's highlight colour as a former instance knew it.
    former_highlight: Option<Colour>,
    phase: Phase,
    last_paint: f64,
    misses: u32,
    /// Highlight calls whose report of the session has not come yet.
    echoes: u32,
    repaint_at: Option<f64>,
    last_repaint: f64,
    /// Since when frames show one colour only.
    fell_back: Option<f64>,
}

impl Painter {
    pub(crate) fn new(frames: Frames, names: Option<ThemeNames>, zellij: &str) -> Self {
        Self {
            frames,
            acknowledges: acknowledges(zellij),
            palette: None,
            names,
            style: None,
            samples: Vec::new(),
            mode: None,
            learning: Learning::Unasked,
            asked: 0,
            shown: BTreeMap::new(),
            wanted: BTreeMap::new(),
            stale: BTreeSet::new(),
            theme_has: Has::Own,
            former_highlight: None,
            phase: Phase::Rest,
            last_paint: 0.0,
            misses: 0,
            echoes: 0,
            repaint_at: None,
            last_repaint: 0.0,
            fell_back: None,
        }
    }

    /// Whether frames show one colour only, because zellij takes no other.
    pub(crate) fn fell_back(&self) -> bool {
        self.fell_back.is_some()
    }

    /// The user's theme, once zellij told it.
    pub(crate) fn palette(&self) -> Option<&Palette> {
        self.palette.as_ref()
    }

    /// Whether the user's theme is known for sure.
    pub(crate) fn knows(&self) -> bool {
        self.learning == Learning::Known
    }

    /// Mode of the client, once zellij told it.
    pub(crate) fn mode(&self) -> Option<&Mode> {
        self.mode.as_ref()
    }

    /// Sets what every frame should look like; panes that are missing get their own look back.
    pub(crate) fn want(&mut self, wanted: BTreeMap<PaneId, Want>) {
        self.wanted = wanted;
    }

    /// The theme options of the user's configuration became known.
    pub(crate) fn set_names(&mut self, names: ThemeNames) {
        self.names = Some(names);
    }

    /// The frame style in force, seen from where panes have their content.
    pub(crate) fn set_style(&mut self, style: Option<FrameStyle>) {
        if style.is_some() {
            self.style = style;
        }
    }

    /// Panes to look at for the frame style in force.
    pub(crate) fn set_samples(&mut self, panes: Vec<PaneId>) {
        self.samples = panes;
    }

    /// The samples were looked at, just now: what was known before may be older than a style
    /// that the user chose a moment ago.
    pub(crate) fn style_read(&mut self, style: Option<FrameStyle>, now: f64) -> Vec<Effect> {
        self.set_style(style);
        let Phase::Checking { colour } = self.phase else { return Vec::new() };
        self.configure(colour, now).into_iter().collect()
    }

    /// A pane is gone, and its frame with it.
    pub(crate) fn forget(&mut self, pane: PaneId) {
        self.shown.remove(&pane);
        self.stale.remove(&pane);
    }

    /// This pane's frame may have lost its colour.
    pub(crate) fn doubt(&mut self, pane: PaneId) {
        if self.shown.contains_key(&pane) {
            self.stale.insert(pane);
        }
    }

    /// A bell may have rung: it flashes a frame and then clears its colour.
    pub(crate) fn rang(&mut self, now: f64) {
        if !self.shown.is_empty() && self.repaint_at.is_none() {
            self.repaint_at = Some((now + FLASH).max(self.last_repaint + REPAINT_GAP));
        }
    }

    /// The session was reported without a change. Our own calls cause such reports, and bells do.
    pub(crate) fn reported_unchanged(&mut self, now: f64) {
        if self.echoes > 0 && now - self.last_paint < 1.0 {
            self.echoes -= 1;
        } else {
            self.echoes = 0;
            self.rang(now);
        }
    }

    /// What a successor has to know.
    pub(crate) fn painted(&self) -> Painted {
        let away = self.theme_has != Has::Own || self.phase != Phase::Rest;
        let own = self.palette.as_ref().map(Palette::highlight).filter(|_| away);
        Painted {
            panes: self.shown.keys().copied().collect(),
            own_highlight: own.map(|c| match c {
                Colour::Indexed(n) => format!("colour{n}"),
                rgb @ Colour::Rgb(..) => rgb.to_string(),
            }),
        }
    }

    /// Takes over from a former instance: its colours are on the frames.
    pub(crate) fn take_over(&mut self, painted: &Painted) {
        self.shown.clear();
        self.wanted.clear();
        self.stale.clear();
        self.phase = Phase::Rest;
        // The colours themselves are painted again, because nobody knows whether they still hold.
        for pane in &painted.panes {
            self.shown.entry(*pane).or_insert(Colour::Indexed(0));
        }
        let own: Option<Colour> = painted.own_highlight.as_ref().and_then(|c| c.parse().ok());
        match (own, &self.palette) {
            (Some(own), Some(palette)) => {
                self.palette = Some(palette.with_highlight(own));
                self.theme_has = Has::Unknown;
            }
            _ => self.former_highlight = own,
        }
    }

    /// zellij told mode and theme of the client.
    pub(crate) fn told(&mut self, info: ModeInfo, now: f64) -> Vec<Effect> {
        let mut effects = Vec::new();
        let first = self.mode.is_none();
        if first && info.mode != info.base && matches!(self.learning, Learning::Asked(_)) {
            // The question was asked by switching the mode.
            effects.push(Effect::SwitchMode(info.base.clone()));
        }
        self.mode = Some(info.mode);
        let has = match self.theme_has {
            Has::Ours(colour) => Some(colour),
            Has::Own | Has::Unknown => None,
        };
        let ours = match self.phase {
            Phase::Applying { colour, .. } => [colour, has],
            Phase::Rest | Phase::Checking { .. } => [has, None],
        };
        let told = info.palette.highlight();
        let own = self.palette.as_ref().map(Palette::highlight);
        self.palette = Some(match (own, self.former_highlight.take()) {
            (Some(own), _) if ours.contains(&Some(told)) => info.palette.with_highlight(own),
            (None, Some(former)) => {
                self.theme_has = Has::Ours(told);
                info.palette.with_highlight(former)
            }
            _ => {
                // The user's theme, not one with a colour of ours in it.
                if !matches!(self.phase, Phase::Applying { .. }) {
                    self.theme_has = Has::Own;
                }
                info.palette
            }
        });
        self.learning = Learning::Known;
        self.asked = 0;
        effects.extend(self.advance(now));
        effects
    }

    /// The user's theme may be another one now: nothing is painted until zellij told it.
    pub(crate) fn theme_in_doubt(&mut self) {
        self.learning = Learning::Unasked;
    }

    /// zellij applied a configuration.
    pub(crate) fn configured(&mut self, now: f64) -> Vec<Effect> {
        match self.phase {
            Phase::Applying { colour, .. } => {
                self.misses = 0;
                self.applied(colour);
            }
            // Not ours: the user changed the configuration, maybe the theme in it.
            Phase::Rest | Phase::Checking { .. } => {
                self.phase = Phase::Rest;
                self.theme_has = Has::Own;
                self.learning = Learning::Unasked;
            }
        }
        self.advance(now)
    }

    fn applied(&mut self, colour: Option<Colour>) {
        self.theme_has = colour.map_or(Has::Own, Has::Ours);
        self.phase = Phase::Rest;
    }

    /// Does what can be done now.
    pub(crate) fn advance(&mut self, now: f64) -> Vec<Effect> {
        let mut effects = Vec::new();
        if self.repaint_at.is_some_and(|at| now >= at) {
            self.repaint_at = None;
            self.last_repaint = now;
            self.stale = self.shown.keys().copied().collect();
        }
        if self.fell_back.is_some_and(|since| now >= since + TRY_AGAIN) {
            self.fell_back = None;
            (self.asked, self.misses) = (0, 0);
            self.stale = self.shown.keys().copied().collect();
        }
        if matches!(self.phase, Phase::Checking { .. }) {
            return effects;
        }
        if let Phase::Applying { colour, since } = self.phase {
            let wait = if self.acknowledges { ACKNOWLEDGED_WITHIN } else { APPLIED_AFTER };
            if now < since + wait {
                return effects;
            }
            if self.acknowledges {
                self.misses += 1;
                if self.misses >= MISSES {
                    self.fell_back = Some(now);
                }
            }
            self.applied(colour);
        }
        self.take_back(now, &mut effects);
        while let Some(colour) = self.next_colour() {
            let single = self.frames == Frames::Highlight || self.fell_back();
            if !single && !self.knows_theme(now, &mut effects) {
                return effects;
            }
            if single || self.in_force() == Some(colour) {
                self.paint(colour, single, now, &mut effects);
                continue;
            }
            self.apply(Some(colour), now, &mut effects);
            return effects;
        }
        if self.theme_has != Has::Own && now >= self.last_paint + PUT_BACK_AFTER {
            self.apply(None, now, &mut effects);
        }
        effects
    }

    /// When [`Self::advance`] has something to do again.
    pub(crate) fn deadline(&self) -> Option<f64> {
        let phase = match self.phase {
            Phase::Applying { since, .. } if self.acknowledges => Some(since + ACKNOWLEDGED_WITHIN),
            Phase::Applying { since, .. } => Some(since + APPLIED_AFTER),
            Phase::Rest if self.theme_has != Has::Own => Some(self.last_paint + PUT_BACK_AFTER),
            Phase::Rest | Phase::Checking { .. } => None,
        };
        let asked = match self.learning {
            Learning::Asked(since) => Some(since + TOLD_WITHIN),
            _ => None,
        };
        let again = self.fell_back.map(|since| since + TRY_AGAIN);
        [phase, asked, self.repaint_at, again].into_iter().flatten().min_by(f64::total_cmp)
    }

    /// Frames that should have their own look again.
    fn take_back(&mut self, now: f64, effects: &mut Vec<Effect>) {
        let off: Vec<PaneId> =
            self.shown.keys().filter(|p| !self.wanted.contains_key(p)).copied().collect();
        if off.is_empty() {
            return;
        }
        for pane in &off {
            self.forget(*pane);
        }
        self.call(now);
        effects.push(Effect::Highlight { on: Vec::new(), off });
    }

    /// The colour of the neediest frame that does not have its colour.
    fn next_colour(&self) -> Option<Colour> {
        if self.frames == Frames::Off {
            return None;
        }
        let single = self.frames == Frames::Highlight || self.fell_back();
        let due = self.wanted.iter().filter(|(pane, want)| {
            let has = self.shown.get(pane);
            self.stale.contains(pane)
                || if single { has.is_none() } else { has != Some(&want.colour) }
        });
        due.min_by_key(|(_, want)| want.rank).map(|(_, want)| want.colour)
    }

    fn paint(&mut self, colour: Colour, any: bool, now: f64, effects: &mut Vec<Effect>) {
        let mut on = Vec::new();
        for (pane, want) in &self.wanted {
            let due = self.stale.contains(pane) || self.shown.get(pane) != Some(&want.colour);
            if due && (any || want.colour == colour) {
                on.push(*pane);
                self.shown.insert(*pane, want.colour);
                self.stale.remove(pane);
            }
        }
        self.call(now);
        effects.push(Effect::Highlight { on, off: Vec::new() });
    }

    fn call(&mut self, now: f64) {
        self.last_paint = now;
        self.echoes += 1;
    }

    fn in_force(&self) -> Option<Colour> {
        match self.theme_has {
            Has::Own => self.palette.as_ref().map(Palette::highlight),
            Has::Ours(colour) => Some(colour),
            Has::Unknown => None,
        }
    }

    fn apply(&mut self, colour: Option<Colour>, now: f64, effects: &mut Vec<Effect>) {
        if self.samples.is_empty() {
            effects.extend(self.configure(colour, now));
        } else {
            self.phase = Phase::Checking { colour };
            effects.push(Effect::ReadPlaces(self.samples.clone()));
        }
    }

    fn configure(&mut self, colour: Option<Colour>, now: f64) -> Option<Effect> {
        self.phase = Phase::Rest;
        let palette = self.palette.as_ref()?;
        let text = match (colour, &self.names) {
            (Some(colour), names) => {
                palette.with_highlight(colour).configuration(names.as_ref(), self.style)
            }
            (None, Some(names)) => own_theme_again(names, self.style),
            (None, None) => palette.configuration(None, self.style),
        };
        self.phase = Phase::Applying { colour, since: now };
        Some(Effect::Configure(text))
    }

    /// Whether the user's theme is known; asks for it where not. zellij tells it with the mode,
    /// so a switch to the mode that the client is in makes it tell.
    fn knows_theme(&mut self, now: f64, effects: &mut Vec<Effect>) -> bool {
        match self.learning {
            Learning::Known => return true,
            Learning::Asked(since) if now < since + TOLD_WITHIN => return false,
            Learning::Asked(_) | Learning::Unasked => {}
        }
        let ask = match &self.mode {
            None => Mode::Locked,
            Some(mode @ (Mode::Normal | Mode::Locked)) => mode.clone(),
            // The end of any other mode tells it anyway, and a switch could disturb.
            Some(_) => return false,
        };
        if self.asked >= MISSES {
            self.fell_back = Some(now);
            return true;
        }
        self.asked += 1;
        self.learning = Learning::Asked(now);
        effects.push(Effect::SwitchMode(ask));
        false
    }
}

/// zellij tells plugins that a configuration was applied since 0.45.
fn acknowledges(version: &str) -> bool {
    let mut parts = version.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    (parts.next().unwrap_or(0), parts.next().unwrap_or(0)) >= (0, 45)
}

#[cfg(test)]
#[path = "painter_tests.rs"]
mod tests;
