//! What the plugin asks of zellij.

use crate::colour::Colour;
use crate::event::{Mode, PaneId};

/// Something to do.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Send [`crate::Event::Timer`] after so many seconds.
    Wake(f64),
    /// Receive [`crate::Event::Screens`], or no longer.
    ReceiveScreens(bool),
    /// Read the visible text of a pane.
    ReadScreen(PaneId),
    /// Read the live title of a pane.
    ReadTitle(PaneId),
    /// Read the process id of a pane.
    ReadPid(PaneId),
    /// Read the command line in the foreground of a pane.
    ReadCommand(PaneId),
    /// Read the places of panes, as [`crate::PaneFacts::content_offset`] has them.
    ReadPlaces(Vec<PaneId>),
    /// Apply this configuration (KDL) to the running session only.
    Configure(String),
    /// Give frames the theme's highlight colour, and take it from others.
    Highlight {
        /// Panes that get it.
        on: Vec<PaneId>,
        /// Panes that lose it.
        off: Vec<PaneId>,
    },
    /// Set the default background of a pane, or take it away.
    Tint(PaneId, Option<Colour>),
    /// Name a pane; an empty name gives the program's title back.
    RenamePane(PaneId, String),
    /// Name a tab, by its stable id.
    RenameTab(u64, String),
    /// Put the client into an input mode.
    SwitchMode(Mode),
    /// Send a message to every plugin instance.
    Broadcast {
        /// Name of the message.
        name: String,
        /// Its text.
        payload: String,
    },
    /// Print to a waiting `zellij pipe`.
    Answer {
        /// Its id.
        pipe: String,
        /// What to print.
        text: String,
    },
    /// Keep a `zellij pipe` open although this call returns.
    HoldPipe(String),
    /// Let a `zellij pipe` end that was held.
    EndPipe(String),
    /// Focus a pane, wherever it is.
    Focus(PaneId),
    /// Write bytes to a pane as if typed.
    Type(PaneId, Vec<u8>),
    /// Run a program on the host; [`crate::Event::Helper`] brings what it said.
    RunHelper {
        /// Command line.
        argv: Vec<String>,
        /// Number of the call.
        call: u64,
    },
    /// Keep this text for the next instance under the same server.
    Save(String),
    /// Ask the user for [`Permission::ALL`].
    Request,
    /// The pane can be selected (to answer a question) or not.
    Selectable(bool),
    /// Draw the bar again.
    Render,
    /// Write a line to zellij's log.
    Log(String),
}

/// What the plugin may be allowed to do; the variants are zellij's names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permission {
    /// To know which panes and tabs there are.
    ReadApplicationState,
    /// To read the screens that the states are recognised on.
    ReadPaneContents,
    /// To colour frames and to jump to a pane.
    ChangeApplicationState,
    /// To change the highlight colour for a moment, so that each frame gets its own.
    Reconfigure,
    /// To answer `zellij pipe --name madohub`.
    ReadCliPipes,
    /// To tell the bars what they show.
    MessageAndLaunchOtherPlugins,
    /// To deliver what `send` is given.
    WriteToStdin,
    /// To ask the helper for process trees and session records.
    RunCommands,
}

impl Permission {
    /// What every instance asks for, whatever its settings: zellij keeps the answer per file and
    /// replaces it with what the last instance asked for.
    pub const ALL: [Self; 8] = [
        Self::ReadApplicationState,
        Self::ReadPaneContents,
        Self::ChangeApplicationState,
        Self::Reconfigure,
        Self::ReadCliPipes,
        Self::MessageAndLaunchOtherPlugins,
        Self::WriteToStdin,
        Self::RunCommands,
    ];
}
