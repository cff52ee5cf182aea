#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a failing test may panic")]

use super::*;
use crate::processes::Sign;
use madohub_detect::State;
use std::fs;
use std::path::{Path, PathBuf};

mod changes;
mod faults;
mod resumed;
mod shown;
mod sources;
mod strangers;

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
    screen: Option<Vec<String>>,
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
        self.panes.push(Pane { agent, processes: vec![process], registry: None, screen: None });
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
        let numbers: Vec<u64> = (0..self.panes.len() as u64).collect();
        self.look_at(&numbers)
    }

    /// The same for panes with these numbers.
    fn look_at(&mut self, numbers: &[u64]) -> Vec<String> {
        let queries: Vec<PaneQuery<'_>> = self
            .panes
            .iter()
            .zip(numbers)
            .map(|(pane, number)| PaneQuery {
                pane: *number,
                agent: Some(&pane.agent),
                processes: &pane.processes,
                registry: pane.registry.as_ref(),
                screen: pane.screen.as_deref(),
                moving: true,
            })
            .collect();
        // Time does not go on here: start times are reckoned from the system's own clock.
        self.logs.panes.values_mut().for_each(|pane| pane.searched = f64::NEG_INFINITY);
        self.logs.everyone = None;
        self.logs.look(&queries, &mut Listed(self.everyone.clone()), self.now);
        let logs = &self.logs.panes;
        let name = |path: &str| Path::new(path).file_name().unwrap().to_str().unwrap().to_owned();
        numbers
            .iter()
            .map(|pane| match logs.get(pane).and_then(PaneLog::seen) {
                Some(log) if !log.between.is_empty() => "?".to_owned(),
                Some(log) => name(&log.path),
                None => "-".to_owned(),
            })
            .collect()
    }
}

/// A time so many seconds before now, as records have it.
fn time(world: &World, age: f64) -> String {
    #[expect(clippy::cast_possible_truncation, reason = "a test")]
    let millis = ((world.now - age) * 1000.0) as i64;
    jiff::Timestamp::from_millisecond(millis).unwrap().to_string()
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
    assert_eq!(world.look(), [first.as_str(), second.as_str()]);
    // Either may have begun another thread.
    world.rollout(10.0, "/w", "");
    assert_eq!(world.look(), ["?", "?"]);
}

#[test]
fn a_process_in_no_pane_is_a_rival_too() {
    let mut world = World::new();
    world.rollout(30.0, "/w", "");
    world.pane("codex", 50.0, "/w", &[]);
    world.everyone = vec![world.process("codex", 77, 45.0, "/w", &[])];
    assert_eq!(world.look(), ["?"]);
    world.everyone.clear();
    assert_ne!(world.look(), ["?"]);
}

#[test]
fn codex_goes_on_in_an_older_thread_once_a_turn_began_in_it() {
    let mut world = World::new();
    let name = world.rollout(500.0, "/w", "");
    let path = find(world.home.path(), &name).unwrap();
    let add = |world: &World, kind: &str, age: f64| {
        let time = time(world, age);
        let record = format!(
            "{{\"timestamp\":\"{time}\",\"type\":\"event_msg\",\"payload\":{{\"type\":\"{kind}\"}}}}\n"
        );
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text + &record).unwrap();
    };
    // A server ends the turn of an interface that was killed, after the next one was started.
    add(&world, "task_started", 60.0);
    add(&world, "task_complete", 5.0);
    world.pane("codex", 50.0, "/w", &[]);
    assert_eq!(world.look(), ["-"]);
    add(&world, "task_started", 4.0);
    assert_eq!(world.look(), [name.as_str()]);
}

/// The file of this name below a folder.
fn find(folder: &Path, name: &str) -> Option<PathBuf> {
    fs::read_dir(folder).ok()?.flatten().find_map(|entry| {
        let path = entry.path();
        if path.is_dir() { find(&path, name) } else { path.ends_with(name).then_some(path) }
    })
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
    let path = world.home.path().join(format!(".claude/projects/-w/{SESSION}.jsonl"));
    world.touch(&path, 10.0);
    let pane = world.pane("claude", 50.0, "/w", &["--resume", SESSION]);
    assert_eq!(world.look(), [format!("{SESSION}.jsonl")]);
    // The same number, started later.
    let pid = world.panes[pane].agent.1;
    world.panes[pane].processes = vec![world.process("claude", pid, 1.0, "/w", &[])];
    assert_eq!(world.look(), ["-"]);
}

