//! Routes in a real tmux: what follows from a change of state, once, and only where it does no harm.

use madohub_tests::recording::Cue;
use madohub_tests::{Agent, Stage, StageOptions, wait_for, wait_until};

const CLAUDE: &str = "claude-2.1.332";
const CODEX: &str = "codex-0.171.0";

/// One agent that works and fires, one that is the target, and a shell in front of the person. A
/// finished turn of the replayed agents is `stopped`: they keep no session log.
fn stage_with(config: &str, target: (&str, &str)) -> (Stage, (String, Agent), (String, Agent)) {
    let stage = Stage::with(&StageOptions { size: (200, 24), ..StageOptions::default() });
    stage.configure(config);
    let mut panes = stage.side_by_side(&[(CLAUDE, "working"), target]);
    let shell = stage.split();
    stage.tmux.run(&["select-pane", "-t", &shell]);
    for (n, (pane, _)) in panes.iter().enumerate() {
        stage.tmux.run(&[
            "set-option",
            "-p",
            "-t",
            pane,
            "@madohub_role",
            ["author", "reviewer"][n],
        ]);
    }
    stage.start();
    for (pane, _) in &panes {
        wait_until("the first sight", || stage.row(pane).is_some(), |seen| *seen);
    }
    let (target, source) = (panes.pop().unwrap(), panes.pop().unwrap());
    (stage, source, target)
}

/// Reviewing, with what differs between the tests.
fn review(more: &str) -> String {
    format!(
        "[[route]]\nname = \"review\"\nfrom = {{ pane = \"author\" }}\non = [\"stopped\"]\n\
         to = {{ pane = \"reviewer\" }}\nsend = \"Review what {{agent}} did.\"\n{more}\n"
    )
}

/// `outcome: why` of each entry of the log.
fn log(stage: &Stage) -> Vec<String> {
    let text = stage.madohub.run(&["route", "log", "--json", "-L", &stage.tmux.socket]);
    let word = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let entry = |line: &str| {
        let entry: serde_json::Value = serde_json::from_str(line).unwrap();
        let (outcome, why) = (word(&entry["outcome"]), word(&entry["why"]));
        if why.is_empty() { outcome } else { format!("{outcome}: {why}") }
    };
    text.lines().map(entry).collect()
}

#[track_caller]
fn wait_log(stage: &Stage, expected: &[&str]) {
    wait_for(&format!("the log {expected:?}"), || {
        let seen = log(stage);
        let same = seen.len() == expected.len()
            && seen.iter().zip(expected).all(|(seen, expected)| seen.contains(expected));
        if same { Ok(()) } else { Err(format!("{seen:#?}")) }
    });
}

#[test]
fn what_one_agent_finished_another_one_gets_and_starts() {
    let (stage, source, target) = stage_with(&review(""), (CODEX, "finished"));
    source.1.show("finished");
    wait_log(&stage, &["queued", "delivered"]);
    assert_eq!(target.1.prompts(), ["Review what claude did."]);
    stage.wait_state(&target.0, "working");
}

#[test]
fn an_agent_that_works_gets_it_when_it_is_ready() {
    let (stage, source, target) = stage_with(&review(""), (CODEX, "working"));
    source.1.show("finished");
    wait_log(&stage, &["queued"]);
    assert_eq!(target.1.prompts(), Vec::<String>::new());
    target.1.show("finished");
    wait_log(&stage, &["queued", "delivered"]);
    assert_eq!(target.1.prompts(), ["Review what claude did."]);
}

#[test]
fn an_agent_that_asks_gets_nothing() {
    let (stage, source, target) = stage_with(&review(""), (CODEX, "approval"));
    source.1.show("finished");
    wait_log(&stage, &["refused: %1 waits for a person"]);
    assert_eq!(target.1.prompts(), Vec::<String>::new());
}

#[test]
fn a_shell_gets_nothing() {
    let (stage, source, target) = stage_with(&review(""), (CODEX, "finished"));
    target.1.exit(0);
    stage.type_line(&target.0, "clear");
    wait_until(
        "the shell",
        || format!("{:?}", stage.row(&target.0)),
        |row| !row.contains("codex\", state: \"stopped"),
    );
    source.1.show("finished");
    wait_log(&stage, &["refused: "]);
    assert!(!stage.tmux.capture(&target.0).contains("Review"));
}

