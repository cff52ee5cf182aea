//! Session logs of agents in real panes.

use crate::world::{IDLE, WORKING, World, wait};
use std::fs::{self, OpenOptions};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::Stdio;

const CODEX: &str = "\n› Ask Codex to do anything\n\n  gpt-5 high · ~/w\n";
const STARTED: &str = r#"{"type":"event_msg","payload":{"type":"task_started","turn_id":"1"}}"#;
const COMPLETED: &str =
    r#"{"type":"event_msg","payload":{"type":"task_complete","last_agent_message":"Done."}}"#;
const FAILED: &str = r#"{"type":"event_msg","payload":{"type":"task_complete","last_agent_message":null,"error":{"message":"no","codex_error_info":"other"}}}"#;

fn append(log: &Path, record: &str) {
    let mut file = OpenOptions::new().append(true).open(log).unwrap();
    writeln!(file, "{record}").unwrap();
}

/// A log below the home folder with these records.
fn log(world: &World, path: &str, records: &[&str]) -> PathBuf {
    let path = world.path("home").join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, "").unwrap();
    for record in records {
        append(&path, record);
    }
    path
}

/// A rollout, and a pane with a Codex that holds it open.
fn codex(world: &World, thread: &str) -> (PathBuf, String) {
    let name = format!(
        ".codex/sessions/2026/11/30/rollout-2026-11-30T13-43-27-01a22cb2-3888-7d41-bc09-{thread}.jsonl"
    );
    let head = r#"{"type":"session_meta","payload":{"cwd":"/w","source":"cli"}}"#;
    let path = log(world, &name, &[head]);
    let more = format!("9< {}", path.display());
    let pane = world.agent_with("m", thread, "codex", &more);
    world.show(thread, CODEX);
    (path, pane)
}

#[test]
fn a_turn_ends_on_the_border_as_the_log_says() {
    let world = World::new();
    world.server("m");
    let (log, pane) = codex(&world, "ced5997bf509");
    let (other, second) = codex(&world, "ced5997bf510");
    world.until("m", &pane, "idle");
    world.said("m", &["tmux", "start"]);
    append(&log, STARTED);
    world.until("m", &pane, "working");
    append(&log, COMPLETED);
    world.until("m", &pane, "completed");
    append(&other, STARTED);
    append(&other, FAILED);
    world.until("m", &second, "failed");
    for (pane, state) in [(&pane, "completed"), (&second, "failed")] {
        wait("the border's option", || {
            let option =
                world.tmux("m", &["display-message", "-p", "-t", pane, "#{@madohub_state}"]);
            if option.trim() == state { Ok(()) } else { Err(option) }
        });
    }
    let explained = world.said("m", &["explain", &pane]);
    assert!(
        explained.contains(&format!("log     {}: open in process", log.display())),
        "{explained}"
    );
    assert!(explained.contains("session-log codex.log.completed"), "{explained}");
}

/// A Claude Code in a pane of the server `m`, with its entry and its transcript.
struct Claude<'a> {
    world: &'a World,
    pane: String,
    transcript: PathBuf,
}

const SESSION: &str = "464d62ad-70e2-4a3a-aeb8-c9da98207252";

impl<'a> Claude<'a> {
    fn begin(world: &'a World) -> Self {
        world.server("m");
        let pane = world.agent("m", "a");
        world.show("a", IDLE);
        let cwd = fs::canonicalize(world.path("")).unwrap();
        let folder: String = cwd
            .to_str()
            .unwrap()
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
            .collect();
        let transcript = log(world, &format!(".claude/projects/{folder}/{SESSION}.jsonl"), &[]);
        Self { world, pane, transcript }
    }

