//! Hooks of the agents: what they report is a source, and settings come back as they were.

use madohub_tests::{Stage, wait_for};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

#[test]
fn what_an_agent_tells_its_hook_is_its_state() {
    let stage = Stage::new();
    let program = stage.madohub.program().display().to_string();
    // A child of the agent itself, as agents start their hooks: no subshell in between.
    let script = format!(
        "#!/bin/sh\nwhile read -r event json; do\n\
         printf '%s' \"$json\" >\"$0.in\"\n\
         {program} hook \"$event\" --agent claude <\"$0.in\" >\"$0.out\" 2>&1\n\
         echo \"$event: $? $(cat \"$0.out\").\"\ndone\n"
    );
    let agent = stage.env.agents().join("claude");
    fs::write(&agent, script).unwrap();
    fs::set_permissions(&agent, Permissions::from_mode(0o755)).unwrap();
    let first = stage.first_pane();
    let pane = stage.split();
    stage.start();
    stage.type_line(&pane, "claude");
    wait_for("the agent", || stage.row(&pane).ok_or_else(|| "not listed".to_owned()));
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
        stage.tmux.run(&["send-keys", "-t", &pane, "-l", line]);
        stage.tmux.run(&["send-keys", "-t", &pane, "Enter"]);
        let event = line.split(' ').next().unwrap();
        wait_for(&format!("{state} after {line}"), || {
            let screen = stage.tmux.capture(&pane);
            let row = stage.row(&pane).ok_or_else(|| "not listed".to_owned())?;
            let right = row.state == state && row.reason.as_deref() == reason;
            // The hook succeeds and says nothing.
            let silent = screen.contains(&format!("{event}: 0 ."));
            if right && silent { Ok(()) } else { Err(format!("{row:?}\n{screen}")) }
        });
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
