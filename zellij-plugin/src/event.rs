//! What zellij tells the plugin, in types of its own so that tests need no zellij.

use crate::theme::Palette;
use std::collections::BTreeMap;

/// Id of an attached client; the lowest free number, reused after a detach.
pub type ClientId = u16;

/// Id of a terminal pane, unique for the life of a session.
pub type PaneId = u32;

/// Which instance of the plugin this is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Instance {
    /// zellij's id of the plugin; the same for every client.
    pub plugin: u32,
    /// Client that the instance belongs to.
    pub client: ClientId,
    /// Process of the zellij server.
    pub server_pid: u32,
    /// Version of zellij.
    pub version: String,
}

/// Something happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// The instance was loaded; what an earlier one saved for this server, if anything.
    Loaded(Option<String>),
    /// The user granted or denied the permissions.
    Permissions(bool),
    /// A timer set by [`crate::Effect::Wake`] went off.
    Timer,
    /// The state of the session; sent to every instance, also when no client is attached.
    Session(Session),
    /// Contents of panes that changed in the tab that the instance's client looks at.
    Screens(Vec<(PaneId, Screen)>),
    /// Answer to [`crate::Effect::ReadScreen`].
    ScreenRead(PaneId, Option<Screen>),
    /// Answer to [`crate::Effect::ReadTitle`].
    TitleRead(PaneId, Option<String>),
    /// Answer to [`crate::Effect::ReadPlaces`]: the facts of those panes that live.
    PlacesRead(Vec<PaneFacts>),
    /// Answer to [`crate::Effect::ReadPid`].
    PidRead(PaneId, Option<i64>),
    /// Another command line is in the foreground of a pane, and whether it is the process that the
    /// pane was opened with. zellij 0.45.1 looks once a second, at panes that printed something.
    Command(PaneId, Vec<String>, bool),
    /// Answer to [`crate::Effect::ReadCommand`]; none where zellij does not know.
    CommandRead(PaneId, Option<Vec<String>>),
    /// A pane is gone.
    PaneClosed(PaneId),
    /// Mode and theme of the instance's client.
    Mode(Box<ModeInfo>),
    /// zellij applied a configuration to the instance's client.
    Configured,
    /// What the last [`Event::Configured`] told of was the user's configuration file, which changed.
    Saved,
    /// The terminal says whether it is dark (`true`) or light.
    TerminalDark(bool),
    /// Answer to [`crate::Effect::RunHelper`].
    Helper(HelperAnswer),
    /// A message from the command line, a key binding or another instance.
    Pipe(Pipe),
    /// Left click in the bar at a column.
    Click(usize),
    /// The bar is in view, or no longer.
    Visible(bool),
    /// The bar has this many columns now.
    Resized(usize),
}

/// The state of one session.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Session {
    /// Name.
    pub name: String,
    /// Tabs by position.
    pub tabs: Vec<TabFacts>,
    /// Terminal panes of all tabs.
    pub panes: Vec<PaneFacts>,
    /// Ids of the panes that hold plugins, among them the bars.
    pub plugins: Vec<u32>,
    /// The pane that each attached client is in.
    pub focus: BTreeMap<ClientId, PaneId>,
}

impl Session {
    /// Attached clients, ascending.
    pub fn clients(&self) -> Vec<ClientId> {
        let mut all: Vec<ClientId> = self.tabs.iter().flat_map(|t| t.clients.clone()).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// One tab.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TabFacts {
    /// Stable id.
    pub id: u64,
    /// Position, zero-based.
    pub position: usize,
    /// Name as the user or zellij set it.
    pub name: String,
    /// Clients that look at it.
    pub clients: Vec<ClientId>,
    /// Whether its floating panes are shown.
    pub floating_visible: bool,
    /// A bell rings or rang in it.
    pub bell: bool,
}

/// One terminal pane.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "zellij's own flags, independent of each other")]
pub struct PaneFacts {
    /// Id.
    pub id: PaneId,
    /// Position of its tab.
    pub tab: usize,
    /// Title: the name that the user gave it, else what the program set.
    pub title: String,
    /// Focused in its layer of its tab.
    pub focused: bool,
    /// Floats above the tiled ones.
    pub floating: bool,
    /// Runs without being shown.
    pub suppressed: bool,
    /// Its program ended.
    pub exited: bool,
    /// Its program ended or was not started, and the pane waits for a key.
    pub held: bool,
    /// Exit status of its program.
    pub exit_status: Option<i64>,
    /// Command line of a command pane.
    pub terminal_command: Option<String>,
    /// Columns and rows of its content.
    pub size: (usize, usize),
    /// Columns and rows from the pane's corner to its content's corner.
    pub content_offset: (usize, usize),
    /// Default background that was set for it, `#rrggbb`.
    pub background: Option<String>,
}

/// Visible text of a pane.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Screen {
    /// Rows, top first.
    pub rows: Vec<String>,
    /// Cursor (column, row), where the program shows it.
    pub cursor: Option<(usize, usize)>,
}

/// How zellij draws frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameStyle {
    /// A box around each pane.
    Full,
    /// A title line on top of each pane.
    Titles,
    /// Lines between panes only.
    None,
}

/// Input mode, as far as it matters here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mode {
    /// Keys go to the pane, or to zellij's first level.
    Normal,
    /// Keys go to the pane.
    Locked,
    /// The focused pane is scrolled or searched.
    Scroll,
    /// Any other mode, by zellij's name of it.
    Other(String),
}

/// Mode and theme of a client.
#[derive(Debug, Clone, PartialEq)]
pub struct ModeInfo {
    /// The mode that the client is in.
    pub mode: Mode,
    /// The mode that it returns to.
    pub base: Mode,
    /// Colours in force. (What zellij 0.45.1 says here of the frame style may be out of date.)
    pub palette: Palette,
}

/// What a run of the helper brought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HelperAnswer {
    /// Exit code; none when it did not start.
    pub code: Option<i32>,
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: Vec<u8>,
    /// Number of the call.
    pub call: u64,
}

/// A message to the plugin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pipe {
    /// Who sent it.
    pub source: PipeSource,
    /// Name of the message.
    pub name: String,
    /// Text; none marks the end of what a command line pipes.
    pub payload: Option<String>,
    /// Arguments.
    pub args: BTreeMap<String, String>,
}

/// Who sent a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PipeSource {
    /// `zellij pipe`, with the id to answer to.
    Cli(String),
    /// A plugin, by its id.
    Plugin(u32),
    /// A key binding.
    Key,
}
