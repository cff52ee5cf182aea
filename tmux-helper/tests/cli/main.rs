//! The command line as a user meets it: the built program in a private home, without a multiplexer.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a failing test may panic")]

mod bad_input;
mod detect;
mod explain;
mod help;
mod install;
mod rules;
mod world;
