//! What the dashboard is about: panes, what is beside them, what keys mean, what is to be done.

use crate::output::ListedPane;
use ratatui::layout::Rect;

/// Which pane, of all hosts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::dash) struct PaneKey {
    /// The machine, where it is another one.
    pub(in crate::dash) host: Option<String>,
    /// `tmux` or `zellij`.
    pub(in crate::dash) mux: String,
    /// Path of the tmux server's socket, or the zellij session.
    pub(in crate::dash) server: String,
    /// The multiplexer's id.
    pub(in crate::dash) pane: String,
}

impl PaneKey {
    /// The key of a row.
    pub(in crate::dash) fn of(pane: &ListedPane) -> Self {
        let row = &pane.row;
        Self {
            host: pane.host.clone(),
            mux: row.mux.clone(),
            server: row.server.clone(),
            pane: row.pane.clone(),
        }
    }
}

/// What is beside the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::dash) enum Side {
    /// The pane's screen.
    #[default]
    Screen,
    /// Its last events.
    History,
    /// Why it has its state.
    Explanation,
    /// What routes did.
    Routes,
}

impl Side {
    /// All, in the order of Tab.
    pub(in crate::dash) const ALL: [Self; 4] =
        [Self::Screen, Self::History, Self::Explanation, Self::Routes];

    /// Its name.
    pub(in crate::dash) fn name(self) -> &'static str {
        match self {
            Self::Screen => "screen",
            Self::History => "history",
            Self::Explanation => "explanation",
            Self::Routes => "routes",
        }
    }

    /// The one after it.
    pub(in crate::dash) fn next(self) -> Self {
        let at = Self::ALL.iter().position(|side| *side == self).unwrap_or(0);
        Self::ALL.iter().cycle().nth(at + 1).copied().unwrap_or_default()
    }
}

/// What is asked for beside the list: of this pane, this.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::dash) struct Focus {
    /// The pane.
    pub(in crate::dash) key: PaneKey,
    /// What of it.
    pub(in crate::dash) side: Side,
}

/// What keys mean now.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(in crate::dash) enum Mode {
    /// To choose and to act.
    #[default]
    Choose,
    /// To type what the list is narrowed to.
    Filter,
    /// To type a text for the pane that was chosen when that began.
    Send {
        /// The pane.
        to: PaneKey,
        /// So far.
        text: String,
    },
    /// Any key ends the help.
    Help,
}

/// What has to be done.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::dash) enum Effect {
    /// End.
    Leave,
    /// End, and take the person to this pane.
    Go(Box<ListedPane>),
    /// Take the person to this pane and stay.
    GoBehind(Box<ListedPane>),
    /// Ask for what is beside the list.
    Look(Option<Focus>),
    /// Deliver a text.
    Send {
        /// To this pane.
        pane: Box<ListedPane>,
        /// The text.
        text: String,
    },
}

/// Where things are on the screen, for the mouse; written by the view.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::dash) struct Places {
    /// The rows of the list.
    pub(in crate::dash) list: Rect,
    /// First row of the list that is drawn.
    pub(in crate::dash) first: usize,
    /// What is beside the list.
    pub(in crate::dash) side: Rect,
}
