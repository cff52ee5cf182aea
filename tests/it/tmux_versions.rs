//! The same borders in every tmux that can be had.

use madohub_tests::{Hue, Side, Stage, StageOptions, tmux_programs};

#[test]
fn borders_are_right_in_every_tmux() {
    let programs = tmux_programs();
    let supported = programs.into_iter().filter(|program| program.number() >= (3, 2));
    let mut versions = Vec::new();
    for program in supported {
        println!("tmux {}", program.version);
        versions.push(program.version.clone());
        let stage = Stage::with(&StageOptions { program, ..StageOptions::default() });
        let panes = stage.side_by_side(&[
            ("claude-2.1.332", "working"),
            ("codex-0.171.0", "approval"),
            ("opencode-1.18.33", "finished"),
        ]);
        let before = madohub_tests::OptionsSnapshot::take(&stage.tmux);
        stage.start();
        for ((pane, _), hue) in panes.iter().zip([Hue::Green, Hue::Orange, Hue::Red]) {
            stage.wait_border(pane, Side::Top, hue);
        }
        panes[1].1.show("working");
        stage.wait_border(&panes[1].0, Side::Top, Hue::Green);
        stage.madohub.tmux("stop", &stage.tmux);
        let changes = before.changes(&madohub_tests::OptionsSnapshot::take(&stage.tmux));
        assert_eq!(changes, Vec::<String>::new());
    }
    assert!(!versions.is_empty(), "no supported tmux was found");
}

#[test]
fn a_tmux_before_formats_in_styles_gets_labels_or_a_clear_word() {
    let Some(program) = tmux_programs().into_iter().find(|program| program.number() < (3, 2))
    else {
        println!("no tmux before 3.2 in the cache");
        return;
    };
    let stage = Stage::with(&StageOptions { program, ..StageOptions::default() });
    let panes = stage.side_by_side(&[("claude-2.1.332", "working"), ("codex-0.171.0", "approval")]);
    stage.start();
    for (pane, agent) in [(&panes[0].0, "claude"), (&panes[1].0, "codex")] {
        madohub_tests::wait_until(
            "the label",
            || stage.screen(),
            |screen| madohub_tests::PaneBox::of(&stage.tmux, pane).label(screen).contains(agent),
        );
    }
}
