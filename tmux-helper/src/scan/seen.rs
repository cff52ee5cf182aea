//! What is known of one pane.

use super::terminals::Terminals;
use crate::logs::PaneQuery;
use crate::observe;
use crate::processes::Sign;
use crate::registry::RegistryReader;
use crate::tmux::Pane;
use madohub_detect::{AgentId, Observation};

/// Where tmux says that its window had output, a screen is captured this often, in seconds,
/// whatever the date of its terminal says.
const CAPTURE_STILL: i64 = 3;
/// A pane that moved is expected to go on moving for so many seconds.
const EXPECTED: f64 = 2.0;

/// What is known of one pane.
#[derive(Debug)]
pub struct Seen {
    /// What tmux says about it.
    pub pane: Pane,
    /// What the engine gets to see.
    pub observation: Observation,
    /// The observation changed and nobody has looked at it since; the owner of the scanner
    /// clears it.
    pub dirty: bool,
    /// Second in which its screen was captured.
    pub(super) captured: Option<i64>,
    /// Its screen changed lately; time of that.
    pub(super) moved: Option<f64>,
    pub(super) sign: Option<Sign>,
    pub(super) signed: Option<f64>,
    pub(super) walked: Option<f64>,
    /// The agent among its processes, and the agent's own.
    pub(super) agent: Option<(AgentId, i64)>,
}

impl Seen {
    /// A pane that was not seen before.
    pub(super) fn new(pane: Pane) -> Self {
        let mut observation = Observation::default();
        observe::take_pane(&mut observation, &pane);
        Self {
            pane,
            observation,
            dirty: true,
            captured: None,
            moved: None,
            sign: None,
            signed: None,
            walked: None,
            agent: None,
        }
    }

    /// Takes in what tmux says of it now.
    pub(super) fn take(&mut self, pane: Pane) {
        let resized = (self.pane.cols, self.pane.rows) != (pane.cols, pane.rows);
        let replaced = self.pane.pid != pane.pid || self.pane.dead != pane.dead;
        if resized || replaced {
            self.captured = None;
        }
        if replaced {
            (self.signed, self.walked) = (None, None);
        }
        self.dirty |= observe::take_pane(&mut self.observation, &pane);
        self.pane = pane;
    }

    /// Nothing that happens from now on is later than what was seen.
    pub(super) fn forget_times(&mut self) {
        (self.captured, self.moved) = (None, None);
        (self.signed, self.walked) = (None, None);
    }

    /// Whether its screen changed within the last seconds before `now`.
    pub fn is_moving(&self, now: f64) -> bool {
        self.moved.is_some_and(|then| now - then < EXPECTED)
    }

    /// Whether its screen may be another one than when it was captured, by its window and its
    /// terminal.
    pub(super) fn is_stale(&self, terminals: &Terminals, second: i64) -> bool {
        let Some(then) = self.captured else { return true };
        self.pane.activity >= then
            && (second - then >= CAPTURE_STILL || terminals.may_have_printed(&self.pane.tty, then))
    }

    /// Whether anything may have been started since its processes were read: the terminal shows
    /// what is typed.
    pub(super) fn may_have_started(&self, terminals: &Terminals) -> bool {
        self.walked.map(whole).is_none_or(|then| {
            self.pane.activity >= then && terminals.may_have_printed(&self.pane.tty, then)
        })
    }

    pub(super) fn take_entry(&mut self, registry: &mut RegistryReader) {
        let processes = self.observation.processes.as_deref().unwrap_or_default();
        let entry = registry.entry(processes);
        if entry != self.observation.registry {
            self.observation.registry = entry;
            self.dirty = true;
        }
    }

    pub(super) fn query(&self, now: f64) -> PaneQuery<'_> {
        PaneQuery {
            pane: self.pane.id.into(),
            agent: self.agent.as_ref(),
            processes: self.observation.processes.as_deref().unwrap_or_default(),
            registry: self.observation.registry.as_ref(),
            screen: self.observation.screen.as_deref(),
            moving: self.is_moving(now),
        }
    }

    pub(super) fn has_process(&self, is: impl Fn(i64) -> bool) -> bool {
        let processes = self.observation.processes.as_deref().unwrap_or_default();
        processes.iter().any(|process| is(process.pid))
    }
}

/// The second that a moment lies in.
#[expect(clippy::cast_possible_truncation, reason = "saturates")]
pub(super) fn whole(now: f64) -> i64 {
    now.floor() as i64
}
