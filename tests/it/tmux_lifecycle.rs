//! One daemon per server: starts, stops, survives what happens around it.

use madohub_tests::{Hue, Side, Stage, Tmux, wait_for, wait_until};

#[test]
fn one_daemon_per_server() {
    let stage = Stage::new();
    stage.start();
    let first = stage.daemon();
    let again = stage.madohub.try_run(&["tmux", "start", "-L", &stage.tmux.socket]);
    assert!(again.status.success(), "{}", String::from_utf8_lossy(&again.stderr));
    assert_eq!(stage.daemons(), [first]);
    stage.madohub.tmux("stop", &stage.tmux);
    wait_until("the daemon to end", || format!("{:?}", stage.daemons()), |left| left == "[]");
}

#[test]
fn restart_is_another_process_and_repeats_nothing() {
    let stage = Stage::new();
    let panes = stage.side_by_side(&[("claude-2.1.332", "working"), ("codex-0.171.0", "approval")]);
    stage.start();
    let since = stage.wait_state(&panes[1].0, "waiting").since;
    let first = stage.daemon();
    stage.madohub.tmux("restart", &stage.tmux);
    assert_ne!(stage.daemon(), first);
    let again = stage.wait_state(&panes[1].0, "waiting").since;
    assert!((again - since).abs() < 0.01, "{since} became {again}");
    stage.wait_border(&panes[1].0, Side::Top, Hue::Orange);
}

#[test]
fn two_servers_know_nothing_of_each_other() {
    let stage = Stage::new();
    let panes = stage.side_by_side(&[("claude-2.1.332", "working"), ("codex-0.171.0", "approval")]);
    let other = Tmux::new(&stage.env, &stage.tmux.program, "other");
    other.run(&["new-session", "-d", "-s", "second", "-x", "130", "-y", "24", "exec bash"]);
    let pane = other.run(&["list-panes", "-F", "#{pane_id}"]);
    let command = stage.agent_command(&other, &pane, "gemini-0.61.0", "approval");
    other.run(&["send-keys", "-t", &pane, &command.line(), "Enter"]);
    let _gemini = command.started();

    stage.start();
    stage.madohub.tmux("start", &other);
    assert_eq!(stage.daemons().len(), 2);
    stage.wait_state(&panes[0].0, "working");
    wait_for("the other server's agent", || {
        let rows = stage.madohub.list(&other);
        match &rows[..] {
            [row] if row.agent == "gemini" && row.state == "waiting" => Ok(()),
            _ => Err(format!("{rows:?}")),
        }
    });
    stage.madohub.tmux("stop", &stage.tmux);
    assert_eq!(stage.madohub.list(&other).len(), 1);
    assert_eq!(other.get(&pane, "#{@madohub_state}"), "waiting");
}

#[test]
fn without_a_daemon_the_answer_is_still_right_or_says_what_to_do() {
    let stage = Stage::new();
    stage.side_by_side(&[("claude-2.1.332", "working")]);
    let output = stage.madohub.try_run(&["list", "--json", "-L", &stage.tmux.socket]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    match output.status.code() {
        Some(0) => assert_eq!(stage.madohub.list(&stage.tmux)[0].state, "working"),
        Some(3) => assert!(said.contains("madohub tmux start"), "{said}"),
        other => panic!("{other:?}: {said}"),
    }
}

#[test]
fn without_a_server_commands_say_so() {
    let stage = Stage::new();
    // To stop what does not run is no error, but it is not a success either.
    for (args, code) in [
        (&["list"][..], 3),
        (&["tmux", "start"], 3),
        (&["tmux", "restore"], 3),
        (&["tmux", "stop"], 1),
    ] {
        let output = stage.madohub.try_run(&[args, &["-L", "nobody"]].concat());
        let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert_eq!(output.status.code(), Some(code), "{args:?}: {said}");
        assert!(!said.is_empty(), "{args:?}");
    }
}

#[test]
fn the_daemon_follows_without_a_client_and_after_one_comes_back() {
    let stage = Stage::new();
    let panes = stage.side_by_side(&[("claude-2.1.332", "working"), ("codex-0.171.0", "approval")]);
    stage.start();
    stage.wait_border(&panes[0].0, Side::Top, Hue::Green);
    stage.tmux.run(&["detach-client", "-s", "main"]);
    wait_until("no client", || stage.clients(), String::is_empty);
    panes[0].1.show("approval");
    stage.wait_state(&panes[0].0, "waiting");
    stage.attach();
    stage.wait_border(&panes[0].0, Side::Top, Hue::Orange);
}

#[test]
fn a_server_that_starts_again_under_the_same_name_is_watched_again() {
    let stage = Stage::new();
    let pane = stage.first_pane();
    let agent = stage.agent(&pane, "claude-2.1.332", "working");
    stage.start();
    stage.wait_state(&pane, "working");
    let server = stage.tmux.pid();
    stage.tmux.kill_server();
    drop(agent);
    let process = std::path::PathBuf::from(format!("/proc/{server}"));
    wait_until("the server to end", || process.exists(), |there| !there);
    stage.tmux.run(&["new-session", "-d", "-s", "main", "-x", "130", "-y", "24", "exec bash"]);
    let pane = stage.first_pane();
    let _agent = stage.agent(&pane, "codex-0.171.0", "approval");
    // Whether the old one stayed or a new one is needed is the same to the person.
    stage.start();
    let row = stage.wait_state(&pane, "waiting");
    assert_eq!(row.agent, "codex");
    assert_eq!(stage.daemons().len(), 1);
}
