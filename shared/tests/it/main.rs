//! The engine against recordings of real agents: one binary, a module for each question.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test may fail loudly"
)]

mod accuracy;
mod cases;
mod contested;
mod field;
mod frames;
mod hooks;
mod mutations;
mod over_time;
#[cfg(feature = "user-rules")]
mod packed_rules;
mod program_status;
mod properties;
mod report;
#[cfg(feature = "user-rules")]
mod rule_files;
mod suites;
mod timelines;
mod tracker_model;
mod variations;
