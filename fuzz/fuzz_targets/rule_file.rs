//! A user's rule file: refused with a message, or used.
#![no_main]

use libfuzzer_sys::fuzz_target;
use madohub_detect::{Observation, RuleFile, RuleSet};

const SCREEN: [&str; 6] = [
    "⏺ Ran the tests",
    "✻ Pondering… (12s · esc to interrupt)",
    "────────────────────",
    "❯ ",
    "────────────────────",
    "  ? for shortcuts",
];

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data).into_owned();
    let file = RuleFile { name: "user.toml".to_owned(), text };
    let (rules, errors) = RuleSet::clone(&madohub_fuzz::RULES).with(&[file]);
    if let Some(error) = errors.first() {
        assert!(error.to_string().contains("user.toml"), "{error}");
    }
    for agent in rules.agents().into_iter().filter(|agent| agent.source.contains("user.toml")) {
        let seen = Observation {
            agent_hint: Some(agent.id),
            screen: Some(SCREEN.map(str::to_owned).to_vec()),
            ..Observation::default()
        };
        madohub_fuzz::check(&rules, &seen);
    }
});
