//! What hosts tell each other: JSON, with the names and words of `madohub list --json` and
//! `madohub watch --json`. What comes from the broker is anybody's: it is bounded and made harmless
//! here.

use super::topic::pane_id;
use crate::config::Publish;
use crate::output::{ListedPane, PaneRow};
use crate::protocol::Event;
use madohub_detect::text::clean;
use madohub_detect::{AgentId, Evidence};
use serde::{Deserialize, Serialize};

/// Version of the messages.
pub const VERSION: u32 = 1;
/// Bytes that a pane, an event or a presence may have.
pub const PANE_MAX: usize = 32 * 1024;
/// Bytes that a screen may have.
pub const SCREEN_MAX: usize = 128 * 1024;
/// Bytes that any packet may have; the broker is told.
pub const PACKET_MAX: u32 = 256 * 1024;

/// Characters of a text in a row that are kept.
const TEXT_MAX: usize = 512;
/// Rules behind a state that are kept.
const EVIDENCE_MAX: usize = 16;

/// Whether a host is there: retained, told again and again, and by the broker as the host's last
/// will.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Presence {
    /// Version of the message.
    pub v: u32,
    /// The host.
    pub host: String,
    /// It is there.
    pub online: bool,
    /// Which program of the host's tells this: another one has another number.
    #[serde(default)]
    pub instance: u64,
    /// Since when it is there, seconds since the epoch.
    #[serde(default)]
    pub since: f64,
    /// After so many seconds without a word it is gone.
    #[serde(default)]
    pub keep_alive: u32,
    /// For so many seconds the broker keeps this message; what is left of them tells its age.
    #[serde(default)]
    pub expiry: u32,
    /// Version of the program.
    #[serde(default)]
    pub version: String,
    /// How many panes it has told.
    #[serde(default)]
    pub panes: u64,
    /// Sum of the numbers of these panes' messages, by which it is seen that one is missing.
    #[serde(default)]
    pub sum: u64,
    /// It tells what its panes show.
    #[serde(default)]
    pub screens: bool,
}

impl Presence {
    /// Seconds until the host is gone unless it is heard of before, by what is left of the message's
    /// worth; below zero it has been gone for so long.
    pub fn worth(&self, left: Option<u32>) -> f64 {
        let age = left.map_or(0, |left| self.expiry.saturating_sub(left));
        f64::from(self.keep_alive) - f64::from(age)
    }
}

/// A pane of a host: retained.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PaneMessage {
    /// Version of the message.
    pub v: u32,
    /// The host.
    pub host: String,
    /// Number of the message among the host's.
    #[serde(default)]
    pub n: u64,
    /// Index of the pane in its window.
    #[serde(default)]
    pub pane_index: u32,
    /// What `madohub list --json` tells; null where it is not told.
    #[serde(flatten)]
    pub row: PaneRow,
}

/// What a pane shows: retained, and told only where the host's settings say so.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScreenMessage {
    /// Version of the message.
    pub v: u32,
    /// Its rows, top first, with colours as escape sequences.
    pub rows: Vec<String>,
}

/// A text for a pane.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RouteMessage {
    /// Version of the message.
    pub v: u32,
    /// Names this text.
    pub id: String,
    /// The host that sends it.
    pub from: String,
    /// The pane, by any name that `madohub send` takes.
    pub pane: String,
    /// The text.
    pub text: String,
    /// Wait until the pane can take it, for so many seconds.
    #[serde(default)]
    pub wait: Option<f64>,
}

/// How a text ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnswerMessage {
    /// Version of the message.
    pub v: u32,
    /// The text's id.
    pub id: String,
    /// `delivered`, `unproved`, `refused`, `not-now`, `expired`, `stopped` or `failed`.
    pub outcome: String,
    /// Why.
    #[serde(default)]
    pub why: Option<String>,
}

