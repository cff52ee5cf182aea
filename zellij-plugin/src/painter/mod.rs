//! Gives each frame its colour, by changing the theme's highlight colour around the call.
//!
//! One configuration is applied at a time; zellij acknowledges it ([`crate::Event::Configured`])
//! after it has handed it to the part that draws, so that a highlight call made then finds the
//! new colour. Panes of one colour are painted by one call. When nothing is left to paint, the
//! user's own theme is put back.

mod applying;
mod frames;
mod own_theme;

use crate::colour::Colour;
use crate::effect::Effect;
use crate::event::{FrameStyle, Mode, PaneId};
use crate::settings::Frames;
use crate::theme::{Palette, ThemeNames};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Seconds to wait for an answer of zellij until it counts as missed; the next one may take twice
/// as long. A machine under load is late, and what is given up too early is taken for done.
const ANSWERED_WITHIN: f64 = 8.0;
/// Seconds without anything to paint until the user's theme is put back.
const PUT_BACK_AFTER: f64 = 1.0;
/// Seconds after which a bell has stopped to flash a frame and cleared its colour.
const FLASH: f64 = 0.5;
/// Least seconds between two repaints for bells.
const REPAINT_GAP: f64 = 2.0;
/// Answers missed in a row until frames fall back to one colour.
const MISSES: u32 = 3;
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

/// What the last word that a configuration was applied was taken for.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Taken {
    /// The one that was on its way.
    Ours(Option<Colour>),
    /// An earlier one of ours.
    Former,
    /// Somebody else's.
    Other,
}

/// The machine that paints frames.
#[derive(Debug)]
pub(crate) struct Painter {
    frames: Frames,
    palette: Option<Palette>,
    names: Option<ThemeNames>,
    style: Option<FrameStyle>,
    /// Panes whose place tells the frame style.
    samples: Vec<PaneId>,
    mode: Option<Mode>,
    learning: Learning,
    /// Another theme of the user's is being put in force.
    learn_again: bool,
    asked: u32,
    shown: BTreeMap<PaneId, Colour>,
    wanted: BTreeMap<PaneId, Want>,
    stale: BTreeSet<PaneId>,
    theme_has: Has,
    /// The user's highlight colour as a former instance knew it.
    former_highlight: Option<Colour>,
    phase: Phase,
    taken: Option<Taken>,
    /// Configurations of ours that are still to be acknowledged, before the one on its way.
    owed: u32,
    /// One of ours came after a configuration that the user saved, and may hide its theme.
    hides: bool,
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
    pub(crate) fn new(frames: Frames, names: Option<ThemeNames>) -> Self {
        Self {
            frames,
            palette: None,
            names,
            style: None,
            samples: Vec::new(),
            mode: None,
            learning: Learning::Unasked,
            learn_again: false,
            asked: 0,
            shown: BTreeMap::new(),
            wanted: BTreeMap::new(),
            stale: BTreeSet::new(),
            theme_has: Has::Own,
            former_highlight: None,
            phase: Phase::Rest,
            taken: None,
            owed: 0,
            hides: false,
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

    /// Whether the user's theme is in force, as far as known.
    pub(crate) fn has_own(&self) -> bool {
        self.theme_has == Has::Own && self.phase == Phase::Rest
    }

    /// Mode of the client, once zellij told it.
    pub(crate) fn mode(&self) -> Option<&Mode> {
        self.mode.as_ref()
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
            if now < since + self.applied_within() {
                return effects;
            }
            self.misses += 1;
            if self.misses >= MISSES {
                self.fell_back = Some(now);
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

    /// Seconds until a configuration counts as applied, without a word of zellij.
    fn applied_within(&self) -> f64 {
        if self.fell_back() { ANSWERED_WITHIN } else { patience(self.misses) }
    }

    /// When [`Self::advance`] has something to do again.
    pub(crate) fn deadline(&self) -> Option<f64> {
        let phase = match self.phase {
            Phase::Applying { since, .. } => Some(since + self.applied_within()),
            Phase::Rest if self.theme_has != Has::Own => Some(self.last_paint + PUT_BACK_AFTER),
            Phase::Rest | Phase::Checking { .. } => None,
        };
        let asked = match self.learning {
            Learning::Asked(since) => Some(since + patience(self.asked.saturating_sub(1))),
            _ => None,
        };
        let again = self.fell_back.map(|since| since + TRY_AGAIN);
        [phase, asked, self.repaint_at, again].into_iter().flatten().min_by(f64::total_cmp)
    }
}

/// Seconds to wait for an answer after so many that were missed.
fn patience(missed: u32) -> f64 {
    ANSWERED_WITHIN * f64::from(1 << missed.min(4))
}

#[cfg(test)]
mod tests;
