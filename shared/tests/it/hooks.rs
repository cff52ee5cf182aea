//! Reports of the agents' own hooks, through the built-in rules.

use madohub_detect::{HookReport, Observation, Process, RuleSet, State, StateSource, Via, detect};
use std::sync::LazyLock;

static RULES: LazyLock<RuleSet> = LazyLock::new(|| RuleSet::builtin().unwrap());

fn seen(process: &str, agent: &str, record: &str) -> Observation {
    let process = Process {
        pid: 11,
        ppid: 10,
        comm: process.into(),
        argv: vec![process.into()],
        foreground: Some(true),
        ..Process::default()
    };
    let hook = HookReport { agent: agent.into(), record: record.into(), time: Some(1.0) };
    Observation { processes: Some(vec![process]), hook: Some(hook), ..Observation::default() }
}

#[test]
fn events_of_each_agent_are_understood() {
    for (agent, record, state, reason) in [
        ("claude", r#"{"event":"UserPromptSubmit"}"#, State::Working, None),
        (
            "claude",
            r#"{"event":"PermissionRequest","tool_name":"Bash"}"#,
            State::Waiting,
            Some("approval"),
        ),
        ("claude", r#"{"event":"Stop"}"#, State::Completed, None),
        (
            "claude",
            r#"{"event":"StopFailure","error":"rate_limit"}"#,
            State::Failed,
            Some("usage-limit"),
        ),
        ("codex", r#"{"event":"Stop"}"#, State::Completed, None),
        ("codex", r#"{"event":"PermissionRequest"}"#, State::Waiting, Some("approval")),
        ("opencode", r#"{"event":"session.status","status":"busy"}"#, State::Working, None),
        (
            "opencode",
            r#"{"event":"session.error","error":"APIError"}"#,
            State::Failed,
            Some("api-error"),
        ),
    ] {
        for named in [agent, ""] {
            let answer = detect(&RULES, &seen(agent, named, record));
            assert_eq!((answer.agent.as_str(), answer.state), (agent, state), "{record}");
            assert_eq!(answer.reason.as_deref(), reason, "{record}");
            assert_eq!(answer.evidence[0].via, Via::Hook);
            assert_eq!(answer.state_source, StateSource::JsonlWatcher);
        }
    }
}

#[test]
fn what_is_not_about_this_agent_says_nothing() {
    for (process, agent, record) in [
        ("claude", "codex", r#"{"event":"Stop"}"#),
        ("claude", "claude", r#"{"event":"SubagentStop"}"#),
        ("claude", "claude", "no record"),
        ("vim", "claude", r#"{"event":"Stop"}"#),
    ] {
        let answer = detect(&RULES, &seen(process, agent, record));
        assert!(answer.evidence.iter().all(|e| e.via != Via::Hook), "{record}: {answer:?}");
    }
}

#[test]
fn the_rules_name_the_events_that_agents_must_report() {
    for agent in ["claude", "codex", "copilot", "gemini", "opencode"] {
        let events = RULES.hook_events(agent);
        assert!(events.len() >= 4, "{agent}: {events:?}");
    }
    let claude = RULES.hook_events("claude");
    assert!(
        ["PermissionRequest", "Stop", "StopFailure"].iter().all(|e| claude.iter().any(|c| c == e))
    );
    assert!(RULES.hook_events("aider").is_empty());
}
