//! Brings deliveries on: looks at the pane afresh, does the next step, tells how it ended.

use super::Controller;
use crate::delivery::{Sending, composer};
use crate::effect::Effect;
use crate::observe;
use crate::pane::{self, Pane};
use madohub_detect::State;
use madohub_detect::delivery::{Act, HandsOff, Outcome, Sight};

/// Seconds after which what was read of a pane is no fresh look any more.
const FRESH: f64 = 0.2;
/// How often in a row zellij is asked for a pane's command: under load it leaves out an answer that
/// takes longer than a tenth of a second.
const ASKED: u32 = 5;

impl Controller {
    /// Brings every delivery on.
    pub(super) fn deliver(&mut self, now: f64, out: &mut Vec<Effect>) {
        for mut sending in std::mem::take(&mut self.deliveries) {
            match self.advance(&mut sending, now, out) {
                None => self.deliveries.push(sending),
                Some(outcome) => end(sending, &outcome, out),
            }
        }
    }

    /// This instance leads no longer. Who leads now knows nothing of its deliveries.
    pub(super) fn give_up_deliveries(&mut self, out: &mut Vec<Effect>) {
        for sending in std::mem::take(&mut self.deliveries) {
            let why = "is another client's to follow now; the text may be in its input box";
            end(sending, &Outcome::Stopped(why.to_owned()), out);
        }
    }

    /// Whether it is known for sure who is in the pane; asks where it is not. zellij tells of another
    /// command late, and of a program that changes its own name not before it prints something.
    fn knows_occupant(&self, sending: &mut Sending, now: f64, out: &mut Vec<Effect>) -> bool {
        let Some(pane) = self.panes.get(&sending.send.pane) else { return true };
        if sending.occupant.as_ref().is_some_and(|argv| argv == occupant(pane)) {
            return true;
        }
        let is_fresh = now - pane.command_read <= FRESH;
        if !is_fresh && sending.unanswered < ASKED {
            // The answer brings us here again.
            sending.unanswered += 1;
            out.push(Effect::ReadCommand(sending.send.pane));
            return false;
        }
        sending.unanswered = 0;
        sending.occupant.get_or_insert_with(|| occupant(pane).to_vec());
        true
    }

    /// One step; how it ended when it was the last one.
    fn advance(
        &mut self,
        sending: &mut Sending,
        now: f64,
        out: &mut Vec<Effect>,
    ) -> Option<Outcome> {
        if !self.knows_occupant(sending, now, out) {
            return None;
        }
        let id = sending.send.pane;
        let known = self.panes.get(&id);
        let tracked = self.tracker.get(&pane::name(id)).filter(|_| known.is_some());
        let sight = if sending.delivery.wants_sight(tracked, now) {
            if known.is_some_and(|pane| now - pane.read > FRESH) {
                // The answer brings us here again.
                out.push(Effect::ReadScreen(id));
                return None;
            }
            self.sight(sending, now)
        } else {
            None
        };
        match sending.delivery.step(tracked, sight.as_ref(), now) {
            Act::Wait => {}
            Act::Paste => out.push(Effect::Type(id, sending.paste())),
            Act::Enter => out.push(Effect::Type(id, b"\r".to_vec())),
            Act::End(outcome) => return Some(outcome),
        }
        None
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
            same_occupant: !pane.dead() && sending.occupant.as_deref() == Some(occupant(pane)),
            shows: if seen.agent.is_agent() { seen.state } else { State::Unknown },
            composer: composer(screen, boxed, &sending.send.text, sending.delivery.has_begun()),
            hands_off: pane.scrolled.then_some(HandsOff::Mode),
        })
    }
}

/// What tells one occupant of a pane from the next: the command line in its foreground.
fn occupant(pane: &Pane) -> &[String] {
    pane.foreground.as_ref().map_or(&[], |front| &front.argv)
}

/// Tells the end to who asked.
fn end(sending: Sending, outcome: &Outcome, out: &mut Vec<Effect>) {
    if let Some(pipe) = sending.pipe {
        let text = Sending::told(&pane::name(sending.send.pane), outcome);
        out.push(Effect::Answer { pipe: pipe.clone(), text });
        out.push(Effect::EndPipe(pipe));
    }
}
