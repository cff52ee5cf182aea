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

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a failing test may panic")]
mod tests {
    use super::*;
    use crate::Exit;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    fn paths(vars: &[(&str, &str)]) -> Paths {
        Paths::from_lookup(|name| {
            vars.iter().find(|(known, _)| *known == name).map(|(_, value)| PathBuf::from(value))
        })
    }

    fn runtime(dir: &Path) -> Paths {
        paths(&[("XDG_RUNTIME_DIR", dir.to_str().unwrap())])
    }

    #[test]
    fn the_xdg_variables_come_first_then_the_home_folder() {
        let set = paths(&[("HOME", "/h"), ("XDG_CONFIG_HOME", "/c"), ("XDG_RUNTIME_DIR", "/r")]);
        assert_eq!(set.config_file(), Path::new("/c/madohub/config.toml"));
        assert_eq!(set.agents_dir(), Path::new("/c/madohub/agents"));
        assert_eq!(set.state_dir, Path::new("/h/.local/state/madohub"));
        assert_eq!(set.runtime_dir, Path::new("/r/madohub"));
        let relative = paths(&[("HOME", "/h"), ("XDG_CONFIG_HOME", "c"), ("TMPDIR", "/t")]);
        assert_eq!(relative.config_dir, Path::new("/h/.config/madohub"));
        let own = format!("/t/madohub-{}", geteuid().as_raw());
        assert_eq!(relative.runtime_dir, Path::new(&own));
    }

    #[test]
    fn the_runtime_folder_is_made_for_its_user_alone() {
        let base = tempfile::tempdir().unwrap();
        let paths = runtime(base.path());
        let dir = paths.ensure_runtime_dir().unwrap();
        assert_eq!(fs::metadata(dir).unwrap().permissions().mode() & 0o777, 0o700);
        assert_eq!(paths.ensure_runtime_dir().unwrap(), dir);
    }

    #[test]
    fn a_runtime_folder_that_others_can_enter_is_refused() {
        let base = tempfile::tempdir().unwrap();
        let paths = runtime(base.path());
        fs::create_dir(&paths.runtime_dir).unwrap();
        for mode in [0o750, 0o701, 0o777] {
            fs::set_permissions(&paths.runtime_dir, fs::Permissions::from_mode(mode)).unwrap();
            let error = paths.ensure_runtime_dir().unwrap_err();
            assert_eq!(error.exit(), Exit::Refused, "{mode:o}");
            assert!(error.hint().unwrap().contains("XDG_RUNTIME_DIR"));
        }
    }

    #[test]
    fn a_link_in_place_of_the_runtime_folder_is_refused() {
        let base = tempfile::tempdir().unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        let paths = runtime(base.path());
        symlink(elsewhere.path(), &paths.runtime_dir).unwrap();
        assert_eq!(paths.ensure_runtime_dir().unwrap_err().exit(), Exit::Refused);
    }
}
