//! Wherever zellij puts a pane: it is followed there, and its frame keeps its colour.

use madohub_tests::{
    Colour, Madohub, STATE_COLOURS, ZellijOptions, ZellijStage, wait_for, wait_until,
};
use serde_json::Value;

const GREEN: Colour = STATE_COLOURS[0];
const ORANGE: Colour = STATE_COLOURS[1];

fn stage(helper: &str, far: Vec<(&'static str, &'static str)>) -> ZellijStage {
    ZellijStage::new(&ZellijOptions {
        agents: vec![
            ("claude-2.1.332", "idle"),
            ("claude-2.1.332", "working"),
            ("codex-0.171.0", "approval"),
        ],
        far,
        settings: format!("helper \"{helper}\"\nborder.focused \"same\""),
        ..ZellijOptions::default()
    })
}

fn row(stage: &ZellijStage, pane: u32) -> Value {
    let rows: Value = serde_json::from_str(&stage.ask("list --json")).unwrap();
    let name = format!("terminal_{pane}");
    rows.as_array().unwrap().iter().find(|row| row["pane"] == name.as_str()).cloned().unwrap()
}

#[test]
fn covered_and_floating_panes_are_followed() {
    let stage = stage("off", Vec::new());
    stage.wait_states(&[(0, "idle"), (1, "working"), (2, "waiting")]);
    stage.wait_frame("one", 1, GREEN);

    // Behind one that fills the tab.
    stage.action(&["toggle-fullscreen", "--pane-id", "terminal_0"]);
    wait_until("the whole tab", || stage.panes()[0].pane_columns.to_string(), |n| n == "150");
    stage.agents[1].show("approval");
    stage.wait_states(&[(0, "idle"), (1, "waiting"), (2, "waiting")]);
    stage.action(&["toggle-fullscreen", "--pane-id", "terminal_0"]);
    stage.wait_frame("one", 1, ORANGE);

    // Above the others, and hidden there.
    stage.action(&["toggle-pane-embed-or-floating", "--pane-id", "terminal_1"]);
    stage.action(&["show-floating-panes", "--tab-id", "0"]);
    stage.wait_frame("one", 1, ORANGE);
    stage.agents[1].show("working");
    stage.wait_frame("one", 1, GREEN);
    stage.action(&["hide-floating-panes", "--tab-id", "0"]);
    stage.agents[1].show("approval");
    stage.wait_states(&[(0, "idle"), (1, "waiting"), (2, "waiting")]);
    stage.action(&["show-floating-panes", "--tab-id", "0"]);
    stage.wait_frame("one", 1, ORANGE);
    stage.action(&["toggle-pane-embed-or-floating", "--pane-id", "terminal_1"]);
    stage.wait_frame("one", 1, ORANGE);
}

#[test]
fn a_pane_of_a_stack_that_is_a_single_row_is_followed() {
    let stage = ZellijStage::new(&ZellijOptions {
        agents: vec![("claude-2.1.332", "working"), ("claude-2.1.332", "approval")],
        stacked: true,
        // Else zellij 0.45 draws a list of them instead of their frames.
        config: "pane_frame_style \"full\"\nstacked_pane_list false".to_owned(),
        settings: "helper \"off\"\nborder.focused \"same\"".to_owned(),
        ..ZellijOptions::default()
    });
    let heights: Vec<usize> = stage.panes().iter().map(|pane| pane.pane_rows).collect();
    assert!(heights.contains(&1), "{heights:?}\n{}", stage.screen("one"));
    stage.wait_states(&[(0, "working"), (1, "waiting")]);
    stage.wait_frame("one", 0, GREEN);
    stage.wait_frame("one", 1, ORANGE);
    stage.agents[0].show("approval");
    stage.agents[1].show("working");
    stage.wait_frame("one", 0, ORANGE);
    stage.wait_frame("one", 1, GREEN);
}

/// Puts another pane in a pane's place; its name. zellij 0.45.1 prints it only when it has the answer
/// within a second, so it is looked up.
fn cover(stage: &ZellijStage, pane: &str) -> String {
    let ids = || stage.panes().iter().map(|pane| pane.id).collect::<Vec<_>>();
    let before = ids();
    stage.action(&["new-pane", "--in-place", "--pane-id", pane, "--", "sleep", "infinity"]);
    let new = || ids().into_iter().find(|id| !before.contains(id)).ok_or(format!("{before:?}"));
    format!("terminal_{}", wait_for("the pane in its place", new))
}

fn replace_and_show_again(stage: &ZellijStage) {
    // While another one is in its place, zellij gives nobody its text: its records tell.
    let above = cover(stage, "terminal_1");
    stage.agents[1].show("approval");
    stage.wait_states(&[(0, "idle"), (1, "waiting"), (2, "waiting"), (3, "working")]);
    stage.action(&["close-pane", "--pane-id", &above]);
    stage.wait_frame("one", 1, ORANGE);
    // Codex keeps none that tell: it stays what it was until it is seen again.
    let above = cover(stage, "terminal_2");
    stage.agents[2].show("working");
    stage.agents[1].show("working");
    stage.wait_states(&[(0, "idle"), (1, "working"), (2, "waiting"), (3, "working")]);
    stage.action(&["close-pane", "--pane-id", &above]);
    stage.wait_frame("one", 2, GREEN);
}

#[test]
fn replaced_and_moved_panes_are_followed() {
    let helper = Madohub::of_workspace();
    let stage = stage(helper.to_str().unwrap(), vec![("claude-2.1.332", "working")]);
    stage.wait_states(&[(0, "idle"), (1, "working"), (2, "waiting"), (3, "working")]);
    stage.wait_frame("one", 1, GREEN);

    // Before 0.45 the command line puts a pane in the place of the focused one only.
    if stage.is_at_least((0, 45)) {
        replace_and_show_again(&stage);
    }

    // Taken to the next tab, as a person does.
    let before = row(&stage, 1);
    assert_eq!(before["window_name"], "near");
    stage.type_keys("one", &["M-Right"]);
    stage.type_keys("one", &["C-t"]);
    stage.type_keys("one", &["]"]);
    wait_until("the other tab", || row(&stage, 1).to_string(), |row| row.contains("\"far\""));
    assert_eq!(row(&stage, 1)["since"], before["since"]);
    stage.wait_frame("one", 1, GREEN);
    stage.agents[1].show("approval");
    stage.wait_frame("one", 1, ORANGE);
    assert_eq!(stage.states().len(), 4, "none is lost, none is there twice");
}
