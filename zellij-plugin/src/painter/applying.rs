//! Brings one configuration at a time into force.

use super::{ANSWERED_WITHIN, Has, Learning, Painter, Phase, Taken};
use crate::colour::Colour;
use crate::effect::Effect;
use crate::event::{FrameStyle, PaneId};
use crate::theme::{Palette, own_theme_again};

/// Seconds within which a configuration that is told of may have come before a paint call: as long as
/// one's own may take. What was taken for the answer to it may have been to another one, and then
/// frames were painted in a colour that was not there yet.
const RECENT: f64 = ANSWERED_WITHIN;

impl Painter {
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

    /// zellij applied a configuration.
    pub(crate) fn configured(&mut self, now: f64) -> Vec<Effect> {
        if self.owed > 0 {
            self.owed -= 1;
            self.taken = Some(Taken::Former);
            return Vec::new();
        }
        match self.phase {
            Phase::Applying { colour, .. } => {
                self.misses = 0;
                self.taken = Some(Taken::Ours(colour));
                self.applied(colour);
            }
            // Not ours: the user changed the configuration, maybe the theme in it.
            Phase::Rest | Phase::Checking { .. } => {
                self.phase = Phase::Rest;
                self.taken = Some(Taken::Other);
                self.theme_has = Has::Own;
                self.learning = Learning::Unasked;
                self.doubt_recent(now);
            }
        }
        self.advance(now)
    }

    /// The configuration that zellij told of last was the user's file. What it was taken for is still
    /// to come then, and comes over the user's: zellij tells of both in the order in which they come
    /// into force (0.45.1).
    pub(crate) fn saved(&mut self, now: f64) {
        match self.taken.take() {
            Some(Taken::Ours(colour)) => {
                match self.phase {
                    Phase::Rest => {
                        self.phase = Phase::Applying { colour, since: now };
                        self.theme_has = Has::Unknown;
                    }
                    Phase::Checking { .. } | Phase::Applying { .. } => self.owed += 1,
                }
                self.is_hidden(now);
            }
            Some(Taken::Former) => {
                self.owed += 1;
                self.is_hidden(now);
            }
            Some(Taken::Other) => self.hides = false,
            None => {}
        }
    }

    fn is_hidden(&mut self, now: f64) {
        self.hides = true;
        // By its name the user's theme comes back, and is to be learned anew.
        self.learn_again = self.names.is_some();
        self.doubt_recent(now);
    }

    /// Whether a theme that the user chose may be hidden by ours for good.
    pub(crate) fn hides_a_theme(&self) -> bool {
        self.hides && self.names.is_none()
    }

    /// What was painted a moment ago may have got the colour of a theme that came in between.
    fn doubt_recent(&mut self, now: f64) {
        if now - self.last_paint < RECENT {
            self.stale = self.shown.keys().copied().collect();
        }
    }

    pub(super) fn applied(&mut self, colour: Option<Colour>) {
        self.theme_has = colour.map_or(Has::Own, Has::Ours);
        if colour.is_none() && std::mem::take(&mut self.learn_again) {
            self.learning = Learning::Unasked;
        }
        self.phase = Phase::Rest;
    }

    pub(super) fn in_force(&self) -> Option<Colour> {
        match self.theme_has {
            Has::Own => self.palette.as_ref().map(Palette::highlight),
            Has::Ours(colour) => Some(colour),
            Has::Unknown => None,
        }
    }

    pub(super) fn apply(&mut self, colour: Option<Colour>, now: f64, effects: &mut Vec<Effect>) {
        if self.samples.is_empty() {
            effects.extend(self.configure(colour, now));
        } else {
            self.phase = Phase::Checking { colour };
            effects.push(Effect::ReadPlaces(self.samples.clone()));
        }
    }

    pub(super) fn configure(&mut self, colour: Option<Colour>, now: f64) -> Option<Effect> {
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
}
