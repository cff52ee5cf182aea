//! Two hundred hosts with thirty panes each, of which each changes once a second.

use super::{Machine, settings};
use madohub_tests::{Broker, SimulatedHosts, TestEnv, wait_for, wait_until};
use serde_json::{Value, json};
use std::fs;
use std::sync::Arc;
use std::time::{Duration, Instant};

const HOSTS: u64 = 200;
const PANES: u64 = 30;
const ROUNDS: u64 = 3;
/// Far more than twenty thousand panes take; what grows with time would be beyond it before long.
const MEMORY_MAX_KB: u64 = 120 * 1024;

/// What the publisher of a machine left for the segment.
fn snapshot(machine: &Machine) -> Value {
    let file = machine.stage.env.path().join("run/madohub/fleet.json");
    serde_json::from_slice(&fs::read(file).unwrap_or_default()).unwrap_or_default()
}

fn memory_kb(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let row = status.lines().find(|row| row.starts_with("VmRSS:")).unwrap();
    row.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn two_hundred_hosts_are_followed_in_bounded_memory() {
    let env = Arc::new(TestEnv::new());
    let broker = Broker::new(&env);
    let mut hera = Machine::new("hera", broker.port(), "");
    let more = "[segment]\nremote = true\n";
    hera.stage.configure(&format!("{more}{}", settings("hera", broker.port(), "")));
    hera.stage.madohub.tmux("restart", &hera.stage.tmux);
    hera.publish();
    hera.wait_said("connected");
    let mut fleet = SimulatedHosts::new(broker.port(), HOSTS, PANES);
    for number in 1..=ROUNDS {
        let start = Instant::now();
        fleet.round(number);
        // The display at home goes on meanwhile.
        let (scene, state) =
            if number % 2 == 1 { ("approval", "waiting") } else { ("working", "working") };
        hera.panes[0].1.show(scene);
        hera.stage.wait_state(&hera.panes[0].0, state);
        let passed = || start.elapsed().as_millis();
        wait_until("the next second", passed, |ms| *ms >= Duration::from_secs(1).as_millis());
    }
    // Whatever the broker left out on the way is asked for again, by what the hosts say.
    let each = HOSTS * PANES / 3;
    let expected = json!({ "completed": each, "waiting": each, "working": each });
    let mut said = Instant::now();
    wait_for("the state of all", || {
        if said.elapsed() > Duration::from_secs(1) {
            said = Instant::now();
            fleet.are_here(ROUNDS);
        }
        let seen = snapshot(&hera);
        let is_so = seen["hosts"] == HOSTS && seen["remote"] == expected;
        if is_so { Ok(()) } else { Err(format!("{seen}\n{}", hera.log())) }
    });
    let memory = memory_kb(hera.publisher.as_ref().unwrap().id());
    assert!(memory < MEMORY_MAX_KB, "{memory} KB");
    let rows = hera.list();
    let theirs = rows.iter().filter(|row| row["host"] != "hera").count() as u64;
    assert_eq!(theirs, HOSTS * PANES);
    // The segment counts them, behind those of this machine.
    let segment = || hera.stage.tmux.run(&["show-options", "-gv", "@madohub_status"]);
    wait_until("the segment", segment, |text| {
        text.contains(" | ") && text.contains(&format!("?{each}"))
    });
}
