//! `bench_wasm`: what a verdict costs in the interpreter that zellij runs plugins in, screen by screen
//! over the recorded moments, as a ratio to the native engine of the same run.
#![allow(
    clippy::cast_precision_loss,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a benchmark may fail loudly"
)]

use madohub_detect::{Observation, RuleSet, detect};
use madohub_tests::{corpus, verdicts};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// How often every screen is judged, after a first time that fills the patterns' caches; the middle
/// one of its times counts.
const ROUNDS: usize = 3;

fn main() {
    let rules = RuleSet::builtin().expect("the built-in rules are sound");
    let (screens, more): (Vec<_>, Vec<_>) =
        corpus().into_iter().partition(|seen| seen.processes.is_none() && seen.log.is_none());
    println!("{ROUNDS} rounds, times in µs");
    measure("screen, title, size", &rules, &screens);
    measure("with processes and the agents' own records", &rules, &more);
}

fn measure(what: &str, rules: &RuleSet, seen: &[Observation]) {
    let mut native = vec![Vec::new(); seen.len()];
    for round in 0..=ROUNDS {
        for (seen, times) in seen.iter().zip(&mut native) {
            let start = Instant::now();
            black_box(detect(rules, black_box(seen)));
            if round > 0 {
                times.push(start.elapsed());
            }
        }
    }
    let rounds: Vec<Observation> =
        std::iter::repeat_n(seen, ROUNDS + 1).flatten().cloned().collect();
    let answers = verdicts(&rounds);
    let wasm = (0..seen.len())
        .map(|n| (1..=ROUNDS).map(|round| answers[round * seen.len() + n].took()).collect())
        .collect();
    let (native, wasm) = (middles(native), middles(wasm));
    println!("{} observations: {what}", seen.len());
    println!("{:8}{:>10}{:>10}{:>10}", "", "median", "p99", "max");
    for (name, times) in [("native", &native), ("wasm", &wasm)] {
        let micros = [50, 99, 100].map(|p| at(times, p).as_secs_f64() * 1e6);
        println!("{name:8}{:>10.1}{:>10.1}{:>10.1}", micros[0], micros[1], micros[2]);
    }
    let ratios = [50, 99, 100].map(|p| at(&wasm, p).as_secs_f64() / at(&native, p).as_secs_f64());
    println!("{:8}{:>10.1}{:>10.1}{:>10.1}", "ratio", ratios[0], ratios[1], ratios[2]);
}

/// Each screen's middle time, all in order of size.
fn middles(samples: Vec<Vec<Duration>>) -> Vec<Duration> {
    let middle = |mut times: Vec<Duration>| {
        times.sort();
        times[times.len() / 2]
    };
    let mut all: Vec<Duration> = samples.into_iter().map(middle).collect();
    all.sort();
    all
}

fn at(sorted: &[Duration], percentile: usize) -> Duration {
    sorted[(sorted.len() - 1) * percentile / 100]
}
