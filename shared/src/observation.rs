//! What a host saw of one pane at one moment: the only input of the engine.
//!
//! The JSON form is a contract (observation lines of `madohub detect --observations`):
//! every field but `id` is optional and unknown fields are ignored.

use serde::{Deserialize, Deserializer, Serialize};

/// One pane at one moment, as far as the host could see it.
///
/// A missing field means "not known", never "empty": without `processes` the engine asks the
/// screen which agent this is, with an empty list it knows that nothing runs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Observation {
    /// Any name; comes back unchanged in the detection.
    pub id: String,
    /// Width of the pane in cells.
    #[serde(deserialize_with = "size", skip_serializing_if = "Option::is_none")]
    pub cols: Option<u16>,
    /// Height of the pane in cells.
    #[serde(deserialize_with = "size", skip_serializing_if = "Option::is_none")]
    pub rows: Option<u16>,
    /// Visible rows, top first, without escape sequences; trailing blank rows may be missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub screen: Option<Vec<String>>,
    /// Title as set by the program (OSC 0/2).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The multiplexer's word for the foreground command. May mislead: `node`, `bash`, `2.1.34`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Process that the multiplexer started in the pane.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pane_pid: Option<i64>,
    /// The pane's process ended and the pane is kept open.
    pub dead: bool,
    /// Exit status of a dead pane's process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_status: Option<i64>,
    /// The pane shows the multiplexer's own mode (copy mode, chooser).
    pub in_mode: bool,
    /// Cursor, zero-based.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<Cursor>,
    /// The program uses the alternate screen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alternate_screen: Option<bool>,
    /// The host's name of the pane; equal names are one pane over time for the tracker.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pane: Option<String>,
    /// Processes of the pane: the pane's own and all its descendants.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processes: Option<Vec<Process>>,
    /// The agent's own entry for its running process (Claude Code: `sessions/<pid>.json`),
    /// already tied to a live process of this pane.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub registry: Option<Registry>,
    /// The end of the agent's session log, already tied to a live process of this pane.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log: Option<SessionLog>,
    /// Last program status report (OSC 7501) of the pane.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program_status: Option<ProgramStatus>,
    /// Newest report of the agent's own hooks, already tied to a live process of this pane.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hook: Option<HookReport>,
    /// Agent proved by the user or by an earlier observation, not by this screen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_hint: Option<String>,
    /// What the same pane was before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous: Option<Previous>,
    /// Time of the observation, seconds since the epoch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub now: Option<f64>,
}

/// Cursor of a pane, zero-based cells from the top left.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Cursor {
    /// Column.
    pub x: i64,
    /// Row.
    pub y: i64,
    /// Whether the program shows it.
    pub visible: bool,
}

/// One process of a pane.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Process {
    /// Process id.
    pub pid: i64,
    /// Parent's process id.
    pub ppid: i64,
    /// Process group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pgid: Option<i64>,
    /// Foreground process group of the process's terminal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tpgid: Option<i64>,
    /// Controlling terminal, `pts/4`; `?` or missing for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tty: Option<String>,
    /// State letters as `ps` prints them; the first one counts (`T` = suspended, `Z` = dead).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stat: Option<String>,
    /// Kernel's short name, cut at 15 bytes.
    pub comm: String,
    /// Command line.
    pub argv: Vec<String>,
    /// Path of the executable, where readable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exe: Option<String>,
    /// Working directory, where readable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Whether it belongs to the foreground group of the pane's terminal, if the host knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub foreground: Option<bool>,
    /// Start time in clock ticks since boot (Linux: field 22 of `/proc/<pid>/stat`).
    #[serde(alias = "start", skip_serializing_if = "Option::is_none")]
    pub start_time: Option<u64>,
}

