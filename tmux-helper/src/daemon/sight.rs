//! A pane at the very moment at which text is to be put into it.

use super::life::Life;
use crate::scan::Inspected;
use crate::tmux::{Batch, PaneId, TmuxError, typing};
use crate::verdict::agent_process;
use madohub_detect::delivery::{Composer, HandsOff, Sight};
use madohub_detect::{Tracked, input_box};

/// Seconds after which a person who typed is taken to have stopped.
const TYPING: f64 = 3.0;

impl Life {
    /// Which process the pane is known by: its agent, else the program in the foreground. Nothing
    /// when there is no such pane.
    pub(super) fn occupant(&self, id: PaneId) -> Option<i64> {
        let seen = self.scanner().pane(id)?;
        Some(agent_process(&seen.observation).map_or(seen.pane.pid, |process| process.pid))
    }

    /// State of a pane over time.
    pub(super) fn tracked(&self, id: PaneId) -> Option<&Tracked> {
        self.verdicts().tracked(id)
    }

    /// Looks at the pane now; `occupant` is the process that was there when the delivery was asked
    /// for. Nothing when the pane is gone.
    pub(super) fn sight(
        &mut self,
        id: PaneId,
        occupant: i64,
        now: f64,
    ) -> Result<Option<Sight>, TmuxError> {
        let Some(inspected) = self.scanner_mut().inspect(id)? else { return Ok(None) };
        let Inspected { pane, observation, .. } = &inspected;
        let process = agent_process(observation).map_or(pane.pid, |process| process.pid);
        Ok(Some(Sight {
            same_occupant: process == occupant && !pane.dead,
            shows: self.verdicts().shows(observation),
            composer: Some(self.composer(id, &inspected)),
            hands_off: hands_off(&inspected, now),
        }))
    }

    fn composer(&self, id: PaneId, inspected: &Inspected) -> Composer {
        let Inspected { observation, screen, .. } = inspected;
        let rows = observation.screen.as_deref().unwrap_or_default();
        let agent = self.tracked(id).map_or("", |tracked| tracked.detection.agent.as_str());
        let boxed = input_box(self.verdicts().rules(), agent, rows, observation.cols);
        let Some(boxed) = boxed else { return Composer::Missing };
        let cursor = observation.cursor.filter(|cursor| cursor.visible).and_then(|cursor| {
            Some((usize::try_from(cursor.x).ok()?, usize::try_from(cursor.y).ok()?))
        });
        screen.composer(boxed, cursor)
    }

    /// Puts text into the pane as one paste, unless its process changed.
    pub(super) fn paste(&self, id: PaneId, text: &str) -> Result<(), TmuxError> {
        self.act(id, |batch, pid| typing::paste(batch, id, pid, text))
    }

    /// Presses Enter in the pane, unless its process changed.
    pub(super) fn enter(&self, id: PaneId) -> Result<(), TmuxError> {
        self.act(id, |batch, pid| typing::enter(batch, id, pid))
    }

    fn act(&self, id: PaneId, add: impl FnOnce(&mut Batch, i64)) -> Result<(), TmuxError> {
        let Some(seen) = self.scanner().pane(id) else { return Ok(()) };
        let mut batch = Batch::new();
        add(&mut batch, seen.pane.pid);
        self.server().run(&batch).map(drop)
    }
}

fn hands_off(inspected: &Inspected, now: f64) -> Option<HandsOff> {
    let Inspected { pane, clients, .. } = inspected;
    #[expect(clippy::cast_precision_loss, reason = "seconds since the epoch")]
    let types = |second: i64| now - (second as f64) < TYPING;
    if pane.in_mode {
        Some(HandsOff::Mode)
    } else if pane.active && clients.showing(pane).any(|client| types(client.activity)) {
        Some(HandsOff::Typing)
    } else {
        None
    }
}
