//! What the daemon and its clients say to each other: lines of JSON over a unix socket.
//!
//! One connection, one request. `watch` is answered once and then with one line per event, for as
//! long as the client stays. Every message names the version of the protocol, because the daemon
//! may be older than the program that talks to it.

use crate::output::ListedPane;
use crate::routes::{Item, OneShot};
use madohub_detect::delivery::Outcome;
use madohub_detect::{AgentId, Change, Evidence, State, StateSource, TurnEnd};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Version of the protocol.
pub const VERSION: u32 = 2;
/// Bytes that a request may have; [`TEXT_MAX`] and what JSON makes of it.
pub const REQUEST_MAX: u64 = 1024 * 1024;
/// Bytes that a text to deliver may have.
pub const TEXT_MAX: usize = 128 * 1024;
/// Bytes that an answer may have: thousands of panes.
pub const ANSWER_MAX: u64 = 16 * 1024 * 1024;

/// A request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// Version of the protocol that the client speaks.
    pub v: u32,
    /// What it asks for.
    pub ask: Ask,
}

/// What can be asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ask {
    /// Who the daemon is and what it watches.
    Hello,
    /// The panes with an agent.
    List,
    /// The panes with an agent, each with its last events.
    History,
    /// How the last turn of each pane ended.
    Ends,
    /// Events from now on, or from after the one with this number.
    Watch {
        /// The last event that the client knows of.
        since: Option<u64>,
    },
    /// Deliver a text to a pane.
    Send(SendAsk),
    /// About routes.
    Route(RouteAsk),
    /// Put tmux back as it was and end.
    Stop,
}

/// What can be asked about routes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RouteAsk {
    /// What there is.
    List,
    /// One that fires once.
    Once(OnceAsk),
    /// Call off a one-shot or a decision.
    Cancel(u64),
    /// Fire nothing, or fire again.
    Pause(bool),
}

/// A route that fires once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OnceAsk {
    /// The pane whose state is waited for, by any name.
    pub from: String,
    /// The states.
    pub on: Vec<State>,
    /// The pane that gets the text, by any name.
    pub to: String,
    /// The text, with `{…}` places.
    pub text: String,
    /// Seconds within which it must fire.
    pub expire: f64,
    /// A shell is meant, no agent.
    pub shell: bool,
}

/// The answer about routes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RouteAnswer {
    /// What there is.
    State(Box<RouteState>),
    /// The number of the one-shot.
    Once(u64),
    /// It is done.
    Done,
    /// It is not, and why.
    Refused(String),
}

/// What a daemon has of routes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RouteState {
    /// Nothing fires.
    pub paused: bool,
    /// The routes in force: names, and where they go.
    pub routes: BTreeMap<String, String>,
    /// Routes that fire once.
    pub once: Vec<OneShot>,
    /// What was decided and is not finished.
    pub queue: Vec<Item>,
}

/// A text for a pane.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SendAsk {
    /// The pane, `%3` or `session:window.pane`.
    pub pane: String,
    /// The text.
    pub text: String,
    /// Wait until the pane can take it.
    pub wait: bool,
    /// For so many seconds at most.
    pub timeout: f64,
    /// A shell is meant, no agent.
    pub shell: bool,
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// Version of the protocol that the daemon speaks.
    pub v: u32,
    /// The answer itself.
    #[serde(flatten)]
    pub body: Body,
}

/// What can be answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Body {
    /// To `hello`.
    Hello(Box<Hello>),
    /// To `list`: the panes, sorted by need.
    List(Vec<ListedPane>),
    /// To `history`: the panes, sorted by need.
    History(Vec<PaneHistory>),
    /// To `ends`: by pane, with what agents said after the end was told.
    Ends(BTreeMap<String, TurnEnd>),
    /// To `watch`: the number after which events follow.
    Watching(u64),
    /// To `route`.
    Route(RouteAnswer),
    /// To `send`: how it ended.
    Sent(Outcome),
    /// To `stop`: what could not be put back, if anything.
    Stopped(Option<String>),
    /// The request cannot be answered.
    Error(String),
}

