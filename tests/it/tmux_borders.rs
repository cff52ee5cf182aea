//! The colours of pane borders as a person's terminal shows them.

use madohub_tests::recording::Cue;
use madohub_tests::{Hue, PaneBox, Side, Stage, StageOptions, wait_until};

const THREE: [(&str, &str); 3] = [
    ("claude-2.1.332", "working"),
    ("codex-0.171.0", "approval"),
    ("opencode-1.18.33", "finished"),
];
const HUES: [Hue; 3] = [Hue::Green, Hue::Orange, Hue::Red];

#[test]
fn three_panes_side_by_side_show_three_states() {
    let stage = Stage::new();
    let panes = stage.side_by_side(&THREE);
    stage.start();
    for ((pane, _), hue) in panes.iter().zip(HUES) {
        stage.wait_border(pane, Side::Top, hue);
    }
    let screen = stage.screen();
    for ((pane, _), (agent, glyph)) in
        panes.iter().zip([("claude", "●"), ("codex", "?"), ("opencode", "■")])
    {
        let label = PaneBox::of(&stage.tmux, pane).label(&screen);
        assert!(label.contains(agent) && label.contains(glyph), "{label}\n{screen}");
    }
    let waiting = PaneBox::of(&stage.tmux, &panes[1].0).border(&screen, Side::Top);
    assert!(waiting[..waiting.len() - 3].iter().all(|cell| cell.style.bold), "{screen}");
}

#[test]
fn four_panes_side_by_side_each_own_their_line() {
    let stage = Stage::sized(250, 24);
    let panes = stage.side_by_side(&[
        ("gemini-0.61.0", "approval"),
        ("claude-2.1.332", "idle"),
        ("copilot-1.0.102", "working"),
        ("claude-2.1.332", "interrupted"),
    ]);
    stage.start();
    for ((pane, _), hue) in panes.iter().zip([Hue::Orange, Hue::Default, Hue::Green, Hue::Red]) {
        if hue == Hue::Default {
            stage.wait_state(pane, "idle");
        } else {
            stage.wait_border(pane, Side::Top, hue);
        }
    }
    // An idle pane keeps the style that it would have without the product: tmux's own default is
    // the terminal's colour, or green for the active pane.
    let screen = stage.screen();
    assert!(stage.border_is(&screen, &panes[1].0, Side::Top, Hue::Default), "{screen}");
}

#[test]
fn the_active_pane_keeps_the_colour_of_its_state() {
    let stage = Stage::new();
    let panes = stage.side_by_side(&THREE);
    stage.start();
    for (active, _) in &panes {
        stage.tmux.run(&["select-pane", "-t", active]);
        for ((pane, _), hue) in panes.iter().zip(HUES) {
            // To look at a finished turn is to settle it; that is another test.
            if hue != Hue::Red {
                stage.wait_border(pane, Side::Top, hue);
            }
        }
    }
}

#[test]
fn without_a_status_line_the_shared_borders_are_coloured() {
    let stage = Stage::new();
    stage.configure("[border]\nstatus = \"off\"\n");
    let panes = stage.side_by_side(&THREE);
    let height = PaneBox::of(&stage.tmux, &panes[0].0).height;
    stage.start();
    // The first pane is active: it owns its right side; the next line belongs to the left pane.
    stage.wait_border(&panes[0].0, Side::Right, Hue::Green);
    stage.wait_border(&panes[1].0, Side::Right, Hue::Orange);
    assert_eq!(PaneBox::of(&stage.tmux, &panes[0].0).height, height, "no row may be taken");
    stage.tmux.run(&["select-pane", "-t", &panes[1].0]);
    stage.wait_border(&panes[1].0, Side::Left, Hue::Orange);
    stage.wait_border(&panes[1].0, Side::Right, Hue::Orange);
}

#[test]
fn a_status_line_of_the_persons_own_stays_where_it_is() {
    let stage = Stage::new();
    stage.tmux.run(&["set-option", "-g", "pane-border-status", "bottom"]);
    let panes = stage.side_by_side(&THREE);
    stage.start();
    for ((pane, _), hue) in panes.iter().zip(HUES) {
        stage.wait_border(pane, Side::Bottom, hue);
    }
}

#[test]
fn an_open_dialog_outranks_every_sign_of_work() {
    let stage = Stage::new();
    let panes = stage.side_by_side(&[("claude-2.1.332", "working"), ("claude-2.1.332", "working")]);
    let (pane, agent) = &panes[0];
    stage.start();
    stage.wait_border(pane, Side::Top, Hue::Green);
    // The registry says busy and the title spins, but somebody must decide.
    let recording = &agent.command.recording;
    agent.tell(&Cue::Title { title: "⠐ Claude Code".into() });
    agent.tell(&Cue::Rows { rows: recording.rows(recording.scene("approval")) });
    stage.wait_border(pane, Side::Top, Hue::Orange);
    let row = stage.wait_state(pane, "waiting");
    assert_eq!(row.reason.as_deref(), Some("approval"));
    let of_window = || stage.tmux.get(pane, "#{@madohub_window_state}");
    wait_until("the window's state", of_window, |state| state == "waiting");
}

#[test]
fn a_turn_is_followed_from_state_to_state() {
    let stage = Stage::new();
    let panes = stage.side_by_side(&[("claude-2.1.332", "idle"), ("claude-2.1.332", "idle")]);
    let (pane, agent) = &panes[1];
    stage.start();
    stage.wait_state(pane, "idle");
    for (scene, hue) in [
        ("working", Hue::Green),
        ("approval", Hue::Orange),
        ("streaming", Hue::Green),
        ("finished", Hue::Red),
        ("working", Hue::Green),
    ] {
        agent.show(scene);
        stage.wait_border(pane, Side::Top, hue);
    }
}

#[test]
fn escape_clears_working() {
    let stage = Stage::new();
    let panes = stage.side_by_side(&[("claude-2.1.332", "working"), ("codex-0.171.0", "typed")]);
    stage.tmux.run(&["select-pane", "-t", &panes[1].0]);
    stage.start();
    stage.wait_border(&panes[0].0, Side::Top, Hue::Green);
    stage.tmux.run(&["send-keys", "-t", &panes[0].0, "Escape"]);
    let row = stage.wait_state(&panes[0].0, "stopped");
    assert_eq!(row.reason.as_deref(), Some("interrupted"));
    stage.wait_border(&panes[0].0, Side::Top, Hue::Red);
}

#[test]
fn terminals_with_few_colours_can_tell_the_states_apart() {
    for (term, rgb) in [("xterm", false), ("xterm-256color", false), ("tmux-256color", true)] {
        let stage = Stage::with(&StageOptions { term, rgb, ..StageOptions::default() });
        let panes = stage.side_by_side(&THREE);
        stage.start();
        for ((pane, _), hue) in panes.iter().zip(HUES) {
            stage.wait_border(pane, Side::Top, hue);
        }
    }
}