#[test]
fn claude_without_entry_or_command_line_is_tied_by_folder_and_time() {
    let mut world = World::new();
    let begin = |world: &World, age: f64| {
        format!(
            "{{\"type\":\"user\",\"message\":{{\"content\":\"x\"}},\"timestamp\":\"{}\"}}\n",
            time(world, age)
        )
    };
    let old = world.write(".claude/projects/-w/old.jsonl", &begin(&world, 900.0));
    world.touch(&old, 800.0);
    world.write(".claude/projects/-w/own.jsonl", &begin(&world, 40.0));
    world.write(".claude/projects/-w/agent-x.jsonl", &begin(&world, 30.0));
    world.write(".claude/projects/-v/resumed.jsonl", &begin(&world, 900.0));
    world.pane("claude", 50.0, "/w", &[]);
    world.pane("claude", 50.0, "/v", &["--continue"]);
    world.pane("claude", 50.0, "/v/w", &[]);
    assert_eq!(world.look(), ["own.jsonl", "resumed.jsonl", "-"]);
    world.pane("claude", 50.0, "/w", &[]);
    assert_eq!(world.look(), ["?", "resumed.jsonl", "-", "?"]);
}

#[test]
fn qwen_is_tied_by_its_entry_else_by_folder_and_time() {
    let mut world = World::new();
    let begin =
        |age: f64| format!("{{\"type\":\"user\",\"timestamp\":\"{}\"}}\n", time(&world, age));
    let (mine, other) = (begin(40.0), begin(30.0));
    world.write(".qwen/projects/-w/chats/mine.jsonl", &mine);
    world.write(".qwen/projects/-w/chats/other.jsonl", &other);
    world.pane("qwen", 50.0, "/w", &[]);
    world.pane("qwen", 50.0, "/w", &[]);
    assert_eq!(world.look(), ["?", "?"]);
    let entry = format!("{{\"pid\":{}}}", world.panes[0].agent.1);
    world.write(".qwen/projects/-w/chats/mine.runtime.json", &entry);
    assert_eq!(world.look(), ["mine.jsonl", "other.jsonl"]);
}

#[test]
fn gemini_is_tied_by_the_folder_of_its_project() {
    let mut world = World::new();
    let head = |age: f64, kind: &str| {
        format!(
            "{{\"sessionId\":\"s\",\"startTime\":\"{}\",\"kind\":\"{kind}\"}}\n",
            time(&world, age)
        )
    };
    let (old, own, sub) = (head(900.0, "main"), head(40.0, "main"), head(30.0, "subagent"));
    for (name, text) in [("old", old), ("own", own), ("sub", sub)] {
        world.write(&format!(".gemini/tmp/w/chats/session-{name}.jsonl"), &text);
    }
    world.write(".gemini/tmp/w/.project_root", "/w\n");
    world.write(".gemini/tmp/v/.project_root", "/v");
    world.pane("gemini", 50.0, "/w", &[]);
    world.pane("gemini", 50.0, "/v", &[]);
    assert_eq!(world.look(), ["session-own.jsonl", "-"]);
}

/// OpenCode's database, as far as it is asked.
fn opencode(world: &World) -> rusqlite::Connection {
    let path = world.write(".local/share/opencode/opencode.db", "");
    let db = rusqlite::Connection::open(path).unwrap();
    db.execute_batch(
        "PRAGMA journal_mode = WAL;
         CREATE TABLE session(id TEXT, parent_id TEXT, directory TEXT, time_created INTEGER, time_updated INTEGER);
         CREATE TABLE message(id TEXT, session_id TEXT, data TEXT);
         CREATE TABLE part(id TEXT, message_id TEXT, session_id TEXT, data TEXT);",
    )
    .unwrap();
    db
}

