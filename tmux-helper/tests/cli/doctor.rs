//! `madohub doctor` where there is no tmux server.

use crate::world::World;
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

/// The verdicts on one check.
fn verdicts(report: &Value, check: &str) -> Vec<String> {
    let findings = report["findings"].as_array().unwrap();
    let found = findings.iter().filter(|finding| finding["check"] == check);
    found.map(|finding| finding["verdict"].as_str().unwrap().to_owned()).collect()
}

fn report(world: &World) -> (i32, Value) {
    let run = world.run(&["doctor", "--json"]);
    assert_eq!(run.stderr, "");
    (run.code, serde_json::from_str(&run.stdout).unwrap())
}

#[test]
fn what_works_and_what_is_missing_is_said() {
    let world = World::new();
    let (code, report) = report(&world);
    assert_eq!(code, 1, "{report}");
    assert_eq!((&report["v"], &report["ok"]), (&1.into(), &false.into()));
    for check in ["settings", "rules", "folders", "processes"] {
        assert_eq!(verdicts(&report, check), ["ok"], "{report:#}");
    }
    assert_eq!(verdicts(&report, "tmux"), ["wrong"], "{report:#}");
    let run = world.run(&["doctor"]);
    assert!(run.assert_code(1).stdout.contains("-> Install tmux 3.2 or newer"), "{run:?}");
    assert!(run.stdout.ends_with("\n1 thing is wrong.\n"), "{run:?}");
}

#[test]
fn settings_rules_and_folders_that_cannot_be_used_are_wrong() {
    let world = World::new();
    world.settings("[pace]\nhot = \"fast\"\n");
    world.file(".config/madohub/agents/mine.toml", "id = 5\n");
    let runtime = world.path().join("madohub");
    fs::create_dir(&runtime).unwrap();
    fs::set_permissions(&runtime, fs::Permissions::from_mode(0o755)).unwrap();
    let (code, report) = report(&world);
    assert_eq!(code, 1);
    assert_eq!(verdicts(&report, "settings"), ["wrong"], "{report:#}");
    assert_eq!(verdicts(&report, "rules"), ["ok", "wrong"], "{report:#}");
    assert_eq!(verdicts(&report, "folders"), ["wrong"], "{report:#}");
    let findings = report["findings"].as_array().unwrap();
    let wrong = findings.iter().filter(|finding| finding["verdict"] == "wrong");
    assert!(wrong.clone().count() >= 3);
    for finding in wrong {
        assert!(finding["remedy"].as_str().is_some_and(|remedy| !remedy.is_empty()), "{finding}");
    }
}

/// Puts a program into the PATH.
fn program(world: &World, name: &str, body: &str) {
    let path = world.file(name, format!("#!/bin/sh\n{body}\n"));
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// What is said about one check, with its verdict and what to do.
fn findings(report: &Value, check: &str) -> Vec<(String, String, String)> {
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap_or_default().to_owned();
    let all = report["findings"].as_array().unwrap().iter();
    let found = all.filter(|finding| finding["check"] == check);
    found.map(|f| (text(f, "verdict"), text(f, "what"), text(f, "remedy"))).collect()
}

#[track_caller]
fn assert_finding(world: &World, check: &str, verdict: &str, what: &str, remedy: &str) {
    let (_, report) = report(world);
    let found = findings(&report, check);
    let fits = |(v, w, r): &(String, String, String)| {
        v == verdict && w.contains(what) && r.contains(remedy)
    };
    assert!(found.iter().any(fits), "{check} {verdict} {what:?} {remedy:?}: {report:#}");
}

#[test]
fn a_tmux_that_is_too_old_or_cannot_run_is_told_with_the_remedy() {
    let world = World::new();
    for (said, verdict, what, remedy) in [
        ("echo tmux 2.9a", "wrong", "tmux 2.9a is too old", "Install tmux 3.2 or newer"),
        ("echo tmux 3.1c", "note", "only labels can have colours", "tmux 3.2 or newer"),
        ("echo screen", "note", "its version is not known", "tmux 3.2 or newer"),
    ] {
        program(&world, "tmux", said);
        assert_finding(&world, "tmux", verdict, what, remedy);
    }
}

#[test]
fn zellij_its_plugin_and_its_permissions_are_looked_at() {
    let world = World::new();
    let (_, before) = report(&world);
    assert!(findings(&before, "zellij").is_empty(), "nobody uses it here: {before:#}");

    program(&world, "zellij", "echo zellij 0.43.1");
    assert_finding(&world, "zellij", "wrong", "zellij 0.43.1 is too old", "0.44.2 or newer");
    // Whoever has zellij needs no tmux.
    assert_finding(&world, "tmux", "note", "tmux", "Install tmux");

    program(&world, "zellij", "[ $1 = --version ] && echo zellij 0.45.1");
    assert_finding(&world, "zellij", "ok", "zellij 0.45.1", "");
    assert_finding(&world, "plugin", "note", "no plugin", "madohub zellij install");
    let (code, calm) = report(&world);
    assert_eq!(code, 0, "{calm:#}");

    let wasm = world.file("built.wasm", "\0asm");
    let install = ["zellij", "install", "--yes", "--plugin", wasm.to_str().unwrap()];
    world.run(&install).assert_code(0);
    assert_finding(&world, "plugin", "ok", "loads it", "");
    assert_finding(&world, "permissions", "wrong", "read panes", "zellij install --grant");
    world.run(&[&install[..], &["--grant"]].concat()).assert_code(0);
    assert_finding(&world, "permissions", "ok", "gives the plugin", "");

    let plugin = world.path().join(".local/share/madohub/madohub.wasm");
    fs::remove_file(&plugin).unwrap();
    assert_finding(&world, "plugin", "wrong", "that is not there", "./install.sh");
    fs::write(&plugin, "\0asm").unwrap();
    fs::remove_file(world.path().join("zellij")).unwrap();
    assert_finding(&world, "zellij", "wrong", "no zellij is in the PATH", "zellij uninstall");
    world.run(&["zellij", "uninstall"]).assert_code(0);
    let (_, after) = report(&world);
    assert!(findings(&after, "zellij").is_empty(), "{after:#}");
}
