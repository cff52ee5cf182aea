//! Codex: `sessions/YYYY/MM/DD/rollout-<time>-<thread>.jsonl` (seen in 0.58 to 0.171). The folders
//! are named by local time; a thread's id begins with the milliseconds of its making (a UUID of version 7).
//!
//! A process that runs its turns itself holds the rollout open. From 0.160 on the turns of the
//! terminal interface run in a server process (`codex app-server`) that outlives the pane and
//! holds the rollouts of all panes; there the command line may name the thread, and else folder
//! and time have to do, and what the pane shows. Threads of subagents have rollouts in the same place
//! and are no candidates.

mod history;

use super::super::file::{self, Stamp};
use super::super::head::Heads;
use super::super::kept::time_of;
use super::super::source::{Candidate, LogId, Reader, Source, Strength, Subject};
use super::{Homes, cut, is_id, opened, written};
use history::Rollout;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use madohub_detect::LogDetail;
use serde_json::Value;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

/// Folders of so many days are looked through for the threads of one process.
const DAYS_MAX: usize = 60;
/// A thread that was made within so many seconds of a process's start was made by it. 0.171 makes
/// the first thread while it starts.
const AT_START: f64 = 4.0;
/// Threads of which the last turn is remembered.
const TURNS_MAX: usize = 256;
/// The start of the last turn is looked for in so many bytes at the end of a rollout.
const TURN_BYTES: u64 = 512 * 1024;
/// So many of the newest threads from before a process are looked at for those of its folder.
const EARLIER_MAX: usize = 32;
/// Clocks of the name and of the system agree to this, in seconds.
const SLACK: f64 = 0.5;

/// Finds Codex's rollouts.
#[derive(Debug)]
pub(in crate::logs) struct Codex {
    root: Option<PathBuf>,
    heads: Heads,
    days: HashMap<PathBuf, (Stamp, Vec<LogId>)>,
    /// When the last turn of a thread began, seconds since the epoch.
    turns: HashMap<PathBuf, (Stamp, Option<f64>)>,
}

impl Codex {
    pub(in crate::logs) fn new(homes: &Homes) -> Self {
        Self {
            root: homes.folder("CODEX_HOME", ".codex"),
            heads: Heads::default(),
            days: HashMap::new(),
            turns: HashMap::new(),
        }
    }

    /// The rollout of its own that a process of the family holds open.
    fn by_open_file(&mut self, subject: &Subject<'_>) -> Option<Candidate> {
        subject.family.iter().find_map(|process| {
            let logs = opened(process.pid).into_iter().filter_map(|path| rollout(&path));
            // After `/new` and `/resume` the thread before may still be open for a moment.
            let own = logs.filter(|log| self.is_main(log, None));
            let log = own.max_by(|a, b| written(&a.path).total_cmp(&written(&b.path)))?;
            let how = format!("open in process {}", process.pid);
            Some(Candidate::new(log, Strength::Process, how))
        })
    }

    /// The thread that the command line names.
    fn by_argv(&mut self, subject: &Subject<'_>) -> Option<Candidate> {
        let argv = &subject.process.argv;
        let at = argv.iter().position(|word| word == "resume")?;
        let thread = argv.iter().skip(at + 1).find(|word| made(word).is_some())?;
        let day = Timestamp::from_second(whole(made(thread)?)).ok()?;
        let log = self.days(day, day).into_iter().find(|log| thread_of(log) == Some(thread))?;
        let how = "thread that the command line names".to_owned();
        Some(Candidate::new(log, Strength::Argv, how))
    }

    /// Threads that were made in the process's folder since it started, and older ones in which a
    /// turn began since then: a server also ends the turn of an interface that was killed.
    fn by_place(&mut self, subject: &Subject<'_>) -> Vec<Candidate> {
        let (Some(started), Some(cwd)) = (subject.started, subject.process.cwd.as_deref()) else {
            return Vec::new();
        };
        let Ok(from) = Timestamp::from_second(whole(started)) else { return Vec::new() };
        let servers = subject.everyone.list().iter().filter(|p| is_server(p));
        let served = servers.flat_map(|server| opened(server.pid));
        let mut logs: Vec<LogId> = served.filter_map(|path| rollout(&path)).collect();
        for log in self.days(from, Timestamp::now().max(from)) {
            if !logs.contains(&log) {
                logs.push(log);
            }
        }
        logs.retain(|log| {
            let made = thread_of(log).and_then(made).is_some_and(|made| made >= started - SLACK);
            let mut resumed = || {
                written(&log.path) >= started
                    && self.last_turn(log).is_some_and(|began| began >= started)
            };
            (made || resumed()) && self.is_main(log, Some(cwd))
        });
        logs.into_iter()
            .map(|log| {
                let last = written(&log.path);
                let age = thread_of(&log).and_then(made).map(|made| made - started);
                if age.is_some_and(|age| (-SLACK..=AT_START).contains(&age)) {
                    Candidate::at_start(log, last)
                } else {
                    Candidate::placed(log, last)
                }
            })
            .collect()
    }

