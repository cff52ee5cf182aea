//! Text for agents: only into the empty input box of one that is ready, or not at all. And waiting
//! for agents, and going to them.

use madohub_tests::recording::Cue;
use madohub_tests::{Agent, Stage, StageOptions, assert_ends, wait_until};
use std::process::Output;

const CLAUDE: &str = "claude-2.1.332";

/// Agents side by side with the daemon running; the last pane is in front of the person.
fn stage_with(agents: &[(&str, &str)]) -> (Stage, Vec<(String, Agent)>) {
    let stage = Stage::with(&StageOptions { size: (200, 24), ..StageOptions::default() });
    let panes = stage.side_by_side(agents);
    let shell = stage.split();
    stage.tmux.run(&["select-pane", "-t", &shell]);
    stage.start();
    for (pane, agent) in &panes {
        wait_until("the first sight", || stage.row(pane).is_some(), |seen| *seen);
        let _ = agent;
    }
    (stage, panes)
}

fn send(stage: &Stage, pane: &str, text: &str, more: &[&str]) -> Output {
    let server = ["send", pane, text, "-L", &stage.tmux.socket];
    stage.madohub.try_run(&[&server[..], more].concat())
}

#[test]
fn an_agent_that_is_ready_gets_the_text_once_and_starts() {
    for (recording, scene) in [
        (CLAUDE, "idle"),
        (CLAUDE, "finished"),
        ("codex-0.171.0", "finished"),
        ("opencode-1.18.33", "idle"),
    ] {
        let (stage, panes) = stage_with(&[(recording, scene)]);
        let (pane, agent) = &panes[0];
        let output = send(&stage, pane, "Run the tests.\nThen commit.", &[]);
        assert_ends(&output, 0, "Delivered");
        assert_eq!(agent.prompts(), ["Run the tests.\nThen commit."], "{recording} {scene}");
        stage.wait_state(pane, "working");
    }
}

#[test]
fn an_agent_that_works_is_waited_for_on_request() {
    let (stage, panes) = stage_with(&[(CLAUDE, "working")]);
    let (pane, agent) = &panes[0];
    assert_ends(&send(&stage, pane, "hello", &[]), 1, "is working");
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| send(&stage, pane, "hello", &["--when", "idle", "--json"]));
        wait_until("the daemon to take it", || stage.tmux.capture(pane), |_| !waits.is_finished());
        agent.show("finished");
        assert_ends(&waits.join().unwrap(), 0, r#""outcome":"delivered""#);
    });
    assert_eq!(agent.prompts(), ["hello"]);
    let late = send(&stage, pane, "late", &["--when", "idle", "--timeout", "1"]);
    assert_ends(&late, 1, "the time is up");
    assert_eq!(agent.prompts(), ["hello"]);
}

#[test]
fn nothing_is_typed_where_it_would_do_harm() {
    let (stage, panes) = stage_with(&[(CLAUDE, "approval"), ("codex-0.171.0", "typed")]);
    assert_ends(&send(&stage, &panes[0].0, "yes", &[]), 4, "waits for a person");
    // A person's own text is neither sent nor added to.
    assert_ends(&send(&stage, &panes[1].0, "hello", &[]), 1, "text in its input box");
    let shell = stage.tmux.run(&["display-message", "-p", "-t", "main", "#{pane_id}"]);
    assert_ends(&send(&stage, &shell, "rm -rf x", &[]), 4, "holds no agent");
    assert_ends(&send(&stage, "%4711", "hello", &[]), 4, "does not exist");
    panes[0].1.exit(0);
    stage.wait_state(&panes[0].0, "exited");
    assert_ends(&send(&stage, &panes[0].0, "hello", &[]), 4, "exited");
    for (_, agent) in &panes {
        assert_eq!(agent.prompts(), Vec::<String>::new());
    }
    assert!(!stage.tmux.capture(&shell).contains("rm"), "typed into a shell");
}

