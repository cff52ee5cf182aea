//! The agents of a zellij session in the fleet: states, events, screens where they are told, and texts
//! for them.

use super::{Reader, settings};
use madohub_tests::{Broker, Madohub, Mqtt, TestEnv, ZellijOptions, ZellijStage, wait_for};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::process::{Child, Stdio};
use std::sync::Arc;

/// A machine called zeus with an agent that is ready and one that works, in a zellij session, and its
/// publisher.
struct Zeus {
    stage: ZellijStage,
    publisher: Child,
}

impl Zeus {
    fn new(port: u16, more: &str) -> Self {
        let stage = ZellijStage::new(&ZellijOptions {
            agents: vec![("claude-2.1.332", "idle"), ("claude-2.1.332", "working")],
            ..ZellijOptions::default()
        });
        let dir = stage.env.path().join("config/madohub");
        std::fs::create_dir_all(&dir).unwrap();
        std::fs::write(dir.join("config.toml"), settings("zeus", port, more)).unwrap();
        stage.wait_states(&[(0, "idle"), (1, "working")]);
        let log = std::fs::File::create(stage.env.path().join("publisher.log")).unwrap();
        let mut command = Madohub::new(&stage.env).command(&["fleet", "publish"]);
        let publisher = command.stdout(Stdio::null()).stderr(log).spawn().unwrap();
        Self { stage, publisher }
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.stage.env.path().join("publisher.log")).unwrap_or_default()
    }

    /// The programs that listen to the session's events.
    fn listeners(&self) -> Vec<i32> {
        let listens = |pid: &i32| {
            let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            line.split(|byte| *byte == 0).any(|word| word == b"events")
        };
        self.stage.env.processes().into_iter().filter(listens).collect()
    }
}

impl Drop for Zeus {
    fn drop(&mut self) {
        let _ = self.publisher.kill();
        let _ = self.publisher.wait();
    }
}

/// The states of the panes that are told, by pane.
fn states(hera: &Reader) -> Vec<(String, String)> {
    let word = |row: &Value, key: &str| row[key].as_str().unwrap_or_default().to_owned();
    let mut all: Vec<_> =
        hera.rows().iter().map(|row| (word(row, "pane"), word(row, "state"))).collect();
    all.sort();
    all
}

#[track_caller]
fn wait_told(hera: &Reader, zeus: &Zeus, expected: [(&str, &str); 2]) {
    wait_for(&format!("{expected:?} to be told"), || {
        let told = states(hera);
        let is_so = told.iter().map(|(pane, state)| (pane.as_str(), state.as_str())).eq(expected);
        if is_so { Ok(()) } else { Err(format!("{told:?}\n{}", zeus.log())) }
    });
}

#[test]
fn states_and_events_are_told_and_no_text() {
    let env = Arc::new(TestEnv::new());
    let broker = Broker::new(&env);
    let mut zeus = Zeus::new(broker.port(), "");
    let hera = Reader::new(broker.port());
    let mut other = Mqtt::connect(broker.port(), "other");
    other.subscribe("madohub/#");
    wait_told(&hera, &zeus, [("terminal_0", "idle"), ("terminal_1", "working")]);
    // A listener may be cut off, and is replaced: from some change on, events are heard.
    let scenes = [("approval", "waiting"), ("working", "working")];
    let mut scenes = scenes.into_iter().cycle();
    let event = wait_for("an event", || {
        let (scene, state) = scenes.next().unwrap();
        zeus.stage.agents[1].show(scene);
        wait_told(&hera, &zeus, [("terminal_0", "idle"), ("terminal_1", state)]);
        other.hear();
        let event = other.messages.iter().find(|(topic, _)| topic == "madohub/zeus/event");
        event.map(|(_, event)| event.clone()).ok_or_else(|| zeus.log())
    });
    let event: Value = serde_json::from_slice(&event).unwrap();
    assert_eq!(
        (&event["host"], &event["mux"], &event["pane"], &event["agent"]),
        (&"zeus".into(), &"zellij".into(), &"terminal_1".into(), &"claude".into()),
        "{event}"
    );
    assert!(event["evidence"].as_array().unwrap().iter().all(|one| one.get("text").is_none()));
    assert!(!other.retained.keys().any(|topic| topic.contains("/screen/")));
    // Nobody is allowed to send.
    let refused = hera.madohub.try_run(&["fleet", "send", "zeus:terminal_0", "Go on."]);
    assert_eq!(refused.status.code(), Some(4), "{refused:?}");
    // What listens ends with the publisher.
    assert_eq!(zeus.listeners().len(), 1);
    kill_process(Pid::from_child(&zeus.publisher), Signal::TERM).unwrap();
    zeus.publisher.wait().unwrap();
    assert_eq!(zeus.listeners(), Vec::<i32>::new());
    wait_for("all of it to be taken back", || {
        other.hear();
        let left: Vec<&String> = other.retained.keys().collect();
        if left.is_empty() { Ok(()) } else { Err(format!("{left:?}")) }
    });
}

#[test]
fn screens_are_told_and_texts_taken_where_the_settings_say_so() {
    let env = Arc::new(TestEnv::new());
    let broker = Broker::new(&env);
    let more = "publish = [\"states\", \"screens\"]\nallow_routes_from = [\"hera\"]";
    let zeus = Zeus::new(broker.port(), more);
    let hera = Reader::new(broker.port());
    let mut other = Mqtt::connect(broker.port(), "other");
    other.subscribe("madohub/#");
    wait_told(&hera, &zeus, [("terminal_0", "idle"), ("terminal_1", "working")]);
    let topic = "madohub/zeus/screen/zellij:stage:terminal_1";
    wait_for("the screen", || {
        other.hear();
        let screen = other.retained.get(topic).map(|s| String::from_utf8_lossy(s).into_owned());
        let screen = screen.unwrap_or_default();
        let is_whole = screen.contains("esc to interrupt") && screen.contains("\\u001b[");
        if is_whole { Ok(()) } else { Err(format!("{screen}\n{}", zeus.log())) }
    });
    let send = |pane: &str, text: &str| {
        let output = hera.madohub.try_run(&["fleet", "send", &format!("zeus:{pane}"), text]);
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, said) = send("terminal_7", "Go on.");
    assert!(code == Some(4) && said.contains("no agent runs in terminal_7"), "{said}");
    let (code, said) = send("terminal_1", "Go on.");
    assert!(code == Some(4) || code == Some(1), "{said}");
    assert!(zeus.stage.agents[1].prompts().is_empty());
    // The answer may be lost on its way out of zellij; the text is not. A blank before it is the key by
    // which the stage had zellij draw its first picture.
    let (_, said) = send("terminal_0", "Go on.\nThen stop.");
    let prompts = zeus.stage.agents[0].prompts();
    let prompts: Vec<&str> = prompts.iter().map(|prompt| prompt.trim_start()).collect();
    assert_eq!(prompts, ["Go on.\nThen stop."], "{said}\n{}", zeus.log());
}