#[test]
fn a_pane_whose_occupant_changes_in_between_gets_nothing() {
    let (stage, source, target) = stage_with(&review(""), (CODEX, "working"));
    source.1.show("finished");
    wait_log(&stage, &["queued"]);
    target.1.exit(0);
    let next = stage.agent(&target.0, CODEX, "finished");
    wait_log(&stage, &["queued", "refused: "]);
    assert_eq!(next.prompts(), Vec::<String>::new());
}

#[test]
fn a_pane_that_closes_in_between_gets_nothing() {
    let (stage, source, target) = stage_with(&review(""), (CODEX, "working"));
    source.1.show("finished");
    wait_log(&stage, &["queued"]);
    stage.tmux.run(&["kill-pane", "-t", &target.0]);
    wait_log(&stage, &["queued", "refused: is gone"]);
}

#[test]
fn a_daemon_that_is_killed_between_decision_and_delivery_neither_loses_nor_doubles() {
    let (stage, source, target) = stage_with(&review(""), (CODEX, "working"));
    source.1.show("finished");
    wait_log(&stage, &["queued"]);
    stage.kill_daemon();
    target.1.show("finished");
    stage.start();
    wait_log(&stage, &["queued", "delivered"]);
    assert_eq!(target.1.prompts(), ["Review what claude did."]);
    // The text stands in the input box, and the key was not pressed yet.
    target.1.show("finished");
    source.1.show("working");
    stage.wait_state(&source.0, "working");
    wait_until("the route to have rested", || log_age(&stage), |age| *age > 5.0);
    source.1.show("finished");
    wait_until(
        "the text",
        || stage.tmux.capture(&target.0),
        |screen| screen.contains("› Review what"),
    );
    stage.kill_daemon();
    stage.start();
    wait_log(&stage, &["queued", "delivered", "queued", "delivered"]);
    assert_eq!(target.1.prompts(), ["Review what claude did."; 2]);
}

/// Seconds since the last entry of the log.
fn log_age(stage: &Stage) -> f64 {
    let text = stage.madohub.run(&["route", "log", "--json", "-L", &stage.tmux.socket]);
    let last: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    now.as_secs_f64() - last["time"].as_f64().unwrap()
}

#[test]
fn two_agents_that_set_each_other_to_work_stop_at_the_limit() {
    let back = "[[route]]\nname = \"back\"\nfrom = { pane = \"reviewer\" }\non = [\"stopped\"]\n\
                to = { pane = \"author\" }\nsend = \"Go on.\"\nhops = 2\ncooldown = 0\n";
    let config = review("hops = 2\ncooldown = 0") + back;
    let (stage, source, target) = stage_with(&config, (CODEX, "finished"));
    let said = stage.madohub.run(&["route", "list", "-L", &stage.tmux.socket]);
    assert!(said.contains("review: pane=author, stopped → pane reviewer"), "{said}");
    source.1.show("finished");
    wait_log(&stage, &["queued", "delivered"]);
    target.1.show("finished");
    wait_log(&stage, &["queued", "delivered", "queued", "delivered"]);
    source.1.show("finished");
    wait_log(&stage, &["queued", "delivered", "queued", "delivered", "refused: it is a loop"]);
    assert_eq!((source.1.prompts().len(), target.1.prompts().len()), (1, 1));
}

#[test]
fn loops_are_told_when_the_daemon_starts() {
    let stage = Stage::new();
    stage.configure(
        &(review("")
            + &review("")
                .replace("review\"", "back\"")
                .replace("author", "x")
                .replace("reviewer", "author")
                .replace("\"x\"", "\"reviewer\"")),
    );
    let output = stage.madohub.try_run(&["tmux", "start", "-L", &stage.tmux.socket]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && said.contains("review → back → review form a loop"),
        "{said}"
    );
}

