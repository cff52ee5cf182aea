//! What the leader tells bars, its successors and people.

use crate::event::{ClientId, PaneId};
use crate::painter::Painted;
use crate::pane;
use madohub_detect::text::clean;
use madohub_detect::{Announcer, Detection, State, Told};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Name of the message that carries a [`Report`].
pub(crate) const REPORT: &str = "madohub:report";
/// Name of the message by which an instance asks for a report.
pub(crate) const HELLO: &str = "madohub:hello";

/// The state of every pane that holds an agent, as one message.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Report {
    /// Client and plugin of the instance that leads.
    pub(crate) leader: ClientId,
    pub(crate) plugin: u32,
    /// Name of the session.
    pub(crate) session: String,
    /// The user paused the plugin.
    pub(crate) paused: bool,
    /// Number of the last change event.
    pub(crate) seq: u64,
    /// What a person should know about the plugin itself.
    pub(crate) notes: Vec<String>,
    /// Panes with an agent, the neediest first.
    pub(crate) rows: Vec<Row>,
    /// Colours of the theme's text and of its ground, as SGR parameters.
    pub(crate) ground: Option<(String, String)>,
    /// What a successor takes over.
    pub(crate) painted: Painted,
    pub(crate) announcer: Announcer,
}

/// One pane with an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Row {
    /// The pane.
    pub(crate) pane: PaneId,
    /// Position, id and name of its tab.
    pub(crate) tab: usize,
    pub(crate) tab_id: u64,
    pub(crate) tab_name: String,
    /// Title as the user sees it. The others do without: spinners turn in titles.
    #[serde(skip)]
    pub(crate) title: String,
    /// Working directory, where the helper knows it.
    pub(crate) cwd: Option<String>,
    /// The agent's process and model, where the helper knows them.
    pub(crate) pid: Option<i64>,
    pub(crate) model: Option<String>,
    /// The tracked state, without its evidence, which changes with every picture of a spinner.
    pub(crate) detection: Detection,
    /// When the state was entered, seconds since the epoch.
    pub(crate) since: f64,
    /// Number of the turn.
    pub(crate) turn: u64,
    /// A person has seen the state.
    pub(crate) acknowledged: bool,
}

impl Report {
    /// Reads a message; none when it is not one.
    pub(crate) fn read(payload: &str) -> Option<Self> {
        serde_json::from_str(payload.split_once('\n')?.1).ok()
    }

    /// Client and plugin of the sender of a message, without reading all of it: every instance
    /// gets its own messages as well.
    pub(crate) fn sender(payload: &str) -> Option<(ClientId, u32)> {
        let (client, plugin) = payload.split_once('\n')?.0.split_once(' ')?;
        Some((client.parse().ok()?, plugin.parse().ok()?))
    }

    /// As a message: a line with the sender, and the report.
    pub(crate) fn to_text(&self) -> String {
        let report = serde_json::to_string(self).unwrap_or_default();
        format!("{} {}\n{report}", self.leader, self.plugin)
    }

    /// Sorts the panes by need: what a person must look at first, then what waits longest.
    pub(crate) fn sort(&mut self) {
        self.rows.sort_by(|a, b| {
            let rank = |row: &Row| row.state().need_rank();
            rank(a).cmp(&rank(b)).then(a.since.total_cmp(&b.since)).then(a.pane.cmp(&b.pane))
        });
    }

    /// The array of `madohub list --json`.
    pub(crate) fn list_json(&self) -> Value {
        self.rows.iter().map(|row| row.json(&self.session)).collect()
    }
}

impl Row {
    /// The tracked state.
    pub(crate) fn state(&self) -> State {
        self.detection.state
    }

    /// The reason where it says more than the state does, else the state.
    pub(crate) fn what(&self) -> &str {
        match self.state() {
            State::Waiting | State::Stopped | State::Failed => {
                self.detection.reason.as_deref().unwrap_or(self.state().as_str())
            }
            state => state.as_str(),
        }
    }

    fn json(&self, session: &str) -> Value {
        let seen = &self.detection;
        json!({
            "mux": "zellij",
            "server": session,
            "session": session,
            "window": self.tab,
            "window_name": self.tab_name,
            "pane": pane::name(self.pane),
            "agent": seen.agent,
            "agent_name": seen.agent_name,
            "agent_version": seen.agent_version,
            "state": seen.state,
            "state_source": seen.state_source,
            "reason": seen.reason,
            "background": seen.background,
            "since": self.since,
            "title": clean(&self.title),
            "cwd": self.cwd,
            "pid": self.pid,
            "model": self.model,
            "last_message": null,
        })
    }
}

/// One change event as a line of JSON.
pub(crate) fn event_line(told: &Told, seq: u64, session: &str, now: f64) -> String {
    let Told { change, since, .. } = told;
    let line = json!({
        "v": 1,
        "seq": seq,
        "time": now,
        "host": null,
        "mux": "zellij",
        "server": session,
        "pane": change.pane,
        "agent": change.agent,
        "from": change.from,
        "to": change.to,
        "state_source": change.state_source,
        "reason": change.reason,
        "since": since,
        "turn": change.turn.to_string(),
        "evidence": change.evidence,
    });
    format!("{line}\n")
}