#[test]
fn opencode_is_followed_in_its_database() {
    let mut world = World::new();
    let db = opencode(&world);
    #[expect(clippy::cast_possible_truncation, reason = "a test")]
    let millis = |age: f64| ((world.now - age) * 1000.0) as i64;
    let (old, new) = (millis(900.0), millis(40.0));
    let mut session = db.prepare("INSERT INTO session VALUES(?1, ?2, ?3, ?4, ?4)").unwrap();
    for (id, parent, folder, time) in [
        ("ses_old", None, "/w", old),
        ("ses_own", None, "/w", new),
        ("ses_sub", Some("ses_own"), "/w", new),
        ("ses_other", None, "/v", new),
    ] {
        session.execute((id, parent, folder, time)).unwrap();
    }
    let message = |id: &str, data: &str| {
        db.execute("INSERT OR REPLACE INTO message VALUES(?1, 'ses_own', ?2)", (id, data)).unwrap();
    };
    let part = |id: &str, message: &str, data: &str| {
        db.execute("INSERT INTO part VALUES(?1, ?2, 'ses_own', ?3)", (id, message, data)).unwrap();
    };
    world.pane("opencode", 50.0, "/w", &[]);
    world.pane("opencode", 50.0, "/u", &["-s", "ses_other"]);
    assert_eq!(world.look(), ["opencode.db (ses_own)", "opencode.db (ses_other)"]);
    message("msg_1", &format!("{{\"role\":\"user\",\"time\":{{\"created\":{new}}}}}"));
    message(
        "msg_2",
        &format!("{{\"role\":\"assistant\",\"modelID\":\"m\",\"time\":{{\"created\":{new}}}}}"),
    );
    assert_eq!(world.state(0, "opencode"), State::Working);
    part("prt_1", "msg_2", r#"{"type":"text","text":"Done."}"#);
    db.execute("DELETE FROM message WHERE id = 'msg_2'", ()).unwrap();
    message(
        "msg_2",
        &format!(
            "{{\"role\":\"assistant\",\"modelID\":\"m\",\"finish\":\"stop\",\"time\":{{\"created\":{new},\"completed\":{}}}}}",
            new + 1500
        ),
    );
    assert_eq!(world.state(0, "opencode"), State::Completed);
    let detail = world.logs.panes.get(&0).and_then(PaneLog::seen).unwrap().detail;
    assert_eq!(
        (detail.model.as_deref(), detail.last_message.as_deref(), detail.turn_ms),
        (Some("m"), Some("Done."), Some(1500))
    );
    for (id, data, more, state) in [
        (
            "msg_3",
            r#""error":{"name":"MessageAbortedError","data":{"message":"x"}}"#,
            "",
            State::Stopped,
        ),
        ("msg_4", r#""error":{"name":"APIError","data":{"message":"500"}}"#, "", State::Failed),
        ("msg_5", r#""finish":"tool-calls""#, "", State::Working),
        (
            "msg_6",
            r#""finish":"tool-calls""#,
            "The user rejected permission to use this specific tool call.",
            State::Stopped,
        ),
    ] {
        if !more.is_empty() {
            part(
                "prt_9",
                id,
                &format!(
                    "{{\"type\":\"tool\",\"state\":{{\"status\":\"error\",\"error\":\"{more}\"}}}}"
                ),
            );
        }
        message(
            id,
            &format!(
                "{{\"role\":\"assistant\",{data},\"time\":{{\"created\":{new},\"completed\":{new}}}}}"
            ),
        );
        assert_eq!(world.state(0, "opencode"), state, "{data}");
    }
}

impl World {
    /// The state by the pane's log alone.
    fn state(&mut self, pane: u64, agent: &str) -> State {
        self.look();
        let log = self.logs.panes.get(&pane).and_then(PaneLog::seen);
        let seen = madohub_detect::Observation {
            agent_hint: Some(agent.to_owned()),
            log,
            ..madohub_detect::Observation::default()
        };
        madohub_detect::detect(self.logs.rules(), &seen).state
    }
}

/// Files with secrets that lie where logs are searched for.
const SECRETS: [&str; 11] = [
    ".claude/.credentials.json",
    ".claude/sessions/1000000000.ab12.key",
    ".claude/projects/-w/auth.jsonl",
    ".codex/auth.json",
    ".copilot/token.json",
    ".gemini/oauth_creds.json",
    ".qwen/oauth_creds.json",
    ".local/share/opencode/auth.json",
    ".local/share/opencode/opencode-token.db",
    ".local/share/amp/secrets.json",
    ".local/share/goose/sessions/token.db",
];

#[cfg(target_os = "linux")]
#[test]
fn files_with_secrets_are_never_opened() {
    use rustix::fs::inotify::{CreateFlags, WatchFlags, add_watch, init};
    let mut world = World::new();
    drop(opencode(&world));
    world.rollout(49.0, "/w", "");
    world.write(".gemini/tmp/w/.project_root", "/w\n");
    let wire = init(CreateFlags::NONBLOCK).unwrap();
    for path in SECRETS {
        let path = world.write(path, "{}\n");
        add_watch(&wire, path, WatchFlags::OPEN).unwrap();
    }
    for source in crate::logs::agents::sources(&Homes::at(world.home.path())) {
        let agent = source.agent();
        world.pane(agent, 50.0, "/w", &["--continue"]);
    }
    world.look();
    let mut registry =
        crate::registry::RegistryReader::new(Some(world.home.path().join(".claude/sessions")));
    registry.begin();
    registry.entry(&world.panes[0].processes);
    let mut events = [0; 4096];
    assert_eq!(rustix::io::read(&wire, &mut events), Err(rustix::io::Errno::AGAIN));
    fs::read(world.home.path().join(SECRETS[0])).unwrap();
    assert!(rustix::io::read(&wire, &mut events).is_ok(), "the wire works");
}

#[test]
fn what_an_earlier_process_wrote_is_no_news() {
    let mut world = World::new();
    let (before, since) = (time(&world, 100.0), time(&world, 10.0));
    let prompt = |time: &str| {
        let message = r#""type":"user","message":{"content":"x"}"#;
        format!("{{{message},\"timestamp\":\"{time}\"}}\n")
    };
    let text = format!("{}{}", prompt(&before), prompt(&since));
    world.write(&format!(".claude/projects/-w/{SESSION}.jsonl"), &text);
    world.pane("claude", 50.0, "/w", &["--resume", SESSION]);
    world.look();
    let log = world.logs.panes.get(&0).and_then(PaneLog::seen).unwrap();
    assert_eq!(log.records.len(), 1);
    assert!(log.records[0].contains(&since));
}