#[test]
fn a_pane_in_copy_mode_is_left_alone() {
    let (stage, panes) = stage_with(&[(CLAUDE, "idle")]);
    let (pane, agent) = &panes[0];
    stage.tmux.run(&["copy-mode", "-t", pane]);
    assert_ends(&send(&stage, pane, "hello", &[]), 1, "copy mode");
    stage.tmux.run(&["send-keys", "-t", pane, "-X", "cancel"]);
    assert_ends(&send(&stage, pane, "hello", &[]), 0, "Delivered");
    assert_eq!(agent.prompts(), ["hello"]);
}

#[test]
fn a_pane_in_which_the_person_types_is_left_alone() {
    let (stage, panes) = stage_with(&[(CLAUDE, "idle")]);
    let (pane, agent) = &panes[0];
    stage.tmux.run(&["select-pane", "-t", pane]);
    // Keys of the client's own terminal: the person's.
    stage.terminal.run(&["send-keys", "-t", "screen", "x", "BSpace"]);
    wait_until("the key to arrive", || stage.tmux.capture(pane), |screen| screen.contains('x'));
    assert_ends(&send(&stage, pane, "hello", &[]), 1, "nothing was typed");
    assert_eq!(agent.prompts(), Vec::<String>::new());
}

#[test]
fn a_shell_gets_a_line_where_a_shell_is_meant() {
    let (stage, panes) = stage_with(&[(CLAUDE, "idle")]);
    let shell = stage.tmux.run(&["display-message", "-p", "-t", "main", "#{pane_id}"]);
    // It is in front of a client that attached just now.
    let line = send(&stage, &shell, "echo a$((40+2))b", &["--shell", "--when", "idle"]);
    assert_ends(&line, 0, "Delivered");
    wait_until("its answer", || stage.tmux.capture(&shell), |screen| screen.contains("a42b"));
    assert_ends(&send(&stage, &shell, "one\ntwo", &["--shell"]), 4, "one line");
    assert_ends(&send(&stage, &panes[0].0, "echo", &["--shell"]), 4, "holds an agent");
}

#[test]
fn hostile_text_arrives_as_harmless_text() {
    let (stage, panes) = stage_with(&[(CLAUDE, "idle")]);
    let (pane, agent) = &panes[0];
    let mark = stage.env.path().join("tmp/mark");
    let runs = format!("#(touch {0}) $(touch {0}) `touch {0}`", mark.display());
    let text = format!("a\x1b[201~\rtouch x\r\x03\x1a {runs} ; kill-server 'q\" \\");
    assert_ends(&send(&stage, pane, &text, &[]), 0, "Delivered");
    let prompts = agent.prompts();
    assert_eq!(prompts.len(), 1, "{prompts:?}");
    assert!(prompts[0].contains(&runs), "{prompts:?}");
    assert!(!prompts[0].contains(|c: char| c.is_control() && c != '\n'), "{prompts:?}");
    stage.wait_state(pane, "working");
    assert!(!mark.exists());
    // The user's buffers are as they were.
    assert_eq!(stage.tmux.run(&["list-buffers"]), "");
}

#[test]
fn one_text_after_another_is_sent_once_each() {
    let (stage, panes) = stage_with(&[("codex-0.171.0", "finished")]);
    let (pane, agent) = &panes[0];
    assert_ends(&send(&stage, pane, "hello", &[]), 0, "Delivered");
    assert_eq!(agent.prompts(), ["hello"]);
    agent.show("finished");
    stage.wait_state(pane, "stopped");
    assert_ends(&send(&stage, pane, "again", &[]), 0, "Delivered");
    assert_eq!(agent.prompts(), ["hello", "again"]);
}

