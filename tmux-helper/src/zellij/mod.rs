//! Puts the zellij plugin in place and takes it away again.

mod config;
mod install;
mod options;
mod permissions;
mod places;

pub use install::{Change, Plan, State};
pub use options::{ThemeOptions, theme_options};
pub use permissions::EXPLAINED;
pub use places::Places;
