//! What reaches the person's terminal: as little as can be.

use madohub_tests::recording::Cue;
use madohub_tests::{Hue, PaneBox, Screen, Side, Stage, wait_for};

/// Cells that differ between two screens, as column and row.
fn differences(a: &Screen, b: &Screen, size: (usize, usize)) -> Vec<(usize, usize)> {
    let cells = (0..size.1).flat_map(|y| (0..size.0).map(move |x| (x, y)));
    cells.filter(|(x, y)| a.cell(*x, *y) != b.cell(*x, *y)).collect()
}

/// How often the daemon has looked.
fn looks(stage: &Stage) -> u64 {
    stage.daemon_status()["looks"].as_u64().expect("a number of looks")
}

#[test]
fn the_pulse_changes_borders_and_nothing_else() {
    let stage = Stage::new();
    let panes = stage.side_by_side(&[("claude-2.1.332", "working"), ("codex-0.171.0", "typed")]);
    let (pane, agent) = &panes[0];
    // The agent itself stands still.
    agent.tell(&Cue::Step);
    stage.start();
    stage.wait_border(pane, Side::Top, Hue::Green);
    stage.wait_state(&panes[1].0, "idle");
    let line = PaneBox::of(&stage.tmux, pane).top - 1;
    let is_content = |screen: &Screen, x: usize, y: usize| {
        y != line && y + 1 != screen.rows.len() && !screen.cell(x, y).is_line()
    };
    // The line above the panes made them smaller; what that redraws comes before the record.
    wait_for("panes that stand still", || {
        let before = stage.screen();
        let until = looks(&stage) + 2;
        wait_for("two looks", || {
            let looks = looks(&stage);
            if looks >= until { Ok(()) } else { Err(looks.to_string()) }
        });
        let after = stage.screen();
        let mut moved = differences(&before, &after, (190, after.rows.len())).into_iter();
        if moved.any(|(x, y)| is_content(&after, x, y)) { Err(after.to_string()) } else { Ok(()) }
    });
    let record = stage.record_client();
    let first = stage.screen();
    let style = |screen: &Screen| screen.cell(0, line).style;
    let second = wait_for("another colour of the pulse", || {
        let screen = stage.screen();
        if style(&screen) == style(&first) { Err(screen.to_string()) } else { Ok(screen) }
    });
    assert_eq!(style(&second).fg.hue(), Hue::Green);
    for (x, y) in differences(&first, &second, (190, second.rows.len())) {
        assert!(!is_content(&second, x, y), "cell {x},{y} changed:\n{first}\n{second}");
    }
    let bytes = record.bytes();
    assert!(!bytes.is_empty());
    let text = String::from_utf8_lossy(&bytes);
    for content in ["Claude Code", "Misting", "OpenAI", "please fix the bug"] {
        assert!(!text.contains(content), "a pane was redrawn: {text:?}");
    }
}

#[test]
fn the_pulse_can_be_switched_off() {
    let stage = Stage::new();
    stage.configure("[border]\npulse = false\n");
    let panes = stage.side_by_side(&[("claude-2.1.332", "working"), ("claude-2.1.332", "working")]);
    panes[0].1.tell(&Cue::Step);
    panes[1].1.tell(&Cue::Step);
    stage.start();
    stage.wait_border(&panes[0].0, Side::Top, Hue::Green);
    stage.wait_border(&panes[1].0, Side::Top, Hue::Green);
    let line = PaneBox::of(&stage.tmux, &panes[0].0).top - 1;
    let style = stage.screen().cell(0, line).style;
    // A change elsewhere takes longer than a beat of the pulse would.
    for scene in ["approval", "working", "approval"] {
        panes[1].1.show(scene);
        let hue = if scene == "approval" { Hue::Orange } else { Hue::Green };
        let screen = stage.wait_border(&panes[1].0, Side::Top, hue);
        assert_eq!(screen.cell(0, line).style, style, "{screen}");
    }
}

#[test]
fn where_nothing_happens_nothing_is_redrawn() {
    let stage = Stage::new();
    // tmux's own status line would be redrawn for its clock.
    stage.tmux.run(&["set-option", "-g", "status-interval", "0"]);
    let panes = stage.side_by_side(&[("claude-2.1.332", "idle"), ("codex-0.171.0", "approval")]);
    stage.start();
    stage.wait_border(&panes[1].0, Side::Top, Hue::Orange);
    stage.wait_state(&panes[0].0, "idle");
    let looks = || looks(&stage);
    // What the start itself draws comes before the record.
    let settled = looks() + 3;
    wait_for("some looks", || if looks() >= settled { Ok(()) } else { Err(looks().to_string()) });
    let record = stage.record_client();
    let until = looks() + 4;
    wait_for("more looks", || if looks() >= until { Ok(()) } else { Err(looks().to_string()) });
    let bytes = record.bytes();
    assert!(bytes.is_empty(), "{:?}", String::from_utf8_lossy(&bytes));
}

#[test]
fn with_reduced_motion_nothing_pulses() {
    let stage = Stage::new();
    stage.configure("reduced_motion = true\n");
    let panes = stage.side_by_side(&[("claude-2.1.332", "working"), ("codex-0.171.0", "typed")]);
    let (pane, agent) = &panes[0];
    agent.tell(&Cue::Step);
    stage.start();
    let screen = stage.wait_border(pane, Side::Top, Hue::Green);
    let line = PaneBox::of(&stage.tmux, pane).top - 1;
    let style = screen.cell(0, line).style;
    // A pulse would have two halves within a look at the calm pace.
    for _ in 0..4 {
        let until = looks(&stage) + 1;
        wait_for("a look", || {
            let looks = looks(&stage);
            if looks >= until { Ok(()) } else { Err(looks.to_string()) }
        });
        let screen = stage.screen();
        assert_eq!(screen.cell(0, line).style, style, "{screen}");
    }
    assert_eq!(stage.tmux.get(pane, "#{@madohub_pulse}"), "");
    let phase = stage.tmux.try_run(&["show-environment", "-gh", "MADOHUB_PHASE"]);
    assert!(!phase.status.success(), "{phase:?}");
}
