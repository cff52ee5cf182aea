//! The processes of a pane, as JSON or as `ps` prints them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use madohub::input::parse_processes;
use madohub_detect::Observation;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    match parse_processes(&text) {
        Ok(processes) => {
            let pane_pid = processes.first().map(|process| process.pid);
            let seen =
                Observation { processes: Some(processes), pane_pid, ..Observation::default() };
            madohub_fuzz::check(&madohub_fuzz::RULES, &seen);
        }
        Err(error) => assert!(!error.contains(|c: char| c.is_control()), "{error:?}"),
    }
});
