//! Which frame has which colour, and which should.

use super::{FLASH, Painter, REPAINT_GAP, Want};
use crate::colour::Colour;
use crate::effect::Effect;
use crate::event::PaneId;
use crate::settings::Frames;
use std::collections::BTreeMap;

impl Painter {
    /// Sets what every frame should look like; panes that are missing get their own look back.
    pub(crate) fn want(&mut self, wanted: BTreeMap<PaneId, Want>) {
        self.wanted = wanted;
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

    /// Frames that should have their own look again.
    pub(super) fn take_back(&mut self, now: f64, effects: &mut Vec<Effect>) {
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
    pub(super) fn next_colour(&self) -> Option<Colour> {
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

    pub(super) fn paint(&mut self, colour: Colour, any: bool, now: f64, effects: &mut Vec<Effect>) {
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

    pub(super) fn call(&mut self, now: f64) {
        self.last_paint = now;
        self.echoes += 1;
    }
}
