//! What tmux says about its panes.

use super::decor::Taken;
use super::ids::{PaneId, SessionId, WindowId};
use super::listing::Listing;
use super::names::user;
use madohub_detect::Cursor;
use std::collections::HashMap;
use std::str::FromStr;
use tmux_interface::{ListPanes, TmuxCommand};

/// One pane, as tmux sees it.
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of tmux")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pane {
    /// Its id.
    pub id: PaneId,
    /// Process that tmux started in it; stays after the process ended.
    pub pid: i64,
    /// Its terminal, `/dev/pts/3`.
    pub tty: String,
    /// The process ended and the pane is kept (`remain-on-exit`).
    pub dead: bool,
    /// Exit status of a dead pane.
    pub exit_status: Option<i64>,
    /// Signal that ended a dead pane's process (tmux 3.3 and newer).
    pub exit_signal: Option<i64>,
    /// It shows copy mode, the tree, …
    pub in_mode: bool,
    /// It is the active pane of its window.
    pub active: bool,
    /// Its index in the window.
    pub index: u32,
    /// Cursor.
    pub cursor: Cursor,
    /// The program uses the alternate screen.
    pub alternate: bool,
    /// Width in cells.
    pub cols: u16,
    /// Height in cells.
    pub rows: u16,
    /// tmux's word for the foreground command.
    pub command: String,
    /// Title that the program set.
    pub title: String,
    /// Its window.
    pub window: WindowId,
    /// Name of the window.
    pub window_name: String,
    /// Second of the last output in its window, since the epoch.
    pub activity: i64,
    /// How many panes the window has.
    pub window_panes: u32,
    /// Which of the options that we set on windows have our value in its window now.
    pub ours: Ours,
    /// `pane-border-status` in force in its window: `off`, `top` or `bottom`.
    pub border_status: String,
    /// What the user calls it, in an option of the pane: `@madohub_role`.
    pub role: String,
    /// The sessions that show the window: several where windows are linked or sessions grouped.
    pub places: Vec<Place>,
}

/// One session that shows a window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The session.
    pub session: SessionId,
    /// Name of the session.
    pub session_name: String,
    /// Index of the window in that session.
    pub window_index: u32,
    /// The window is the session's current one.
    pub current: bool,
}

/// Which of the options in [`Taken`] have our value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ours([bool; Taken::ALL.len()]);

impl Ours {
    /// Reads the answers to [`Taken::is_ours_format`] of all options, put together.
    pub(super) fn read(flags: &str) -> Self {
        let mut ours = [false; Taken::ALL.len()];
        for (ours, flag) in ours.iter_mut().zip(flags.bytes()) {
            *ours = flag == b'1';
        }
        Self(ours)
    }

    /// Whether this option has our value.
    pub fn has(self, taken: Taken) -> bool {
        Taken::ALL.iter().zip(self.0).any(|(option, ours)| *option == taken && ours)
    }
}

const FIELDS: usize = 28;

/// The question for panes, and how its answer is read.
#[derive(Debug)]
pub struct PaneList(Listing<FIELDS>);

impl Default for PaneList {
    fn default() -> Self {
        Self::new()
    }
}

impl PaneList {
    /// The question.
    pub fn new() -> Self {
        let ours = Taken::ALL.map(Taken::is_ours_format).concat();
        let role = format!("#{{{}}}", user::ROLE);
        Self(Listing::new(
            [
                "#{pane_id}",
                "#{pane_pid}",
                "#{pane_tty}",
                "#{pane_dead}",
                "#{pane_dead_status}",
                "#{pane_dead_signal}",
                "#{pane_in_mode}",
                "#{pane_active}",
                "#{pane_index}",
                "#{cursor_x}",
                "#{cursor_y}",
                "#{cursor_flag}",
                "#{alternate_on}",
                "#{pane_width}",
                "#{pane_height}",
                "#{pane_current_command}",
                "#{pane_title}",
                "#{window_id}",
                "#{window_name}",
                "#{window_activity}",
                "#{window_panes}",
                ours.as_str(),
                "#{pane-border-status}",
                role.as_str(),
                "#{session_id}",
                "#{session_name}",
                "#{window_index}",
                "#{window_active}",
            ]
            .map(str::to_owned),
        ))
    }

