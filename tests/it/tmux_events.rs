//! Change events: each change once, nothing on the first sight.

use madohub_tests::{Event, Stage, Watch, wait_for};

/// `from` and `to` of the events of one pane.
fn steps(events: &[Event], pane: &str) -> Vec<(String, String)> {
    let own = events.iter().filter(|event| event.pane == pane);
    own.map(|event| (event.from.clone(), event.to.clone())).collect()
}

#[track_caller]
fn wait_steps(watch: &Watch, pane: &str, expected: &[(&str, &str)]) -> Vec<Event> {
    wait_for(&format!("the events {expected:?}"), || {
        let events = watch.events();
        let seen = steps(&events, pane);
        let same =
            seen.iter().map(|(from, to)| (from.as_str(), to.as_str())).eq(expected.iter().copied());
        if same { Ok(events) } else { Err(format!("{seen:?}")) }
    })
}

#[test]
fn every_change_is_one_event() {
    let stage = Stage::new();
    let panes = stage.side_by_side(&[("claude-2.1.332", "working"), ("codex-0.171.0", "typed")]);
    let (pane, agent) = &panes[0];
    stage.tmux.run(&["select-pane", "-t", &panes[1].0]);
    stage.start();
    stage.wait_state(pane, "working");
    let watch = stage.watch();
    for (scene, state) in [
        ("approval", "waiting"),
        ("working", "working"),
        ("finished", "stopped"),
        ("working", "working"),
    ] {
        agent.show(scene);
        stage.wait_state(pane, state);
    }
    let events = wait_steps(
        &watch,
        pane,
        &[
            ("working", "waiting"),
            ("waiting", "working"),
            ("working", "stopped"),
            ("stopped", "working"),
        ],
    );
    let numbers: Vec<u64> = events.iter().map(|event| event.seq).collect();
    assert!(numbers.is_sorted_by(|a, b| a < b), "{numbers:?}");
    assert!(events.iter().all(|event| event.v == 1 && event.agent == "claude"), "{events:?}");
    assert_eq!(events[0].reason.as_deref(), Some("approval"));
}

#[test]
fn the_first_sight_of_a_pane_is_no_event() {
    let stage = Stage::new();
    let panes = stage.side_by_side(&[("claude-2.1.332", "approval"), ("codex-0.171.0", "typed")]);
    stage.start();
    let watch = stage.watch();
    stage.wait_state(&panes[0].0, "waiting");
    // The daemon looks away while the pane comes and its agent starts.
    stage.pause_daemon();
    let third = stage.split();
    stage.agent(&third, "gemini-0.61.0", "approval");
    stage.resume_daemon();
    stage.wait_state(&third, "waiting");
    // The next event comes after everything that the first sights could have caused.
    panes[0].1.show("working");
    let events = wait_steps(&watch, &panes[0].0, &[("waiting", "working")]);
    assert_eq!(events.len(), 1, "{events:?}");
}

#[test]
fn a_restart_repeats_no_event() {
    let stage = Stage::new();
    let panes = stage.side_by_side(&[("claude-2.1.332", "working"), ("codex-0.171.0", "typed")]);
    let (pane, agent) = &panes[0];
    stage.tmux.run(&["select-pane", "-t", &panes[1].0]);
    stage.start();
    stage.wait_state(pane, "working");
    agent.show("finished");
    stage.wait_state(pane, "stopped");
    stage.madohub.tmux("restart", &stage.tmux);
    let watch = stage.watch();
    stage.wait_state(pane, "stopped");
    agent.show("working");
    let events = wait_steps(&watch, pane, &[("stopped", "working")]);
    assert_eq!(events.len(), 1, "{events:?}");
}
