//! `bench_fleet PATH_TO_MADOHUB [--seconds N]`: what it costs to follow 200 hosts with 30 panes each,
//! of which each changes once a second.
//!
//! CPU time is of the publisher that follows them for the segment and of the broker in the same seconds,
//! which is the baseline: it does the least that must be done with each message. How many it handed on,
//! and left out for listeners that were too slow, it tells itself (`$SYS`; those that it takes without
//! confirming them Mosquitto 2.0.11 does not count). The daemon is measured with and without.
#![allow(
    clippy::cast_precision_loss,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a benchmark that goes wrong says so and ends"
)]

use madohub_tests::{
    Broker, BrokerOptions, CpuTime, Madohub, Mqtt, SimulatedHosts, Stage, StageOptions, TestEnv,
    resident, wait_for,
};
use std::fs;
use std::path::Path;
use std::process::{ExitCode, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

const HOSTS: u64 = 200;
const PANES: u64 = 30;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (program, seconds) = match &args[..] {
        [program] => (program, 20),
        [program, option, n] if option == "--seconds" => (program, n.parse().expect("a number")),
        _ => {
            eprintln!("usage: bench_fleet PATH_TO_MADOHUB [--seconds N]");
            return ExitCode::from(2);
        }
    };
    let env = Arc::new(TestEnv::new());
    let more = "sys_interval 1\n".to_owned();
    let broker = Broker::with(&env, &BrokerOptions { more, ..BrokerOptions::default() });
    let madohub = Madohub::at(&env, Path::new(program));
    let stage = Stage::in_env(Arc::clone(&env), madohub, &StageOptions::default());
    stage.configure(&format!(
        "[segment]\nremote = true\n[fleet]\nbroker = \"127.0.0.1\"\ntls = false\nport = {}\n\
         host = \"here\"\n",
        broker.port()
    ));
    let pane = stage.first_pane();
    let _agent = stage.agent(&pane, "claude-2.1.332", "working");
    stage.start();
    stage.wait_state(&pane, "working");
    let daemon = stage.madohub.daemons()[0];
    let mut command = stage.madohub.command(&["fleet", "publish"]);
    let mut publisher = command.stderr(Stdio::null()).spawn().expect("madohub runs");
    let pid = publisher.id().cast_signed();
    broker.wait_logged("Received PUBLISH from madohub-here");
    let time = Duration::from_secs(seconds);

    let alone = cpu(daemon);
    thread::sleep(time);
    let alone = cpu(daemon) - alone;
    let empty = resident(pid) / 1024;

    let mut hosts = SimulatedHosts::new(broker.port(), HOSTS, PANES);
    let mut counts = Counts::new(broker.port());
    let first = counts.settled();
    let before = [pid, broker.pid(), daemon].map(cpu);
    let start = Instant::now();
    for round in 1..=seconds {
        hosts.round(round);
        thread::sleep(
            (start + Duration::from_secs(round)).saturating_duration_since(Instant::now()),
        );
    }
    let took = start.elapsed().as_secs_f64();
    let (converged, changes) = (Instant::now(), hosts.published);
    wait_for("all hosts", || {
        hosts.are_here(seconds);
        let file = env.path().join("run/madohub/fleet.json");
        let text = fs::read_to_string(file).unwrap_or_default();
        if text.contains(&format!("\"hosts\":{HOSTS}")) { Ok(()) } else { Err(text) }
    });
    let [publisher_cpu, broker_cpu, daemon_cpu] =
        [(pid, before[0]), (broker.pid(), before[1]), (daemon, before[2])]
            .map(|(pid, before)| cpu(pid) - before);
    let (full, converged) = (resident(pid) / 1024, converged.elapsed().as_secs_f64());
    let last = counts.settled();
    let messages = hosts.published;
    let [sent, dropped] = [0, 1].map(|n| last[n] - first[n]);
    println!("{HOSTS} hosts, {PANES} panes each, {:.0} messages a second", changes as f64 / took);
    println!(
        "publisher {:.1} % of a core, broker {:.1} %: ratio {:.2}",
        publisher_cpu / took * 100.0,
        broker_cpu / took * 100.0,
        publisher_cpu / broker_cpu
    );
    println!(
        "of {messages} messages the broker handed on {sent}, counts of its own with them, and left out \
         {dropped}; for each one the publisher took {:.1} us, the broker {:.1} us",
        publisher_cpu / sent as f64 * 1e6,
        broker_cpu / sent as f64 * 1e6
    );
    println!("publisher's memory {empty} KB alone, {full} KB with all hosts");
    println!(
        "daemon {:.2} % of a core alone, {:.2} % meanwhile",
        alone / time.as_secs_f64() * 100.0,
        daemon_cpu / took * 100.0
    );
    println!("all hosts known {converged:.1} s after the last change");
    publisher.kill().expect("the publisher lived");
    publisher.wait().expect("it ends");
    ExitCode::SUCCESS
}

/// What the broker counts of messages.
struct Counts(Mqtt);

impl Counts {
    const OF: [&str; 2] = ["sent", "dropped"];

    fn new(port: u16) -> Self {
        let mut mqtt = Mqtt::connect(port, "counts");
        mqtt.subscribe(&Self::topic("+"));
        Self(mqtt)
    }

    fn topic(what: &str) -> String {
        format!("$SYS/broker/publish/messages/{what}")
    }

    /// Messages that were handed on and left out, once they have stood still but for the counts
    /// themselves. A count that was never told is zero.
    fn settled(&mut self) -> [u64; 2] {
        let mut last = [0_u64; 2];
        let mut since = Instant::now();
        while since.elapsed() < Duration::from_secs(3) {
            self.0.hear();
            let now: [u64; 2] = Self::OF.map(|what| {
                let told = self.0.retained.get(&Self::topic(what));
                let text = told.map(|told| String::from_utf8_lossy(told).into_owned());
                text.map_or(0, |text| text.parse().expect("a number"))
            });
            // Each count is a message itself.
            if now[0].abs_diff(last[0]) > 100 || now[1] != last[1] {
                since = Instant::now();
            }
            last = now;
        }
        last
    }
}

/// Seconds of CPU time so far.
fn cpu(pid: i32) -> f64 {
    CpuTime::of(pid).own.as_secs_f64()
}
