//! Session logs as agents keep them, with any content, read by the host's own readers.

mod store;

use crate::RULES;
use madohub::logs::{PaneQuery, SessionLogs};
use madohub::processes::{ProcessSource, Sign};
use madohub_detect::{AgentId, Observation, Process, SessionLog};
use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

/// Records that are kept of one log at most, and bytes of one.
const RECORDS_MAX: usize = 32;
const RECORD_MAX: usize = 64 * 1024;
/// A thread of Codex that was made on 1 January 2026.
const THREAD: &str = "019b76da-a800-7000-8000-000000000000";
/// Its rollout.
const ROLLOUT: &str = ".codex/sessions/2026/01/01/\
     rollout-2026-01-01T00-00-00-019b76da-a800-7000-8000-000000000000.jsonl";

/// How an agent keeps its sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Aider,
    Amp,
    Claude,
    Codex,
    Copilot,
    Crush,
    Gemini,
    /// One object, as older versions wrote it.
    GeminiObject,
    Goose,
    Opencode,
    OpencodeFiles,
    /// OpenCode's database with bytes of it changed.
    OpencodeDamaged,
    Qwen,
}

/// The formats by their letters, in the first byte of an input.
const FORMATS: [(u8, Format); 13] = [
    (b'a', Format::Aider),
    (b'b', Format::Amp),
    (b'c', Format::Claude),
    (b'd', Format::Codex),
    (b'e', Format::Copilot),
    (b'f', Format::Crush),
    (b'g', Format::Gemini),
    (b'h', Format::GeminiObject),
    (b'i', Format::Goose),
    (b'j', Format::Opencode),
    (b'k', Format::OpencodeFiles),
    (b'l', Format::OpencodeDamaged),
    (b'm', Format::Qwen),
];

/// One home folder for each run of a target.
static HOME: LazyLock<PathBuf> = LazyLock::new(|| {
    let memory = Path::new("/dev/shm");
    let below = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    below.join(format!("madohub-fuzz-{}", std::process::id()))
});

/// Reads the log of an input at once, and another one in two steps. Panics where too much is kept, or
/// where it makes a difference.
pub fn check(data: &[u8]) {
    let [letter, cut, content @ ..] = data else { return };
    let known = FORMATS.iter().find(|(known, _)| known == letter);
    let Some((_, format)) = known.copied() else { return };
    let whole = read(format, content, content.len());
    assert!(whole.records.len() <= RECORDS_MAX, "{} records", whole.records.len());
    assert!(whole.records.iter().all(|record| record.len() <= RECORD_MAX), "a long record");
    crate::check(
        &RULES,
        &Observation {
            agent_hint: Some(format.agent().to_owned()),
            log: Some(SessionLog { path: String::new(), ..whole.clone() }),
            ..Observation::default()
        },
    );
    if format.is_appended() {
        let steps = read(format, content, content.len() * usize::from(*cut) / 255);
        assert_eq!(whole.records, steps.records, "cut by {cut}");
        assert_eq!(whole.skipped, steps.skipped, "cut by {cut}");
    }
    let _ = fs::remove_dir_all(&*HOME);
}

