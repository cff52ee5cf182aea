//! The command line as a user meets it: the built program in a private home.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a failing test may panic")]

mod bad_input;
mod detect;
mod doctor;
mod explain;
mod help;
mod install;
mod package;
mod properties;
mod reference;
mod rules;
mod tmux;
mod world;
