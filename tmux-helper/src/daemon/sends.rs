//! `madohub send`: deliveries that a client waits for.

use super::life::Life;
use crate::cli::PaneRef;
use crate::protocol::SendAsk;
use crate::routes::Letter;
use madohub_detect::delivery::{Delivery, Outcome, Terms, harmless};
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;

/// Deliveries at a time; more are turned away.
const SENDS_MAX: usize = 32;
/// How often text and key are tried.
const TRIES: u32 = 3;

/// Somebody who waits for the end of a delivery.
#[derive(Debug)]
pub(super) struct Waiting {
    /// Gets the outcome.
    pub(super) outcome: Sender<Outcome>,
    /// Set when nobody waits any more.
    pub(super) is_gone: Arc<AtomicBool>,
}

/// All of them.
#[derive(Debug, Default)]
pub(super) struct Sends(Vec<(Letter, Waiting)>);

impl Sends {
    /// Takes a delivery on, or answers why not.
    pub(super) fn take(&mut self, ask: &SendAsk, waiting: Waiting, life: Option<&Life>, now: f64) {
        match self.letter(ask, life, now) {
            Ok(letter) => self.0.push((letter, waiting)),
            Err(outcome) => drop(waiting.outcome.send(outcome)),
        }
    }

    fn letter(&self, ask: &SendAsk, life: Option<&Life>, now: f64) -> Result<Letter, Outcome> {
        let refuse = |why: &str| Outcome::Refused(why.to_owned());
        if self.0.len() >= SENDS_MAX {
            return Err(refuse("has to wait: too many deliveries are on their way"));
        }
        let life = life.ok_or_else(|| refuse("is gone: the tmux server ended"))?;
        let pane = ask.pane.parse::<PaneRef>().ok().and_then(|wanted| life.find(&wanted));
        let id = pane.ok_or_else(|| refuse("does not exist"))?;
        let occupant = life.occupant(id).ok_or_else(|| refuse("does not exist"))?;
        let text = harmless(&ask.text);
        if text.trim().is_empty() {
            return Err(refuse("gets no empty text"));
        }
        if ask.shell && text.contains('\n') {
            return Err(refuse("holds a shell, which takes one line"));
        }
        let terms =
            Terms { wait: ask.wait, until: now + ask.timeout, shell: ask.shell, tries: TRIES };
        Ok(Letter { pane: id.to_string(), occupant, text, delivery: Delivery::new(terms) })
    }

    /// Whether there are any.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The panes in which something is being typed.
    pub(super) fn busy(&self) -> HashSet<String> {
        let begun = self.0.iter().filter(|(letter, _)| letter.delivery.has_begun());
        begun.map(|(letter, _)| letter.pane.clone()).collect()
    }

    /// Brings all of them on; `busy` are panes in which something else is being typed.
    pub(super) fn advance(&mut self, life: &mut Life, mut busy: HashSet<String>, now: f64) {
        busy.extend(self.busy());
        self.0.retain_mut(|(letter, waiting)| {
            let has_begun = letter.delivery.has_begun();
            // What is in the input box already is brought to its end.
            if waiting.is_gone.load(Ordering::Relaxed) && !has_begun {
                return false;
            }
            if !has_begun && busy.contains(&letter.pane) {
                return true;
            }
            let outcome = letter.advance(life, now, |_| true);
            if letter.delivery.has_begun() {
                busy.insert(letter.pane.clone());
            }
            let Some(outcome) = outcome else { return true };
            tracing::info!(pane = letter.pane, ?outcome, "sent");
            let _ = waiting.outcome.send(outcome);
            false
        });
    }

    /// The server is gone, and the panes with it.
    pub(super) fn end(&mut self) {
        for (_, waiting) in self.0.drain(..) {
            let _ = waiting.outcome.send(Outcome::Refused("is gone".to_owned()));
        }
    }
}
