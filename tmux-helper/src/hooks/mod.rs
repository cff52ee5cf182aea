//! The agents' own hooks as a source: what they call, and how it gets into their settings.
//!
//! Which events there are and what they mean is in the rule files (`[[hook_rules]]`); here is how
//! an agent is told to call us, and what is kept of what it hands over.

mod agents;
mod merge;
mod report;
mod setup;

pub use report::report;
pub use setup::{Plan, uninstall};
