//! Texts for panes of other machines: only where the other one allows it, and as it delivers.

use super::{Machine, Reader, settings};
use madohub_tests::{
    Agent, Broker, Mqtt, Stage, StageOptions, TestEnv, assert_ends, wait_for, wait_until,
};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::process::Output;
use std::sync::Arc;

/// A machine called zeus with a ready agent, a waiting one, and a shell in front of the person.
struct Target {
    machine: Machine,
    ready: (String, Agent),
    waiting: (String, Agent),
    shell: String,
}

fn zeus(port: u16, more: &str) -> Target {
    let stage = Stage::with(&StageOptions { size: (200, 24), ..StageOptions::default() });
    let mut panes =
        stage.side_by_side(&[("claude-2.1.332", "idle"), ("codex-0.171.0", "approval")]);
    let shell = stage.split();
    stage.tmux.run(&["select-pane", "-t", &shell]);
    stage.configure(&settings("zeus", port, more));
    stage.start();
    stage.wait_state(&panes[0].0, "idle");
    stage.wait_state(&panes[1].0, "waiting");
    let (waiting, ready) = (panes.pop().unwrap(), panes.pop().unwrap());
    let mut machine = Machine { stage, panes: Vec::new(), publisher: None };
    machine.publish();
    machine.wait_said("connected");
    Target { machine, ready, waiting, shell }
}

fn send(from: &Reader, to: &str, text: &str) -> Output {
    from.madohub.try_run(&["fleet", "send", to, text])
}

/// From, to, outcome and reason of each entry of a route log.
fn log(stage: &Stage) -> Vec<(String, String, String, String)> {
    let text = stage.madohub.run(&["route", "log", "--json", "-L", &stage.tmux.socket]);
    let entry = |line: &str| {
        let entry: Value = serde_json::from_str(line).unwrap();
        let word = |key: &str| entry[key].as_str().unwrap_or_default().to_owned();
        (word("from"), word("to"), word("outcome"), word("why"))
    };
    text.lines().map(entry).collect()
}

#[test]
fn a_text_is_delivered_where_its_sender_is_allowed() {
    let env = Arc::new(TestEnv::new());
    let broker = Broker::new(&env);
    let zeus = zeus(broker.port(), "allow_routes_from = [\"hera\"]");
    let hera = Reader::new(broker.port());
    let (pane, agent) = &zeus.ready;
    assert_ends(&send(&hera, &format!("zeus:{pane}"), "Go on.\nThen stop."), 0, "Delivered");
    assert_eq!(agent.prompts(), ["Go on.\nThen stop."]);
    // The same rules as at home: no dialog, no shell, nobody who is not there.
    let waiting = &zeus.waiting.0;
    assert_ends(&send(&hera, &format!("zeus:{waiting}"), "yes"), 4, "waits for a person");
    let shell = &zeus.shell;
    let no_agent = format!("no agent runs in {shell}");
    assert_ends(&send(&hera, &format!("zeus:{shell}"), "rm -rf x"), 4, &no_agent);
    assert_ends(&send(&hera, "zeus:reviewer;x", "x"), 4, "is no name of a pane");
    assert_ends(&send(&hera, "ares:%0", "x"), 1, "ares is not there; nothing was sent");
    assert_ends(&send(&hera, "zeus", "x"), 2, "names no machine and pane");
    assert!(zeus.waiting.1.prompts().is_empty());
    let outcomes: Vec<_> = log(&zeus.machine.stage)
        .into_iter()
        .map(|(from, to, outcome, _)| (from, to, outcome))
        .collect();
    let entry = |to: &str, outcome: &str| ("hera".to_owned(), to.to_owned(), outcome.to_owned());
    assert_eq!(
        outcomes,
        [
            entry(pane, "delivered"),
            entry(waiting, "refused"),
            entry(shell, "refused"),
            entry("reviewer;x", "refused"),
        ]
    );
}

