//! Installs the agents, each version into a folder of its own.

use super::agent::Agent;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Present in a folder whose packages are all there.
const DONE: &str = ".complete";

/// Where the packages are.
#[derive(Debug, Clone)]
pub struct Packages(PathBuf);

impl Packages {
    /// Packages in this folder.
    pub fn new(root: PathBuf) -> Self {
        Self(root)
    }

    fn dir(&self, agent: &Agent, version: &str) -> PathBuf {
        self.0.join(format!("{}-{version}", agent.id))
    }

    /// Folder of the executables of a version, if it is installed.
    pub fn bin(&self, agent: &Agent, version: &str) -> Result<PathBuf, String> {
        let dir = self.dir(agent, version);
        if !dir.join(DONE).exists() {
            return Err(format!("{} {version} is not installed in {}", agent.id, dir.display()));
        }
        Ok(dir.join("node_modules/.bin"))
    }
}

/// Installs a version with npm, unless it is there.
pub fn install(packages: &Packages, agent: &Agent, version: &str) -> Result<(), String> {
    let dir = packages.dir(agent, version);
    if dir.join(DONE).exists() {
        return Ok(());
    }
    let failed = |what: &Path, error: std::io::Error| format!("{}: {error}", what.display());
    fs::create_dir_all(&dir).map_err(|error| failed(&dir, error))?;
    let manifest = dir.join("package.json");
    fs::write(&manifest, "{\"private\": true}\n").map_err(|error| failed(&manifest, error))?;
    let specs = agent.packages.iter().map(|package| package.replace("{version}", version));
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--loglevel=error"]).args(specs);
    let status = npm.current_dir(&dir).status().map_err(|error| failed(Path::new("npm"), error))?;
    if !status.success() {
        return Err(format!("npm could not install {} {version}: {status}", agent.id));
    }
    fs::write(dir.join(DONE), "").map_err(|error| failed(&dir, error))
}