/// A row as it is told: without what the settings keep back.
pub fn told_row(mut listed: ListedPane, publish: Publish) -> ListedPane {
    let row = &mut listed.row;
    let keep = |field: &mut Option<String>, is_told: bool| {
        if !is_told {
            *field = None;
        }
    };
    keep(&mut row.cwd, publish.folders);
    keep(&mut row.title, publish.titles);
    keep(&mut row.last_message, publish.messages);
    listed
}

/// An event as it is told: by the host's name in the fleet, and without the text behind it unless
/// screens are told.
pub fn told_event(mut event: Event, host: &str, publish: Publish) -> Event {
    host.clone_into(&mut event.host);
    if !publish.screens {
        for evidence in &mut event.evidence {
            evidence.text = None;
        }
    }
    event
}

/// Reads the pane of a topic. Nothing where it is none, or speaks for another host or pane.
pub fn read_pane(payload: &[u8], host: &str, id: &str) -> Option<(u64, ListedPane)> {
    let message: PaneMessage = bounded(payload, PANE_MAX)?;
    let says_truth = message.v == VERSION && message.host == host && pane_id(&message.row) == id;
    says_truth.then(|| {
        let listed = ListedPane {
            host: Some(message.host),
            pane_index: message.pane_index,
            row: harmless(message.row),
        };
        (message.n, listed)
    })
}

/// Reads the presence of a host. Nothing where it is none, or speaks for another host.
pub fn read_presence(payload: &[u8], host: &str) -> Option<Presence> {
    let mut message: Presence = bounded(payload, PANE_MAX)?;
    message.version = short(&message.version);
    message.keep_alive = message.keep_alive.clamp(1, 3600);
    (message.v == VERSION && message.host == host).then_some(message)
}

/// Reads an event of a host. Nothing where it is none, or speaks for another host.
pub fn read_event(payload: &[u8], host: &str) -> Option<Event> {
    let mut event: Event = bounded(payload, PANE_MAX)?;
    event.mux = short(&event.mux);
    event.server = short(&event.server);
    event.pane = short(&event.pane);
    event.agent = AgentId::new(short(event.agent.as_str()));
    event.reason = event.reason.as_deref().map(short);
    event.turn = short(&event.turn);
    event.evidence.truncate(EVIDENCE_MAX);
    for Evidence { rule, text, .. } in &mut event.evidence {
        *rule = short(rule);
        *text = text.as_deref().map(short);
    }
    (event.v == VERSION && event.host == host).then_some(event)
}

/// Reads what a pane shows, as text with colours; whoever shows it must leave all but those out.
pub fn read_screen(payload: &[u8]) -> Option<String> {
    let message: ScreenMessage = bounded(payload, SCREEN_MAX)?;
    (message.v == VERSION).then(|| message.rows.join("\n"))
}

/// Reads a message of at most so many bytes.
pub fn bounded<'a, T: Deserialize<'a>>(payload: &'a [u8], most: usize) -> Option<T> {
    let payload = payload.get(..most.min(payload.len()))?;
    serde_json::from_slice(payload).ok()
}

/// Everything that a person may be shown of a row, harmless and of bounded length.
fn harmless(row: PaneRow) -> PaneRow {
    let some = |text: Option<String>| text.as_deref().map(short);
    PaneRow {
        mux: short(&row.mux),
        server: short(&row.server),
        session: short(&row.session),
        window_name: short(&row.window_name),
        pane: short(&row.pane),
        agent: AgentId::new(short(row.agent.as_str())),
        agent_name: some(row.agent_name),
        agent_version: some(row.agent_version),
        reason: some(row.reason),
        title: some(row.title),
        cwd: some(row.cwd),
        model: some(row.model),
        last_message: some(row.last_message),
        ..row
    }
}

fn short(text: &str) -> String {
    let cut: String = text.chars().take(TEXT_MAX).collect();
    clean(&cut)
}

#[cfg(test)]
#[expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a failing test may panic")]
mod tests {
    use super::*;
    use crate::output::example_pane;
    use madohub_detect::State;
    use serde_json::{Value, json};