    /// Writes the entry for the process that runs in the pane.
    fn enter(&self, status: &str) {
        let format = ["display-message", "-p", "-t", &self.pane, "#{pane_pid}"];
        let pid = self.world.tmux("m", &format);
        let pid = pid.trim();
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
        let began = stat.rsplit(')').next().unwrap().split_whitespace().nth(19).unwrap();
        let cwd = fs::canonicalize(self.world.path("")).unwrap();
        let text = format!(
            r#"{{"pid":{pid},"sessionId":"{SESSION}","cwd":"{}","procStart":"{began}","status":"{status}"}}"#,
            cwd.display()
        );
        let path = self.world.path("home/.claude/sessions").join(format!("{pid}.json"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn prompts(&self) {
        append(&self.transcript, r#"{"type":"user","message":{"content":"hi"}}"#);
    }

    fn answers(&self) {
        append(
            &self.transcript,
            r#"{"type":"assistant","message":{"stop_reason":"end_turn","content":[{"type":"text","text":"Hi."}]}}"#,
        );
    }

    fn until(&self, state: &str) {
        self.world.until("m", &self.pane, state);
    }
}

#[test]
fn claude_code_completes_by_the_transcript_of_its_entry() {
    let world = World::new();
    let claude = Claude::begin(&world);
    claude.enter("busy");
    world.said("m", &["tmux", "start"]);
    claude.until("working");
    claude.prompts();
    claude.answers();
    claude.enter("idle");
    claude.until("completed");
}

/// The entry says that the turn is over, and seconds later the transcript says how.
#[test]
fn a_word_that_comes_late_is_no_event_and_still_fires_a_route() {
    let world = World::new();
    let diary = world.path("diary");
    fs::create_dir_all(world.path("config/madohub")).unwrap();
    let route = format!(
        "[[route]]\nname = \"diary\"\nto = {{ file = \"{}\" }}\nsend = \"{{state}} {{turn}}\"\n",
        diary.display()
    );
    fs::write(world.path("config/madohub/config.toml"), route).unwrap();
    let claude = Claude::begin(&world);
    claude.enter("idle");
    world.said("m", &["tmux", "start"]);
    claude.until("idle");
    let told = || {
        let rows: serde_json::Value =
            serde_json::from_str(&world.said("m", &["list", "--history", "--json"])).unwrap();
        let events = rows[0]["history"].as_array().unwrap().clone();
        events.iter().map(|event| event["to"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let until_told = |expected: &[&str]| {
        wait("what is told", || {
            let told = told();
            if told == expected { Ok(()) } else { Err(format!("{told:?}")) }
        });
    };
    claude.enter("busy");
    claude.prompts();
    until_told(&["working"]);
    claude.enter("idle");
    until_told(&["working", "idle"]);
    assert!(!diary.exists());
    claude.answers();
    let written = || fs::read_to_string(&diary).unwrap_or_default();
    wait("the route", || if written() == "completed 1\n" { Ok(()) } else { Err(written()) });
    claude.until("completed");
    crate::world::kill(world.daemon("m"));
    world.said("m", &["tmux", "start"]);
    claude.until("completed");
    // The next turn shows that nothing of the last one is still to come.
    claude.enter("busy");
    claude.prompts();
    until_told(&["working", "idle", "working"]);
    assert_eq!(written(), "completed 1\n");
}

/// The pane is `idle` because its end was seen, and only then the agent says how the turn ended.
#[test]
fn waiting_ends_with_a_word_that_comes_after_the_end_was_seen() {
    let world = World::new();
    fs::create_dir_all(world.path("config/madohub")).unwrap();
    fs::write(world.path("config/madohub/config.toml"), "[tracking]\nsettle = 0.1\n").unwrap();
    let claude = Claude::begin(&world);
    claude.enter("busy");
    claude.prompts();
    world.show("a", WORKING);
    world.said("m", &["tmux", "start"]);
    claude.until("working");
    claude.enter("idle");
    world.show("a", &format!("✻ Baked for 3s\n\n{IDLE}"));
    claude.until("idle");
    let events = || {
        let list = world.said("m", &["list", "--history", "--json"]);
        serde_json::from_str::<serde_json::Value>(&list).unwrap()[0]["history"].clone()
    };
    wait("the end is told", || {
        let events = events();
        if events[0]["to"] == "stopped" { Ok(()) } else { Err(events.to_string()) }
    });
    let before = events();
    let mut waits = world.command(env!("CARGO_BIN_EXE_madohub"));
    waits.args(["wait", &claude.pane, "--state", "completed", "--timeout", "30", "-L", "m"]);
    let mut waits = waits.stdout(Stdio::piped()).spawn().unwrap();
    // It stands by once the daemon has a reader of events.
    let daemon = world.daemon("m");
    wait("it listens", || {
        let tasks = fs::read_dir(format!("/proc/{daemon}/task")).unwrap().flatten();
        let names = tasks.flat_map(|task| fs::read_to_string(task.path().join("comm")));
        let names: String = names.collect();
        if names.contains("watch") { Ok(()) } else { Err(names) }
    });
    assert_eq!(waits.try_wait().unwrap(), None, "a word that nobody said yet");
    claude.answers();
    let mut said = String::new();
    waits.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(waits.wait().unwrap().success());
    assert_eq!(said, format!("{} completed\n", claude.pane));
    claude.until("idle");
    assert_eq!(events(), before, "it is no event");
}
