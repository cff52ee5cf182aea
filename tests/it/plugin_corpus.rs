//! The engine in WebAssembly gives the native engine's answers.

use madohub_detect::{RuleSet, detect};
use madohub_tests::{as_value, corpus, verdicts};

#[test]
fn every_recorded_moment_is_judged_alike_in_the_plugin() {
    let rules = RuleSet::builtin().unwrap();
    let seen = corpus();
    let answers = verdicts(&seen);
    assert_eq!(answers.len(), seen.len());
    let different: Vec<String> = seen
        .iter()
        .zip(&answers)
        .map(|(seen, answer)| (as_value(&detect(&rules, seen)), &answer.verdict))
        .filter(|(native, verdict)| native != *verdict)
        .map(|(native, verdict)| format!("{native}\n{verdict}"))
        .collect();
    assert!(different.is_empty(), "{} of {}:\n{}", different.len(), seen.len(), different[0]);
}
