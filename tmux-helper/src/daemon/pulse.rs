//! The pulse of working panes.
//!
//! The border's format has two styles and a phase in tmux's environment. Changing the phase draws
//! nothing; refreshing the status line of a client then draws its borders and nothing else
//! (about 2 KB for four panes; a `set` would draw whole windows). It needs a border line of its
//! own for each pane, and a person who sees it.

use crate::config::{Colour, Depth, Palette, StateLook};
use crate::scan::Scanner;
use crate::tmux::names::environment;
use crate::tmux::{Batch, PaneId};
use std::collections::{BTreeSet, HashSet};
use std::time::{Duration, Instant};
use tmux_interface::{RefreshClient, SetEnvironment};

/// Half a pulse.
const HALF: Duration = Duration::from_secs(1);

/// Keeps time.
#[derive(Debug, Default)]
pub(super) struct Pulse {
    phase: bool,
    last: Option<Instant>,
}

impl Pulse {
    /// Whether the next half of the pulse is due and somebody sees one of the panes.
    pub(super) fn is_due(
        &self,
        scanner: &Scanner,
        working: &HashSet<PaneId>,
        now: Instant,
    ) -> bool {
        self.last.is_none_or(|last| now.saturating_duration_since(last) >= HALF)
            && !clients(scanner, working).is_empty()
    }

    /// Adds the next half of the pulse where it is due.
    pub(super) fn add(
        &mut self,
        scanner: &Scanner,
        working: &HashSet<PaneId>,
        batch: &mut Batch,
        now: Instant,
    ) {
        if !self.is_due(scanner, working, now) {
            return;
        }
        self.phase = !self.phase;
        self.last = Some(now);
        let phase = if self.phase { "1" } else { "0" };
        let set = SetEnvironment::new().global().hidden().name(environment::PHASE);
        batch.tell(set.value(phase).build());
        for client in clients(scanner, working) {
            batch.tell(RefreshClient::new().status_line().target_client(client).build());
        }
    }
}

/// The terminals that show the border line of a working pane.
fn clients<'a>(scanner: &'a Scanner, working: &HashSet<PaneId>) -> BTreeSet<&'a str> {
    scanner
        .panes()
        .filter(|seen| working.contains(&seen.pane.id) && seen.pane.border_status != "off")
        .flat_map(|seen| scanner.clients().showing(&seen.pane))
        .map(|client| client.name.as_str())
        .collect()
}

/// The style of the other half: the same colour, darker where that can be said, else dim.
pub(super) fn other_style(look: &StateLook, depth: Depth) -> String {
    let Some(palette) = &look.palette else { return String::new() };
    let darker = match palette.rgb {
        Colour::Rgb(r, g, b) => Palette::derive(Colour::Rgb(dark(r), dark(g), dark(b))),
        _ => *palette,
    };
    match depth {
        Depth::Rgb | Depth::TwoFiftySix if darker != *palette => {
            StateLook { palette: Some(darker), ..look.clone() }.tmux_style(depth)
        }
        _ => StateLook { dim: true, ..look.clone() }.tmux_style(depth),
    }
}

fn dark(level: u8) -> u8 {
    u8::try_from(u16::from(level) * 11 / 20).unwrap_or(level)
}
