//! MadoHub for tmux: which coding agent runs in each pane, and what it is doing.
//!
//! The engine that decides is the package `madohub-detect`; this crate is its host on the machine:
//! the command line, the settings, the output, and the daemon that watches a tmux server.

#![forbid(unsafe_code)]

mod child;
pub mod cli;
pub mod client;
pub mod commands;
pub mod composer;
pub mod config;
mod context;
pub mod daemon;
mod dash;
mod error;
pub mod events;
mod fault;
pub mod fleet;
mod follow;
pub mod glance;
pub mod hooks;
pub mod input;
pub mod logs;
pub mod notify;
pub mod observe;
pub mod output;
mod own_files;
mod pid_files;
pub mod processes;
pub mod protocol;
pub mod registry;
pub mod reports;
pub mod routes;
pub mod run;
pub mod scan;
mod shortage;
mod time;
pub mod tmux;
mod user_files;
pub mod verdict;
pub mod zellij;

pub use context::Context;
pub use error::{Error, Exit, Kind};
pub use follow::follow;

use std::ffi::OsString;

/// Runs one command line (`args[0]` is the program's name) and answers how it ended.
pub fn run(args: impl IntoIterator<Item = OsString>) -> Result<Exit, Error> {
    match cli::parse(args)? {
        cli::Parsed::Run(command) => commands::run(&command, &Context::from_env()),
        cli::Parsed::Shown => Ok(Exit::Ok),
    }
}
