//! `bench_zellij [--seconds N]`: what the plugin costs a zellij server whose ten panes animate, as a
//! ratio to the same server without it and to one with a plugin that takes the same reports of screens
//! and does nothing; how long a change takes to reach the terminal; the plugin's size and the time that
//! zellij takes to load it.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    reason = "a benchmark may fail loudly"
)]

use madohub_tests::{STATE_COLOURS, WITNESS, ZellijOptions, ZellijStage, wait_for};
use std::fs;
use std::thread::sleep;
use std::time::{Duration, Instant};

const PANES: usize = 10;
/// Changes whose way to the terminal is timed.
const CHANGES: usize = 20;

fn main() {
    let mut args = std::env::args().skip(1);
    let seconds = match (args.next().as_deref(), args.next()) {
        (None, _) => 20,
        (Some("--seconds"), Some(number)) => number.parse().expect("a number of seconds"),
        _ => panic!("usage: bench_zellij [--seconds N]"),
    };
    let alone = share(&stage(Loaded::Nothing), seconds);
    let floor = share(&stage(Loaded::Witness), seconds);
    let with = stage(Loaded::Plugin);
    with.wait_states(&(0..).take(PANES).map(|pane| (pane, "working")).collect::<Vec<_>>());
    with.wait_frames("one", &[Some(STATE_COLOURS[0]); PANES]);
    let both = share(&with, seconds);
    println!("server without a plugin    {:.2} % of a core", alone * 100.0);
    println!("with one that does nothing {:.2} % of a core", floor * 100.0);
    println!("server with the plugin     {:.2} % of a core", both * 100.0);
    println!("ratio to no plugin         {:.2}", both / alone);
    println!("ratio to one without work  {:.2}", both / floor);
    let mut times: Vec<Duration> = (0..CHANGES).map(|n| repaint(&with, n)).collect();
    times.sort();
    println!("change to repaint, median  {:.0?}", times[CHANGES / 2]);
    println!("change to repaint, p95     {:.0?}", times[CHANGES * 95 / 100]);
    println!("size of the plugin         {} bytes", fs::metadata(with.plugin()).unwrap().len());
    let log = with.log();
    let loaded =
        log.lines().find_map(|line| line.split("Loaded plugin").nth(1)?.split(" in ").nth(1));
    println!("zellij's load of it        {}", loaded.unwrap_or("not told").trim());
}

/// What the server has loaded.
#[derive(Clone, Copy, PartialEq)]
enum Loaded {
    Nothing,
    /// A plugin that takes reports of screens and does nothing about them.
    Witness,
    Plugin,
}

fn stage(loaded: Loaded) -> ZellijStage {
    let witness = format!("load_plugins {{\n\"{WITNESS}\" {{\nreports \"true\"\n}}\n}}");
    let mut config = ZellijOptions::default().config;
    if loaded == Loaded::Witness {
        config = format!("{config}\n{witness}");
    }
    ZellijStage::new(&ZellijOptions {
        agents: vec![("claude-2.1.332", "working"); PANES],
        settings: "helper \"off\"\nborder.focused \"same\"".to_owned(),
        abreast: PANES / 2,
        size: (300, 50),
        config,
        plugin: loaded == Loaded::Plugin,
        ..ZellijOptions::default()
    })
}

/// Share of a core that the server takes.
fn share(stage: &ZellijStage, seconds: u64) -> f64 {
    let pid = stage.server_pid();
    let ticks = || -> u64 {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
        fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
    };
    // What starting and the first picture took is over.
    sleep(Duration::from_secs(5));
    let (before, start) = (ticks(), Instant::now());
    sleep(Duration::from_secs(seconds));
    let per_second = rustix::param::clock_ticks_per_second() as f64;
    (ticks() - before) as f64 / per_second / start.elapsed().as_secs_f64()
}

/// Time from a changed screen to its frame in the other colour. (zellij numbers the others otherwise.)
fn repaint(stage: &ZellijStage, n: usize) -> Duration {
    let (scene, colour) = if n.is_multiple_of(2) {
        ("approval", STATE_COLOURS[1])
    } else {
        ("working", STATE_COLOURS[0])
    };
    let start = Instant::now();
    stage.agents[0].show(scene);
    wait_for("the frame's other colour", || {
        let has = stage.frames("one", PANES)[0];
        if has == colour { Ok(()) } else { Err(format!("{has:?}")) }
    });
    start.elapsed()
}
