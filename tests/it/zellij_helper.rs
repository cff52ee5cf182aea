//! The plugin with the helper beside it: the agents' own records, and `madohub zellij install`
//! with a zellij that uses what it wrote.

use madohub_tests::{AgentCommand, wait_for, wait_until};
use madohub_tests::{Colour, Madohub, STATE_COLOURS, TestEnv, ZellijOptions, ZellijStage};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const GREEN: Option<Colour> = Some(STATE_COLOURS[0]);
const BRIGHT_RED: Option<Colour> = Some(STATE_COLOURS[3]);

/// The session that fake agents' registry entries name.
const SESSION: &str = "464d62ad-70e2-4a3a-aeb8-c9da98207252";

/// Claude Code's session log, as its registry entry leads to it.
struct Log(PathBuf);

impl Log {
    fn new(env: &TestEnv) -> Self {
        let folder = env.home().join(".claude/projects/work");
        fs::create_dir_all(&folder).unwrap();
        Self(folder.join(format!("{SESSION}.jsonl")))
    }

    fn add(&self, record: &Value) {
        let before = fs::read_to_string(&self.0).unwrap_or_default();
        fs::write(&self.0, format!("{before}{record}\n")).unwrap();
    }
}

#[test]
fn the_agents_own_record_says_how_a_turn_ended() {
    let helper = Madohub::of_workspace();
    let stage = ZellijStage::new(&ZellijOptions {
        agents: vec![("codex-0.171.0", "typed"), ("claude-2.1.332", "working")],
        settings: format!("helper \"{}\"\nborder.focused \"same\"", helper.display()),
        ..ZellijOptions::default()
    });
    let log = Log::new(&stage.env);
    stage.wait_states(&[(0, "idle"), (1, "working")]);
    let events = stage.listen_to_events(|| {
        stage.agents[1].show("approval");
        stage.wait_states(&[(0, "idle"), (1, "waiting")]);
        stage.agents[1].show("working");
        stage.wait_states(&[(0, "idle"), (1, "working")]);
    });
    let turn = |n: u32| json!({"type": "user", "isSidechain": false, "uuid": n.to_string(), "message": {"role": "user", "content": "go on"}});
    let ends = [
        (
            json!({"type": "assistant", "isSidechain": false,
                "message": {"stop_reason": "end_turn", "content": [{"type": "text", "text": "Done."}]}}),
            "completed",
            GREEN,
        ),
        (
            json!({"type": "assistant", "isSidechain": false, "isApiErrorMessage": true,
                "error": "rate_limit", "message": {"content": [{"type": "text", "text": "limit"}]}}),
            "failed",
            BRIGHT_RED,
        ),
    ];
    for (n, (end, state, colour)) in (1..).zip(&ends) {
        log.add(&turn(n));
        stage.agents[1].show("working");
        stage.wait_states(&[(0, "idle"), (1, "working")]);
        log.add(end);
        stage.agents[1].show("finished");
        stage.wait_states(&[(0, "idle"), (1, *state)]);
        stage.wait_frames("one", &[None, *colour]);
    }
    let rows: Value = serde_json::from_str(&stage.ask("list --json")).unwrap();
    assert_eq!(rows[0]["state_source"], "jsonl-watcher", "{rows}");
    // One turn's end is one event, and says what the record says.
    let read = || fs::read_to_string(&events.path).unwrap();
    let told = wait_until("the last end", read, |text| text.contains("\"failed\""));
    let ends: Vec<String> = told
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|event| event["to"].as_str().unwrap().to_owned())
        .filter(|to| !matches!(to.as_str(), "working" | "waiting"))
        .collect();
    assert_eq!(ends, ["completed", "failed"], "{told}");
}

/// A configuration of the user's, with comments and a plugin of another kind.
const CONFIG: &str = "// mine\nshow_startup_tips false\nshow_release_notes false\n\
                      session_serialization false\npane_frame_style \"full\"\n\
                      load_plugins {\n    // \"file:/old.wasm\"\n}\n";
/// Another plugin's grants.
const GRANTS: &str = "\"/other.wasm\" {\n    RunCommands\n}\n";

fn install(env: &Arc<TestEnv>, plugin: &Path) {
    fs::write(env.path().join("config/zellij/config.kdl"), CONFIG).unwrap();
    fs::create_dir_all(env.path().join("cache/zellij")).unwrap();
    fs::write(env.path().join("cache/zellij/permissions.kdl"), GRANTS).unwrap();
    let plugin = plugin.to_str().unwrap();
    let said =
        Madohub::new(env).run(&["zellij", "install", "--yes", "--grant", "--plugin", plugin]);
    assert!(said.contains("zellij --layout madohub"), "{said}");
}

#[test]
fn what_install_writes_is_used_by_zellij_and_comes_out_again() {
    let stage = ZellijStage::new(&ZellijOptions {
        agents: Vec::new(),
        config: String::new(),
        plugin: false,
        granted: false,
        layout: "madohub",
        before: install,
        ..ZellijOptions::default()
    });
    let madohub = Madohub::new(&stage.env);
    wait_until("the bar", || stage.screen("one").text(), |text| text.contains("no agents"));
    let status: Value = wait_for("the helper to have answered", || {
        let status: Value = serde_json::from_str(&stage.ask("status --json")).unwrap();
        if status["helper"] == true { Ok(status) } else { Err(status.to_string()) }
    });
    assert_eq!(status["notes"], json!([]), "{status}");
    let said = madohub.run(&["zellij", "status"]);
    assert_eq!(said.lines().filter(|line| line.starts_with("yes ")).count(), 4, "{said}");

    // An agent that is started in the session's own shell.
    let role = stage.env.agents().join("z.role");
    let command = AgentCommand::install(&stage.env, "claude-2.1.332", role.clone(), "z");
    command.cast("working");
    let line = format!(
        "{}={} {}",
        madohub_tests::recording::ROLE_VARIABLE,
        role.display(),
        command.line()
    );
    stage.type_keys("one", &[&line, "Enter"]);
    let agent = command.started();
    stage.wait_states(&[(0, "working")]);
    agent.show("approval");
    stage.wait_states(&[(0, "waiting")]);
    let bar = |text: &String| text.contains("? Tab #1·claude");
    wait_until("the agent in the bar", || stage.screen("one").text(), bar);

    let said = madohub.run(&["zellij", "uninstall"]);
    assert!(said.contains("config.kdl"), "{said}");
    let read = |path: &str| fs::read_to_string(stage.env.path().join(path)).unwrap();
    assert_eq!(read("config/zellij/config.kdl"), CONFIG);
    assert_eq!(read("cache/zellij/permissions.kdl"), GRANTS);
    let gone = ["config/zellij/layouts/madohub.kdl", "data/madohub/madohub.wasm"];
    for path in gone {
        assert!(!stage.env.path().join(path).exists(), "{path}");
    }
    assert_eq!(madohub.try_run(&["zellij", "status"]).status.code(), Some(1));
}
