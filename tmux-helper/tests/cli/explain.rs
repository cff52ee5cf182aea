//! `madohub explain`.

use crate::world::World;
use serde_json::json;

const SECRET: &str = "xyzzy-plugh";

fn moment() -> String {
    let rule = "─".repeat(60);
    let spinner = format!("✻ {SECRET}… (12s · ↓ 300 tokens · esc to interrupt)");
    let screen = ["● Hi.", &spinner, "", &rule, &format!("❯ {SECRET}"), &rule, "  ? for shortcuts"];
    json!({"id": "moment", "agent_hint": "claude", "title": SECRET, "screen": screen}).to_string()
}

#[test]
fn every_rule_tried_is_shown_without_the_text_of_the_screen() {
    let world = World::new();
    let run = world.run_with_input(&["explain", "--observations", "-"], moment());
    run.assert_code(0);
    for part in
        ["id      moment", "agent   Claude Code", "state   working", "regions\n", "  + claude."]
    {
        assert!(run.stdout.contains(part), "{part}: {run:?}");
    }
    assert!(
        run.stdout.lines().filter(|line| line.starts_with("  - claude.")).count() > 3,
        "{run:?}"
    );
    assert!(!run.stdout.contains(SECRET), "{run:?}");
    let run = world.run_with_input(&["explain", "--observations", "-", "--text"], moment());
    assert!(run.assert_code(0).stdout.contains(SECRET), "{run:?}");
}

#[test]
fn the_json_form_keeps_the_text_to_itself_as_well() {
    let world = World::new();
    let args = ["explain", "--observations", "-", "--json"];
    let run = world.run_with_input(&args, format!("{}\n{{\n", moment()));
    let answers = run.assert_code(2).json_lines();
    assert_eq!(answers.len(), 2);
    assert_eq!(answers[0]["detection"]["state"], "working");
    assert!(answers[0]["tried"].as_array().unwrap().len() > 3);
    assert!(answers[1]["error"].as_str().unwrap().starts_with("line 2: "));
    assert!(!run.stdout.contains(SECRET), "{run:?}");
    let run = world.run_with_input(&[&args[..], &["--text"]].concat(), moment());
    assert!(run.assert_code(0).stdout.contains(SECRET), "{run:?}");
}

#[test]
fn the_verdict_is_the_one_of_detect() {
    let world = World::new();
    let explained =
        world.run_with_input(&["explain", "--observations", "-", "--json", "--text"], moment());
    let detected = world.run_with_input(&["detect", "--observations", "-"], moment());
    assert_eq!(explained.json_lines()[0]["detection"], detected.json_lines()[0]);
}

#[test]
fn a_screen_without_an_agent_is_explained_too() {
    let run = World::new().run_with_input(&["explain", "--observations", "-"], "{\"id\":\"none\"}");
    assert!(run.assert_code(0).stdout.contains("state   unknown"), "{run:?}");
    assert!(run.stdout.contains("regions none"), "{run:?}");
}