    /// The newest threads of the process's folder that were left before it started.
    fn earlier(&mut self, subject: &Subject<'_>) -> Vec<Candidate> {
        let (Some(started), Some(cwd)) = (subject.started, subject.process.cwd.as_deref()) else {
            return Vec::new();
        };
        let Ok(day) = Timestamp::from_second(whole(started)) else { return Vec::new() };
        let mut date = day.to_zoned(TimeZone::UTC).date().saturating_add(1.day());
        let mut logs = Vec::new();
        for _ in 0..DAYS_MAX {
            let mut here = self.day(date).to_vec();
            here.sort_by(|a, b| b.path.cmp(&a.path));
            logs.append(&mut here);
            if logs.len() >= EARLIER_MAX {
                break;
            }
            date = date.saturating_sub(1.day());
        }
        logs.truncate(EARLIER_MAX);
        let left = logs.into_iter().map(|log| {
            let last = written(&log.path);
            Candidate::earlier(log, last)
        });
        left.filter(|left| left.written < started && self.is_main(&left.log, Some(cwd))).collect()
    }

    /// When the last turn of a thread began, read anew when the rollout has changed.
    fn last_turn(&mut self, log: &LogId) -> Option<f64> {
        let stamp = Stamp::of(&log.path)?;
        if let Some((then, began)) = self.turns.get(&log.path)
            && *then == stamp
        {
            return *began;
        }
        let began = last_turn(log);
        if self.turns.len() >= TURNS_MAX {
            self.turns.clear();
        }
        self.turns.insert(log.path.clone(), (stamp, began));
        began
    }

    /// Whether a rollout is of a thread that a person talks to; in this folder, where one is given.
    fn is_main(&mut self, log: &LogId, cwd: Option<&str>) -> bool {
        let Some(head) = self.heads.get(&log.root, &log.path) else { return cwd.is_none() };
        let text = |name: &str| head.pointer(name).and_then(Value::as_str);
        let subagent = text("/payload/thread_source") == Some("subagent")
            || head.pointer("/payload/source/subagent").is_some()
            || text("/payload/parent_thread_id").is_some();
        !subagent && (cwd.is_none() || text("/payload/cwd") == cwd)
    }

    /// The rollouts in the folders of these days, and of one more on both sides, because the
    /// names are of local time.
    fn days(&mut self, from: Timestamp, to: Timestamp) -> Vec<LogId> {
        let day = |time: Timestamp| time.to_zoned(TimeZone::UTC).date();
        let last: Date = day(to).saturating_add(1.day());
        let mut date: Date = day(from).saturating_sub(1.day());
        let mut logs = Vec::new();
        for _ in 0..DAYS_MAX {
            logs.extend_from_slice(self.day(date));
            if date >= last {
                break;
            }
            date = date.saturating_add(1.day());
        }
        logs
    }

    /// The rollouts in the folder of one day, listed once per change.
    fn day(&mut self, date: Date) -> &[LogId] {
        let Some(root) = &self.root else { return &[] };
        let (year, month, day) = (date.year(), date.month(), date.day());
        let folder = root.join(format!("sessions/{year:04}/{month:02}/{day:02}"));
        let Some(stamp) = Stamp::of(&folder) else { return &[] };
        if self.days.get(&folder).is_none_or(|(then, _)| *then != stamp) {
            let files = fs::read_dir(&folder).into_iter().flatten().flatten();
            let logs = files.filter_map(|file| rollout(&file.path())).collect();
            self.days.insert(folder.clone(), (stamp, logs));
        }
        self.days.get(&folder).map(|(_, logs)| logs.as_slice()).unwrap_or_default()
    }
}

impl Source for Codex {
    fn agent(&self) -> &'static str {
        "codex"
    }

    fn candidates(&mut self, subject: &Subject<'_>) -> Vec<Candidate> {
        if let Some(open) = self.by_open_file(subject) {
            return vec![open];
        }
        if let Some(named) = self.by_argv(subject) {
            return vec![named];
        }
        let mut placed = self.by_place(subject);
        if placed.is_empty() || subject.process.argv.iter().any(|word| word == "resume") {
            placed.extend(self.earlier(subject));
        }
        placed
    }

    fn detail(&self) -> fn(&Value, &mut LogDetail) {
        detail
    }

    fn prompt(&self) -> fn(&Value) -> Option<&str> {
        prompt
    }

    fn open(&self, log: &LogId) -> Box<dyn Reader> {
        Box::new(Rollout::new(log))
    }
}

