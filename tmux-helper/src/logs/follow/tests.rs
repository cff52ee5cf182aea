#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a failing test may panic")]

use super::*;
use crate::processes::Sign;
use std::fs;
use std::path::{Path, PathBuf};

/// A home folder, and the agents' processes as of now.
struct World {
    home: tempfile::TempDir,
    logs: SessionLogs,
    everyone: Vec<Process>,
    panes: Vec<Pane>,
    now: f64,
}

struct Pane {
    agent: (AgentId, i64),
    processes: Vec<Process>,
    registry: Option<Registry>,
}

struct Listed(Vec<Process>);

impl ProcessSource for Listed {
    fn begin(&mut self) {}

    fn tree(&mut self, _: i64) -> Option<Vec<Process>> {
        None
    }

    fn everyone(&mut self) -> Vec<Process> {
        self.0.clone()
    }

    fn sign(&mut self, _: i64) -> Option<Sign> {
        None
    }
}

impl World {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let rules = Arc::new(RuleSet::builtin().unwrap());
        let logs = SessionLogs::new(rules, &Homes::at(home.path()));
        Self { home, logs, everyone: Vec::new(), panes: Vec::new(), now: crate::time::now() }
    }

    fn write(&self, path: &str, text: &str) -> PathBuf {
        let path = self.home.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// The file was written last so many seconds ago.
    fn touch(&self, path: &Path, age: f64) {
        let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs_f64(self.now - age);
        fs::File::options().append(true).open(path).unwrap().set_modified(time).unwrap();
    }

    /// A pane with an agent that started so many seconds ago in this folder.
    fn pane(&mut self, agent: &str, age: f64, cwd: &str, args: &[&str]) -> usize {
        let pid = 1_000_000_000 + i64::try_from(self.panes.len()).unwrap();
        let process = self.process(agent, pid, age, cwd, args);
        let agent = (AgentId::new(agent), pid);
        self.panes.push(Pane { agent, processes: vec![process], registry: None });
        self.panes.len() - 1
    }

    fn process(&self, agent: &str, pid: i64, age: f64, cwd: &str, args: &[&str]) -> Process {
        let words = std::iter::once(&agent).chain(args);
        let born = |ticks| {
            let process = Process { start_time: Some(ticks), ..Process::default() };
            started(&process, self.now).unwrap()
        };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a test")]
        let ticks = ((self.now - age - born(0)) / (born(100) - born(0)) * 100.0) as u64;
        Process {
            pid,
            ppid: 1,
            comm: agent.to_owned(),
            argv: words.map(|word| (*word).to_owned()).collect(),
            cwd: Some(cwd.to_owned()),
            start_time: Some(ticks),
            foreground: Some(true),
            ..Process::default()
        }
    }

    /// Looks once; answers the pane's log: its file's name, `?` for an ambiguity, `-` for none.
    fn look(&mut self) -> Vec<String> {
        let queries: Vec<PaneQuery<'_>> = self
            .panes
            .iter()
            .zip(0..)
            .map(|(pane, number)| PaneQuery {
                pane: number,
                agent: Some(&pane.agent),
                processes: &pane.processes,
                registry: pane.registry.as_ref(),
                moving: true,
            })
            .collect();
        // Time does not go on here: start times are reckoned from the system's own clock.
        self.logs.panes.values_mut().for_each(|pane| pane.searched = f64::NEG_INFINITY);
        self.logs.everyone = None;
        self.logs.look(&queries, &mut Listed(self.everyone.clone()), self.now);
        let logs = &self.logs.panes;
        let name = |path: &str| Path::new(path).file_name().unwrap().to_str().unwrap().to_owned();
        (0..self.panes.len() as u64)
            .map(|pane| match logs.get(&pane).and_then(PaneLog::seen) {
                Some(log) if !log.between.is_empty() => "?".to_owned(),
                Some(log) => name(&log.path),
                None => "-".to_owned(),
            })
            .collect()
    }
}

/// A thread id made at this time.
fn thread(time: f64) -> String {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a test")]
    let millis = (time * 1000.0) as u64;
    let hex = format!("{millis:012x}");
    let (high, low) = hex.split_at(8);
    format!("{high}-{low}-7d41-bc09-ced5997bf509")
}

impl World {
    /// A rollout of a thread that was made so many seconds ago.
    fn rollout(&self, age: f64, cwd: &str, meta: &str) -> String {
        let made = self.now - age;
        let thread = thread(made);
        #[expect(clippy::cast_possible_truncation, reason = "a test")]
        let day = jiff::Timestamp::from_second(made as i64).unwrap();
        let day = day.to_zoned(jiff::tz::TimeZone::UTC).date().to_string().replace('-', "/");
        let name = format!("rollout-2026-01-01T00-00-00-{thread}.jsonl");
        let head =
            format!("{{\"type\":\"session_meta\",\"payload\":{{\"cwd\":\"{cwd}\"{meta}}}}}\n");
        let path = self.write(&format!(".codex/sessions/{day}/{name}"), &head);
        self.touch(&path, age);
        name
    }
}

