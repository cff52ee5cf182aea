//! What a thousand events a second cost the daemon's loop, against the detection that finds them.
//!
//! Two hundred panes change their state at each of five steps a second. Telling that (writing it
//! down, readers that follow, twenty routes) must be a small part of the step, or states would show
//! late. Run with `cargo bench -p tmux-helper --bench events`.
#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    clippy::unwrap_used,
    missing_docs,
    reason = "a benchmark tells what it measured, and stops where it cannot"
)]

use madohub::config::Config;
use madohub::events::{Ring, Source, Teller};
use madohub::protocol::Scene;
use madohub::routes::{Engine, Memory, PaneView};
use madohub_detect::{AgentId, Change, Observation, RuleSet, State, StateSource, Tracked, detect};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const PANES: u64 = 200;
const STEPS: u64 = 50;
const READERS: usize = 8;
const ROUTES: usize = 20;

fn main() {
    let rules = RuleSet::builtin().expect("the built-in rules");
    let folder = std::env::temp_dir().join(format!("madohub-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let scene = Scene { host: "devbox".to_owned(), server: "/s".to_owned() };
    let (mut teller, _) = Teller::open(scene, &folder.join("events"));
    let ring = Arc::new(Mutex::new(Ring::default()));
    let is_over = Arc::new(AtomicBool::new(false));
    let read = Arc::new(AtomicU64::new(0));
    for _ in 0..READERS {
        let (ring, is_over, read) = (Arc::clone(&ring), Arc::clone(&is_over), Arc::clone(&read));
        std::thread::spawn(move || follow(&ring, &is_over, &read));
    }
    let (mut engine, _) = Engine::new(routes(), Memory::new((1, 1), 0), 0.0);
    let panes: Vec<PaneView> = (0..PANES).map(|n| pane(&rules, n)).collect();
    let (mut detecting, mut telling, mut routing) = (Vec::new(), Vec::new(), Vec::new());
    for step in 1..=STEPS {
        let now = 1_000.0 + f64::from(u32::try_from(step).unwrap()) * 0.2;
        let start = Instant::now();
        for n in 0..PANES {
            std::hint::black_box(detect(&rules, &screen(n, step)));
        }
        detecting.push(start.elapsed());
        let changes = (0..PANES).map(|n| (change(n, step), now)).collect();
        let start = Instant::now();
        let source = Source { server: 1, pid: &|_| Some(1) };
        let kept = || ring.lock().unwrap().kept();
        let told = teller.tell(changes, Vec::new(), &source, kept, now).events;
        {
            let mut ring = ring.lock().unwrap();
            for entry in &told {
                ring.push(entry);
            }
        }
        telling.push(start.elapsed());
        let start = Instant::now();
        for entry in &told {
            engine.take(entry.event(), &panes, now);
        }
        engine.memory().write(&folder.join("routes")).expect("the memory");
        routing.push(start.elapsed());
    }
    is_over.store(true, Ordering::Relaxed);
    let _ = std::fs::remove_dir_all(&folder);
    let base = median(&mut detecting);
    println!("{PANES} changes a step, {READERS} readers, {ROUTES} routes, median of {STEPS} steps");
    for (what, time) in [
        ("detection of the same panes", base),
        ("telling and writing down", median(&mut telling)),
        ("routes", median(&mut routing)),
    ] {
        let ratio = time.as_secs_f64() / base.as_secs_f64();
        println!("{what:30} {:8.2} ms  {ratio:5.2} x detection", time.as_secs_f64() * 1e3);
    }
    println!("lines read meanwhile: {}", read.load(Ordering::Relaxed));
}

fn follow(ring: &Mutex<Ring>, is_over: &AtomicBool, read: &AtomicU64) {
    let mut cursor = 0;
    while !is_over.load(Ordering::Relaxed) {
        let batch = ring.lock().unwrap().after(cursor, 64);
        read.fetch_add(batch.lines.len() as u64, Ordering::Relaxed);
        if batch.lines.is_empty() {
            std::thread::sleep(Duration::from_millis(1));
        }
        cursor = batch.cursor;
    }
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn routes() -> Vec<madohub::routes::Route> {
    let mut text = String::new();
    for n in 0..ROUTES {
        write!(
            text,
            "[[route]]\nname = \"r{n}\"\nfrom = {{ agent = \"claude\", window = \"w{n}*\" }}\n\
             on = [\"working\", \"waiting\"]\nto = {{ pane = \"%{n}\" }}\nsend = \"{{title}}\"\n"
        )
        .unwrap();
    }
    Config::parse(&text, Path::new("bench.toml")).expect("routes").routes
}

fn pane(rules: &RuleSet, n: u64) -> PaneView {
    let detection = detect(rules, &screen(n, 0));
    PaneView {
        id: format!("%{n}"),
        window: format!("w{n}"),
        title: "title".to_owned(),
        tracked: Some(Tracked { detection, since: 0.0, turn: 1, acknowledged: false }),
        ..PaneView::default()
    }
}

fn screen(n: u64, step: u64) -> Observation {
    let rule = "─".repeat(100);
    let mut rows: Vec<String> = (0..34).map(|row| format!("text {row} of pane {n}")).collect();
    rows.push(format!("✻ Pondering… ({step}s · ↓ 300 tokens · esc to interrupt)"));
    rows.extend([String::new(), rule.clone(), "❯ ".to_owned(), rule]);
    Observation {
        agent_hint: Some("claude".to_owned()),
        screen: Some(rows),
        ..Observation::default()
    }
}

fn change(n: u64, step: u64) -> Change {
    let (from, to) = match step % 2 {
        0 => (State::Waiting, State::Working),
        _ => (State::Working, State::Waiting),
    };
    Change {
        pane: format!("%{n}"),
        agent: AgentId::new("claude"),
        from,
        to,
        state_source: StateSource::JsonlWatcher,
        reason: None,
        turn: step,
        evidence: Vec::new(),
    }
}