fn detail(record: &Value, detail: &mut LogDetail) {
    let text = |path: &str| record.pointer(path).and_then(Value::as_str);
    let number = |path: &str| record.pointer(path).and_then(Value::as_u64);
    if text("/type") == Some("turn_context") {
        detail.model = text("/payload/model").and_then(cut).or(detail.model.take());
    }
    match text("/payload/type") {
        Some("task_complete" | "turn_complete") => {
            let said = text("/payload/last_agent_message").and_then(cut);
            detail.last_message = said.or(detail.last_message.take());
            detail.turn_ms = number("/payload/duration_ms").or(detail.turn_ms);
        }
        Some("agent_message") => {
            detail.last_message = text("/payload/message").and_then(cut);
        }
        Some("token_count") => {
            let used = number("/payload/info/last_token_usage/total_tokens");
            let window = number("/payload/info/model_context_window").filter(|size| *size > 0);
            if let Some((used, window)) = used.zip(window) {
                let left = 100 - (used.saturating_mul(100) / window).min(100);
                detail.context_left = u8::try_from(left).ok();
            }
            let limits = ["primary", "secondary"].into_iter().filter_map(|name| {
                let limit = record.pointer(&format!("/payload/rate_limits/{name}"))?;
                let used = limit.get("used_percent")?.as_f64()?;
                limit.get("resets_at")?.as_i64().filter(|_| used >= 100.0)
            });
            detail.limit_resets = limits.max();
        }
        _ => {}
    }
}

/// Until 0.145 a prompt has an event of its own, from 0.150 on it is an item.
fn prompt(record: &Value) -> Option<&str> {
    let text = |path: &str| record.pointer(path).and_then(Value::as_str);
    match (text("/payload/type")?, text("/payload/item/type")) {
        ("user_message", _) => text("/payload/message"),
        ("item_completed", Some("UserMessage")) => text("/payload/item/content/0/text"),
        _ => None,
    }
}

/// The log at a path with a rollout's name; its folder is the one above `sessions`.
fn rollout(path: &Path) -> Option<LogId> {
    let name = path.file_name().and_then(OsStr::to_str)?;
    let rest = name.strip_prefix("rollout-")?.strip_suffix(".jsonl")?;
    let root = path.ancestors().find(|folder| {
        folder.file_name().is_some_and(|name| name == "sessions" || name == "archived_sessions")
    })?;
    is_id(rest).then(|| LogId::file(root, path))
}

fn last_turn(log: &LogId) -> Option<f64> {
    let mut file = file::open(&log.root, &log.path).ok()?;
    let start = file.metadata().ok()?.len().saturating_sub(TURN_BYTES);
    file.seek(SeekFrom::Start(start)).ok()?;
    let mut bytes = Vec::new();
    file.take(TURN_BYTES).read_to_end(&mut bytes).ok()?;
    let begins = |line: &&[u8]| {
        ["\"task_started\"", "\"turn_started\""]
            .iter()
            .any(|mark| memchr::memmem::find(line, mark.as_bytes()).is_some())
    };
    let records = bytes.split(|byte| *byte == b'\n').rev().filter(begins);
    records.filter_map(|line| serde_json::from_slice::<Value>(line).ok()).find_map(|record| {
        let kind = record.pointer("/payload/type").and_then(Value::as_str);
        matches!(kind, Some("task_started" | "turn_started")).then(|| time_of(&record)).flatten()
    })
}

/// The thread of a rollout: `rollout-2026-11-30T14-01-28-<thread>.jsonl`.
fn thread_of(log: &LogId) -> Option<&str> {
    let stem = log.path.file_stem().and_then(OsStr::to_str)?;
    stem.get(stem.len().checked_sub(36)?..)
}

/// When a thread was made, seconds since the epoch: the first 48 bits of its id are milliseconds.
fn made(thread: &str) -> Option<f64> {
    let parts: Vec<&str> = thread.split('-').collect();
    let [high, low, version, _, _] = parts.as_slice() else { return None };
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    if lengths != [8, 4, 4, 4, 12] || !version.starts_with('7') {
        return None;
    }
    let millis = u64::from_str_radix(&format!("{high}{low}"), 16).ok()?;
    #[expect(clippy::cast_precision_loss, reason = "48 bits fit")]
    Some(millis as f64 / 1000.0)
}

#[expect(clippy::cast_possible_truncation, reason = "saturates")]
fn whole(seconds: f64) -> i64 {
    seconds.floor() as i64
}

/// Whether a process runs the turns of others: `codex app-server`.
fn is_server(process: &madohub_detect::Process) -> bool {
    let program = process.exe.as_deref().or(process.argv.first().map(String::as_str));
    let named = program.is_some_and(|path| Path::new(path).file_name() == Some("codex".as_ref()));
    named && process.argv.iter().any(|word| word == "app-server")
}