#[test]
fn waiting_ends_with_the_state_and_says_which() {
    let (stage, panes) = stage_with(&[(CLAUDE, "working"), ("codex-0.171.0", "working")]);
    let server = ["-L", stage.tmux.socket.as_str()];
    let wait = |args: &[&str]| stage.madohub.try_run(&[&["wait"], args, &server[..]].concat());
    let (first, second) = (&panes[0], &panes[1]);
    assert_ends(&wait(&[&first.0, "--timeout", "0.3"]), 1, "the time is up");
    assert_ends(&wait(&[&first.0, "--state", "working"]), 0, "working");
    assert_ends(&wait(&["%4711"]), 1, "holds no agent");
    std::thread::scope(|scope| {
        let any = scope.spawn(|| wait(&[&first.0, &second.0, "--state", "waiting"]));
        let all =
            scope.spawn(|| wait(&[&first.0, &second.0, "--all", "--state", "waiting", "--json"]));
        first.1.show("approval");
        assert_ends(&any.join().unwrap(), 0, &format!("{} waiting", first.0));
        assert!(!all.is_finished());
        second.1.show("approval");
        assert_ends(&all.join().unwrap(), 0, r#""state":"waiting""#);
    });
    let exits = std::thread::scope(|scope| {
        let waits = scope.spawn(|| wait(&[&first.0, "--state", "completed"]));
        first.1.tell(&Cue::Ping);
        first.1.exit(0);
        waits.join().unwrap()
    });
    assert_ends(&exits, 1, "holds no agent now");
}

#[test]
fn jumping_goes_to_the_pane_that_needs_the_person() {
    let (stage, panes) = stage_with(&[(CLAUDE, "working"), ("codex-0.171.0", "approval")]);
    let server = ["-L", stage.tmux.socket.as_str()];
    let jump = |args: &[&str]| stage.madohub.try_run(&[&["jump"], args, &server[..]].concat());
    let front = || stage.tmux.run(&["list-clients", "-F", "#{client_session} #{pane_id}"]);
    stage.wait_state(&panes[1].0, "waiting");
    // The person is in another session.
    stage.tmux.run(&["new-session", "-d", "-s", "other"]);
    stage.tmux.run(&[
        "switch-client",
        "-c",
        stage.clients().lines().next().unwrap(),
        "-t",
        "other",
    ]);
    wait_until("the other session", front, |front| front.starts_with("other"));
    assert_ends(&jump(&["--state", "failed"]), 1, "no pane needs you");
    assert_ends(&jump(&[]), 0, "");
    wait_until("the pane in front", front, |front| *front == format!("main {}", panes[1].0));
}

#[test]
fn jumping_goes_to_another_server_where_nobody_here_needs_the_person() {
    let (stage, panes) = stage_with(&[(CLAUDE, "working")]);
    let other = stage.other_server("other");
    let there = other.first_pane();
    let agent = other.agent(&there, "codex-0.171.0", "working");
    other.start();
    other.wait_state(&there, "working");
    stage.wait_state(&panes[0].0, "working");
    // From a pane of the first server, as a key binding of it does.
    let jump = |stage: &Stage| {
        let inside = format!("{},0,0", stage.tmux.socket_path().display());
        stage.madohub.command(&["jump"]).env("TMUX", inside).output().unwrap()
    };
    assert_ends(&jump(&stage), 1, "no pane needs you");
    let second = other.split();
    other.tmux.run(&["select-pane", "-t", &second]);
    let front = |stage: &Stage| stage.tmux.run(&["list-clients", "-F", "#{pane_id}"]);
    wait_until("the other pane", || front(&other), |front| *front == second);
    agent.show("approval");
    other.wait_state(&there, "waiting");
    assert_ends(&jump(&stage), 0, "");
    wait_until("the pane in front", || front(&other), |front| *front == there);
    // One's own server comes first.
    panes[0].1.show("approval");
    stage.wait_state(&panes[0].0, "waiting");
    other.tmux.run(&["select-pane", "-t", &second]);
    let shell = stage.split();
    stage.tmux.run(&["select-pane", "-t", &shell]);
    wait_until("a shell in front", || front(&stage), |front| *front == shell);
    assert_ends(&jump(&stage), 0, "");
    wait_until("the own pane in front", || front(&stage), |front| *front == panes[0].0);
    assert_eq!(front(&other), second);
}
