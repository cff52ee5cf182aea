//! The harness itself: what the other tests rest on.

use madohub_tests::{Hue, OptionsSnapshot, PaneBox, Side, Stage, TestEnv, Tmux, wait_until};

#[test]
fn a_client_shows_the_colours_of_the_borders() {
    let stage = Stage::sized(120, 20);
    let first = stage.first_pane();
    let second = stage.split();
    stage.tmux.run(&["set-option", "-w", "-t", "main", "pane-border-status", "top"]);
    let by_pane = "#{?#{==:#{pane_index},0},fg=colour78,fg=colour214 bold}";
    for option in ["pane-border-style", "pane-active-border-style"] {
        stage.tmux.run(&["set-option", "-w", "-t", "main", option, by_pane]);
    }
    stage.wait_border(&first, Side::Top, Hue::Green);
    let screen = stage.wait_border(&second, Side::Top, Hue::Orange);
    let cells = PaneBox::of(&stage.tmux, &second).border(&screen, Side::Top);
    assert!(cells.iter().all(|cell| cell.style.bold), "{screen}");
}

#[test]
fn an_agent_plays_its_scenes_under_its_own_name() {
    let stage = Stage::sized(61, 22);
    let pane = stage.first_pane();
    let agent = stage.agent(&pane, "claude-2.1.332", "working");
    assert_eq!(stage.tmux.get(&pane, "#{pane_current_command}"), "claude");
    wait_until("its title", || stage.tmux.get(&pane, "#{pane_title}"), |t| t == "✳ Claude Code");
    let registry = stage.env.home().join(format!(".claude/sessions/{}.json", agent.pid()));
    let entry = std::fs::read_to_string(&registry).unwrap();
    assert!(entry.contains(r#""status":"busy""#), "{entry}");
    agent.show("approval");
    wait_until(
        "the dialog",
        || stage.tmux.capture(&pane),
        |s| s.contains("Do you want to proceed?"),
    );
    stage.tmux.run(&["send-keys", "-t", &pane, "Escape"]);
    wait_until("the interruption", || stage.tmux.capture(&pane), |s| s.contains("Interrupted"));
    agent.exit(0);
    wait_until(
        "the shell again",
        || stage.tmux.get(&pane, "#{pane_current_command}"),
        |c| c == "bash",
    );
    assert!(!registry.exists());
}

#[test]
fn an_agent_behind_a_launcher_has_the_real_process_tree() {
    let stage = Stage::new();
    let pane = stage.first_pane();
    let agent = stage.agent(&pane, "copilot-1.0.102", "idle");
    assert_eq!(stage.tmux.get(&pane, "#{pane_current_command}"), "node");
    let comm = std::fs::read_to_string(format!("/proc/{}/comm", agent.pid())).unwrap();
    assert_eq!(comm.trim(), "MainThread");
}

#[test]
fn a_changed_option_of_any_scope_is_seen() {
    let stage = Stage::new();
    let pane = stage.first_pane();
    let before = OptionsSnapshot::take(&stage.tmux);
    assert_eq!(before.changes(&OptionsSnapshot::take(&stage.tmux)), Vec::<String>::new());
    for (args, scope) in [
        (vec!["set-option", "-g", "status-interval", "7"], "-g"),
        (vec!["set-option", "-s", "@x", "1"], "-s"),
        (vec!["set-option", "-w", "-t", "main", "@x", "1"], "-w"),
        (vec!["set-option", "-p", "-t", &pane, "@x", "1"], "-p"),
        (vec!["set-environment", "-gh", "X", "1"], "show-environment -gh"),
        (vec!["set-hook", "-g", "client-detached[7]", "list-keys"], "show-hooks -g"),
    ] {
        stage.tmux.run(&args);
        let changes = before.changes(&OptionsSnapshot::take(&stage.tmux));
        assert!(changes.iter().any(|line| line.contains(scope)), "{args:?}: {changes:?}");
    }
}

#[test]
fn nothing_of_a_world_outlives_it() {
    let stage = Stage::new();
    let pane = stage.first_pane();
    stage.agent(&pane, "claude-2.1.332", "idle");
    let path = stage.env.path().to_owned();
    let alive = stage.env.processes();
    assert!(alive.len() >= 5, "servers, client, shell, agent: {alive:?}");
    drop(stage);
    assert!(!path.exists());
    wait_until("the last process to go", || running(&alive), |left| left == "[]");
}

#[test]
fn a_world_hides_the_persons_own() {
    let env = TestEnv::new();
    let output = env.command("env").output().unwrap();
    let seen = String::from_utf8(output.stdout).unwrap();
    for line in seen.lines() {
        let name = line.split('=').next().unwrap();
        assert!(!name.starts_with("TMUX") || name == "TMUX_TMPDIR", "{line}");
        assert!(!name.starts_with("ZELLIJ"), "{line}");
        let private = name == "HOME" || name.starts_with("XDG_") || name == "TMUX_TMPDIR";
        assert!(!private || line.contains(env.path().to_str().unwrap()), "{line}");
    }
    let tmux = Tmux::new(&env.into(), &madohub_tests::TmuxProgram::system(), "x");
    assert!(!tmux.try_run(&["list-sessions"]).status.success());
}

fn running(pids: &[i32]) -> String {
    let alive = |pid: &&i32| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.rsplit(')')
            .next()
            .is_some_and(|rest| !rest.trim().is_empty() && !rest.starts_with(" Z"))
    };
    format!("{:?}", pids.iter().filter(alive).collect::<Vec<_>>())
}