#[test]
fn codex_is_tied_by_folder_and_time_when_it_is_alone() {
    let mut world = World::new();
    world.rollout(500.0, "/w", "");
    let other = world.rollout(40.0, "/elsewhere", "");
    let own = world.rollout(49.5, "/w", "");
    world.rollout(39.0, "/w", r#","thread_source":"subagent""#);
    world.rollout(38.0, "/w", r#","source":{"subagent":{"thread_spawn":{}}}"#);
    world.pane("codex", 50.0, "/w", &[]);
    assert_eq!(world.look(), [own.as_str()]);
    world.pane("codex", 45.0, "/elsewhere", &[]);
    assert_eq!(world.look(), [own.as_str(), other.as_str()]);
    // A second one in the same folder, which has no thread yet, could have resumed the first's.
    world.pane("codex", 1.0, "/w", &[]);
    let logs = world.look();
    assert_eq!(logs[1], other);
}

#[test]
fn two_codex_in_one_folder_are_ambiguous_unless_time_tells_them_apart() {
    let mut world = World::new();
    let first = world.rollout(99.8, "/w", "");
    let second = world.rollout(49.8, "/w", "");
    world.pane("codex", 100.0, "/w", &[]);
    world.pane("codex", 50.0, "/w", &[]);
    let logs = world.look();
    assert!(logs.iter().all(|log| log == "?") || logs == [first, second], "{logs:?}");
}

#[test]
fn a_process_in_no_pane_is_a_rival_too() {
    let mut world = World::new();
    world.rollout(40.0, "/w", "");
    world.pane("codex", 50.0, "/w", &[]);
    world.everyone = vec![world.process("codex", 77, 45.0, "/w", &[])];
    assert_eq!(world.look(), ["?"]);
    world.everyone.clear();
    assert_ne!(world.look(), ["?"]);
}

#[test]
fn codex_resumes_the_thread_of_its_command_line() {
    let mut world = World::new();
    let old = world.rollout(90_000.0, "/w", "");
    world.rollout(10.0, "/w", "");
    let id = thread(world.now - 90_000.0);
    world.pane("codex", 50.0, "/w", &["resume", &id]);
    assert_eq!(world.look(), [old.as_str()]);
    world.pane("codex", 20.0, "/w", &["resume", &id]);
    assert_eq!(world.look(), ["?", "?"]);
}

const SESSION: &str = "464d62ad-70e2-4a3a-aeb8-c9da98207252";

impl World {
    fn transcript(&self, folder: &str, session: &str) {
        let line = r#"{"type":"user","message":{"content":"hi"}}"#;
        self.write(&format!(".claude/projects/{folder}/{session}.jsonl"), &format!("{line}\n"));
    }

    fn register(&mut self, pane: usize, session: &str) {
        self.panes[pane].registry = Some(Registry {
            pid: Some(self.panes[pane].agent.1),
            session_id: Some(session.to_owned()),
            cwd: Some("/w/ä b".to_owned()),
            ..Registry::default()
        });
    }
}

#[test]
fn claude_is_tied_by_its_entry_and_followed_after_clear() {
    let mut world = World::new();
    world.transcript("-w---b", SESSION);
    world.transcript("-w---b", "second");
    world.transcript("named", "third");
    let pane = world.pane("claude", 50.0, "/w/ä b", &["--resume", "second"]);
    world.register(pane, SESSION);
    assert_eq!(world.look(), [format!("{SESSION}.jsonl")]);
    world.register(pane, "second");
    assert_eq!(world.look(), ["second.jsonl"]);
    world.register(pane, "third");
    assert_eq!(world.look(), ["third.jsonl"], "a project folder with a name of its own");
    world.register(pane, "not-written-yet");
    assert_eq!(world.look(), ["-"]);
    world.register(pane, "../../../etc/passwd");
    assert_eq!(world.look(), ["-"]);
}

#[test]
fn claude_without_an_entry_is_tied_by_its_command_line() {
    let mut world = World::new();
    world.transcript("-w", SESSION);
    world.pane("claude", 50.0, "/w", &["--resume", SESSION]);
    world.pane("claude", 50.0, "/w", &["-r", "--verbose"]);
    assert_eq!(world.look(), [format!("{SESSION}.jsonl"), "-".to_owned()]);
}

#[test]
fn another_process_in_the_pane_is_another_log() {
    let mut world = World::new();
    world.transcript("-w", SESSION);
    let pane = world.pane("claude", 50.0, "/w", &["--resume", SESSION]);
    assert_eq!(world.look(), [format!("{SESSION}.jsonl")]);
    // The same number, started later.
    let pid = world.panes[pane].agent.1;
    world.panes[pane].processes = vec![world.process("claude", pid, 1.0, "/w", &[])];
    assert_eq!(world.look(), ["-"]);
}

#[test]
fn what_an_earlier_process_wrote_is_no_news() {
    let mut world = World::new();
    let now = world.now;
    let time = |age: f64| {
        #[expect(clippy::cast_possible_truncation, reason = "a test")]
        jiff::Timestamp::from_millisecond(((now - age) * 1000.0) as i64).unwrap()
    };
    let prompt = |age: f64| {
        format!(
            "{{\"type\":\"user\",\"message\":{{\"content\":\"x\"}},\"timestamp\":\"{}\"}}\n",
            time(age)
        )
    };
    let text = format!("{}{}", prompt(100.0), prompt(10.0));
    world.write(&format!(".claude/projects/-w/{SESSION}.jsonl"), &text);
    world.pane("claude", 50.0, "/w", &["--resume", SESSION]);
    world.look();
    let log = world.logs.panes.get(&0).and_then(PaneLog::seen).unwrap();
    assert_eq!(log.records.len(), 1);
    assert!(log.records[0].contains(&time(10.0).to_string()));
}
