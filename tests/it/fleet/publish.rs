//! What a machine tells, and takes back.

use super::{Machine, Reader};
use madohub_tests::{Broker, Mqtt, Proxy, TestEnv, wait_for};
use rustix::process::Signal;
use serde_json::Value;
use std::sync::Arc;

/// What the broker keeps of a host, by topic.
fn kept(mqtt: &mut Mqtt, host: &str) -> Vec<(String, Value)> {
    mqtt.hear();
    let prefix = format!("madohub/{host}/");
    let its = mqtt.retained.iter().filter(|(topic, _)| topic.starts_with(&prefix));
    its.map(|(topic, payload)| (topic.clone(), serde_json::from_slice(payload).unwrap())).collect()
}

#[test]
fn a_machine_tells_states_and_nothing_else_and_takes_them_back() {
    let env = Arc::new(TestEnv::new());
    let broker = Broker::new(&env);
    let mut zeus = Machine::new("zeus", broker.port(), "");
    let mut other = Mqtt::connect(broker.port(), "other");
    other.subscribe("madohub/#");
    zeus.publish();
    let panes = wait_for("two panes and a presence", || {
        let kept = kept(&mut other, "zeus");
        if kept.len() == 3 { Ok(kept) } else { Err(format!("{kept:#?}\n{}", zeus.log())) }
    });
    for (topic, message) in &panes {
        assert_eq!((&message["v"], &message["host"]), (&1.into(), &"zeus".into()), "{topic}");
    }
    // The same rows as at home, without what is not asked for; names of windows change at first.
    wait_for("the rows of home", || {
        let kept = kept(&mut other, "zeus");
        let listed = zeus.stage.madohub.list_json(&zeus.stage.tmux);
        for local in &listed {
            let told = kept.iter().find(|(_, row)| row["pane"] == local["pane"]);
            let Some((_, told)) = told else { return Err(format!("{kept:#?}")) };
            for (key, value) in local.as_object().unwrap() {
                let expected = match key.as_str() {
                    "title" | "cwd" | "last_message" => &Value::Null,
                    _ => value,
                };
                if &told[key] != expected {
                    return Err(format!("{key}: {} and {expected}", told[key]));
                }
            }
        }
        Ok(())
    });
    // A change is told at once, as an event too, without the text of the screen.
    zeus.panes[0].1.show("approval");
    let event = wait_for("the event", || {
        other.hear();
        let event = other.messages.iter().find(|(topic, _)| topic == "madohub/zeus/event");
        event.map(|(_, event)| event.clone()).ok_or_else(|| zeus.log())
    });
    let event: Value = serde_json::from_slice(&event).unwrap();
    assert_eq!((&event["host"], &event["to"]), (&"zeus".into(), &"waiting".into()), "{event}");
    assert!(event["evidence"].as_array().unwrap().iter().all(|one| one.get("text").is_none()));
    // An agent that is gone is taken away.
    zeus.stage.tmux.run(&["kill-pane", "-t", &zeus.panes[0].0]);
    wait_for("one pane", || {
        let kept = kept(&mut other, "zeus");
        if kept.len() == 2 { Ok(()) } else { Err(format!("{kept:#?}")) }
    });
    zeus.end(Signal::TERM);
    wait_for("nothing that is left", || {
        let kept = kept(&mut other, "zeus");
        if kept.is_empty() { Ok(()) } else { Err(format!("{kept:#?}")) }
    });
}

#[test]
fn machines_see_each_other_and_who_vanished() {
    let env = Arc::new(TestEnv::new());
    let broker = Broker::new(&env);
    let mut zeus = Machine::new("zeus", broker.port(), "keep_alive = 3");
    let mut hera = Machine::new("hera", broker.port(), "keep_alive = 3");
    zeus.publish();
    hera.publish();
    hera.wait_states_of("zeus", &["waiting", "working"]);
    zeus.wait_states_of("hera", &["waiting", "working"]);
    let table = hera.stage.madohub.run(&["fleet", "list"]);
    assert!(table.contains("zeus:main:0.1") && table.contains("hera:main:0.0"), "{table}");
    let status = hera.stage.madohub.run(&["fleet", "status"]);
    assert!(status.contains("This machine is hera: connected"), "{status}");
    assert!(status.contains("zeus: 2 agents  ?1 ●1"), "{status}");
    zeus.end(Signal::KILL);
    hera.wait_states_of("zeus", &[]);
    let table = hera.stage.madohub.run(&["fleet", "list"]);
    assert!(table.contains("zeus is gone") && table.contains("it told of 2 agents"), "{table}");
    // What it left is put right when it comes back.
    zeus.stage.tmux.run(&["kill-pane", "-t", &zeus.panes[0].0]);
    zeus.publish();
    hera.wait_states_of("zeus", &["waiting"]);
}

#[test]
fn changes_on_other_machines_are_heard_once_also_over_a_cut() {
    let env = Arc::new(TestEnv::new());
    let broker = Broker::new(&env);
    let (near_zeus, near_hera) = (Proxy::to(broker.port()), Proxy::to(broker.port()));
    let mut zeus = Machine::new("zeus", near_zeus.port(), "");
    zeus.publish();
    let hera = Reader::new(near_hera.port());
    let mut command = hera.madohub.command(&["fleet", "watch", "--json"]);
    let log = std::fs::File::create(hera.env.path().join("watch")).unwrap();
    let mut watch = command.stdout(log).spawn().unwrap();
    let heard = |n: usize| {
        wait_for(&format!("{n} events"), || {
            let text = std::fs::read_to_string(hera.env.path().join("watch")).unwrap();
            let event = |line: &str| serde_json::from_str::<Value>(line).unwrap();
            let events: Vec<Value> = text.lines().map(event).collect();
            if events.len() == n { Ok(events) } else { Err(format!("{events:#?}\n{}", zeus.log())) }
        })
    };
    // It is listening once the broker has answered its subscription.
    broker.wait_logged("Sending SUBACK to madohub-reader");
    zeus.panes[0].1.show("approval");
    heard(1);
    // What happens while the listener is away is kept for it.
    near_hera.break_all();
    broker.wait_logged_after("Client madohub-reader", "closed its connection");
    zeus.panes[0].1.show("working");
    broker.wait_logged("Received PUBLISH from madohub-zeus");
    zeus.stage.wait_state(&zeus.panes[0].0, "working");
    near_hera.mend();
    heard(2);
    // And what happens while the machine is away is told when it is back.
    near_zeus.break_all();
    zeus.wait_said("it is tried again");
    zeus.panes[0].1.show("approval");
    zeus.stage.wait_state(&zeus.panes[0].0, "waiting");
    near_zeus.mend();
    let events = heard(3);
    let steps = events.iter().map(|event| {
        (
            event["host"].as_str().unwrap(),
            event["to"].as_str().unwrap(),
            event["seq"].as_u64().unwrap(),
        )
    });
    let steps: Vec<_> = steps.collect();
    assert_eq!(steps, [("zeus", "waiting", 1), ("zeus", "working", 2), ("zeus", "waiting", 3)]);
    watch.kill().unwrap();
    watch.wait().unwrap();
}
