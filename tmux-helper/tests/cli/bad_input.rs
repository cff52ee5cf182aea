//! Input that is broken, huge or hostile has an answer; it never ends the program.

use crate::world::World;
use serde_json::json;

const OBSERVATIONS: [&str; 3] = ["detect", "--observations", "-"];

/// Observations that are odd and can be answered.
#[test]
fn odd_observations_are_answered() {
    let mb = "x".repeat(1 << 20);
    let odd = [
        json!({"id": "negative", "cols": -1, "rows": -40}),
        json!({"id": "huge", "cols": 1e300, "rows": 70000}),
        json!({"id": "fraction", "cols": 80.5}),
        json!({"id": "long rows", "screen": [mb, mb, "❯ ", mb]}),
        json!({"id": "many rows", "screen": vec!["─".repeat(80); 10_000]}),
        json!({"id": "blank rows", "screen": vec![""; 10_000]}),
        json!({"id": "controls", "screen": ["\u{0}\u{1b}[2J\u{7f}", "\u{202e}\u{feff}"]}),
        json!({"id": "wide", "screen": ["日本語".repeat(200)], "cols": 20}),
        json!({"id": "title", "title": mb}),
        json!({"id": "cursor", "cursor": {"x": -5, "y": 1_000_000_000}}),
        json!({"id": "loop", "pane_pid": 5, "processes": [
            {"pid": 5, "ppid": 6, "comm": "a"}, {"pid": 6, "ppid": 5, "comm": "b"}]}),
        json!({"id": "same pid", "processes": vec![json!({"pid": 1, "ppid": 1}); 3000]}),
        json!({"id": "log", "agent_hint": "claude", "log": {"path": "", "records": [mb, "{", "[]"]}}),
        json!({"id": "now", "now": -1e308}),
        json!({"id": "previous", "previous": {"agent": mb, "state": "working"}}),
        json!({"id": mb}),
    ];
    let lines: Vec<String> = odd.iter().map(ToString::to_string).collect();
    for args in [&OBSERVATIONS[..], &["detect", "--observations", "-", "--track"]] {
        let run = World::new().run_with_input(args, lines.join("\n"));
        let answers = run.assert_code(0).json_lines();
        assert_eq!(answers.len(), odd.len());
        for (answer, seen) in answers.iter().zip(&odd) {
            assert_eq!(answer["id"], seen["id"]);
        }
    }
}

/// Lines that cannot be observations.
#[test]
fn broken_lines_are_answered_with_what_is_wrong() {
    let broken: [&[u8]; 12] = [
        b"{",
        b"{\"id\":\"cut",
        b"not json",
        b"null",
        b"\"text\"",
        b"5",
        b"{\"id\":5}",
        b"{\"id\":\"a\",\"screen\":\"not rows\"}",
        b"{\"id\":\"a\",\"processes\":{}}",
        b"{\"id\":\"a\",\"id\":\"b\"}",
        b"{\"id\":\"lone \\ud800 surrogate\"}",
        b"{\"id\":\"a\"} {\"id\":\"b\"}",
    ];
    let run = World::new().run_with_input(&OBSERVATIONS, broken.join(&b'\n'));
    let answers = run.assert_code(2).json_lines();
    assert_eq!(answers.len(), broken.len());
    for (number, answer) in answers.iter().enumerate() {
        assert!(answer["id"].is_null(), "{answer}");
        let error = answer["error"].as_str().unwrap();
        assert!(error.starts_with(&format!("line {}: ", number + 1)), "{error}");
    }
}

#[test]
fn nesting_without_end_is_an_error_not_a_crash() {
    let deep = format!("{{\"id\":\"a\",\"new\":{}", "[".repeat(200_000));
    let run = World::new().run_with_input(&OBSERVATIONS, deep);
    assert!(
        run.assert_code(2).json_lines()[0]["error"]
            .as_str()
            .unwrap()
            .contains("EOF while parsing a list")
    );
}

#[test]
fn bytes_that_are_no_utf8_are_read_and_counted() {
    let input = b"{\"id\":\"a\",\"screen\":[\"caf\xe9 \xff\xfe\"]}\n{\"id\":\"b\"}\n".to_vec();
    let run = World::new().run_with_input(&OBSERVATIONS, input);
    assert_eq!(run.assert_code(0).json_lines().len(), 2);
    assert!(run.stderr.contains("1 line(s) held bytes that are no UTF-8"), "{run:?}");
}

#[test]
fn a_line_beyond_the_limit_takes_no_memory_and_loses_no_other() {
    let world = World::new();
    let mut input = vec![b'x'; (64 << 20) + 10];
    input.extend(b"\n{\"id\":\"after\"}\n");
    let file = world.file("big.jsonl", input);
    // 64 MiB for the line that is given up, and room for the program itself.
    let script = format!(
        "ulimit -v 200000; exec {} detect --observations {}",
        env!("CARGO_BIN_EXE_madohub"),
        file.display()
    );
    let output = assert_cmd::Command::new("sh")
        .args(["-c", &script])
        .env("HOME", world.path())
        .output()
        .unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = stdout.lines().collect();
    assert_eq!(lines.len(), 2, "{stdout} {}", String::from_utf8_lossy(&output.stderr));
    assert!(lines[0].contains("longer than 64 MiB"), "{stdout}");
    assert!(lines[1].contains("\"id\":\"after\""), "{stdout}");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn an_empty_input_has_no_answers() {
    for input in ["", "\n", "  \n\r\n\t\n", "\u{feff}"] {
        let run = World::new().run_with_input(&OBSERVATIONS, input);
        assert_eq!(run.assert_code(0).stdout, "");
    }
}

#[test]
fn screens_and_logs_of_any_bytes_are_answered() {
    let world = World::new();
    let bytes: Vec<u8> =
        (0..200_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let noise = world.file("noise", bytes);
    let noise = noise.to_str().unwrap();
    for args in [["--screen", noise], ["--log", noise], ["--title", "\u{1b}]0;x\u{7}"]] {
        let mut all = vec!["detect", "--agent", "claude"];
        all.extend(args);
        let run = world.run(&all);
        assert!(!run.assert_code(0).stdout.contains('\u{1b}'), "{run:?}");
    }
    world.run(&["detect", "--processes", noise]).assert_code(2);
}
