//! Hooks of the agents: what they report is a source, and settings come back as they were.

use madohub_tests::{Reporter, Stage};
use std::fs;

#[test]
fn what_an_agent_tells_its_hook_is_its_state() {
    let stage = Stage::new();
    let first = stage.first_pane();
    let pane = stage.split();
    stage.start();
    let agent = Reporter::start(&stage, &pane);
    stage.tmux.run(&["select-pane", "-t", &first]);
    for (line, state, reason) in [
        ("UserPromptSubmit {\"prompt\":\"x\"}", "working", None),
        ("PermissionRequest {\"tool_name\":\"Bash\"}", "waiting", Some("approval")),
        ("PostToolUse {}", "working", None),
        ("Stop {}", "completed", None),
        ("UserPromptSubmit", "working", None),
        ("StopFailure {\"error\":\"rate_limit\"}", "failed", Some("usage-limit")),
        ("UserPromptSubmit no json", "working", None),
    ] {
        agent.tell(line, state, reason);
    }
}

#[test]
fn settings_are_as_they_were_after_an_uninstall() {
    let stage = Stage::new();
    let settings = stage.env.home().join(".claude/settings.json");
    fs::create_dir_all(settings.parent().unwrap()).unwrap();
    let before = "{\n   // mine\n   \"model\": \"opus\", \"hooks\": {}\n}";
    fs::write(&settings, before).unwrap();
    let shown = stage.madohub.run(&["hook", "install", "claude", "--print"]);
    assert!(shown.contains("PermissionRequest") && shown.contains("hook Stop --agent claude"));
    let refused = stage.madohub.try_run(&["hook", "install", "claude"]);
    assert_eq!(refused.status.code(), Some(1));
    assert_eq!(fs::read_to_string(&settings).unwrap(), before, "nothing is written yet");
    stage.madohub.run(&["hook", "install", "claude", "--yes"]);
    let merged = fs::read_to_string(&settings).unwrap();
    assert!(merged.contains("// mine") && merged.contains("StopFailure"), "{merged}");
    stage.madohub.run(&["hook", "install", "claude", "--yes"]);
    assert_eq!(fs::read_to_string(&settings).unwrap(), merged, "a second time changes nothing");
    stage.madohub.run(&["hook", "uninstall", "claude"]);
    assert_eq!(fs::read_to_string(&settings).unwrap(), before);
}
