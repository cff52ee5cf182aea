//! Lists, segments and options: what they say, and that all say the same.

use madohub_tests::recording::Cue;
use madohub_tests::{Hue, PaneBox, Side, Stage, wait_for, wait_until};
use std::collections::BTreeSet;

#[test]
fn the_list_has_the_promised_keys() {
    let stage = Stage::new();
    let panes = stage.side_by_side(&[("claude-2.1.332", "working"), ("codex-0.171.0", "approval")]);
    stage.start();
    stage.wait_state(&panes[1].0, "waiting");
    stage.wait_state(&panes[0].0, "working");
    let rows = stage.madohub.list_json(&stage.tmux);
    let promised: BTreeSet<&str> = [
        "mux",
        "server",
        "session",
        "window",
        "window_name",
        "pane",
        "agent",
        "agent_name",
        "agent_version",
        "state",
        "state_source",
        "reason",
        "background",
        "since",
        "title",
        "cwd",
        "pid",
        "model",
        "last_message",
    ]
    .into();
    for row in &rows {
        let keys: BTreeSet<&str> = row.as_object().unwrap().keys().map(String::as_str).collect();
        assert!(keys.is_superset(&promised), "missing: {:?}", promised.difference(&keys));
    }
    // Sorted by need: who waits for a person comes first.
    assert_eq!(rows[0]["pane"], panes[1].0.as_str());
    assert_eq!(rows[0]["mux"], "tmux");
    assert_eq!(rows[0]["session"], "main");
    assert_eq!(rows[1]["agent"], "claude");
    assert_eq!(rows[1]["agent_name"], "Claude Code");
    assert_eq!(rows[1]["pid"], panes[0].1.pid());
    assert_eq!(rows[1]["state_source"], "jsonl-watcher");
}

#[test]
fn border_list_status_and_segment_agree_at_every_moment() {
    let stage = Stage::new();
    stage.tmux.run(&["set-option", "-g", "status-right", "<#{E:@madohub_status}>"]);
    stage.tmux.run(&["set-option", "-g", "status-right-length", "80"]);
    let panes = stage.side_by_side(&[("claude-2.1.332", "idle"), ("codex-0.171.0", "typed")]);
    stage.tmux.run(&["select-pane", "-t", &panes[1].0]);
    let (pane, agent) = &panes[0];
    stage.start();
    stage.wait_state(pane, "idle");
    for (scene, state, glyph, hue) in [
        ("working", "working", "●", Hue::Green),
        ("approval", "waiting", "?", Hue::Orange),
        ("finished", "stopped", "■", Hue::Red),
        ("streaming", "working", "●", Hue::Green),
    ] {
        agent.show(scene);
        let segment = format!("{glyph}1");
        wait_for(&format!("every output to say {state}"), || {
            let screen = stage.screen();
            let label = PaneBox::of(&stage.tmux, pane).label(&screen);
            let status_line = screen.row_text(screen.rows.len() - 1);
            let answers = [
                ("list", stage.row(pane).is_some_and(|row| row.state == state)),
                ("option", stage.tmux.get(pane, "#{@madohub_state}") == state),
                ("window", stage.tmux.get(pane, "#{@madohub_window_state}") == state),
                ("status", stage.status(&["--format", "counts"]).trim() == segment),
                ("segment", status_line.contains(&format!("<{segment}>"))),
                ("border", stage.border_is(&screen, pane, Side::Top, hue)),
                ("label", label.contains(glyph) && label.contains("claude")),
            ];
            let wrong: Vec<&str> =
                answers.iter().filter(|(_, ok)| !ok).map(|(what, _)| *what).collect();
            if wrong.is_empty() { Ok(()) } else { Err(format!("not yet: {wrong:?}\n{screen}")) }
        });
    }
}

#[test]
fn the_segment_counts_by_need() {
    let stage = Stage::sized(250, 24);
    stage.tmux.run(&["set-option", "-g", "status-right", "<#{E:@madohub_status}>"]);
    stage.tmux.run(&["set-option", "-g", "status-right-length", "80"]);
    stage.side_by_side(&[
        ("claude-2.1.332", "working"),
        ("codex-0.171.0", "approval"),
        ("gemini-0.61.0", "working"),
        ("opencode-1.18.33", "finished"),
    ]);
    stage.start();
    wait_until(
        "the segment",
        || stage.screen(),
        |screen| screen.row_text(screen.rows.len() - 1).contains("<?1 ■1 ●2>"),
    );
    assert_eq!(stage.status(&["--format", "counts"]).trim(), "?1 ■1 ●2");
    assert_eq!(stage.status(&["--format", "minimal"]).trim(), "?1");
    assert_eq!(stage.status(&["--format", "{waiting}/{total}"]).trim(), "1/4");
}

#[test]
fn what_an_agent_says_is_text_and_never_a_command() {
    let stage = Stage::new();
    let panes = stage.side_by_side(&[("claude-2.1.332", "working"), ("codex-0.171.0", "typed")]);
    let (pane, agent) = &panes[0];
    let trap = stage.env.home().join("trap");
    stage.configure("[border]\ntitle = true\n");
    stage.start();
    stage.wait_state(pane, "working");
    for title in [
        format!("#(touch {})", trap.display()),
        format!("$(touch {0}) `touch {0}` ; touch {0}", trap.display()),
        "#[fg=red,bg=blue]#{pid}#{E:@madohub_status}\u{7}".to_owned(),
        "'; kill-server ; display-message '".to_owned(),
        "};{\n\\; \"kill-server".to_owned(),
    ] {
        agent.tell(&Cue::Title { title });
        agent.show("approval");
        stage.wait_border(pane, Side::Top, Hue::Orange);
        agent.show("working");
        stage.wait_border(pane, Side::Top, Hue::Green);
        let table = stage.madohub.run(&["list", "-L", &stage.tmux.socket]);
        assert!(!table.contains(['\x1b', '\u{7}']), "{table:?}");
    }
    assert!(!trap.exists());
}
