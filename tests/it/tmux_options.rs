//! The person's own tmux settings come back, whatever happens to the daemon.

use madohub_tests::{Agent, Hue, OptionsSnapshot, Side, Stage, wait_for, wait_until};
use std::process::Stdio;

/// A server whose person has set many of the options that matter, at every scope.
fn personal() -> (Stage, Vec<(String, Agent)>) {
    let stage = Stage::new();
    let panes = stage.side_by_side(&[
        ("claude-2.1.332", "working"),
        ("codex-0.171.0", "approval"),
        ("opencode-1.18.33", "finished"),
    ]);
    let other = stage.tmux.run(&["new-window", "-d", "-P", "-F", "#{window_id}"]);
    for args in [
        vec!["-g", "pane-border-style", "fg=colour24"],
        vec!["-g", "pane-active-border-style", "fg=colour31,bold"],
        vec!["-g", "pane-border-format", " #{pane_index} #{=20:pane_title} "],
        vec!["-g", "status-interval", "7"],
        vec!["-g", "status-right", "a; b #{?client_prefix,x,y};"],
        vec!["-g", "@madohub_is_not_this", "1"],
        vec!["-t", "main", "status-interval", "11"],
        vec!["-w", "-t", &other, "pane-border-style", "fg=#112233"],
        vec!["-w", "-t", &other, "pane-border-status", "bottom"],
        vec!["-p", "-t", &panes[0].0, "@mine", "x"],
    ] {
        stage.tmux.run(&[vec!["set-option"], args].concat());
    }
    stage.tmux.run(&["set-hook", "-g", "pane-exited[3]", "display-message bye"]);
    (stage, panes)
}

#[track_caller]
fn assert_restored(before: &OptionsSnapshot, stage: &Stage) {
    let changes = before.changes(&OptionsSnapshot::take(&stage.tmux));
    assert!(changes.is_empty(), "left changed:\n{}", changes.join("\n"));
}

#[test]
fn stop_brings_back_every_option() {
    let (stage, panes) = personal();
    let before = OptionsSnapshot::take(&stage.tmux);
    stage.start();
    stage.wait_border(&panes[1].0, Side::Top, Hue::Orange);
    // Options of panes and windows travel with them.
    stage.tmux.run(&["break-pane", "-d", "-s", &panes[2].0]);
    stage.wait_state(&panes[2].0, "stopped");
    stage.tmux.run(&["join-pane", "-d", "-h", "-s", &panes[2].0, "-t", &panes[1].0]);
    stage.wait_state(&panes[2].0, "stopped");
    stage.madohub.tmux("stop", &stage.tmux);
    assert_restored(&before, &stage);
}

#[test]
fn after_kill_9_the_style_comes_back_by_itself_and_restore_does_the_rest() {
    let (stage, panes) = personal();
    let before = OptionsSnapshot::take(&stage.tmux);
    stage.start();
    stage.wait_border(&panes[0].0, Side::Top, Hue::Green);
    stage.kill_daemon();
    // The person's blue, drawn by tmux alone once the heartbeat is old; anything that redraws
    // does, here the status line.
    wait_until(
        "the person's own colour",
        || stage.screen(),
        |screen| {
            stage.tmux.run(&["refresh-client", "-S", "-t", stage.client().as_str()]);
            panes.iter().all(|(pane, _)| stage.border_is(screen, pane, Side::Top, Hue::Other))
        },
    );
    stage.madohub.tmux("restore", &stage.tmux);
    assert_restored(&before, &stage);
}

#[test]
fn a_new_daemon_takes_over_after_kill_9() {
    let (stage, panes) = personal();
    let before = OptionsSnapshot::take(&stage.tmux);
    stage.start();
    stage.wait_border(&panes[0].0, Side::Top, Hue::Green);
    stage.kill_daemon();
    stage.start();
    panes[0].1.show("approval");
    stage.wait_border(&panes[0].0, Side::Top, Hue::Orange);
    stage.madohub.tmux("stop", &stage.tmux);
    assert_restored(&before, &stage);
}

#[test]
fn a_crash_in_the_middle_of_the_start_can_be_undone() {
    let (stage, _panes) = personal();
    let before = OptionsSnapshot::take(&stage.tmux);
    for round in 0..4 {
        let mut command =
            stage.madohub.command(&["tmux", "start", "--foreground", "-L", &stage.tmux.socket]);
        let mut daemon =
            command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("madohub runs");
        // At the first changed option in the first round, a little later in the others.
        wait_for("the daemon to change something", || {
            let changes = before.changes(&OptionsSnapshot::take(&stage.tmux)).len();
            if changes > round * 3 { Ok(()) } else { Err(format!("{changes} changes")) }
        });
        daemon.kill().unwrap();
        daemon.wait().unwrap();
        stage.madohub.tmux("restore", &stage.tmux);
        assert_restored(&before, &stage);
    }
}

#[test]
fn restore_without_a_daemon_changes_nothing() {
    let (stage, _panes) = personal();
    let before = OptionsSnapshot::take(&stage.tmux);
    stage.madohub.tmux("restore", &stage.tmux);
    assert_restored(&before, &stage);
}

#[test]
fn what_the_person_sets_meanwhile_is_kept() {
    let (stage, panes) = personal();
    stage.start();
    stage.wait_border(&panes[0].0, Side::Top, Hue::Green);
    stage.tmux.run(&["set-option", "-g", "pane-border-style", "fg=colour99"]);
    stage.tmux.run(&["set-option", "-g", "status-interval", "3"]);
    stage.madohub.tmux("stop", &stage.tmux);
    let value = |name: &str| stage.tmux.run(&["show-options", "-gv", name]);
    assert_eq!(value("pane-border-style"), "fg=colour99");
    assert_eq!(value("status-interval"), "3");
}

#[test]
fn titles_and_names_are_never_changed() {
    let stage = Stage::new();
    let panes = stage.side_by_side(&[("claude-2.1.332", "working"), ("codex-0.171.0", "approval")]);
    let names = || {
        stage.tmux.run(&["list-panes", "-a", "-F", "#{pane_id} #{pane_title} #{automatic-rename}"])
    };
    let before = names();
    stage.start();
    stage.wait_border(&panes[1].0, Side::Top, Hue::Orange);
    assert_eq!(names(), before);
}
