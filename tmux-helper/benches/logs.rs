//! What following session logs costs: `cargo bench -p tmux-helper --bench logs`.
//!
//! Each figure stands beside a baseline of the same run that does the least that could be done:
//! reading the same bytes, or asking for the state of the same files. Ratios to it hold on any
//! machine. The benchmark runs itself again in a home folder of its own, because logs are searched
//! for where the environment says.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_precision_loss,
    reason = "a benchmark may fail loudly, and its figures are for people"
)]

use madohub::logs::{PaneQuery, SessionLogs};
use madohub::processes;
use madohub_detect::{AgentId, Process, Registry, RuleSet};
use std::fs::{self, File, OpenOptions};
use std::hint::black_box;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

const HOME: &str = "MADOHUB_BENCH_HOME";
const PANES: usize = 50;
const OLD_LOGS: usize = 10_000;
const GIGABYTE: u64 = 1 << 30;
const MEGABYTE: usize = 1 << 20;

fn main() {
    let Some(home) = std::env::var_os(HOME).map(PathBuf::from) else {
        let home = tempfile::tempdir().unwrap();
        let mut again = Command::new(std::env::current_exe().unwrap());
        let again = again.env("HOME", home.path()).env(HOME, home.path());
        let again = again.env_remove("CLAUDE_CONFIG_DIR");
        assert!(again.status().unwrap().success());
        return;
    };
    let before = resident();
    steady(&home);
    println!("memory with {PANES} logs: {} KiB more\n", resident().saturating_sub(before));
    tailing(&home);
    start(&home);
}

/// Panes with a Claude Code each, whose entries name their sessions.
struct Panes(Vec<((AgentId, i64), Vec<Process>, Registry)>);

impl Panes {
    fn new(sessions: impl Iterator<Item = String>) -> Self {
        let pane = |(number, session): (usize, String)| {
            let pid = 1_000_000_000 + i64::try_from(number).unwrap();
            let argv = vec!["claude".to_owned()];
            let cwd = Some("/w".to_owned());
            let process =
                Process { pid, comm: "claude".to_owned(), argv, cwd, ..Process::default() };
            let entry =
                Registry { pid: Some(pid), session_id: Some(session), ..Registry::default() };
            ((AgentId::new("claude"), pid), vec![process], entry)
        };
        Self(sessions.enumerate().map(pane).collect())
    }

    /// Looks once; answers how many panes have anything new.
    fn look(&self, logs: &mut SessionLogs, now: f64) -> usize {
        let queries =
            self.0.iter().zip(0..).map(|((agent, processes, registry), pane)| PaneQuery {
                pane,
                agent: Some(agent),
                processes,
                registry: Some(registry),
                screen: None,
                moving: false,
            });
        let queries: Vec<PaneQuery<'_>> = queries.collect();
        logs.look(&queries, &mut *processes::source(), now).len()
    }
}

/// Looks at many logs of which none, or one, was written to.
fn steady(home: &Path) {
    let name = |n: usize| format!("session-{n}");
    let paths: Vec<PathBuf> = (0..PANES).map(|n| transcript(home, &name(n))).collect();
    for path in &paths {
        append(path, &turns(64 * 1024));
    }
    let panes = Panes::new((0..PANES).map(name));
    let mut logs = SessionLogs::from_env(rules());
    assert_eq!(panes.look(&mut logs, 0.0), PANES);
    let stat = median(|| paths.iter().filter(|path| fs::metadata(path).is_ok()).count());
    // Within the same second nothing is searched for.
    let still = median(|| panes.look(&mut logs, 0.5));
    let mut last = 0;
    let one = median(|| {
        append(&paths[0], RECORD);
        last = panes.look(&mut logs, 0.5);
    });
    assert_eq!(last, 1);
    println!("a look at {PANES} logs, baseline: stat of the same files, {}", micros(stat));
    println!("  none was written to  {} ({})", micros(still), ratio(still, stat));
    println!("  one was written to   {} ({})\n", micros(one), ratio(one, stat));
}

