//! zellij from outside: putting the plugin in place and taking it away, and asking sessions.

mod config;
mod install;
mod options;
mod permissions;
mod places;
mod session;
mod version;

pub use install::{Change, Plan, State};
pub use options::{ThemeOptions, theme_options};
pub use permissions::EXPLAINED;
pub use places::Places;
pub use session::Session;
pub use version::Version;
