//! A settings file: refused with a message that names it, or used.
#![no_main]

use libfuzzer_sys::fuzz_target;
use madohub::config::Config;
use std::path::Path;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    match Config::parse(&text, Path::new("config.toml")) {
        Ok(config) => drop(config.warnings()),
        Err(error) => assert!(error.to_string().contains("config.toml"), "{error}"),
    }
});
