//! `madohub doctor` beside real servers: what it finds wrong, and that its remedy helps.

use madohub_tests::{Hue, Madohub, Side, Stage, StageOptions, wait_until};
use serde_json::Value;
use std::fs;

/// What is said about one check: verdict, words, remedy.
fn findings(stage: &Stage, check: &str) -> Vec<(String, String, String)> {
    let output = stage.madohub.try_run(&["doctor", "--json", "-L", &stage.tmux.socket]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap_or_default().to_owned();
    let all = report["findings"].as_array().unwrap().iter();
    let found = all.filter(|finding| finding["check"] == check);
    found.map(|f| (text(f, "verdict"), text(f, "what"), text(f, "remedy"))).collect()
}

#[track_caller]
fn assert_finding(stage: &Stage, check: &str, verdict: &str, what: &str, remedy: &str) {
    let found = findings(stage, check);
    let fits = |(v, w, r): &(String, String, String)| {
        v == verdict && w.contains(what) && r.contains(remedy)
    };
    assert!(found.iter().any(fits), "{check} {verdict} {what:?} {remedy:?}: {found:#?}");
}

#[test]
fn what_is_as_it_should_be_is_ok() {
    let stage = Stage::new();
    let panes = stage.side_by_side(&[("claude-2.1.332", "working"), ("codex-0.171.0", "approval")]);
    assert_finding(&stage, "daemon", "note", "none watches", "madohub tmux start");
    stage.start();
    stage.wait_state(&panes[0].0, "working");
    for (check, what) in [
        ("tmux", "everything works"),
        ("server", "2 panes"),
        ("daemon", "watches for"),
        ("borders", "nothing else sets them"),
        ("terminals", "1 attached"),
        ("records", "of 1 agents"),
    ] {
        assert_finding(&stage, check, "ok", what, "");
    }
    // The recorded Codex keeps no session log.
    let codex = format!("codex ({})", panes[1].0);
    assert_finding(&stage, "records", "note", &codex, "madohub explain");
    assert_finding(&stage, "segment", "note", "no status line", "set -ga status-right");
    stage.tmux.run(&["set-option", "-ga", "status-right", " #{@madohub_status}"]);
    assert_finding(&stage, "segment", "ok", "shows it", "");
}

#[test]
fn a_theme_that_takes_the_lines_is_named_and_can_be_let_go() {
    let stage = Stage::new();
    let panes = stage.side_by_side(&[("claude-2.1.332", "working"), ("codex-0.171.0", "approval")]);
    stage.start();
    stage.wait_border(&panes[1].0, Side::Top, Hue::Orange);
    let window = stage.tmux.get(&panes[0].0, "#{window_id}");
    let option = "pane-border-status";
    stage.tmux.run(&["set-option", "-w", "-t", &window, option, "off"]);
    // Before the daemon has seen it, and after it has given in.
    let remedy = format!("tmux set-option -wu -t {window} {option}");
    for _ in 0..2 {
        assert_finding(&stage, "borders", "note", option, &remedy);
        let looks = || stage.daemon_status()["looks"].as_u64().unwrap_or(0);
        let until = looks() + 3;
        wait_until("three looks", looks, |looks| *looks >= until);
    }
    stage.tmux.run(&["set-option", "-wu", "-t", &window, option]);
    stage.madohub.tmux("restart", &stage.tmux);
    stage.wait_border(&panes[1].0, Side::Top, Hue::Orange);
    assert_finding(&stage, "borders", "ok", "nothing else", "");
}

#[test]
fn a_hook_that_sets_borders_is_named() {
    let stage = Stage::new();
    stage.start();
    let hook = "set-option -w pane-border-style fg=blue";
    stage.tmux.run(&["set-hook", "-g", "after-new-window", hook]);
    assert_finding(&stage, "borders", "note", "after-new-window", "set-option -g");
    stage.tmux.run(&[
        "set-hook",
        "-g",
        "after-new-window",
        "set-option -g pane-border-style fg=blue",
    ]);
    assert_finding(&stage, "borders", "ok", "nothing else", "");
}

#[test]
fn a_daemon_that_was_killed_or_is_older_than_what_is_there_is_told() {
    let stage = Stage::new();
    let pane = stage.first_pane();
    stage.agent(&pane, "codex-0.171.0", "approval");
    // As an update does it: another file under the same name.
    let (program, new) = (stage.env.path().join("madohub"), stage.env.path().join("madohub.new"));
    fs::copy(stage.madohub.program(), &program).unwrap();
    let installed = Madohub::at(&stage.env, &program);
    installed.tmux("start", &stage.tmux);
    assert_finding(&stage, "daemon", "ok", "watches", "");
    fs::copy(&program, &new).unwrap();
    fs::rename(&new, &program).unwrap();
    assert_finding(&stage, "daemon", "note", "was replaced", "madohub tmux restart");
    installed.tmux("restart", &stage.tmux);
    assert_finding(&stage, "daemon", "ok", "watches", "");
    stage.configure("glyphs = \"ascii\"\n");
    assert_finding(&stage, "daemon", "note", "config.toml was changed", "madohub tmux restart");
    installed.tmux("restart", &stage.tmux);
    assert_finding(&stage, "daemon", "ok", "watches", "");
    stage.wait_state(&pane, "waiting");
    stage.kill_daemon();
    assert_finding(&stage, "borders", "wrong", "was killed", "madohub tmux restore");
    stage.madohub.tmux("restore", &stage.tmux);
    assert!(findings(&stage, "borders").is_empty());
}

#[test]
fn a_terminal_that_cannot_show_it_is_named() {
    let stage = Stage::new();
    assert!(findings(&stage, "glyphs").is_empty(), "it is attached as one with UTF-8");
    let attach = format!(
        "exec env -u TMUX -u TMUX_PANE -u LANG LC_ALL=C TERM=tmux-256color tmux -L {} attach -t main",
        stage.tmux.socket
    );
    stage.terminal.run(&["respawn-pane", "-k", "-t", "screen", &attach]);
    let terms = || stage.tmux.run(&["list-clients", "-F", "#{client_termname}"]);
    wait_until("the other client", terms, |terms| terms == "tmux-256color");
    assert_finding(&stage, "glyphs", "note", "without UTF-8", "glyphs = \"ascii\"");
    stage.configure("glyphs = \"ascii\"\n");
    assert!(findings(&stage, "glyphs").is_empty());
    assert_finding(&stage, "terminals", "ok", "1 attached", "");
}

#[test]
fn a_terminal_with_few_colours_is_named_and_the_remedy_helps() {
    let options = StageOptions { term: "xterm", answers: false, ..StageOptions::default() };
    let mut stage = Stage::with(&options);
    let remedy = "export TERM=xterm-256color";
    assert_finding(&stage, "colours", "note", "xterm: a terminal with 8 colours", remedy);
    stage.attach_as("xterm-256color");
    assert_eq!(findings(&stage, "colours"), []);
    assert_finding(&stage, "terminals", "ok", "1 attached", "");
}
