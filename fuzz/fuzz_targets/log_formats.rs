//! Session logs as the agents keep them: the first byte is the letter of the format, the second one
//! says where the file is cut when it is read in two steps, the rest is what stands in it.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| madohub_fuzz::logs::check(data));
