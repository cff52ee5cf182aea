//! How the product gets into a person's tmux: the plugin entry and the demo.

use madohub_tests::{Stage, wait_until};
use std::path::{Path, PathBuf};
use std::process::Command;

fn entry() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../madohub.tmux")
}

fn run_entry(stage: &Stage) {
    stage.tmux.run(&["run-shell", &format!("'{}'", entry().display())]);
}

#[test]
fn the_plugin_entry_starts_one_daemon() {
    let stage = Stage::new();
    let panes = stage.side_by_side(&[("claude-2.1.332", "working"), ("codex-0.171.0", "approval")]);
    let program = stage.madohub.program().display().to_string();
    stage.tmux.run(&["set-option", "-g", "@madohub_bin", &program]);
    run_entry(&stage);
    wait_until("the daemon", || stage.daemons().len(), |count| *count == 1);
    stage.wait_state(&panes[1].0, "waiting");
    // A person sources the configuration again.
    run_entry(&stage);
    stage.wait_state(&panes[0].0, "working");
    assert_eq!(stage.daemons().len(), 1);
}

#[test]
fn the_plugin_entry_takes_a_program_with_any_path() {
    let stage = Stage::new();
    let dir = stage.env.path().join("it's #{pid} $(x) #(y); ~");
    std::fs::create_dir(&dir).unwrap();
    let program = dir.join("madohub");
    std::fs::copy(stage.madohub.program(), &program).unwrap();
    let value = program.display().to_string();
    stage.tmux.run(&["set-option", "-g", "@madohub_bin", &value]);
    run_entry(&stage);
    wait_until("the daemon", || stage.daemons().len(), |count| *count == 1);
}

#[test]
fn the_plugin_entry_starts_nothing_when_told_so() {
    let stage = Stage::new();
    let program = stage.madohub.program().display().to_string();
    stage.tmux.run(&["set-option", "-g", "@madohub_bin", &program]);
    stage.tmux.run(&["set-option", "-g", "@madohub_autostart", "off"]);
    stage.tmux.run(&["set-option", "-g", "@madohub_list_key", "A"]);
    run_entry(&stage);
    assert!(stage.tmux.run(&["list-keys", "-T", "prefix", "A"]).contains("display-popup"));
    assert!(stage.daemons().is_empty());
}

#[test]
fn the_demo_finds_every_state_right() {
    let stage = Stage::new();
    let demo = env!("CARGO_BIN_EXE_demo");
    let output = Command::new(demo).arg(stage.madohub.program()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    for word in ["waiting", "working", "stopped", "idle", "approval", "all right"] {
        assert!(said.contains(word), "{word} in {said}");
    }
}
