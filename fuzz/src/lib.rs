//! What every fuzz target asks of an answer.

pub mod logs;

use madohub_detect::{Observation, RuleSet, detect, explain};
use std::sync::{Arc, LazyLock};

/// The rules that ship with the engine.
pub static RULES: LazyLock<Arc<RuleSet>> =
    LazyLock::new(|| Arc::new(RuleSet::builtin().expect("the built-in rules are sound")));

/// Detects and explains; panics where an answer breaks what its readers rely on.
pub fn check(rules: &RuleSet, seen: &Observation) {
    let answer = detect(rules, seen);
    assert_eq!(explain(rules, seen).detection, answer);
    for evidence in &answer.evidence {
        let text = evidence.text.as_deref().unwrap_or_default();
        assert!(!text.chars().any(char::is_control), "{evidence:?}");
    }
}

/// The first line and the lines after it, of bytes that need not be text.
pub fn head_and_lines(data: &[u8]) -> (String, Vec<String>) {
    let text = String::from_utf8_lossy(data);
    let mut lines = text.split('\n').map(str::to_owned);
    (lines.next().unwrap_or_default(), lines.collect())
}
