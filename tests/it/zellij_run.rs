//! `madohub run` in a real zellij, whose own terminal lets no status report through.

use madohub_tests::{Madohub, TALKER, ZellijOptions, ZellijStage, wait_until};
use serde_json::Value;

#[test]
fn an_agent_reports_its_own_state() {
    let helper = Madohub::of_workspace();
    let stage = ZellijStage::new(&ZellijOptions {
        agents: vec![("codex-0.171.0", "typed")],
        settings: format!("helper \"{}\"", helper.display()),
        ..ZellijOptions::default()
    });
    stage.wait_states(&[(0, "idle")]);
    stage.env.script("claude", TALKER);
    let program = helper.to_string_lossy();
    stage.action(&["new-pane", "--", &program, "run", "--", "claude"]);
    wait_until(
        "the answer to the agent's question",
        || stage.screen("one").text(),
        |screen| screen.contains(r"033]7501;?033"),
    );
    for (body, state) in [
        ("state=working:app=claude", "working"),
        ("state=blocked:kind=permission", "waiting"),
        ("state=working", "working"),
        ("state=done", "stopped"),
    ] {
        stage.type_keys("one", &[body, "Enter"]);
        stage.wait_states(&[(0, "idle"), (1, state)]);
    }
    let rows: Value = serde_json::from_str(&stage.ask("list --json")).unwrap();
    let ours = rows.as_array().unwrap().iter().find(|row| row["pane"] == "terminal_1").unwrap();
    assert_eq!(ours["agent"], "claude", "{rows}");
}
