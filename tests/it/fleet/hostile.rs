//! Whoever may write to the broker may write anything.

use super::Reader;
use madohub_tests::{
    Broker, Mqtt, TestEnv, simulated_pane as pane, simulated_presence as presence, wait_for,
};
use serde_json::{Value, json};
use std::sync::Arc;

#[test]
fn what_is_no_message_is_counted_and_left_out() {
    let env = Arc::new(TestEnv::new());
    let broker = Broker::new(&env);
    let mut mqtt = Mqtt::connect(broker.port(), "mallory");
    mqtt.subscribe("madohub/end");
    let mut tell = |(topic, message): (String, Value)| {
        mqtt.publish(&topic, message.to_string().as_bytes(), true);
    };
    tell(presence("zeus", 2, 3));
    tell(pane("zeus", 1, 1, "waiting"));
    let (topic, mut evil) = pane("zeus", 2, 2, "working");
    evil["session"] = json!("\u{1b}]0;owned\u{7}\u{1b}[2J#(reboot)");
    evil["reason"] = json!("\u{202e}x\r\n");
    evil["new"] = json!({"of": "a later version"});
    tell((topic, evil));
    // In the name of another host, of another pane, with states that are none, and without an end.
    for (n, key, value) in
        [(3, "host", json!("hera")), (4, "pane", json!("%5")), (5, "state", json!("busy"))]
    {
        let (topic, mut wrong) = pane("zeus", n, n, "waiting");
        wrong[key] = value;
        tell((topic, wrong));
    }
    for (topic, payload) in [
        ("madohub/zeus/pane/tmux:default:%259", vec![0xff; 100]),
        ("madohub/zeus/pane/tmux:default:%258", vec![b'['; 30_000]),
        ("madohub/zeus/pane/tmux:default:%257", vec![b' '; 200_000]),
        ("madohub/he ra/presence", b"{}".to_vec()),
        ("madohub/hera/presence", b"{\"v\":1}".to_vec()),
    ] {
        mqtt.publish(topic, &payload, true);
    }
    mqtt.publish("madohub/end", b"1", true);
    wait_for("the broker to have it all", || {
        mqtt.hear();
        if mqtt.retained.is_empty() { Err(broker.log()) } else { Ok(()) }
    });
    let reader = Reader::new(broker.port());
    let rows = reader.rows();
    let states: Vec<&Value> = rows.iter().map(|row| &row["state"]).collect();
    assert_eq!(states, ["waiting", "working"], "{rows:#?}");
    let text = reader.madohub.run(&["fleet", "list"]);
    let is_harmless = |c: char| c == '\n' || !c.is_control();
    assert!(text.chars().all(is_harmless) && !text.contains('\u{202e}'), "{text:?}");
    let told = reader.madohub.run(&["fleet", "status", "--json"]);
    let told: Value = serde_json::from_str(&told).unwrap();
    assert!(told["malformed"].as_u64().unwrap() >= 7, "{told}");
    assert_eq!(told["hosts"].as_array().unwrap().len(), 1, "{told}");
}
