//! The engine's work in instructions, which no other load of the machine changes: run under
//! callgrind by `scripts/bench-instructions.sh`, which counts only inside of [`measured`].
//!
//! `VIEW` is `screen` (title, screen and size), `known` (the same, agent known before) or `scan`
//! (every byte of the same screens read once: the floor).
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

fn main() {
    let Ok(view) = std::env::var("VIEW") else { return println!("needs VIEW: see the source") };
    let rules = RuleSet::builtin().expect("the built-in rules are sound");
    let known = |case: &Recorded| Observation {
        agent_hint: Some(case.expected.agent.clone()),
        ..case.screen_only()
    };
    let screens: Vec<Observation> = match view.as_str() {
        "known" => RECORDED.iter().map(known).collect(),
        "screen" | "scan" => RECORDED.iter().map(Recorded::screen_only).collect(),
        other => panic!("VIEW={other}: screen, known or scan"),
    };
    let what: fn(&RuleSet, &Observation) -> usize =
        if view == "scan" { scan } else { |rules, seen| detect(rules, seen).evidence.len() };
    // Patterns are compiled when they are first used, and a thread fills caches of its own.
    for seen in &screens {
        black_box(what(&rules, seen));
    }
    println!("screens {}", screens.len());
    black_box(measured(&rules, &screens, what));
}

/// What is counted, by this name.
#[inline(never)]
fn measured(
    rules: &RuleSet,
    screens: &[Observation],
    what: fn(&RuleSet, &Observation) -> usize,
) -> usize {
    screens.iter().map(|seen| what(black_box(rules), black_box(seen))).sum()
}

fn scan(_: &RuleSet, seen: &Observation) -> usize {
    let rows = seen.screen.iter().flatten().chain(&seen.title);
    rows.map(|row| row.bytes().filter(|byte| *byte > b' ').count()).sum()
}