#[test]
fn a_one_shot_fires_once_and_outlives_a_restart() {
    let (stage, source, target) = stage_with("", (CODEX, "finished"));
    let server = ["-L", stage.tmux.socket.as_str()];
    let run = |args: &[&str]| stage.madohub.run(&[&["route"], args, &server[..]].concat());
    let said =
        run(&["once", "--from", "author", "--to", &target.0, "--on", "stopped", "Now {place}."]);
    assert!(said.contains("route cancel 1"), "{said}");
    run(&["once", "--from", &source.0, "--to", &target.0, "called off"]);
    run(&["cancel", "2"]);
    stage.kill_daemon();
    stage.start();
    let said = run(&["list"]);
    assert!(
        said.contains(&format!("once-1: {}, stopped → {}, once", source.0, target.0)),
        "{said}"
    );
    source.1.show("finished");
    wait_log(&stage, &["queued", "delivered"]);
    assert_eq!(target.1.prompts(), ["Now main:0.0."]);
    assert!(!run(&["list"]).contains("once-"));
}

#[test]
fn paused_routes_fire_nothing() {
    let (stage, source, target) = stage_with(&review(""), (CODEX, "finished"));
    let server = ["-L", stage.tmux.socket.as_str()];
    let run = |args: &[&str]| stage.madohub.run(&[&["route"], args, &server[..]].concat());
    run(&["pause"]);
    stage.madohub.tmux("restart", &stage.tmux);
    source.1.show("finished");
    wait_log(&stage, &["refused: routes are paused"]);
    run(&["resume"]);
    source.1.show("working");
    stage.wait_state(&source.0, "working");
    source.1.show("finished");
    wait_log(&stage, &["refused", "queued", "delivered"]);
    assert_eq!(target.1.prompts().len(), 1);
}

#[test]
fn programs_and_files_get_hostile_values_as_data() {
    let stage = Stage::with(&StageOptions { size: (200, 24), ..StageOptions::default() });
    let (out, mark) = (stage.env.path().join("tmp/out"), stage.env.path().join("tmp/mark"));
    let route = |name: &str, to: &str| {
        format!("[[route]]\nname = \"{name}\"\non = [\"waiting\"]\nto = {{ {to} }}\n")
    };
    let out_name = out.display();
    stage.configure(
        &[
            route("tell", &format!(r#"command = ["touch", "{out_name}-{{agent}}"]"#)),
            route("try", r#"command = ["test", "-n", "{title}"]"#),
            route("note", &format!(r#"file = "{out_name}""#)),
            "send = \"{agent}: {title}\"\n".to_owned(),
        ]
        .concat(),
    );
    let pane = stage.first_pane();
    let agent = stage.agent(&pane, CLAUDE, "working");
    stage.start();
    stage.wait_state(&pane, "working");
    agent.tell(&Cue::Title {
        title: format!("$(touch {0}) `touch {0}` #(touch {0})", mark.display()),
    });
    // Only its rows: the scene as a whole sets its own title as well.
    let recording = &agent.command.recording;
    agent.tell(&Cue::Rows { rows: recording.rows(recording.scene("approval")) });
    wait_until(
        "the line",
        || std::fs::read_to_string(&out).unwrap_or_default(),
        |text| text.starts_with("claude: $(touch") && text.ends_with(")\n"),
    );
    wait_log(&stage, &["done", "done", "done"]);
    assert!(out.with_file_name("out-claude").exists() && !mark.exists());
}

#[test]
fn a_dry_run_tells_what_would_happen_and_does_nothing() {
    let (stage, source, target) = stage_with(&review(""), (CODEX, "working"));
    let test = |args: &[&str]| {
        let server = ["route", "test", "-L", &stage.tmux.socket];
        let output = stage.madohub.try_run(&[&server[..], args].concat());
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let (code, said) = test(&["--from", &source.0, "--state", "stopped"]);
    let would =
        format!("review: would send to {}, once it can take it: now it is working", target.0);
    assert!(code == Some(0) && said.starts_with(&would), "{said}");
    let (code, said) = test(&["--from", &source.0]);
    assert!(code == Some(1) && said.contains("nothing, state is `completed`"), "{said}");
    let (code, said) = test(&["--from", &target.0, "--state", "stopped"]);
    assert!(code == Some(1) && said.contains("nothing, pane is"), "{said}");
    assert_eq!(log(&stage), Vec::<String>::new());
}
