//! `madohub detect`.

use crate::world::World;
use serde_json::json;

const OBSERVATIONS: [&str; 3] = ["detect", "--observations", "-"];
const TRACK: [&str; 4] = ["detect", "--observations", "-", "--track"];

/// A Claude Code screen; the rows above the input box say what it is doing.
fn claude(rows: &[&str]) -> Vec<String> {
    let rule = "─".repeat(60);
    let mut screen: Vec<String> = rows.iter().map(ToString::to_string).collect();
    screen.extend([String::new(), rule.clone(), "❯ ".to_owned(), rule]);
    screen.push("  ? for shortcuts".to_owned());
    screen
}

#[test]
fn every_line_is_answered_in_order_with_its_id() {
    let lines: String = (0..500).fold(String::new(), |all, n| {
        all + &json!({"id": format!("n{n}"), "screen": claude(&["● Hi."])}).to_string() + "\n"
    });
    let run = World::new().run_with_input(&OBSERVATIONS, lines);
    run.assert_code(0);
    let ids: Vec<String> =
        run.json_lines().iter().map(|line| line["id"].as_str().unwrap().to_owned()).collect();
    let expected: Vec<String> = (0..500).map(|n| format!("n{n}")).collect();
    assert_eq!(ids, expected);
}

#[test]
fn an_answer_has_every_key_of_the_contract() {
    let run = World::new().run_with_input(&OBSERVATIONS, "{\"id\":\"only\"}");
    let answer = run.assert_code(0).json_lines().remove(0);
    for key in
        ["agent", "agent_name", "agent_version", "state", "state_source", "reason", "background"]
    {
        assert!(answer.get(key).is_some(), "{key} is missing in {answer}");
    }
    assert_eq!(answer["id"], "only");
    assert_eq!(answer["agent"], "unknown");
    assert_eq!(answer["state"], "unknown");
    assert_eq!(answer["evidence"], json!([]));
}

#[test]
fn observations_come_from_a_file_as_well() {
    let world = World::new();
    world.file("panes.jsonl", "{\"id\":\"a\"}\n\n  \n{\"id\":\"b\"}");
    let run = world.run(&["detect", "--observations", "panes.jsonl"]);
    assert_eq!(run.assert_code(0).json_lines().len(), 2);
    world.file("case.json", "{\n  \"id\": \"case\",\n  \"screen\": [\n    \"x\"\n  ]\n}\n");
    let run = world.run(&["detect", "--observations", "case.json"]);
    let answers = run.assert_code(0).json_lines();
    assert_eq!((answers.len(), &answers[0]["id"]), (1, &"case".into()));
    world.file("broken.json", "{\n\"id\": \"case\"\n");
    let run = world.run(&["detect", "--observations", "broken.json"]);
    assert_eq!(run.assert_code(2).json_lines().len(), 2);
    let missing = world.run(&["detect", "--observations", "none.jsonl"]);
    assert!(missing.assert_code(2).stderr.contains("cannot read none.jsonl"));
    let folder = world.run(&["detect", "--observations", "."]);
    assert!(folder.assert_code(2).stderr.contains("cannot read"));
}

#[test]
fn a_line_that_cannot_be_read_is_answered_and_the_rest_goes_on() {
    let input = "{\"id\":\"a\"}\n{\"id\":\n[]\n{\"id\":\"b\"}\n";
    let run = World::new().run_with_input(&OBSERVATIONS, input);
    let answers = run.assert_code(2).json_lines();
    assert_eq!(answers.len(), 4);
    assert_eq!(answers[1]["id"], json!(null));
    assert!(answers[1]["error"].as_str().unwrap().starts_with("line 2: column "), "{answers:?}");
    assert!(answers[2]["error"].as_str().unwrap().starts_with("line 3: "), "{answers:?}");
    assert_eq!(answers[3]["id"], "b");
    assert!(run.stderr.contains("2 of 4 line(s)"), "{run:?}");
}

#[test]
fn an_answer_is_there_before_the_next_line_comes() {
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::process::{Command, Stdio};
    let world = World::new();
    let mut child = Command::new(env!("CARGO_BIN_EXE_madohub"))
        .args(OBSERVATIONS)
        .env("HOME", world.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap()).lines();
    for id in ["one", "two"] {
        writeln!(stdin, "{{\"id\":\"{id}\"}}").unwrap();
        assert!(answers.next().unwrap().unwrap().contains(id));
    }
    drop(stdin);
    assert!(answers.next().is_none());
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let world = World::new();
    let binary = env!("CARGO_BIN_EXE_madohub");
    let script = format!(
        "yes '{{\"id\":\"a\"}}' | {{ {binary} detect --observations -; echo $? >&2; }} | head -1"
    );
    let output = assert_cmd::Command::new("sh")
        .args(["-c", &script])
        .env("HOME", world.path())
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "0\n");
}