/// Reads what an agent writes.
fn tailing(home: &Path) {
    println!("tailing, baseline: plain reading of the same bytes");
    for (what, text) in
        [("short records", turns(64 * MEGABYTE)), ("records of 1 MiB", long_records(64 * MEGABYTE))]
    {
        let path = transcript(home, "tailed");
        append(&path, RECORD);
        let panes = Panes::new(std::iter::once("tailed".to_owned()));
        let mut logs = SessionLogs::from_env(rules());
        panes.look(&mut logs, 0.0);
        append(&path, &text);
        let plain = time(|| read_through(&path));
        let tail = time(|| panes.look(&mut logs, 0.5));
        let speed = text.len() as f64 / MEGABYTE as f64 / tail.as_secs_f64();
        println!("  {what:<18} {speed:.0} MiB/s ({} the time)", ratio(tail, plain));
        fs::remove_file(path).unwrap();
    }
    println!();
}

/// Opens one log of a gigabyte among thousands of old ones.
fn start(home: &Path) {
    for n in 0..OLD_LOGS {
        append(&transcript(home, &format!("old-{n}")), RECORD);
    }
    let path = transcript(home, "large");
    // A hole is read as zeros; only the end is looked at.
    OpenOptions::new().append(true).create(true).open(&path).unwrap().set_len(GIGABYTE).unwrap();
    append(&path, &format!("\n{}", turns(MEGABYTE)));
    let folder = path.parent().unwrap();
    let list = median(|| fs::read_dir(folder).unwrap().count());
    let panes = Panes::new(std::iter::once("large".to_owned()));
    let first = median(|| panes.look(&mut SessionLogs::from_env(rules()), 0.0));
    let rules = median(rules);
    println!("start, baseline: listing the folder of the logs, {}", micros(list));
    println!(
        "  {OLD_LOGS} old logs and one of 1 GiB  {} ({}), of which rules {}",
        micros(first),
        ratio(first, list),
        micros(rules)
    );
}

fn rules() -> Arc<RuleSet> {
    Arc::new(RuleSet::builtin().unwrap())
}

const RECORD: &str = concat!(
    r#"{"type":"assistant","uuid":"464d62ad-70e2-4a3a-aeb8-c9da98207252","message":{"model":"m","#,
    r#""stop_reason":"end_turn","content":[{"type":"text","text":"Done."}]},"isSidechain":false}"#,
    "\n"
);

/// Records of ordinary turns, so many bytes.
fn turns(bytes: usize) -> String {
    let noise = r#"{"type":"attachment","attachment":{"type":"file","content":"lorem ipsum dolor sit amet "}}"#;
    let turn = format!("{noise}\n{RECORD}");
    turn.repeat(bytes / turn.len())
}

/// Records with a tool's long output each.
fn long_records(bytes: usize) -> String {
    let output = "lorem ipsum \\n".repeat(MEGABYTE / 13);
    let record = format!(
        "{{\"type\":\"user\",\"message\":{{\"content\":[{{\"type\":\"tool_result\",\"content\":\"{output}\"}}]}}}}\n"
    );
    record.repeat(bytes / record.len())
}

fn transcript(home: &Path, session: &str) -> PathBuf {
    let folder = home.join(".claude/projects/-w");
    fs::create_dir_all(&folder).unwrap();
    folder.join(format!("{session}.jsonl"))
}

fn append(path: &Path, text: &str) {
    let mut file = OpenOptions::new().append(true).create(true).open(path).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

fn read_through(path: &Path) -> u64 {
    let mut file = File::open(path).unwrap();
    let mut block = vec![0; 64 * 1024];
    let mut sum = 0;
    loop {
        match file.read(&mut block).unwrap() {
            0 => return sum,
            count => sum += black_box(&block[..count]).len() as u64,
        }
    }
}

fn time<T>(run: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    black_box(run());
    start.elapsed()
}

fn median<T>(mut run: impl FnMut() -> T) -> Duration {
    let mut times: Vec<Duration> = (0..21).map(|_| time(&mut run)).collect();
    times.sort_unstable();
    times[times.len() / 2]
}

fn micros(time: Duration) -> String {
    format!("{:.0} µs", time.as_secs_f64() * 1e6)
}

fn ratio(time: Duration, baseline: Duration) -> String {
    format!("{:.1}x", time.as_secs_f64() / baseline.as_secs_f64())
}

/// Resident memory of this process, in KiB; 0 where the system does not say.
fn resident() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