    /// All panes of the server.
    pub fn all(&self) -> TmuxCommand<'static> {
        ListPanes::new().all().format(self.0.format()).build()
    }

    /// The panes of the window that holds this one.
    pub fn around(&self, pane: PaneId) -> TmuxCommand<'static> {
        ListPanes::new().target(pane.to_string()).format(self.0.format()).build()
    }

    /// These panes alone (tmux 3.2 and newer).
    pub fn these(&self, panes: &[PaneId]) -> TmuxCommand<'static> {
        let numbers = panes.iter().map(|id| u64::from(*id).to_string()).collect::<Vec<_>>();
        let filter = format!("#{{m/r:^%({})$,#{{pane_id}}}}", numbers.join("|"));
        ListPanes::new().all().filter(filter).format(self.0.format()).build()
    }

    /// The panes of windows that had output since this second (tmux 3.2 and newer).
    pub fn moved_since(&self, second: i64) -> TmuxCommand<'static> {
        let filter = format!("#{{e|>=:#{{window_activity}},{second}}}");
        ListPanes::new().all().filter(filter).format(self.0.format()).build()
    }

    /// Reads the answer: every pane once, in tmux's order.
    pub fn read(&self, answer: &str) -> Vec<Pane> {
        let mut panes: Vec<Pane> = Vec::new();
        let mut known: HashMap<PaneId, usize> = HashMap::new();
        for row in self.0.rows(answer) {
            let Some((mut pane, place)) = pane(&row) else { continue };
            let seen = known.get(&pane.id).and_then(|n| panes.get_mut(*n));
            if let Some(seen) = seen {
                seen.places.push(place);
            } else {
                pane.places.push(place);
                known.insert(pane.id, panes.len());
                panes.push(pane);
            }
        }
        panes
    }
}

fn pane(row: &[&str; FIELDS]) -> Option<(Pane, Place)> {
    let [
        id,
        pid,
        tty,
        dead,
        exit_status,
        exit_signal,
        in_mode,
        active,
        index,
        x,
        y,
        visible,
        alternate,
        cols,
        rows,
        command,
        title,
        window,
        window_name,
        activity,
        window_panes,
        ours,
        border_status,
        role,
        session,
        session_name,
        window_index,
        current,
    ] = *row;
    let pane = Pane {
        id: id.parse().ok()?,
        pid: pid.parse().ok()?,
        tty: tty.to_owned(),
        dead: flag(dead),
        exit_status: exit_status.parse().ok(),
        exit_signal: exit_signal.parse().ok(),
        in_mode: flag(in_mode),
        active: flag(active),
        index: number(index),
        cursor: Cursor { x: number(x), y: number(y), visible: flag(visible) },
        alternate: flag(alternate),
        cols: number(cols),
        rows: number(rows),
        command: command.to_owned(),
        title: title.to_owned(),
        window: window.parse().ok()?,
        window_name: window_name.to_owned(),
        activity: number(activity),
        window_panes: number(window_panes),
        ours: Ours::read(ours),
        border_status: border_status.to_owned(),
        role: role.to_owned(),
        places: Vec::new(),
    };
    let place = Place {
        session: session.parse().ok()?,
        session_name: session_name.to_owned(),
        window_index: number(window_index),
        current: flag(current),
    };
    Some((pane, place))
}

/// tmux prints `1`, `0`, or nothing; some flags count (`pane_in_mode` is 2 for a mode in a mode).
fn flag(text: &str) -> bool {
    !text.is_empty() && text != "0"
}

fn number<T: FromStr + Default>(text: &str) -> T {
    text.parse().unwrap_or_default()
}
