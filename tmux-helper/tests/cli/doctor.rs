//! `madohub doctor` where there is no tmux.

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
