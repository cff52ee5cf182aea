//! What every command needs from the machine, read when it is needed.

use crate::Error;
use crate::config::{self, Config, Paths};
use madohub_detect::RuleSet;

/// The user's folders, and through them the settings and rule files.
///
/// Nothing is read before a command asks for it, so that `completions`, `man` and `doctor` work
/// with settings that do not.
#[derive(Debug, Clone)]
pub struct Context {
    paths: Paths,
}

impl Context {
    /// The folders that the environment names.
    pub fn from_env() -> Self {
        Self::new(Paths::from_env())
    }

    /// These folders; for tests and for programs that keep several apart.
    pub fn new(paths: Paths) -> Self {
        Self { paths }
    }

    /// The folders.
    pub fn paths(&self) -> &Paths {
        &self.paths
    }

    /// The settings: the defaults where there is no file, an error that names file, key and line
    /// where the file cannot be used.
    pub fn config(&self) -> Result<Config, Error> {
        Config::load(&self.paths.config_file())
    }

    /// The rules in force: the built-in ones with the user's files on top, and what is wrong with
    /// those of the user's files that had to be left out.
    pub fn rules(&self) -> Result<(RuleSet, Vec<String>), Error> {
        config::layered_rules(&self.paths.agents_dir())
    }
}
