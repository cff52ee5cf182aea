//! `bench_zellij [--seconds N] [--panes N] [--tabs N]`: what the plugin costs a zellij server whose
//! panes animate (ten in one tab, where nothing else is said), as a ratio to the same server without it
//! and to one with a plugin that takes the same reports of screens and does nothing; how long a change
//! takes to reach the terminal, also from a tab out of sight; the plugin's size and the time that zellij
//! takes to load it.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    reason = "a benchmark may fail loudly"
)]

use madohub_tests::{CpuTime, STATE_COLOURS, WITNESS, ZellijOptions, ZellijStage, wait_for};
use std::fs;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Changes whose way is timed.
const CHANGES: usize = 20;

/// What is measured.
struct Arguments {
    seconds: u64,
    panes: usize,
    tabs: usize,
}

impl Arguments {
    fn read() -> Self {
        let mut read = Self { seconds: 20, panes: 10, tabs: 1 };
        let mut args = std::env::args().skip(1);
        while let Some(name) = args.next() {
            let number = args.next().and_then(|number| number.parse().ok());
            match (name.as_str(), number) {
                ("--seconds", Some(number)) => read.seconds = number as u64,
                ("--panes", Some(number)) => read.panes = number,
                ("--tabs", Some(number)) => read.tabs = number,
                _ => panic!("usage: bench_zellij [--seconds N] [--panes N] [--tabs N]"),
            }
        }
        read
    }
}

fn main() {
    let args = Arguments::read();
    let alone = share(&args, &stage(&args, Loaded::Nothing));
    let floor = share(&args, &stage(&args, Loaded::Witness));
    let with = stage(&args, Loaded::Plugin);
    let panes = args.panes;
    with.wait_states(&(0..).take(panes).map(|pane| (pane, "working")).collect::<Vec<_>>());
    let in_view = panes.div_ceil(args.tabs);
    wait_for("the frames", || {
        let frames = &with.frames("one", panes)[..in_view];
        let painted = frames.iter().all(|frame| *frame == STATE_COLOURS[0]);
        if painted { Ok(()) } else { Err(format!("{frames:?}")) }
    });
    let both = share(&args, &with);
    println!("{panes} panes in {} tabs", args.tabs);
    println!("server without a plugin    {:.2} % of a core", alone * 100.0);
    println!("with one that does nothing {:.2} % of a core", floor * 100.0);
    println!("server with the plugin     {:.2} % of a core", both * 100.0);
    println!("ratio to no plugin         {:.2}", both / alone);
    println!("ratio to one without work  {:.2}", both / floor);
    tell("change to repaint", (0..CHANGES).map(|n| repaint(&with, panes, n)).collect());
    if args.tabs > 1 {
        tell("change out of sight to bar", (0..CHANGES).map(|n| out_of_sight(&with, n)).collect());
    }
    println!("size of the plugin         {} bytes", fs::metadata(with.plugin()).unwrap().len());
    let log = with.whole_log();
    let loaded =
        log.lines().find_map(|line| line.split("Loaded plugin").nth(1)?.split(" in ").nth(1));
    println!("zellij's load of it        {}", loaded.unwrap_or("not told").trim());
}

fn tell(what: &str, mut times: Vec<Duration>) {
    times.sort();
    let (median, p95) = (times[times.len() / 2], times[times.len() * 95 / 100]);
    println!("{what:26} {median:.0?} median, {p95:.0?} p95 of {}", times.len());
}

/// What the server has loaded.
#[derive(Clone, Copy, PartialEq)]
enum Loaded {
    Nothing,
    /// A plugin that takes reports of screens and does nothing about them.
    Witness,
    Plugin,
}

fn stage(args: &Arguments, loaded: Loaded) -> ZellijStage {
    let witness = format!("load_plugins {{\n\"{WITNESS}\" {{\nreports \"true\"\n}}\n}}");
    let mut config = ZellijOptions::default().config;
    if loaded == Loaded::Witness {
        config = format!("{config}\n{witness}");
    }
    ZellijStage::new(&ZellijOptions {
        agents: vec![("claude-2.1.332", "working"); args.panes],
        tabs: args.tabs,
        settings: "helper \"off\"\nborder.focused \"same\"".to_owned(),
        abreast: args.panes.div_ceil(args.tabs).div_ceil(2),
        size: (300, 50),
        config,
        plugin: loaded == Loaded::Plugin,
        ..ZellijOptions::default()
    })
}

/// Share of a core that the server takes.
fn share(args: &Arguments, stage: &ZellijStage) -> f64 {
    let pid = stage.server_pid();
    let spent = || CpuTime::of(pid).own.as_secs_f64();
    // What starting and the first picture took is over.
    sleep(Duration::from_secs(5));
    let (before, start) = (spent(), Instant::now());
    sleep(Duration::from_secs(args.seconds));
    (spent() - before) / start.elapsed().as_secs_f64()
}

/// Time from a changed screen to its frame in the other colour. (zellij numbers the others otherwise.)
fn repaint(stage: &ZellijStage, panes: usize, n: usize) -> Duration {
    let (scene, colour) = if n.is_multiple_of(2) {
        ("approval", STATE_COLOURS[1])
    } else {
        ("working", STATE_COLOURS[0])
    };
    let start = Instant::now();
    stage.agents[0].show(scene);
    wait_for("the frame's other colour", || {
        let has = stage.frames("one", panes)[0];
        if has == colour { Ok(()) } else { Err(format!("{has:?}")) }
    });
    start.elapsed()
}

/// Time from a changed screen in the last tab to the row of the bar in view.
fn out_of_sight(stage: &ZellijStage, n: usize) -> Duration {
    let far = stage.agents.last().expect("an agent");
    let waits = n.is_multiple_of(2);
    let start = Instant::now();
    far.show(if waits { "approval" } else { "working" });
    wait_for("the bar", || {
        let screen = stage.screen("one");
        let row = screen.text().lines().last().unwrap_or_default().to_owned();
        if row.contains('?') == waits { Ok(()) } else { Err(row) }
    });
    start.elapsed()
}