    fn message() -> Value {
        let mut listed = example_pane("api", "codex", State::Waiting);
        listed.row.title = Some("secret plans".to_owned());
        listed.row.cwd = Some("/home/user/src".to_owned());
        listed.row.last_message = Some("I did it".to_owned());
        let listed =
            told_row(listed, Publish { states: true, folders: true, ..Publish::default() });
        let message = PaneMessage {
            v: VERSION,
            host: "zeus".to_owned(),
            n: 7,
            pane_index: listed.pane_index,
            row: listed.row,
        };
        serde_json::to_value(message).unwrap()
    }

    fn read(message: &Value) -> Option<(u64, ListedPane)> {
        read_pane(message.to_string().as_bytes(), "zeus", "tmux:default:%253")
    }

    #[test]
    fn only_what_is_asked_for_is_told() {
        let message = message();
        assert_eq!(message["cwd"], "/home/user/src");
        assert_eq!((&message["title"], &message["last_message"]), (&Value::Null, &Value::Null));
        assert_eq!((&message["state"], &message["agent"]), (&json!("waiting"), &json!("codex")));
        let (n, listed) = read(&message).unwrap();
        assert_eq!((n, listed.host.as_deref()), (7, Some("zeus")));
        assert_eq!(listed.row.state, State::Waiting);
    }

    #[test]
    fn fields_of_later_versions_are_left_out() {
        let mut message = message();
        message["new"] = json!({"deep": [1, 2]});
        assert!(read(&message).is_some());
    }

    #[test]
    fn nobody_speaks_for_another() {
        for (key, value) in [
            ("host", json!("hera")),
            ("pane", json!("%4")),
            ("v", json!(2)),
            ("state", json!("busy")),
            ("session", Value::Null),
            ("pane_index", json!(-1)),
        ] {
            let mut message = message();
            message[key] = value;
            assert!(read(&message).is_none(), "{key}");
        }
        assert!(read_pane(b"[1", "zeus", "x").is_none());
        assert!(read_pane(&[0xff; 40], "zeus", "x").is_none());
    }

    #[test]
    fn what_is_shown_is_harmless_and_short() {
        let mut message = message();
        message["session"] = json!("\u{1b}[2Japi\u{202e}");
        message["agent"] = json!("a\nb");
        message["reason"] = json!("x".repeat(5000));
        let (_, listed) = read(&message).unwrap();
        assert_eq!(listed.row.session, "␛[2Japi�");
        assert_eq!(listed.row.agent.as_str(), "a␊b");
        assert_eq!(listed.row.reason.unwrap().len(), TEXT_MAX);
        message["reason"] = json!("x".repeat(PANE_MAX));
        assert!(read(&message).is_none(), "larger than a message may be");
    }

    #[test]
    fn an_event_is_told_without_the_text_behind_it() {
        let event = json!({
            "v": 1, "seq": 3, "time": 1.0, "host": "uname", "mux": "tmux", "server": "/s",
            "pane": "%3", "agent": "claude", "from": "working", "to": "waiting",
            "state_source": "pty-scrape", "reason": "approval", "since": 1.0, "turn": "2",
            "evidence": [{"via": "screen", "rule": "r", "rows": [1, 2], "text": "rm -rf secret"}],
        });
        let event: Event = serde_json::from_value(event).unwrap();
        let told = told_event(event.clone(), "zeus", Publish::default());
        assert_eq!((told.host.as_str(), &told.evidence[0].text), ("zeus", &None));
        let screens = Publish { states: true, screens: true, ..Publish::default() };
        assert!(told_event(event, "zeus", screens).evidence[0].text.is_some());
        let payload = serde_json::to_vec(&told).unwrap();
        assert_eq!(read_event(&payload, "zeus").unwrap(), told);
        assert!(read_event(&payload, "hera").is_none());
    }
}
