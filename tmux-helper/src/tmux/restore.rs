//! Undoing everything that we ever set in a server, by what is written in the server itself.

use super::batch::Batch;
use super::decor::{Taken, give_back};
use super::ids::{PaneId, WindowId};
use super::listing::Listing;
use super::names::{environment, global, pane, window};
use super::panes::Ours;
use super::server::{Server, TmuxError};
use std::collections::HashSet;
use tmux_interface::{ListPanes, ListWindows, SetEnvironment, SetOption};

/// What was undone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Restored {
    /// Panes that had our options.
    pub panes: usize,
    /// Windows that had our borders or options.
    pub windows: usize,
}

/// Values of the options in [`pane::ALL`]; empty for none.
pub type PaneValues = [String; pane::ALL.len()];

/// What is left of us in a server, as it says itself.
#[derive(Debug, Default)]
pub struct Leftovers {
    /// Panes with any of our options.
    pub panes: Vec<(PaneId, PaneValues)>,
    /// Windows with any of our options.
    pub windows: Vec<LeftWindow>,
}

/// A window with our options.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftWindow {
    /// The window.
    pub id: WindowId,
    /// Its [`window::SAVED`].
    pub saved: String,
    /// Its [`window::STATE`].
    pub state: String,
    /// Which of the options that we set have our value.
    pub ours: Ours,
}

impl Leftovers {
    /// Reads them.
    pub fn read(server: &Server) -> Result<Self, TmuxError> {
        let option = |name: &str| format!("#{{{name}}}");
        let panes: Listing<{ pane::ALL.len() + 1 }> = Listing::new(std::array::from_fn(|n| {
            n.checked_sub(1)
                .and_then(|n| pane::ALL.get(n))
                .map_or("#{pane_id}".to_owned(), |n| option(n))
        }));
        let windows = Listing::new([
            "#{window_id}".to_owned(),
            option(window::SAVED),
            option(window::STATE),
            Taken::ALL.map(Taken::is_ours_format).concat(),
        ]);
        let mut batch = Batch::new();
        let ask_panes = batch.ask(ListPanes::new().all().format(panes.format()).build());
        let ask_windows = batch.ask(ListWindows::new().all().format(windows.format()).build());
        let replies = server.run(&batch)?;

        let mut left = Self::default();
        let mut known = HashSet::new();
        for [id, values @ ..] in panes.rows(replies.get(ask_panes).unwrap_or_default()) {
            let Ok(id) = id.parse::<PaneId>() else { continue };
            let values: PaneValues = values.map(str::to_owned);
            if values.iter().any(|value| !value.is_empty()) && known.insert(id) {
                left.panes.push((id, values));
            }
        }
        let mut known = HashSet::new();
        for [id, saved, state, ours] in windows.rows(replies.get(ask_windows).unwrap_or_default()) {
            let Ok(id) = id.parse::<WindowId>() else { continue };
            if (!saved.is_empty() || !state.is_empty()) && known.insert(id) {
                let ours = Ours::read(ours);
                left.windows.push(LeftWindow {
                    id,
                    saved: saved.to_owned(),
                    state: state.to_owned(),
                    ours,
                });
            }
        }
        Ok(left)
    }
}

/// Puts everything back: options of panes, windows and of the server, and its environment.
pub fn restore(server: &Server) -> Result<Restored, TmuxError> {
    let left = Leftovers::read(server)?;
    let mut batch = Batch::new();
    for found in &left.windows {
        give_back(&mut batch, found.id, &found.saved, &Taken::ALL, |taken| found.ours.has(taken));
        batch.tell(
            SetOption::new()
                .window()
                .unset()
                .quiet()
                .target_pane(found.id.to_string())
                .option(window::STATE)
                .build(),
        );
    }
    for (id, _) in &left.panes {
        for name in pane::ALL {
            batch.tell(unset_pane(*id, name));
        }
    }
    for name in global::ALL.into_iter().chain(Taken::ALL.map(Taken::copy)) {
        batch.tell(SetOption::new().global().unset().quiet().option(name).build());
    }
    for name in environment::ALL {
        batch.tell(SetEnvironment::new().global().unset().name(name).build());
    }
    server.run(&batch)?;
    Ok(Restored { panes: left.panes.len(), windows: left.windows.len() })
}

/// Takes one of our options off a pane.
pub(crate) fn unset_pane(id: PaneId, name: &str) -> tmux_interface::TmuxCommand<'_> {
    SetOption::new().pane().unset().quiet().target_pane(id.to_string()).option(name).build()
}
