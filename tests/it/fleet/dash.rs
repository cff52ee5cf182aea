//! Other machines on the dashboard.

use super::Machine;
use madohub_tests::{
    Broker, Mqtt, StageOptions, TestEnv, simulated_pane, simulated_presence, wait_for,
};
use serde_json::{Value, json};
use std::sync::Arc;

#[test]
fn the_dashboard_shows_the_agents_of_all_machines() {
    let env = Arc::new(TestEnv::new());
    let broker = Broker::new(&env);
    let options = StageOptions { size: (100, 30), ..StageOptions::default() };
    let hera = Machine::sized("hera", broker.port(), "", &options);
    let mut zeus = Mqtt::connect(broker.port(), "zeus");
    let mut tell = |(topic, message): (String, Value)| {
        zeus.publish(&topic, message.to_string().as_bytes(), true);
    };
    let (topic, mut presence) = simulated_presence("zeus", 2, 3);
    presence["screens"] = json!(true);
    tell((topic.clone(), presence.clone()));
    tell(simulated_pane("zeus", 7, 1, "waiting"));
    tell(simulated_pane("zeus", 8, 2, "working"));
    // What this machine tells of itself is seen at home already.
    tell(simulated_presence("hera", 1, 1));
    tell(simulated_pane("hera", 9, 1, "waiting"));

    let stage = &hera.stage;
    let line = format!("exec '{}' dash", stage.madohub.program().display());
    let dash = stage.tmux.run(&["new-window", "-t", "main", "-P", "-F", "#{pane_id}", &line]);
    let shows = |text: &str| {
        wait_for(&format!("`{text}` on the dashboard"), || {
            let screen = stage.tmux.capture(&dash);
            if screen.contains(text) { Ok(screen) } else { Err(screen) }
        })
    };
    let press = |keys: &[&str]| {
        stage.tmux.run(&[&["send-keys", "-t", &dash], keys].concat());
    };
    shows("zeus:main:0.7");
    let screen = shows("zeus:main:0.8");
    assert!(screen.contains("2 waiting") && screen.contains("2 working"), "{screen}");
    assert!(!screen.contains("main:0.9"), "{screen}");
    // Its screen, as it told it; with colours alone.
    let screen =
        json!({"v": 1, "rows": ["\u{1b}[31mred\u{1b}[0m plan\u{1b}]0;title\u{7}", "second"]});
    tell(("madohub/zeus/screen/tmux:default:%257".to_owned(), screen));
    press(&["/"]);
    stage.tmux.run(&["send-keys", "-t", &dash, "-l", "zeus:main:0.7"]);
    press(&["Enter"]);
    shows("red plan");
    // It cannot be gone to from here.
    press(&["Enter"]);
    shows("is on zeus");
    press(&["Escape"]);
    // It vanishes.
    presence["online"] = json!(false);
    tell((topic, presence));
    let screen = shows("gone: zeus");
    assert!(!screen.contains("zeus:main"), "{screen}");
}
