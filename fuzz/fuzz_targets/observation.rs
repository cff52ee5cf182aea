//! An observation line as it comes from a host.
#![no_main]

use libfuzzer_sys::fuzz_target;
use madohub_detect::Observation;

fuzz_target!(|data: &[u8]| {
    if let Ok(seen) = serde_json::from_slice::<Observation>(data) {
        madohub_fuzz::check(&madohub_fuzz::RULES, &seen);
    }
});
