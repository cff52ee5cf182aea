//! Real agent programs in the loop: installed from their packages, run in real panes against a
//! model that follows a script, and what the product says about them held against the truth.
//!
//! `tests/real-agents/` has the data: what the model does, one file for each agent, and the
//! situations. `scripts/real-agents.sh` runs it all.

mod agent;
mod drive;
mod hooks;
mod install;
mod judge;
mod keep;
pub mod model;
mod observer;
mod report;
mod routed;
mod run;
mod situation;
mod world;
mod wrapped;

pub use agent::Agent;
pub use install::{Packages, install};
pub use report::{Outcome, Report, Verdict};
pub use run::run;
pub use situation::Situations;

use std::path::{Path, PathBuf};

/// Folder with the data.
pub fn data_dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("real-agents")
}

/// Reads a TOML file of the data.
fn read<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T, String> {
    let text = std::fs::read_to_string(path);
    let text = text.map_err(|error| format!("{}: {error}", path.display()))?;
    toml::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
}