#[test]
fn the_tracked_state_follows_a_pane() {
    let line = |now: f64, pane: &str, screen: Vec<String>| {
        json!({"id": format!("{pane}@{now}"), "pane": pane, "now": now, "agent_hint": "claude",
               "screen": screen})
        .to_string()
    };
    let working = || claude(&["✻ Pondering… (12s · ↓ 300 tokens · esc to interrupt)"]);
    let over = || claude(&["✻ Brewed for 12s"]);
    let input = [
        line(100.0, "a", working()),
        line(100.0, "b", over()),
        line(100.2, "a", claude(&[""])),
        line(100.4, "a", working()),
        line(101.0, "a", over()),
        line(103.0, "a", over()),
    ]
    .join("\n");
    let run = World::new().run_with_input(&TRACK, input);
    let answers = run.assert_code(0).json_lines();
    let states: Vec<&str> = answers.iter().map(|a| a["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["working", "stopped", "working", "working", "stopped", "stopped"]);
    let ids: Vec<&str> = answers.iter().map(|a| a["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["a@100", "b@100", "a@100.2", "a@100.4", "a@101", "a@103"]);
    let events: Vec<_> = answers.iter().filter_map(|a| a.get("event")).collect();
    assert_eq!(events.len(), 1, "{answers:#?}");
    assert_eq!(answers[4]["event"], *events[0]);
    for (key, value) in [
        ("v", json!(1)),
        ("seq", json!(1)),
        ("time", json!(101.0)),
        ("since", json!(101.0)),
        ("pane", json!("a")),
        ("agent", json!("claude")),
        ("from", json!("working")),
        ("to", json!("stopped")),
        ("state_source", json!("pty-scrape")),
    ] {
        assert_eq!(events[0][key], value, "{key}");
    }
}

#[test]
fn a_line_without_a_time_has_the_time_of_the_line_before() {
    let input = "{\"id\":\"a\",\"pane\":\"p\",\"now\":7}\n{\"id\":\"b\",\"pane\":\"q\"}\n";
    let answers = World::new().run_with_input(&TRACK, input).json_lines();
    assert_eq!(answers[1]["since"], json!(7.0));
}

#[test]
fn one_screen_is_answered_for_people_or_as_json() {
    let world = World::new();
    let screen = claude(&["✻ Pondering… (12s · ↓ 300 tokens · esc to interrupt)"]).join("\n");
    world.file("screen.txt", &screen);
    let run = world.run(&["detect", "--screen", "screen.txt", "--agent", "claude"]);
    assert!(run.assert_code(0).stdout.contains("agent   Claude Code\nstate   working"), "{run:?}");
    assert!(run.stdout.contains("because screen claude."), "{run:?}");
    let coloured = screen.replace('✻', "\u{1b}[38;5;174m✻\u{1b}[39m");
    let args = ["detect", "--screen", "-", "--agent", "claude", "--json"];
    let run = world.run_with_input(&args, coloured);
    assert_eq!(run.assert_code(0).json_lines()[0]["state"], "working");
}

#[test]
fn processes_are_read_as_ps_prints_them() {
    let world = World::new();
    let ps = "\
    PID    PPID    PGID   TPGID TT       STAT COMMAND         COMMAND
    303     300     303     323 pts/4    Ss   bash            -bash
    323     303     323     323 pts/4    Sl+  claude          claude
";
    let run = world.run_with_input(&["detect", "--processes", "-", "--json"], ps);
    assert_eq!(run.assert_code(0).json_lines()[0]["agent"], "claude");
    let run = world.run_with_input(&["detect", "--processes", "-"], "no process\n");
    assert!(run.assert_code(2).stderr.contains("line 1"), "{run:?}");
    assert!(run.stderr.contains("ps -e -o pid,ppid"), "{run:?}");
}

#[test]
fn a_log_says_how_the_turn_ended() {
    let world = World::new();
    let record = json!({"type": "assistant", "message": {"role": "assistant",
        "stop_reason": "end_turn", "content": [{"type": "text", "text": "Done."}]}});
    let end = json!({"type": "system", "subtype": "turn_duration", "durationMs": 1200});
    world.file("session.jsonl", format!("{record}\n{end}\n"));
    let args = ["detect", "--log", "session.jsonl", "--agent", "claude", "--json"];
    let run = world.run(&args);
    let answer = run.assert_code(0).json_lines().remove(0);
    assert_eq!(answer["state"], "completed", "{answer}");
    assert_eq!(answer["state_source"], "jsonl-watcher");
}

#[test]
fn a_broken_rule_file_is_said_and_the_others_stay_in_force() {
    let world = World::new();
    world.file(".config/madohub/agents/mine.toml", "id = 5");
    let run = world.run_with_input(&OBSERVATIONS, "{\"id\":\"a\"}\n");
    assert_eq!(run.assert_code(0).json_lines().len(), 1);
    assert!(run.stderr.contains("agents/mine.toml"), "{run:?}");
    assert!(run.stderr.contains("stay in force"), "{run:?}");
}

#[test]
fn settings_that_cannot_be_read_stop_what_needs_them_and_nothing_else() {
    let world = World::new();
    world.settings("[tracking]\nhold = \"long\"\n");
    let run = world.run_with_input(&TRACK, "{}\n");
    assert!(run.assert_code(2).stderr.contains("config.toml:2: tracking.hold:"), "{run:?}");
    world.run_with_input(&OBSERVATIONS, "{}\n").assert_code(0);
}
