//! What panes go through: agents end, panes die, move, are looked at in copy mode.

use madohub_tests::{Hue, Side, Stage, wait_for, wait_until};
use std::process::Command;

#[test]
fn an_agent_that_quits_is_exited_until_the_person_goes_on() {
    let stage = Stage::new();
    let panes = stage.side_by_side(&[("claude-2.1.332", "working"), ("codex-0.171.0", "typed")]);
    let (pane, agent) = &panes[0];
    stage.start();
    stage.wait_state(pane, "working");
    agent.exit(0);
    stage.wait_state(pane, "exited");
    stage.wait_border(pane, Side::Top, Hue::Gray);
    stage.type_line(pane, "exec sleep 1000");
    wait_for("the agent to be forgotten", || gone(&stage, pane));
}

#[test]
fn a_killed_agent_is_exited_though_its_screen_and_title_stay() {
    let stage = Stage::new();
    let panes = stage.side_by_side(&[("claude-2.1.332", "working"), ("codex-0.171.0", "typed")]);
    let (pane, agent) = &panes[0];
    stage.start();
    stage.wait_state(pane, "working");
    kill_9(agent.pid());
    stage.wait_state(pane, "exited");
    assert!(stage.tmux.capture(pane).contains("Misting"), "the screen stays");
}

#[test]
fn a_suspended_agent_is_stopped() {
    let stage = Stage::new();
    let panes = stage.side_by_side(&[("claude-2.1.332", "working"), ("codex-0.171.0", "typed")]);
    let (pane, _) = &panes[0];
    stage.start();
    stage.wait_state(pane, "working");
    stage.tmux.run(&["send-keys", "-t", pane, "C-z"]);
    let row = stage.wait_state(pane, "stopped");
    assert_eq!(row.reason.as_deref(), Some("suspended"));
    stage.type_line(pane, "fg");
    stage.wait_state(pane, "working");
}

#[test]
fn a_pane_that_remains_after_its_end_is_exited() {
    let stage = Stage::new();
    let first = stage.first_pane();
    let pane = stage.split();
    stage.tmux.run(&["set-option", "-p", "-t", &pane, "remain-on-exit", "on"]);
    let command = stage.agent_command(&stage.tmux, &pane, "claude-2.1.332", "working");
    stage.type_line(&pane, &format!("exec {}", command.line()));
    let agent = command.started();
    stage.tmux.run(&["select-pane", "-t", &first]);
    stage.start();
    stage.wait_border(&pane, Side::Top, Hue::Green);
    agent.exit(3);
    stage.wait_state(&pane, "exited");
    stage.wait_border(&pane, Side::Top, Hue::Gray);
}

#[test]
fn a_respawned_pane_starts_from_nothing() {
    let stage = Stage::new();
    let panes = stage.side_by_side(&[("codex-0.171.0", "approval"), ("claude-2.1.332", "working")]);
    let (pane, _) = &panes[0];
    stage.start();
    stage.wait_border(pane, Side::Top, Hue::Orange);
    stage.tmux.run(&["respawn-pane", "-k", "-t", pane, "exec sleep 1000"]);
    wait_for("the agent to be forgotten", || gone(&stage, pane));
    wait_until(
        "no mark on the pane",
        || stage.tmux.get(pane, "#{@madohub_state}"),
        String::is_empty,
    );
}

#[test]
fn a_closed_pane_leaves_no_row() {
    let stage = Stage::new();
    let panes = stage.side_by_side(&[("codex-0.171.0", "approval"), ("claude-2.1.332", "working")]);
    stage.start();
    stage.wait_state(&panes[0].0, "waiting");
    stage.tmux.run(&["kill-pane", "-t", &panes[0].0]);
    wait_for("its row to go", || gone(&stage, &panes[0].0));
    stage.wait_state(&panes[1].0, "working");
}

