//! Change events: each change once, nothing on the first sight.

use madohub_tests::{Agent, Event, Stage, Watch, wait_for, wait_until};

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
fn what_a_log_tells_beside_the_state_comes_when_it_is_asked_for() {
    let stage = Stage::new();
    let panes = stage.side_by_side(&[("claude-2.1.332", "working"), ("codex-0.171.0", "typed")]);
    let (pane, agent) = &panes[0];
    stage.start();
    stage.wait_state(pane, "working");
    for (more, keys) in [
        (&[][..], None),
        (&["--detail"], Some(&["context_left", "limit_resets", "model", "retry", "turn_ms"][..])),
        (&["--message"], Some(&["last_message"])),
    ] {
        let watch = stage.watch_with(more);
        agent.show("approval");
        wait_steps(&watch, pane, &[("working", "waiting")]);
        let event: serde_json::Value = serde_json::from_str(&watch.lines()[0]).unwrap();
        let detail = event.get("detail").and_then(|detail| detail.as_object());
        let told = detail.map(|fields| fields.keys().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(told.as_deref(), keys, "{event}");
        agent.show("working");
        stage.wait_state(pane, "working");
    }
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

/// A working agent in a pane beside the one in front, whose states nobody's eyes settle.
fn agent_aside(stage: &Stage) -> (String, Agent) {
    let panes = stage.side_by_side(&[("claude-2.1.332", "working"), ("codex-0.171.0", "typed")]);
    stage.tmux.run(&["select-pane", "-t", &panes[1].0]);
    stage.start();
    stage.wait_state(&panes[0].0, "working");
    panes.into_iter().next().unwrap()
}

#[test]
fn a_restart_repeats_no_event() {
    let stage = Stage::new();
    let (pane, agent) = agent_aside(&stage);
    let before = stage.watch();
    agent.show("finished");
    wait_steps(&before, &pane, &[("working", "stopped")]);
    stage.madohub.tmux("restart", &stage.tmux);
    let watch = stage.watch();
    stage.wait_state(&pane, "stopped");
    agent.show("working");
    let events = wait_steps(&watch, &pane, &[("stopped", "working")]);
    assert_eq!(events.len(), 1, "{events:?}");
}

#[test]
fn the_end_of_a_turn_outlives_a_killed_daemon_as_one_event() {
    let stage = Stage::new();
    let (pane, agent) = agent_aside(&stage);
    agent.show("finished");
    stage.wait_state(&pane, "stopped");
    // The end shows already, but is not told yet, or was told just now.
    stage.kill_daemon();
    stage.start();
    let watch = stage.watch_with(&["--since", "0"]);
    wait_steps(&watch, &pane, &[("working", "stopped")]);
    stage.kill_daemon();
    stage.start();
    agent.show("working");
    let later = stage.watch_with(&["--since", "0"]);
    wait_steps(&later, &pane, &[("working", "stopped"), ("stopped", "working")]);
    let numbers: Vec<u64> = later.events().iter().map(|event| event.seq).collect();
    assert_eq!(numbers, [1, 2]);
}

#[test]
fn a_reader_goes_on_where_it_was_and_hears_of_gaps() {
    let stage = Stage::new();
    let (pane, agent) = agent_aside(&stage);
    agent.show("approval");
    agent.show("working");
    stage.wait_state(&pane, "working");
    let all = stage.watch_with(&["--since", "0"]);
    agent.show("approval");
    stage.wait_state(&pane, "waiting");
    let events = wait_for("the last event", || {
        let events = all.events();
        let is_last = events.last().is_some_and(|event| event.to == "waiting");
        if is_last { Ok(events) } else { Err(format!("{events:?}")) }
    });
    let (last, before) = events.split_last().unwrap();
    let resumed = stage.watch_with(&["--since", &before.last().map_or(0, |e| e.seq).to_string()]);
    wait_until("the rest", || format!("{:?}", resumed.events()), |_| !resumed.lines().is_empty());
    assert_eq!(&resumed.events()[0], last);
    // A number that was never told is no mistake of the reader: the numbers may have begun anew.
    let astray = stage.watch_with(&["--since", "4711"]);
    wait_until(
        "the gap",
        || format!("{:?}", astray.lines()),
        |_| astray.lines().len() > events.len(),
    );
    assert_eq!(astray.lines()[0], r#"{"v":1,"gap":{"after":4711,"next":1}}"#);
}

#[test]
fn a_reader_that_reads_nothing_holds_nobody_up() {
    let stage = Stage::new();
    let (pane, agent) = agent_aside(&stage);
    let stopped = stage.watch();
    let pid = rustix::process::Pid::from_raw(stopped.pid().cast_signed()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::STOP).unwrap();
    let watch = stage.watch();
    for _ in 0..3 {
        agent.show("approval");
        stage.wait_state(&pane, "waiting");
        agent.show("working");
        stage.wait_state(&pane, "working");
    }
    let round = [("working", "waiting"), ("waiting", "working")];
    wait_steps(&watch, &pane, &round.repeat(3));
    rustix::process::kill_process(pid, rustix::process::Signal::CONT).unwrap();
    wait_steps(&stopped, &pane, &round.repeat(3));
}

#[test]
fn the_history_of_a_pane_outlives_the_daemon() {
    let stage = Stage::new();
    let (pane, agent) = agent_aside(&stage);
    let watch = stage.watch();
    agent.show("approval");
    wait_steps(&watch, &pane, &[("working", "waiting")]);
    stage.kill_daemon();
    stage.start();
    let server = ["-L", &stage.tmux.socket];
    let text = stage.madohub.run(&[&["list", "--history"], &server[..]].concat());
    assert!(text.contains("working → ? waiting (approval)"), "{text}");
    let json = stage.madohub.run(&[&["list", "--history", "--json"], &server[..]].concat());
    let rows: serde_json::Value = serde_json::from_str(&json).unwrap();
    let row = rows.as_array().unwrap().iter().find(|row| row["pane"] == pane.as_str()).unwrap();
    assert_eq!(row["history"][0]["to"], "waiting");
    assert_eq!(row["state"], "waiting");
}

#[test]
fn a_broken_state_file_loses_no_daemon() {
    let stage = Stage::new();
    let (pane, agent) = agent_aside(&stage);
    let watch = stage.watch();
    agent.show("approval");
    wait_steps(&watch, &pane, &[("working", "waiting")]);
    stage.kill_daemon();
    let folder = stage.env.path().join("state/madohub");
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    }
    stage.start();
    stage.wait_state(&pane, "waiting");
    let watch = stage.watch();
    agent.show("working");
    wait_steps(&watch, &pane, &[("waiting", "working")]);
}
