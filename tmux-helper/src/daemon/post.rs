//! Bringing text to panes.

use super::life::Life;
use crate::routes::Letter;
use crate::tmux::PaneId;
use madohub_detect::delivery::{Act, Outcome};

impl Letter {
    /// Does the next step. `before` is called when something is about to be typed, with what must
    /// be known of it afterwards, and answers whether that is stored.
    pub(super) fn advance(
        &mut self,
        life: &mut Life,
        now: f64,
        before: impl FnOnce(&Self) -> bool,
    ) -> Option<Outcome> {
        let id = self.pane.parse::<PaneId>().ok();
        let tracked = id.and_then(|id| life.tracked(id)).cloned();
        let mut sight = None;
        if let Some(id) = id.filter(|_| self.delivery.wants_sight(tracked.as_ref(), now)) {
            match life.sight(id, self.occupant, now) {
                Ok(Some(seen)) => sight = Some(seen),
                // The next look at all panes finds that it is gone, or tmux answers again.
                Ok(None) => return None,
                Err(error) => {
                    tracing::warn!(%error, pane = self.pane, "cannot look at the pane");
                    return None;
                }
            }
        }
        let former = self.delivery.clone();
        let act = self.delivery.step(tracked.as_ref(), sight.as_ref(), now);
        let (Act::Paste | Act::Enter) = act else {
            return match act {
                Act::End(outcome) => Some(outcome),
                _ => None,
            };
        };
        let id = id?;
        if !before(self) {
            self.delivery = former;
            return None;
        }
        let done = if act == Act::Paste { life.paste(id, &self.text) } else { life.enter(id) };
        if let Err(error) = done {
            // The next look tells whether it was done.
            tracing::warn!(%error, pane = self.pane, "cannot type into the pane");
        }
        None
    }
}
