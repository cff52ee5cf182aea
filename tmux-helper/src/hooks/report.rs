//! What runs when an agent calls its hook: fast, silent, and never a failure for the agent.

use crate::config::Paths;
use crate::processes;
use crate::reports::write_hook;
use madohub_detect::Process;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::{Errno, read};
use rustix::stdio::stdin;
use rustix::termios::isatty;
use serde_json::{Map, Value};
use std::time::{Duration, Instant};

/// Longest that the agent's words are waited for.
const PATIENCE: Duration = Duration::from_millis(500);
/// Most that is read of them, in bytes; tool output can be long, and what counts is short.
const INPUT_MAX: usize = 4 << 20;
/// Longest text that is kept, in bytes.
const TEXT_MAX: usize = 200;
/// What is kept of what the agent hands over: kinds of things, no prompts, no answers, no tool
/// input, no paths.
const KEPT: [&str; 7] =
    ["notification_type", "error", "reason", "source", "status", "tool_name", "trigger"];
/// Programs between the agent and its hook.
const BETWEEN: [&str; 9] = ["sh", "bash", "dash", "ash", "zsh", "fish", "ksh", "env", "timeout"];

/// Takes note of an event of this agent. Whatever goes wrong, nobody hears of it: an agent shows
/// a hook that fails to its user, or stops its turn.
pub fn report(agent: &str, event: &str, paths: &Paths) {
    let handed = serde_json::from_slice(&input()).unwrap_or(Value::Null);
    let mut source = processes::source();
    source.begin();
    let Some(process) = caller(&source.ancestors()) else { return };
    let _ = write_hook(paths, &process, agent, &record(event, &handed));
}

/// What is kept of an event.
fn record(event: &str, handed: &Value) -> String {
    let mut record = Map::new();
    record.insert("event".to_owned(), Value::from(event));
    for key in KEPT {
        let value = match handed.get(key) {
            Some(Value::String(text)) if text.len() <= TEXT_MAX => Value::from(text.as_str()),
            Some(value @ (Value::Bool(_) | Value::Number(_))) => value.clone(),
            _ => continue,
        };
        record.insert(key.to_owned(), value);
    }
    Value::Object(record).to_string()
}

/// The process that called us: the nearest one that only passes nothing on. Codex from 0.160 on
/// runs turns in a server that several panes share; whose event it is cannot be told there.
fn caller(ancestors: &[Process]) -> Option<Process> {
    let between = |process: &&Process| BETWEEN.contains(&process.comm.as_str());
    let process = ancestors.iter().find(|process| !between(process))?;
    let shared = process.argv.iter().any(|arg| arg == "app-server");
    (!shared).then(|| process.clone())
}

/// What the agent hands over, as far as it comes at once.
fn input() -> Vec<u8> {
    let mut bytes = Vec::new();
    if isatty(stdin())
        || fcntl_getfl(stdin())
            .and_then(|flags| fcntl_setfl(stdin(), flags | OFlags::NONBLOCK))
            .is_err()
    {
        return bytes;
    }
    let start = Instant::now();
    let mut piece = vec![0; 64 * 1024];
    while bytes.len() < INPUT_MAX {
        match read(stdin(), &mut piece) {
            Ok(0) => break,
            Ok(count) => bytes.extend_from_slice(piece.get(..count).unwrap_or_default()),
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => {
                let left = PATIENCE.saturating_sub(start.elapsed());
                let Ok(left) = Timespec::try_from(left) else { break };
                let mut fds = [PollFd::from_borrowed_fd(stdin(), PollFlags::IN)];
                if !matches!(poll(&mut fds, Some(&left)), Ok(1..) | Err(Errno::INTR)) {
                    break;
                }
            }
            Err(_) => break,
        }
        if start.elapsed() >= PATIENCE {
            break;
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_what_the_rules_need_is_kept() {
        let handed = json!({
            "session_id": "x", "prompt": "secret", "tool_input": {"command": "secret"},
            "tool_name": "Bash", "notification_type": "permission_prompt", "error": "x".repeat(300),
            "last_assistant_message": "secret", "reason": 7,
        });
        let kept = record("Notification", &handed);
        assert_eq!(
            serde_json::from_str::<Value>(&kept).ok(),
            Some(json!({
                "event": "Notification", "tool_name": "Bash",
                "notification_type": "permission_prompt", "reason": 7,
            }))
        );
        assert_eq!(record("Stop", &Value::Null), r#"{"event":"Stop"}"#);
    }

    fn process(comm: &str, argv: &[&str]) -> Process {
        let argv = argv.iter().map(|arg| (*arg).to_owned()).collect();
        Process { comm: comm.to_owned(), argv, ..Process::default() }
    }

    #[test]
    fn the_caller_is_the_agent() {
        let claude = process("claude", &["claude"]);
        let shell = process("sh", &["/bin/sh", "-c", "madohub hook Stop"]);
        let bash = process("bash", &["-bash"]);
        assert_eq!(caller(&[shell.clone(), claude.clone(), bash.clone()]), Some(claude.clone()));
        assert_eq!(caller(&[claude.clone(), bash.clone()]), Some(claude));
        let server = process("codex", &["codex", "app-server", "--listen", "unix://"]);
        assert_eq!(caller(&[shell.clone(), server, bash.clone()]), None);
        assert_eq!(caller(&[shell, bash]), None);
    }
}
