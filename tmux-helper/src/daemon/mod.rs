//! The daemon of one tmux server: looks at its panes, follows their states, shows them, and tells
//! whoever asks.
//!
//! One thread does all that concerns tmux; connections have threads that only read its latest
//! picture.

mod activity;
mod errands;
mod files;
mod hub;
mod jobs;
mod life;
mod log;
mod pace;
mod paint;
mod post;
mod pulse;
mod routing;
mod sends;
mod serve;
mod sight;
mod start;
mod store;
mod watch;

pub use files::{Files, Lock};
pub use start::{Started, background, setup, start};
pub use watch::{Setup, run};
