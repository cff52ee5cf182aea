//! `madohub rules`.

use crate::world::World;

const ACME: &str = r#"
schema = 1
id = "acme"
name = "Acme Code"
checked_with = ["1.4"]

[process]
names = ["acme"]

[[rules]]
id = "acme.working"
state = "working"
region = "screen"
lines_any = ['^acme is busy']
match = ["acme is busy"]
no_match = ["acme rests"]
"#;

#[test]
fn the_agents_that_are_known_are_listed() {
    let world = World::new();
    let run = world.run(&["rules", "list"]);
    assert!(run.assert_code(0).stdout.starts_with("AGENT "), "{run:?}");
    let json = world.run(&["rules", "list", "--json"]);
    let agents: serde_json::Value = serde_json::from_str(&json.assert_code(0).stdout).unwrap();
    let ids: Vec<&str> =
        agents.as_array().unwrap().iter().map(|agent| agent["id"].as_str().unwrap()).collect();
    for id in ["claude", "codex", "amp", "opencode", "gemini", "copilot", "qwen", "aider"] {
        assert!(ids.contains(&id), "{ids:?}");
        assert!(run.stdout.contains(&format!("\n{id} ")), "{run:?}");
    }
}

#[test]
fn an_agent_of_the_users_own_is_known_without_compiling() {
    let world = World::new();
    world.file(".config/madohub/agents/acme.toml", ACME);
    let run = world.run(&["rules", "list"]);
    assert!(run.assert_code(0).stdout.contains("acme      Acme Code"), "{run:?}");
    assert!(run.stdout.contains("agents/acme.toml"), "{run:?}");
    let observation = r#"{"id":"a","agent_hint":"acme","screen":["acme is busy"]}"#;
    let run = world.run_with_input(&["detect", "--observations", "-"], observation);
    let answer = run.assert_code(0).json_lines().remove(0);
    assert_eq!((&answer["agent"], &answer["state"]), (&"acme".into(), &"working".into()));
}

#[test]
fn a_shown_file_can_be_checked_as_it_is() {
    let world = World::new();
    for id in ["claude", "codex", "aider"] {
        let run = world.run(&["rules", "show", id]);
        assert!(run.assert_code(0).stdout.contains(&format!("id = \"{id}\"")), "{run:?}");
        let file = world.file("copy.toml", &run.stdout);
        let checked = world.run(&["rules", "check", file.to_str().unwrap()]);
        assert!(checked.assert_code(0).stdout.contains(&format!("ok: agent {id}")), "{checked:?}");
    }
    world.file(".config/madohub/agents/acme.toml", ACME);
    assert!(world.run(&["rules", "show", "acme"]).assert_code(0).stdout.contains("Acme Code"));
    let run = world.run(&["rules", "show", "nosuch"]);
    assert!(run.assert_code(1).stderr.contains("madohub rules list"), "{run:?}");
}

#[test]
fn what_is_wrong_with_a_file_is_said_with_rule_and_key() {
    let world = World::new();
    let broken = [
        (ACME.replace("lines_any", "line_any"), "line_any"),
        (ACME.replace("state = \"working\"", "state = \"busy\""), "`state`"),
        (ACME.replace("region = \"screen\"", "region = \"somewhere\""), "region"),
        (ACME.replace("'^acme is busy'", "'^acme (is busy'"), "acme.working"),
        (ACME.replace("match = [\"acme is busy\"]", "match = [\"acme is calm\"]"), "acme.working"),
        (ACME.replace("no_match = [\"acme rests\"]", ""), "no_match"),
        (ACME.replace("id = \"acme.working\"", "id = \"other.working\""), "other.working"),
        (ACME.replace("id = \"acme\"", "id = \"shell\""), "shell"),
        (ACME.replace("schema = 1", "schema = 99"), "99"),
        ("id = \"acme".to_owned(), "line 1"),
        (String::new(), "schema"),
        ("\u{1b}[2J".to_owned(), "␛"),
    ];
    for (text, part) in broken {
        let file = world.file("broken.toml", &text);
        let run = world.run(&["rules", "check", file.to_str().unwrap()]);
        assert!(run.assert_code(2).stderr.contains("broken.toml"), "{run:?}");
        assert!(run.stderr.contains(part), "{part}: {run:?}");
        assert!(!run.stderr.contains('\u{1b}'), "{run:?}");
    }
    let file = world.file("bytes.toml", b"id = \"\xff\"");
    world.run(&["rules", "check", file.to_str().unwrap()]).assert_code(2);
    world.run(&["rules", "check", "missing.toml"]).assert_code(2);
}
