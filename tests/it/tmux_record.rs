//! A moment of a real pane as a case.

use madohub_tests::{Stage, wait_until};
use serde_json::Value;
use std::fs;
use std::path::Path;

fn json(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn a_case_is_shown_agreed_to_and_read_again() {
    let stage = Stage::new();
    let panes = stage.side_by_side(&[("claude-2.1.332", "approval")]);
    let (pane, dir) = (&panes[0].0, stage.env.home().join("wrong-state"));
    let folder = dir.to_str().unwrap();
    let args = ["record", pane, folder, "-L", &stage.tmux.socket];
    wait_until(
        "the dialog",
        || stage.tmux.capture(pane),
        |screen| screen.contains("Do you want to"),
    );
    let alone = stage.madohub.try_run(&args);
    assert_eq!(alone.status.code(), Some(2), "{alone:?}");
    assert!(!dir.exists(), "written without a word");

    let said = stage.madohub.run(&[&args[..], &["--yes"]].concat());
    assert!(said.contains("│ ") && said.contains("answer     claude waiting"), "{said}");
    let observation = dir.join("observation.json");
    let seen = json(&observation);
    assert_eq!(seen["id"], "claude/wrong-state");
    assert!(!seen.to_string().contains(stage.env.home().to_str().unwrap()), "{seen}");
    assert_eq!(json(&dir.join("expected.json"))["state"], "waiting");
    let read = stage.madohub.run(&["detect", "--observations", observation.to_str().unwrap()]);
    let read: Value = serde_json::from_str(&read).unwrap();
    assert_eq!((&read["agent"], &read["state"]), (&"claude".into(), &"waiting".into()));

    let again = stage.madohub.try_run(&[&args[..], &["--yes"]].concat());
    assert_eq!(again.status.code(), Some(2), "a case is not written over");
}

#[test]
fn a_person_is_asked() {
    let stage = Stage::new();
    let pane = stage.first_pane();
    let dir = stage.env.home().join("case");
    let line = |answer: &str| {
        let program = stage.madohub.program().display().to_string();
        stage.type_line(&pane, &format!("clear; {program} record $TMUX_PANE case"));
        wait_until("the question", || stage.tmux.capture(&pane), |screen| screen.contains("[y/N]"));
        stage.tmux.run(&["send-keys", "-t", &pane, answer, "Enter"]);
    };
    line("n");
    wait_until(
        "the refusal",
        || stage.tmux.capture(&pane),
        |screen| screen.contains("nothing was written"),
    );
    assert!(!dir.exists());
    line("y");
    wait_until(
        "the case",
        || dir.join("expected.json").exists().to_string(),
        |there| there == "true",
    );
}
