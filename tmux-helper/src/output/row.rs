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
    /// First line of the agent's last message, cut.
    pub last_message: Option<String>,
    /// What is left of the model's context, in percent.
    #[serde(default)]
    pub context_left: Option<u8>,
    /// How long the last turn took, in milliseconds.
    #[serde(default)]
    pub turn_ms: Option<u64>,
    /// Which retry of a request to the model runs.
    #[serde(default)]
    pub retry: Option<u32>,
    /// When a usage limit ends, seconds since the epoch.
    #[serde(default)]
    pub limit_resets: Option<i64>,
}

/// A pane with the place that people know it by; what the daemon hands to the commands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ListedPane {
    /// Index of the pane in its window. It changes as panes come and go, so that programs are
    /// given [`PaneRow::pane`] alone.
    pub pane_index: u32,
    /// The machine, where it is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// What programs are given.
    #[serde(flatten)]
    pub row: PaneRow,
}

/// Sorts panes by need: what a person must look at first, then what waits longest, then by place.
pub fn by_need(panes: &mut [ListedPane]) {
    panes.sort_by(|a, b| {
        let rank = |pane: &ListedPane| pane.row.state.need_rank();
        rank(a)
            .cmp(&rank(b))
            .then(a.row.since.total_cmp(&b.row.since))
            .then_with(|| a.host.cmp(&b.host))
            .then_with(|| a.row.session.cmp(&b.row.session))
            .then((a.row.window, a.pane_index).cmp(&(b.row.window, b.pane_index)))
    });
}

/// The answer of `madohub list --json`: an array, one pane a line.
pub fn list_json(panes: &[ListedPane]) -> serde_json::Result<String> {
    let rows: Vec<String> =
        panes.iter().map(|pane| serde_json::to_string(&pane.row)).collect::<Result<_, _>>()?;
    Ok(format!("[{}]\n", rows.join(",\n ")))
}

impl ListedPane {
    /// `session:window.pane`, as tmux targets are written; behind the machine where it is another
    /// one.
    pub fn place(&self) -> String {
        let place = format!("{}:{}.{}", self.row.session, self.row.window, self.pane_index);
        match &self.host {
            Some(host) => format!("{host}:{place}"),
            None => place,
        }
    }
}

impl PaneRow {
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

#[cfg(test)]
pub(crate) mod tests {
    #![expect(clippy::unwrap_used, reason = "a failing test may panic")]

    use super::*;

    /// A pane of `session`, in `state` since the second 100.
    pub(crate) fn pane(session: &str, agent: &str, state: State) -> ListedPane {
        ListedPane {
            pane_index: 0,
            host: None,
            row: PaneRow {
                mux: "tmux".to_owned(),
                server: "/tmp/tmux-1000/default".to_owned(),
                session: session.to_owned(),
                window: 1,
                window_name: "w".to_owned(),
                pane: "%3".to_owned(),
                agent: AgentId::new(agent),
                agent_name: None,
                agent_version: None,
                state,
                state_source: StateSource::PtyScrape,
                reason: None,
                background: 0,
                since: 100.0,
                title: None,
                cwd: None,
                pid: None,
                model: None,
                last_message: None,
                context_left: None,
                turn_ms: None,
                retry: None,
                limit_resets: None,
            },
        }
    }

    #[test]
    fn what_needs_a_person_longest_comes_first() {
        let mut panes = vec![
            pane("a", "claude", State::Idle),
            pane("b", "codex", State::Waiting),
            pane("a", "amp", State::Waiting),
            pane("c", "qwen", State::Unknown),
            pane("c", "aider", State::Failed),
        ];
        if let Some(older) = panes.get_mut(1) {
            older.row.since = 50.0;
        }
        by_need(&mut panes);
        let order: Vec<&str> = panes.iter().map(|pane| pane.row.agent.as_str()).collect();
        assert_eq!(order, ["codex", "amp", "aider", "claude", "qwen"]);
    }

    #[test]
    fn programs_get_every_key_of_the_contract_and_no_other() {
        let text = list_json(&[pane("api", "codex", State::Waiting)]).unwrap();
        let rows: Vec<serde_json::Map<String, serde_json::Value>> =
            serde_json::from_str(&text).unwrap();
        let keys: Vec<&str> = rows.iter().flat_map(|row| row.keys().map(String::as_str)).collect();
        let mut contract = [
            "mux",
            "server",
            "session",
            "window",
            "window_name",
            "pane",
            "agent",
            "agent_name",
            "agent_version",
            "state",
            "state_source",
            "reason",
            "background",
            "since",
            "title",
            "cwd",
            "pid",
            "model",
            "last_message",
            "context_left",
            "turn_ms",
            "retry",
            "limit_resets",
        ];
        contract.sort_unstable();
        assert_eq!(keys, contract);
        assert_eq!(list_json(&[]).unwrap(), "[]\n");
    }

    #[test]
    fn a_pane_reads_as_it_is_written() {
        let before = pane("api", "codex", State::Waiting);
        let text = serde_json::to_string(&before).unwrap();
        assert_eq!(serde_json::from_str::<ListedPane>(&text).unwrap(), before);
    }
}