/// An agent's own entry for its running process. Field names are Claude Code's
/// (`~/.claude/sessions/<pid>.json`, seen in 2.1.142 and 2.1.332).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Registry {
    /// Process that the entry is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<i64>,
    /// Id of the session that the process holds; also the name of its log file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// Start time of the process in clock ticks since boot, against reuse of the pid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proc_start: Option<String>,
    /// `busy`, `idle`, `waiting` or `shell` (idle while a background shell runs).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// What a `waiting` session waits for: `permission prompt`, `input needed`, `dialog open`, …
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting_for: Option<String>,
    /// `interactive` for a session in a terminal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Version of the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Working directory of the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// When the process began, milliseconds since the epoch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<f64>,
    /// When the status was set, milliseconds since the epoch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status_updated_at: Option<f64>,
}

/// A process sets its first status within so many milliseconds (seen: 64 to 138).
const FIRST_STATUS: f64 = 1000.0;

impl Registry {
    /// Whether the status is the first that this process has set: no turn has run in it.
    pub(crate) fn is_first_status(&self) -> bool {
        let after = self.status_updated_at.zip(self.started_at).map(|(set, began)| set - began);
        after.is_some_and(|after| (0.0..FIRST_STATUS).contains(&after))
    }
}

/// The end of a session log.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionLog {
    /// Path of the log, for evidence. Empty where none could be tied to the pane.
    pub path: String,
    /// Complete records, oldest first, each one line of JSON. Those that say nothing may be left
    /// out, and long texts in them cut.
    pub records: Vec<String>,
    /// By what the log is known to be this pane's, or why none is, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tie: Option<String>,
    /// The logs that may be this pane's where more than one may; none of them is read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub between: Vec<String>,
    /// Records that could not be read: no JSON, no text, too long.
    #[serde(skip_serializing_if = "is_zero")]
    pub skipped: u64,
    /// All that it says was written before the agent's process began: the session goes on in this
    /// process, and no turn has run in it yet.
    #[serde(skip_serializing_if = "is_false")]
    pub no_turn_yet: bool,
    /// Work beside the session's own turn, as far as the agent writes it down: subagents.
    #[serde(skip_serializing_if = "is_zero")]
    pub background: u32,
    /// What people want to know beside the state.
    #[serde(skip_serializing_if = "LogDetail::is_empty")]
    pub detail: LogDetail,
}

/// What a session log tells people beside the state. The engine makes no use of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LogDetail {
    /// The model in use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// What is left of the model's context, in percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_left: Option<u8>,
    /// The beginning of the agent's last message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_message: Option<String>,
    /// How long the last turn took, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_ms: Option<u64>,
    /// Which retry of a request to the model runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry: Option<u32>,
    /// When a usage limit ends, seconds since the epoch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit_resets: Option<i64>,
}

impl LogDetail {
    /// Nothing is known.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A program status report (OSC 7501, "Program Status Protocol" revision 0.4).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ProgramStatus {
    /// `idle`, `working`, `blocked`, `done`, `error` or `clear`.
    pub state: String,
    /// For `blocked`: `permission`, `question` or `auth`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// What the program says about the state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Process group that wrote it, where the host knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pgid: Option<i64>,
    /// Age of the report in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub age_s: Option<f64>,
}

impl From<&crate::Report> for ProgramStatus {
    fn from(report: &crate::Report) -> Self {
        Self {
            state: report.state.as_str().to_owned(),
            kind: report.kind.map(|kind| kind.as_str().to_owned()),
            message: report.message.clone(),
            ..Self::default()
        }
    }
}

/// A report of an agent's own hook: what the agent handed to it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct HookReport {
    /// Id of the agent that the hook was set up for.
    pub agent: String,
    /// One JSON object.
    pub record: String,
    /// When it was reported, seconds since the epoch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<f64>,
}

/// What a pane was before this observation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Previous {
    /// Agent id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// State.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<crate::State>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
fn is_false(flag: &bool) -> bool {
    !*flag
}

fn is_zero<T: Default + PartialEq>(count: &T) -> bool {
    *count == T::default()
}

/// A size that cannot be one (negative, zero, beyond any terminal) is not known.
fn size<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u16>, D::Error> {
    let raw = Option::<f64>::deserialize(deserializer)?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "range is checked")]
    Ok(raw.filter(|n| (1.0..=f64::from(u16::MAX)).contains(n)).map(|n| n as u16))
}
