//! A screen of an agent: the first line is the agent's id, the second the title.
#![no_main]

use libfuzzer_sys::fuzz_target;
use madohub_detect::Observation;

fuzz_target!(|data: &[u8]| {
    let (agent, mut screen) = madohub_fuzz::head_and_lines(data);
    let title = (!screen.is_empty()).then(|| screen.remove(0));
    let agent_hint = (!agent.is_empty()).then_some(agent);
    let seen = Observation { screen: Some(screen), title, agent_hint, ..Observation::default() };
    madohub_fuzz::check(&madohub_fuzz::RULES, &seen);
});
