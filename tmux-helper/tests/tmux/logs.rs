//! Session logs of agents in real panes.

use crate::world::{IDLE, World, wait};
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

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

#[test]
fn claude_code_completes_by_the_transcript_of_its_entry() {
    let world = World::new();
    world.server("m");
    let pane = world.agent("m", "a");
    world.show("a", IDLE);
    let id = "464d62ad-70e2-4a3a-aeb8-c9da98207252";
    let cwd = fs::canonicalize(world.path("")).unwrap();
    let folder: String = cwd
        .to_str()
        .unwrap()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    let transcript = log(&world, &format!(".claude/projects/{folder}/{id}.jsonl"), &[]);
    let pid = world.tmux("m", &["display-message", "-p", "-t", &pane, "#{pane_pid}"]);
    let pid = pid.trim();
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let began = stat.rsplit(')').next().unwrap().split_whitespace().nth(19).unwrap();
    let entry = |status: &str| {
        let text = format!(
            r#"{{"pid":{pid},"sessionId":"{id}","cwd":"{}","procStart":"{began}","status":"{status}"}}"#,
            cwd.display()
        );
        let path = world.path("home/.claude/sessions").join(format!("{pid}.json"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    entry("busy");
    world.said("m", &["tmux", "start"]);
    world.until("m", &pane, "working");
    append(&transcript, r#"{"type":"user","message":{"content":"hi"}}"#);
    append(
        &transcript,
        r#"{"type":"assistant","message":{"stop_reason":"end_turn","content":[{"type":"text","text":"Hi."}]}}"#,
    );
    entry("idle");
    world.until("m", &pane, "completed");
}
