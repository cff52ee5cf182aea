//! The engine as the plugin has it, without zellij: observations come in, one JSON object a line,
//! and a verdict goes out for each, with the nanoseconds that it took. Tests run it to compare its
//! answers with those of the native build; nobody installs it.

use madohub_detect::{Observation, RuleSet, detect};
use serde_json::json;
use std::error::Error;
use std::io::{BufRead, Write, stdin, stdout};
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let rules = RuleSet::builtin()?;
    let mut out = stdout().lock();
    for line in stdin().lock().lines() {
        let seen: Observation = serde_json::from_str(&line?)?;
        let start = Instant::now();
        let verdict = detect(&rules, &seen);
        let took = start.elapsed();
        let nanos = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        writeln!(out, "{}", json!({ "nanos": nanos, "verdict": verdict }))?;
    }
    out.flush()?;
    Ok(())
}
