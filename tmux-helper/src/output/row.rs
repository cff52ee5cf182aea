//! One pane with an agent, as `madohub list` shows it.

use madohub_detect::{AgentId, State, StateSource};
use serde::{Deserialize, Serialize};

/// One pane. The JSON form is a contract: one element of `madohub list --json`; null where a
/// value is not known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PaneRow {
    /// `tmux` or `zellij`.
    pub mux: String,
    /// The multiplexer's server: path of the socket in tmux.
    pub server: String,
    /// Name of the session; of the first one where several show the pane.
    pub session: String,
    /// Index of the window.
    pub window: u32,
    /// Name of the window.
    pub window_name: String,
    /// The multiplexer's id of the pane, `%3`.
    pub pane: String,
    /// Index of the pane in its window; not part of the contract, for the table.
    #[serde(default)]
    pub pane_index: u32,
    /// Id of the agent.
    pub agent: AgentId,
    /// Name of the agent.
    pub agent_name: Option<String>,
    /// Version of the agent.
    pub agent_version: Option<String>,
    /// State.
    pub state: State,
    /// Where the state comes from.
    pub state_source: StateSource,
    /// Why the agent is in this state.
    pub reason: Option<String>,
    /// Work that outlives the turn.
    pub background: u32,
    /// When the pane entered the state, seconds since the epoch.
    pub since: f64,
    /// Title that the program set.
    pub title: Option<String>,
    /// Working directory.
    pub cwd: Option<String>,
    /// The agent's process.
    pub pid: Option<i64>,
    /// The model in use.
    pub model: Option<String>,
    /// The agent's last message, cut.
    pub last_message: Option<String>,
}

/// Sorts panes by need: what a person must look at first, then what waits longest, then by place.
pub fn by_need(rows: &mut [PaneRow]) {
    rows.sort_by(|a, b| {
        let place = |row: &PaneRow| (row.session.clone(), row.window, row.pane_index);
        a.state
            .need_rank()
            .cmp(&b.state.need_rank())
            .then(a.since.total_cmp(&b.since))
            .then_with(|| place(a).cmp(&place(b)))
    });
}

impl PaneRow {
    /// `session:window.pane`, as tmux targets are written.
    pub fn place(&self) -> String {
        format!("{}:{}.{}", self.session, self.window, self.pane_index)
    }

    /// The reason where it says more than the state does, else the state.
    pub fn what(&self) -> &str {
        match self.state {
            State::Waiting | State::Stopped | State::Failed => {
                self.reason.as_deref().unwrap_or(self.state.as_str())
            }
            _ => self.state.as_str(),
        }
    }
}
