//! What one screen costs: `cargo bench -p madohub-detect [-- --quick]`.
//!
//! The budget is a median and a 99th percentile over the recorded screens, so that is what is
//! measured: each screen on its own, its cost being the median of many rounds, and then the
//! distribution over all screens. A round goes through all screens, so none finds its own data
//! warm from the call before. The baseline `scan` reads the same bytes and nothing else, right
//! before each call of the engine; ratios to it hold on any machine.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a benchmark may fail loudly"
)]

#[path = "../tests/it/cases.rs"]
#[expect(dead_code, reason = "the tests need more of a case")]
mod cases;

use cases::{RECORDED, Recorded};
use madohub_detect::{Observation, RuleSet, detect};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// What the engine is given of a recorded moment.
type View = fn(&Recorded) -> Observation;

const VIEWS: [(&str, &str, View); 4] = [
    ("screen", "screen, title, size", |case| case.screen_only()),
    ("known", "the same, agent known before", |case| Observation {
        agent_hint: Some(case.expected.agent.clone()),
        ..case.screen_only()
    }),
    ("host", "plus processes", |case| case.host_only()),
    ("full", "plus registry and session log", |case| case.observation.clone()),
];

fn main() {
    let quick = std::env::args().any(|arg| arg == "--quick");
    let rounds = if quick { 9 } else { 101 };
    let rules = RuleSet::builtin().expect("the built-in rules are sound");
    println!("{} recorded moments, {rounds} rounds, times in µs", RECORDED.len());
    println!("one reading of the clock takes {:.3}, included below", micros(clock_cost()));
    println!("compiling the built-in rules takes {:.0}\n", micros(time(RuleSet::builtin)));
    println!(
        "{:<16}{:>8}{:>8}{:>8}{:>8}   {:<22}{:<22}slowest",
        "", "median", "p90", "p99", "max", "allocations, p99", "bytes held, p99"
    );
    for (name, what, view) in VIEWS {
        let screens: Vec<_> = RECORDED.iter().map(view).collect();
        measure(&rules, &screens, rounds).print(name);
        println!("{:<16}({what})\n", "");
    }
}

/// Costs over all screens of a view, each list in order of size.
struct Costs {
    scan: Vec<Duration>,
    detect: Vec<Duration>,
    allocations: Vec<u64>,
    bytes: Vec<u64>,
    slowest: String,
}

fn measure(rules: &RuleSet, screens: &[Observation], rounds: usize) -> Costs {
    let mut samples = vec![(Vec::new(), Vec::new()); screens.len()];
    for _ in 0..rounds {
        for (seen, (scans, detects)) in screens.iter().zip(&mut samples) {
            scans.push(time(|| scan(black_box(seen))));
            detects.push(time(|| detect(rules, black_box(seen))));
        }
    }
    let heap: Vec<_> = screens
        .iter()
        .map(|seen| allocation_counter::measure(|| drop(black_box(detect(rules, seen)))))
        .collect();
    let median = |durations: &Vec<Duration>| at(&sorted(durations.clone()), 50);
    let detect: Vec<_> = samples.iter().map(|(_, detects)| median(detects)).collect();
    let slowest = (0..screens.len()).max_by_key(|&i| detect[i]).expect("screens are there");
    Costs {
        scan: sorted(samples.iter().map(|(scans, _)| median(scans)).collect()),
        detect: sorted(detect),
        allocations: sorted(heap.iter().map(|info| info.count_total).collect()),
        bytes: sorted(heap.iter().map(|info| info.bytes_max).collect()),
        slowest: screens[slowest].id.clone(),
    }
}

impl Costs {
    fn print(&self, name: &str) {
        let times = |times: &[Duration]| {
            [50, 90, 99, 100].map(|p| format!("{:>8.2}", micros(at(times, p)))).concat()
        };
        let heap = |counts: &[u64]| format!("{}, {}", at(counts, 50), at(counts, 99));
        println!(
            "{:<16}{}   {:<22}{:<22}{}",
            format!("{name} detect"),
            times(&self.detect),
            heap(&self.allocations),
            heap(&self.bytes),
            self.slowest,
        );
        println!("{:<16}{}", format!("{name} scan"), times(&self.scan));
        let ratios = [50, 90, 99, 100].map(|p| {
            let ratio = at(&self.detect, p).as_secs_f64() / at(&self.scan, p).as_secs_f64();
            format!("{ratio:>8.1}")
        });
        println!("{:<16}{}", format!("{name} ratio"), ratios.concat());
    }
}

/// The baseline: looks at every byte of what the engine is given, once.
fn scan(seen: &Observation) -> usize {
    let texts = seen.screen.iter().flatten().chain(&seen.title).chain(&seen.command);
    let processes = seen.processes.iter().flatten();
    let words = processes.flat_map(|process| process.argv.iter().chain([&process.comm]));
    let records = seen.log.iter().flat_map(|log| &log.records);
    texts.chain(words).chain(records).map(|text| visible(text)).sum()
}

fn visible(text: &str) -> usize {
    text.bytes().filter(|byte| *byte > b' ').count()
}

fn time<T>(what: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    let answer = what();
    let taken = start.elapsed();
    drop(black_box(answer));
    taken
}

fn clock_cost() -> Duration {
    at(&sorted((0..10_001).map(|_| time(|| ())).collect()), 50)
}

fn sorted<T: Ord>(mut values: Vec<T>) -> Vec<T> {
    values.sort();
    values
}

/// The value at a percentile of a sorted list.
fn at<T: Copy>(sorted: &[T], percentile: usize) -> T {
    sorted[(sorted.len() - 1) * percentile / 100]
}

fn micros(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}
