//! Brings one configuration at a time into force.

use super::{Has, Learning, Painter, Phase};
use crate::colour::Colour;
use crate::effect::Effect;
use crate::event::{FrameStyle, PaneId};
use crate::theme::{Palette, own_theme_again};

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