#[test]
fn copy_mode_does_not_hide_the_state() {
    let stage = Stage::new();
    let panes = stage.side_by_side(&[("claude-2.1.332", "working"), ("codex-0.171.0", "typed")]);
    let (pane, agent) = &panes[0];
    stage.start();
    stage.wait_border(pane, Side::Top, Hue::Green);
    stage.tmux.run(&["copy-mode", "-t", pane]);
    agent.show("approval");
    stage.wait_state(pane, "waiting");
    stage.wait_border(pane, Side::Top, Hue::Orange);
    assert_eq!(stage.tmux.get(pane, "#{pane_in_mode}"), "1");
}

#[test]
fn a_pane_in_several_sessions_is_one_pane() {
    let stage = Stage::new();
    let panes = stage.side_by_side(&[("claude-2.1.332", "working"), ("codex-0.171.0", "approval")]);
    stage.tmux.run(&["new-session", "-d", "-s", "grouped", "-t", "main"]);
    stage.tmux.run(&["new-session", "-d", "-s", "linked", "exec bash"]);
    stage.tmux.run(&["link-window", "-s", "main:0", "-t", "linked:7"]);
    stage.start();
    stage.wait_state(&panes[1].0, "waiting");
    stage.wait_state(&panes[0].0, "working");
    assert_eq!(stage.madohub.list(&stage.tmux).len(), 2);
}

#[test]
fn a_pane_keeps_its_state_when_it_moves_to_another_window() {
    let stage = Stage::new();
    let panes = stage.side_by_side(&[
        ("claude-2.1.332", "working"),
        ("codex-0.171.0", "approval"),
        ("claude-2.1.332", "idle"),
    ]);
    stage.start();
    let since = stage.wait_state(&panes[1].0, "waiting").since;
    stage.tmux.run(&["break-pane", "-d", "-s", &panes[1].0]);
    stage.tmux.run(&["split-window", "-d", "-h", "-t", &panes[1].0]);
    stage.tmux.run(&["select-window", "-t", &panes[1].0]);
    stage.wait_border(&panes[1].0, Side::Top, Hue::Orange);
    let again = stage.wait_state(&panes[1].0, "waiting").since;
    assert!((again - since).abs() < 0.01, "{since} became {again}");
}

#[test]
fn a_hidden_window_is_followed() {
    let stage = Stage::new();
    let pane = stage.tmux.run(&["new-window", "-d", "-P", "-F", "#{pane_id}"]);
    let agent = stage.agent(&pane, "claude-2.1.332", "working");
    stage.start();
    stage.wait_state(&pane, "working");
    agent.show("approval");
    stage.wait_state(&pane, "waiting");
}

#[test]
fn a_zoomed_pane_shows_its_own_line() {
    let stage = Stage::new();
    let panes = stage.side_by_side(&[("claude-2.1.332", "working"), ("codex-0.171.0", "approval")]);
    stage.start();
    stage.wait_border(&panes[1].0, Side::Top, Hue::Orange);
    stage.tmux.run(&["resize-pane", "-Z", "-t", &panes[0].0]);
    stage.wait_border(&panes[0].0, Side::Top, Hue::Green);
    panes[1].1.show("working");
    stage.wait_state(&panes[1].0, "working");
}

#[test]
fn a_shell_that_shows_an_agents_screen_is_no_agent() {
    let stage = Stage::new();
    let panes = stage.side_by_side(&[("claude-2.1.332", "working")]);
    let shell = stage.split();
    let recording = &panes[0].1.command.recording;
    let file = recording.dir.join("approval.ansi");
    stage.type_line(&shell, &format!("cat '{}'", file.display()));
    wait_until("the quoted dialog", || stage.tmux.capture(&shell), |s| s.contains("Esc to cancel"));
    stage.start();
    stage.wait_state(&panes[0].0, "working");
    wait_for("no row for the shell", || gone(&stage, &shell));
}

/// `Ok` when no row of the list is about that pane.
fn gone(stage: &Stage, pane: &str) -> Result<(), String> {
    stage.row(pane).map_or(Ok(()), |row| Err(format!("{row:?}")))
}

fn kill_9(pid: i32) {
    assert!(Command::new("kill").args(["-9", &pid.to_string()]).status().unwrap().success());
}
