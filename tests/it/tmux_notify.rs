//! Notifications through the terminal of an attached client.

use madohub_tests::{Stage, StageOptions, wait_for};

/// A stage whose client says that its terminal is no multiplexer.
fn stage(settings: &str) -> Stage {
    let stage = Stage::with(&StageOptions { term: "xterm-256color", ..StageOptions::default() });
    stage.configure(&format!("[notify]\ngroup = 0.2\nevery = 0\n{settings}"));
    stage
}

/// The notifications among what a client sent to its terminal.
fn told(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let parts = text.split("\x1b]9;").skip(1);
    parts.map(|part| part.split('\x1b').next().unwrap().to_owned()).collect()
}

#[test]
fn a_pane_behind_is_told_of_and_the_one_in_front_is_not() {
    let stage = stage("");
    let panes = stage.side_by_side(&[("claude-2.1.332", "working"), ("codex-0.171.0", "working")]);
    stage.start();
    for (pane, _) in &panes {
        stage.wait_state(pane, "working");
    }
    let record = stage.record_client();
    // The first pane is the active one.
    panes[0].1.show("approval");
    stage.wait_state(&panes[0].0, "waiting");
    panes[1].1.show("approval");
    let heard = wait_for("a notification", || {
        let told = told(&record.bytes());
        if told.is_empty() { Err(stage.screen().to_string()) } else { Ok(told) }
    });
    assert_eq!(heard.len(), 1, "{heard:?}");
    assert!(heard[0].starts_with("MadoHub: OpenAI Codex waits for you: approval"), "{heard:?}");
    assert!(heard[0].contains("main:"), "{heard:?}");
}

#[test]
fn a_route_can_tell_a_person() {
    let route = "[[route]]\nname = \"ask\"\non = [\"waiting\"]\nto = { notify = true }\n\
                 send = \"{agent} asks\"\n";
    let stage = stage(&format!("states = []\n{route}"));
    let pane = stage.split();
    let agent = stage.agent(&pane, "claude-2.1.332", "working");
    stage.start();
    stage.wait_state(&pane, "working");
    let record = stage.record_client();
    agent.show("approval");
    let heard = wait_for("a notification", || {
        let told = told(&record.bytes());
        if told.is_empty() { Err(stage.screen().to_string()) } else { Ok(told) }
    });
    assert_eq!(heard.len(), 1, "{heard:?}");
    assert!(heard[0].contains("claude asks") && heard[0].contains("route ask"), "{heard:?}");
}

#[test]
fn off_is_off_and_states_choose() {
    let stage = stage("states = [\"working\"]");
    let panes = stage.side_by_side(&[("claude-2.1.332", "idle"), ("gemini-0.61.0", "idle")]);
    stage.start();
    stage.wait_state(&panes[1].0, "idle");
    let record = stage.record_client();
    panes[1].1.show("approval");
    stage.wait_state(&panes[1].0, "waiting");
    panes[1].1.show("working");
    let heard = wait_for("a notification", || {
        let told = told(&record.bytes());
        if told.is_empty() { Err(stage.screen().to_string()) } else { Ok(told) }
    });
    assert_eq!(heard.len(), 1, "{heard:?}");
    assert!(heard[0].contains(" works"), "{heard:?}");
}
