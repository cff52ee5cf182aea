//! Rules are data: one TOML file per agent, checked and compiled into what the engine works with.

mod compile;
mod compiled;
mod error;
mod file;
mod matcher;
mod needs;
mod pattern;
mod row_needs;
mod set;
#[cfg(feature = "user-rules")]
mod user;

pub(crate) use compiled::{
    Agent, Check, InputBox, Layout, LogRule, LogSays, ProcessNames, Region, Rule, Says,
};
pub use error::{RuleError, RuleErrorKind};
pub use file::RuleFile;
pub(crate) use matcher::RegionText;
pub(crate) use needs::Pairs;
#[cfg(test)]
pub(crate) use pattern::RowPattern;
pub use set::{AgentInfo, RuleSet};