#[test]
fn a_text_is_refused_where_its_sender_is_not_allowed() {
    let env = Arc::new(TestEnv::new());
    let broker = Broker::new(&env);
    let zeus = zeus(broker.port(), "allow_routes_from = [\"ares\"]");
    let hera = Reader::new(broker.port());
    let (pane, agent) = &zeus.ready;
    assert_ends(&send(&hera, &format!("zeus:{pane}"), "Go on."), 4, "takes no texts from hera");
    let stage = &zeus.machine.stage;
    let seen = log(stage);
    assert_eq!(seen.len(), 1, "{seen:?}");
    assert_eq!((seen[0].0.as_str(), seen[0].2.as_str()), ("hera", "refused"));
    // What the broker kept is not of now, and what came twice is one text.
    let mut ares = Mqtt::connect(broker.port(), "ares");
    let route = |id: &str, text: &str| {
        json!({"v": 1, "id": id, "from": "ares", "pane": pane, "text": text}).to_string()
    };
    for _ in 0..3 {
        ares.publish("madohub/zeus/route", route("00000000-1", "once").as_bytes(), false);
    }
    wait_until("the text", || agent.prompts().join("|"), |prompts| prompts.contains("once"));
    ares.subscribe("madohub/ares/answer/#");
    ares.publish("madohub/zeus/route", route("00000000-2", "kept").as_bytes(), true);
    ares.publish("madohub/zeus/route", route("00000000-3", "").as_bytes(), false);
    ares.publish("madohub/zeus/route", b"{\"v\":1}", false);
    // One that is answered comes after all of these.
    ares.publish("madohub/zeus/route", route("00000000-4", "busy").as_bytes(), false);
    wait_for("the answer", || {
        ares.hear();
        let topics: Vec<&str> = ares.messages.iter().map(|(topic, _)| topic.as_str()).collect();
        let is_answered = topics.contains(&"madohub/ares/answer/00000000-4");
        if is_answered { Ok(()) } else { Err(format!("{topics:?}")) }
    });
    let is_of = |id: &str| ares.messages.iter().any(|(topic, _)| topic.ends_with(id));
    assert!(!is_of("-2") && !is_of("-3"), "{:?}", ares.messages);
    assert_eq!(agent.prompts(), ["once"]);
}

#[test]
fn a_route_leads_to_another_machine() {
    let env = Arc::new(TestEnv::new());
    let broker = Broker::new(&env);
    let zeus = zeus(broker.port(), "allow_routes_from = [\"hera\"]");
    let hera = Machine::new("hera", broker.port(), "");
    let (pane, agent) = &zeus.ready;
    hera.stage.configure(&format!(
        "{}[[route]]\nname = \"review\"\nfrom = {{ agent = \"claude\" }}\non = [\"stopped\"]\n\
         to = {{ host = \"zeus\", pane = \"{pane}\" }}\nsend = \"Review {{agent}} {{{{now}}}}.\"\n",
        settings("hera", broker.port(), "")
    ));
    hera.stage.madohub.tmux("restart", &hera.stage.tmux);
    hera.stage.wait_state(&hera.panes[0].0, "working");
    hera.stage.tmux.run(&["select-pane", "-t", &hera.panes[1].0]);
    hera.panes[0].1.show("finished");
    wait_until("the text", || agent.prompts().join("|"), |prompts| !prompts.is_empty());
    assert_eq!(agent.prompts(), ["Review claude {now}."]);
}

#[test]
fn nothing_is_sent_to_a_machine_that_hangs() {
    let env = Arc::new(TestEnv::new());
    let broker = Broker::new(&env);
    let zeus = zeus(broker.port(), "allow_routes_from = [\"hera\"]\nkeep_alive = 3");
    let hera = Reader::new(broker.port());
    let pid = Pid::from_child(zeus.machine.publisher.as_ref().unwrap());
    kill_process(pid, Signal::STOP).unwrap();
    // By and by the broker says that it is gone.
    let to = format!("zeus:{}", zeus.ready.0);
    wait_for("an answer", || {
        let output = hera.madohub.try_run(&["fleet", "status"]);
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        if said.contains("zeus is gone") { Ok(()) } else { Err(said) }
    });
    let output = send(&hera, &to, "x");
    kill_process(pid, Signal::CONT).unwrap();
    assert_ends(&output, 1, "zeus is not there");
}
