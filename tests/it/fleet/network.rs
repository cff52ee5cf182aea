//! Brokers and networks that fail.

use super::{Machine, Reader};
use madohub_tests::{Broker, Mqtt, Proxy, TestEnv, simulated_presence, wait_for};
use rustix::process::Signal;
use std::sync::Arc;

#[test]
fn a_broker_that_comes_and_goes_has_everything_again() {
    let env = Arc::new(TestEnv::new());
    let mut broker = Broker::asleep(&env);
    let mut zeus = Machine::new("zeus", broker.port(), "");
    zeus.publish();
    zeus.wait_said("cannot reach the broker");
    let status = wait_for("its trouble in the status", || {
        let status = zeus.status();
        let trouble = status["publisher"]["trouble"].as_str().map(str::to_owned);
        trouble
            .filter(|what| what.contains("it is tried again"))
            .ok_or_else(|| status.to_string())?;
        Ok(status)
    });
    assert_eq!(status["publisher"]["connected"], false, "{status}");
    broker.start();
    zeus.wait_states_of("zeus", &["waiting", "working"]);
    // It keeps nothing over its end, and no pane changes.
    broker.stop();
    broker.start();
    zeus.wait_states_of("zeus", &["waiting", "working"]);
    let said = zeus.log().matches("cannot reach").count();
    assert!(said <= 2, "each trouble is said once: {}", zeus.log());
}

#[test]
fn a_machine_behind_a_cut_is_gone_and_comes_back() {
    let env = Arc::new(TestEnv::new());
    let broker = Broker::new(&env);
    let proxy = Proxy::to(broker.port());
    let mut zeus = Machine::new("zeus", proxy.port(), "keep_alive = 3");
    let hera = Reader::new(broker.port());
    zeus.publish();
    let panes = |n: usize| {
        wait_for(&format!("{n} panes"), || {
            let rows = hera.rows();
            if rows.len() == n { Ok(()) } else { Err(format!("{rows:#?}\n{}", zeus.log())) }
        });
    };
    panes(2);
    proxy.cut();
    panes(0);
    let text = hera.madohub.run(&["fleet", "list"]);
    assert!(text.contains("zeus is gone"), "{text}");
    // The display at home goes on.
    zeus.panes[0].1.show("approval");
    zeus.stage.wait_state(&zeus.panes[0].0, "waiting");
    proxy.mend();
    panes(2);
    wait_for("the state of meanwhile", || {
        let rows = hera.rows();
        let is_so = rows.len() == 2 && rows.iter().all(|row| row["state"] == "waiting");
        if is_so { Ok(()) } else { Err(format!("{rows:#?}\n{}", zeus.log())) }
    });
}

#[test]
fn a_slow_broker_gets_the_newest_state() {
    let env = Arc::new(TestEnv::new());
    let broker = Broker::new(&env);
    let proxy = Proxy::to(broker.port());
    let mut zeus = Machine::new("zeus", proxy.port(), "keep_alive = 60");
    let hera = Reader::new(broker.port());
    zeus.publish();
    zeus.wait_said("connected");
    proxy.slow(true);
    for _ in 0..5 {
        for (scene, state) in [("approval", "waiting"), ("working", "working")] {
            zeus.panes[0].1.show(scene);
            zeus.stage.wait_state(&zeus.panes[0].0, state);
        }
    }
    zeus.panes[0].1.show("approval");
    wait_for("the newest state", || {
        let rows = hera.rows();
        let is_so = rows.len() == 2 && rows.iter().all(|row| row["state"] == "waiting");
        if is_so { Ok(()) } else { Err(format!("{rows:#?}\n{}", zeus.log())) }
    });
    // Of each pane one state waits at most, and of the events those that happened.
    let waiting = zeus.status()["publisher"]["waiting"].as_u64().unwrap();
    assert!(waiting <= 2 + 11, "{waiting}");
}

#[test]
fn two_machines_of_one_name_do_not_fight() {
    let env = Arc::new(TestEnv::new());
    let broker = Broker::new(&env);
    let mut first = Machine::new("zeus", broker.port(), "keep_alive = 3");
    let mut second = Machine::new("zeus", broker.port(), "keep_alive = 3");
    first.publish();
    first.wait_states_of("zeus", &["waiting", "working"]);
    second.publish();
    second.wait_said("another `madohub fleet publish` is called zeus at");
    let trouble = wait_for("its trouble in the status", || {
        let status = second.status();
        let trouble = status["publisher"]["trouble"].as_str().map(str::to_owned);
        trouble.ok_or_else(|| status.to_string())
    });
    assert!(trouble.contains("fleet.host"), "{trouble}");
    // The first one goes on, and its place was never taken.
    first.panes[0].1.show("approval");
    first.wait_states_of("zeus", &["waiting", "waiting"]);
    let log = broker.log();
    let as_zeus =
        |line: &&str| line.contains("New client connected") && line.contains(" as madohub-zeus ");
    assert_eq!(log.lines().filter(as_zeus).count(), 1, "{log}");
    // Once it has ended, the second one speaks.
    first.end(Signal::TERM);
    second.wait_states_of("zeus", &["waiting", "working"]);
}

#[test]
fn a_place_that_is_taken_is_not_fought_for() {
    let env = Arc::new(TestEnv::new());
    let broker = Broker::new(&env);
    let mut zeus = Machine::new("zeus", broker.port(), "keep_alive = 3");
    zeus.publish();
    zeus.wait_states_of("zeus", &["waiting", "working"]);
    // Somebody else comes in under the same name, and tells that the host is there.
    let mut other = Mqtt::connect(broker.port(), "other");
    let (topic, presence) = simulated_presence("zeus", 0, 0);
    let mut thief = Mqtt::connect(broker.port(), "madohub-zeus");
    thief.subscribe("nothing");
    zeus.wait_said("lost the broker");
    // The last will of the one whose place was taken may come later than the thief's word.
    wait_for("the publisher to keep quiet", || {
        other.publish(&topic, presence.to_string().as_bytes(), true);
        let log = zeus.log();
        let is_quiet = log.contains("another `madohub fleet publish` is called zeus");
        if is_quiet { Ok(()) } else { Err(log) }
    });
}
