//! Where the user's files are.

use crate::Error;
use rustix::process::geteuid;
use std::env;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

const NAME: &str = "madohub";

/// The user's folders, by the XDG base directory rules. None of them need exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paths {
    /// Settings and rule files: `$XDG_CONFIG_HOME/madohub`.
    pub config_dir: PathBuf,
    /// State and log: `$XDG_STATE_HOME/madohub`.
    pub state_dir: PathBuf,
    /// Sockets and locks: `$XDG_RUNTIME_DIR/madohub`, else a folder of the user's own under the
    /// temporary folder. Use [`Paths::ensure_runtime_dir`] before putting anything there.
    pub runtime_dir: PathBuf,
}

impl Paths {
    /// The folders that the environment names.
    pub fn from_env() -> Self {
        Self::from_lookup(|name| env::var_os(name).map(PathBuf::from))
    }

    /// The folders by these variables. Relative values do not count, as the XDG rules say.
    pub fn from_lookup(var: impl Fn(&str) -> Option<PathBuf>) -> Self {
        let absolute = |name: &str| var(name).filter(|path| path.is_absolute());
        let temp = absolute("TMPDIR").unwrap_or_else(|| PathBuf::from("/tmp"));
        let own_temp = temp.join(format!("{NAME}-{}", geteuid().as_raw()));
        let home = absolute("HOME");
        let base = |name: &str, below_home: &str| {
            let fallback = || home.as_ref().map(|home| home.join(below_home));
            absolute(name).or_else(fallback).map(|base| base.join(NAME))
        };
        Self {
            config_dir: base("XDG_CONFIG_HOME", ".config")
                .unwrap_or_else(|| own_temp.join("config")),
            state_dir: base("XDG_STATE_HOME", ".local/state")
                .unwrap_or_else(|| own_temp.join("state")),
            runtime_dir: absolute("XDG_RUNTIME_DIR").map_or(own_temp, |base| base.join(NAME)),
        }
    }

    /// The settings file.
    pub fn config_file(&self) -> PathBuf {
        self.config_dir.join("config.toml")
    }

    /// Folder of the user's rule files.
    pub fn agents_dir(&self) -> PathBuf {
        self.config_dir.join("agents")
    }

    /// Creates the runtime folder if need be and makes sure that nobody else can get in: a real
    /// folder (no link), of this user, mode 0700. Anything else is refused.
    pub fn ensure_runtime_dir(&self) -> Result<&Path, Error> {
        let dir = self.runtime_dir.as_path();
        match DirBuilder::new().mode(0o700).create(dir) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(Error::file("cannot create the runtime folder", dir, &error)
                    .remedy("Set XDG_RUNTIME_DIR to a folder that you may write to."));
            }
            _ => {}
        }
        self.check_runtime_dir()
    }

    /// The checks of [`Paths::ensure_runtime_dir`] on a folder that must be there already.
    pub fn check_runtime_dir(&self) -> Result<&Path, Error> {
        let dir = self.runtime_dir.as_path();
        let meta = fs::symlink_metadata(dir)
            .map_err(|error| Error::file("cannot look at the runtime folder", dir, &error))?;
        let refuse = |what: &str| {
            Error::refused(format!("the runtime folder {} {what}", dir.display()))
                .remedy("Remove it, or set XDG_RUNTIME_DIR to a folder of your own (mode 0700).")
        };
        if !meta.file_type().is_dir() {
            return Err(refuse("is no folder"));
        }
        if meta.uid() != geteuid().as_raw() {
            return Err(refuse("belongs to another user"));
        }
        if meta.mode() & 0o077 != 0 {
            return Err(refuse("is open to other users"));
        }
        Ok(dir)
    }
}
