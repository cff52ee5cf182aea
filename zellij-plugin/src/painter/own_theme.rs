//! The user's own theme: what zellij tells of it, and how it is asked for.

use super::{Has, Learning, MISSES, Painter, Phase, patience};
use crate::effect::Effect;
use crate::event::{Mode, ModeInfo};
use crate::theme::{Palette, ThemeNames};

impl Painter {
    /// The theme options of the user's configuration became known.
    pub(crate) fn set_names(&mut self, names: ThemeNames) {
        let changed = self.names.as_ref().is_some_and(|before| *before != names);
        if changed {
            // The user chose another theme; one of our configurations may have come after it.
            self.learn_again = true;
            if self.theme_has == Has::Own {
                self.theme_has = Has::Unknown;
            }
        }
        self.names = Some(names);
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

    /// Whether the user's theme is known; asks for it where not. zellij tells it with the mode,
    /// so a switch to the mode that the client is in makes it tell.
    pub(super) fn knows_theme(&mut self, now: f64, effects: &mut Vec<Effect>) -> bool {
        match self.learning {
            Learning::Known => return true,
            Learning::Asked(since) if now < since + patience(self.asked.saturating_sub(1)) => {
                return false;
            }
            Learning::Asked(_) | Learning::Unasked => {}
        }
        let ask = match &self.mode {
            // Nearly everybody is in it. zellij 0.44.3 leaves a client that attaches to a session made
            // without one in the mode that was asked with, and tells nothing.
            None => Mode::Normal,
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
