//! The tmux side against a real tmux, on private sockets in a private home.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a failing test may panic"
)]

mod commands;
mod daemon;
mod faults;
mod flood;
mod killed;
mod logs;
mod panes;
mod processes;
mod restore;
#[cfg(target_os = "linux")]
mod scarce;
#[cfg(target_os = "linux")]
mod space;
mod world;