impl Format {
    fn agent(self) -> &'static str {
        match self {
            Self::Aider => "aider",
            Self::Amp => "amp",
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Copilot => "copilot",
            Self::Crush => "crush",
            Self::Gemini | Self::GeminiObject => "gemini",
            Self::Goose => "goose",
            Self::Opencode | Self::OpencodeFiles | Self::OpencodeDamaged => "opencode",
            Self::Qwen => "qwen",
        }
    }

    /// By what on the command line the log is known to be the process's.
    fn args(self) -> &'static [&'static str] {
        match self {
            Self::Amp => &["T-1"],
            Self::Claude => &["--resume", "s"],
            Self::Codex => &["resume", THREAD],
            Self::Goose => &["--session-id", "s"],
            Self::Crush | Self::Opencode | Self::OpencodeFiles | Self::OpencodeDamaged => {
                &["-s", "s"]
            }
            _ => &[],
        }
    }

    /// Whether the agent appends to one file. Aider's lines have the time at which they were read.
    fn is_appended(self) -> bool {
        matches!(self, Self::Claude | Self::Codex | Self::Copilot | Self::Gemini | Self::Qwen)
    }

    /// Whether the log is known whatever stands in it.
    fn is_found(self) -> bool {
        !matches!(self, Self::GeminiObject | Self::OpencodeDamaged)
    }

    /// The file that is written to; none where there are many, or a database.
    fn path(self) -> Option<&'static str> {
        match self {
            Self::Aider => Some("w/.aider.chat.history.md"),
            Self::Amp => Some(".local/share/amp/threads/T-1.json"),
            Self::Claude => Some(".claude/projects/-w/s.jsonl"),
            Self::Codex => Some(ROLLOUT),
            Self::Copilot => Some(".copilot/session-state/s/events.jsonl"),
            Self::Gemini => Some(".gemini/tmp/w/chats/session-1.jsonl"),
            Self::GeminiObject => Some(".gemini/tmp/w/chats/session-1.json"),
            Self::Qwen => Some(".qwen/projects/-w/chats/s.jsonl"),
            Self::Crush
            | Self::Goose
            | Self::Opencode
            | Self::OpencodeFiles
            | Self::OpencodeDamaged => None,
        }
    }

    /// What stands in the file before anything that is tried.
    fn head(self) -> &'static str {
        match self {
            Self::Gemini => "{\"startTime\":\"2026-01-01T00:00:00Z\",\"kind\":\"main\"}\n",
            Self::Qwen => "{\"timestamp\":\"2026-01-01T00:00:00Z\"}\n",
            _ => "",
        }
    }
}

/// Appends to a file below the home folder.
fn write(path: &str, bytes: &[u8]) {
    let path = HOME.join(path);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    let mut file = OpenOptions::new().create(true).append(true).open(path).expect("a file");
    file.write_all(bytes).expect("room");
}

/// What is kept of a log with this content, which is looked at when the `first` bytes of it are
/// written, and again when all are.
fn read(format: Format, content: &[u8], first: usize) -> SessionLog {
    let _ = fs::remove_dir_all(&*HOME);
    let (first, rest) = content.split_at(first);
    match format.path() {
        Some(path) => write(path, &[format.head().as_bytes(), first].concat()),
        None => store::write(format, content),
    }
    let mut held: Option<File> = None;
    match format {
        Format::Claude => write(".claude/projects/-w/s/subagents/agent-1.jsonl", content),
        Format::Gemini | Format::GeminiObject => write(".gemini/tmp/w/.project_root", b"/w\n"),
        Format::Copilot => {
            let lock = format!(".copilot/session-state/s/inuse.{}.lock", std::process::id());
            held = Some(File::create(HOME.join(lock)).expect("a file"));
        }
        _ => {}
    }
    let mut logs = SessionLogs::below(Arc::clone(&RULES), &HOME);
    let process = process(format);
    let agent = (AgentId::new(format.agent()), process.pid);
    let processes = [process];
    let mut look = |now: f64| {
        let query = PaneQuery {
            pane: 0,
            agent: Some(&agent),
            processes: &processes,
            registry: None,
            screen: None,
            moving: true,
        };
        logs.look(&[query], &mut Nobody, now)
    };
    // All that was written is newer than a process that started before 1970.
    let mut answers = look(1.0);
    if let Some(path) = format.path().filter(|_| !rest.is_empty()) {
        write(path, rest);
    }
    answers.extend(look(20.0));
    drop(held);
    let log = answers.into_iter().filter_map(|(_, log)| log).next_back();
    assert!(log.is_some() || !format.is_found(), "{format:?}: no log");
    log.unwrap_or_default()
}

fn process(format: Format) -> Process {
    let name = format.agent();
    let argv = std::iter::once(&name).chain(format.args());
    let cwd = match format {
        Format::Aider | Format::Crush => HOME.join("w").display().to_string(),
        _ => "/w".to_owned(),
    };
    Process {
        pid: i64::from(std::process::id()),
        comm: name.to_owned(),
        argv: argv.map(|word| (*word).to_owned()).collect(),
        cwd: Some(cwd),
        start_time: Some(0),
        foreground: Some(true),
        ..Process::default()
    }
}

/// No process is beside the agent's.
struct Nobody;

impl ProcessSource for Nobody {
    fn begin(&mut self) {}

    fn tree(&mut self, _: i64) -> Option<Vec<Process>> {
        None
    }

    fn everyone(&mut self) -> Vec<Process> {
        Vec::new()
    }

    fn sign(&mut self, _: i64) -> Option<Sign> {
        None
    }
}