/// A pane and what was told of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PaneHistory {
    /// The pane now.
    pub pane: ListedPane,
    /// Its last events, oldest first.
    pub events: Vec<Event>,
}

/// Who the daemon is and what it watches.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Hello {
    /// Process of the daemon.
    pub pid: u32,
    /// Version of the daemon.
    pub version: String,
    /// Path of the tmux server's socket.
    pub server: String,
    /// Process of the tmux server, while there is one.
    pub server_pid: Option<i64>,
    /// Version of the tmux server.
    pub tmux: Option<String>,
    /// When the daemon started, seconds since the epoch.
    pub started: f64,
    /// When it looked at tmux last, seconds since the epoch.
    pub looked: f64,
    /// Panes of the server.
    pub panes: usize,
    /// Panes with an agent.
    pub agents: usize,
    /// People's terminals attached to the server.
    pub clients: usize,
    /// Looks at the server so far.
    pub looks: u64,
    /// What is wrong with the user's rule files.
    pub warnings: Vec<String>,
    /// What is wrong now, if anything.
    pub trouble: Option<String>,
}

/// A pane entered another state; a contract, see `madohub watch --json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Version of the event.
    pub v: u32,
    /// Counts the events of a server; goes on after a restart of the daemon.
    pub seq: u64,
    /// When it was seen, seconds since the epoch.
    pub time: f64,
    /// Name of the machine.
    pub host: String,
    /// `tmux`.
    pub mux: String,
    /// Path of the server's socket.
    pub server: String,
    /// The pane, `%3`.
    pub pane: String,
    /// The agent.
    pub agent: AgentId,
    /// Former state.
    pub from: State,
    /// State entered.
    pub to: State,
    /// Where the new state comes from.
    pub state_source: StateSource,
    /// Reason of the new state.
    pub reason: Option<String>,
    /// When the pane entered it, seconds since the epoch.
    pub since: f64,
    /// Number of the turn in its pane.
    pub turn: String,
    /// The rules behind the new state.
    pub evidence: Vec<Evidence>,
}

/// Where and when an event happens.
#[derive(Debug, Clone, PartialEq)]
pub struct Scene {
    /// Name of the machine.
    pub host: String,
    /// Path of the server's socket.
    pub server: String,
}

impl Scene {
    /// The event of a change.
    pub fn event(&self, change: Change, seq: u64, since: f64, now: f64) -> Event {
        Event {
            v: 1,
            seq,
            time: now,
            host: self.host.clone(),
            mux: "tmux".to_owned(),
            server: self.server.clone(),
            pane: change.pane,
            agent: change.agent,
            from: change.from,
            to: change.to,
            state_source: change.state_source,
            reason: change.reason,
            since,
            turn: change.turn.to_string(),
            evidence: change.evidence,
        }
    }
}

impl Answer {
    /// An answer of this version.
    pub fn new(body: Body) -> Self {
        Self { v: VERSION, body }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::expect_used, clippy::panic, reason = "a failing test may panic")]

    use super::*;

    /// Seeds that are no lines of this protocol would lead the fuzzer nowhere.
    #[test]
    fn the_seeds_of_the_fuzz_target_are_lines_of_this_protocol() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../fuzz/seeds/socket");
        let mut count = 0;
        for entry in std::fs::read_dir(folder).expect(folder) {
            let path = entry.expect(folder).path();
            let line = std::fs::read_to_string(&path).expect(folder);
            let request = serde_json::from_str::<Request>(&line).map(|request| request.v);
            let answer = serde_json::from_str::<Answer>(&line).map(|answer| answer.v);
            let version = request.or(answer).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            assert_eq!(version, VERSION, "{}", path.display());
            count += 1;
        }
        assert!(count > 0, "{folder}: no seed found");
    }
}
