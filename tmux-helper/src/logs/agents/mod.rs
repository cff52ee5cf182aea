//! The agents whose session logs are read, one module each.

mod claude;
mod codex;

use super::source::Source;
use std::path::{Path, PathBuf};

/// Every agent whose logs are read.
pub(super) fn sources(homes: &Homes) -> Vec<Box<dyn Source>> {
    vec![Box::new(claude::Claude::new(homes)), Box::new(codex::Codex::new(homes))]
}

/// Where agents keep their files: as this program's own environment says. Environments of other
/// processes are never read.
#[derive(Debug, Clone)]
pub(super) struct Homes {
    home: Option<PathBuf>,
    variable: fn(&str) -> Option<PathBuf>,
}

impl Homes {
    /// As the environment says.
    pub(super) fn from_env() -> Self {
        let variable = |name: &str| {
            std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute())
        };
        Self { home: variable("HOME"), variable }
    }

    /// A home folder and nothing else, for tests.
    #[cfg(test)]
    pub(super) fn at(home: &Path) -> Self {
        Self { home: Some(home.to_owned()), variable: |_| None }
    }

    /// The folder that the variable names, else this one in the home folder.
    fn folder(&self, variable: &str, below_home: &str) -> Option<PathBuf> {
        (self.variable)(variable).or_else(|| Some(self.home.as_ref()?.join(below_home)))
    }
}

/// Whether a text can be the id of a session: it becomes part of a path.
fn is_id(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= 128
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
}

/// The files that a process of this user holds open; empty where that cannot be known.
fn opened(pid: i64) -> Vec<PathBuf> {
    let links = std::fs::read_dir(Path::new("/proc").join(pid.to_string()).join("fd"));
    let links = links.into_iter().flatten().flatten();
    links.filter_map(|link| std::fs::read_link(link.path()).ok()).collect()
}
