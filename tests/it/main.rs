//! End-to-end tests in real terminal multiplexers.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "tests report by panicking"
)]

mod harness;
