//! Where zellij keeps its files, and where ours go.

use crate::config::Paths;
use std::env;
use std::path::{Path, PathBuf};

/// Name of the plugin's file.
const PLUGIN: &str = "madohub.wasm";

/// The files that an installation touches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// zellij's configuration.
    pub config: PathBuf,
    /// The layout with a bar.
    pub layout: PathBuf,
    /// zellij's record of what plugins may do.
    pub permissions: PathBuf,
    /// The plugin, where zellij loads it from.
    pub plugin: PathBuf,
    /// What was done, so that it can be undone.
    pub record: PathBuf,
    /// Copy of the configuration as it was.
    pub backup: PathBuf,
}

impl Places {
    /// The places that the environment names, as zellij 0.45 reads it.
    pub fn from_env(paths: &Paths) -> Self {
        Self::from_lookup(paths, |name| env::var_os(name).map(PathBuf::from))
    }

    /// The places by these variables.
    pub fn from_lookup(paths: &Paths, var: impl Fn(&str) -> Option<PathBuf>) -> Self {
        let absolute = |name: &str| var(name).filter(|path| path.is_absolute());
        let home = absolute("HOME").unwrap_or_else(|| PathBuf::from("/"));
        let base =
            |name: &str, below_home: &str| absolute(name).unwrap_or_else(|| home.join(below_home));
        // zellij 0.45.1 prefers the folder in the home, also where XDG_CONFIG_HOME is another
        // one, and makes it at its first start.
        let in_home = home.join(".config/zellij");
        let by_xdg = base("XDG_CONFIG_HOME", ".config").join("zellij");
        let dir = absolute("ZELLIJ_CONFIG_DIR")
            .unwrap_or_else(|| if !in_home.is_dir() && by_xdg.is_dir() { by_xdg } else { in_home });
        let config = absolute("ZELLIJ_CONFIG_FILE").unwrap_or_else(|| dir.join("config.kdl"));
        let cache = if cfg!(target_os = "macos") {
            home.join("Library/Caches/org.Zellij-Contributors.Zellij")
        } else {
            base("XDG_CACHE_HOME", ".cache").join("zellij")
        };
        Self {
            config,
            layout: dir.join("layouts/madohub.kdl"),
            permissions: cache.join("permissions.kdl"),
            plugin: base("XDG_DATA_HOME", ".local/share").join("madohub").join(PLUGIN),
            record: paths.state_dir.join("zellij-install.json"),
            backup: paths.state_dir.join("zellij-config.backup.kdl"),
        }
    }

    /// The plugin as it was shipped: beside this program, as `install.sh` puts it.
    pub fn shipped_plugin() -> Option<PathBuf> {
        let program = env::current_exe().ok()?.canonicalize().ok()?;
        let prefix = program.parent()?.parent()?;
        Some(prefix.join("share/madohub").join(PLUGIN)).filter(|path| path.is_file())
    }

    /// The plugin as zellij names it in its record of permissions.
    pub fn plugin_name(&self) -> &Path {
        &self.plugin
    }
}
