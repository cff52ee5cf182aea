//! The end of a session log: the first line is the agent's id, the others are records.
#![no_main]

use libfuzzer_sys::fuzz_target;
use madohub_detect::{Observation, SessionLog};

fuzz_target!(|data: &[u8]| {
    let (agent, records) = madohub_fuzz::head_and_lines(data);
    let seen = Observation {
        agent_hint: Some(agent),
        log: Some(SessionLog {
            path: "session.jsonl".to_owned(),
            records,
            ..SessionLog::default()
        }),
        ..Observation::default()
    };
    madohub_fuzz::check(&madohub_fuzz::RULES, &seen);
});
