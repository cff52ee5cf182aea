//! Brings deliveries on: looks at the pane afresh, does the next step, tells how it ended.

use super::Controller;
use crate::delivery::{Sending, composer};
use crate::effect::Effect;
use crate::event::PaneId;
use crate::observe;
use crate::pane;
use madohub_detect::State;
use madohub_detect::delivery::{Act, HandsOff, Sight};

/// Seconds after which what was read of a pane is no fresh look any more.
const FRESH: f64 = 0.2;

impl Controller {
    /// Brings every delivery on.
    pub(super) fn deliver(&mut self, now: f64, out: &mut Vec<Effect>) {
        for mut sending in std::mem::take(&mut self.deliveries) {
            if self.advance(&mut sending, now, out) {
                self.deliveries.push(sending);
            }
        }
    }

    /// What tells one occupant of a pane from the next: the command line in its foreground.
    pub(super) fn occupant(&self, pane: PaneId) -> Option<Vec<String>> {
        self.panes.get(&pane)?.foreground.as_ref().map(|front| front.argv.clone())
    }

    /// One step; false when it was the last one.
    fn advance(&mut self, sending: &mut Sending, now: f64, out: &mut Vec<Effect>) -> bool {
        let id = sending.send.pane;
        let name = pane::name(id);
        let known = self.panes.get(&id);
        let tracked = self.tracker.get(&name).filter(|_| known.is_some());
        let sight = if sending.delivery.wants_sight(tracked, now) {
            if known.is_some_and(|pane| now - pane.read > FRESH) {
                // The answer brings us here again.
                out.push(Effect::ReadScreen(id));
                return true;
            }
            self.sight(sending, now)
        } else {
            None
        };
        match sending.delivery.step(tracked, sight.as_ref(), now) {
            Act::Wait => true,
            Act::Paste => {
                out.push(Effect::Type(id, sending.paste()));
                true
            }
            Act::Enter => {
                out.push(Effect::Type(id, b"\r".to_vec()));
                true
            }
            Act::End(outcome) => {
                if let Some(pipe) = sending.pipe.take() {
                    let text = Sending::told(&name, &outcome);
                    out.push(Effect::Answer { pipe: pipe.clone(), text });
                    out.push(Effect::EndPipe(pipe));
                }
                false
            }
        }
    }

    /// What the pane shows now; nothing where it cannot be read.
    fn sight(&self, sending: &Sending, now: f64) -> Option<Sight> {
        let id = sending.send.pane;
        let (pane, rules) = (self.panes.get(&id)?, self.rules.as_ref()?);
        let screen = pane.screen.as_ref().filter(|_| !pane.unreadable)?;
        let former = self.tracker.get(&pane::name(id)).map(|tracked| &tracked.detection);
        let seen = match &pane.seen {
            Some(seen) if !pane.has_news() => seen.clone(),
            _ => observe::look(rules, pane, former, now),
        };
        let cols = u16::try_from(pane.facts.size.0).ok();
        let boxed = madohub_detect::input_box(
            rules,
            seen.agent.as_str(),
            &screen.rows,
            cols.filter(|n| *n > 0),
        );
        Some(Sight {
            same_occupant: !pane.dead() && self.occupant(id) == sending.occupant,
            shows: if seen.agent.is_agent() { seen.state } else { State::Unknown },
            composer: composer(screen, boxed, &sending.send.text, sending.delivery.has_begun()),
            hands_off: pane.scrolled.then_some(HandsOff::Mode),
        })
    }
}
