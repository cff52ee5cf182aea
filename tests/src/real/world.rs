//! The world of one version of an agent: its files, its environment, a tmux server, the product.

use super::agent::Agent;
use super::install::Packages;
use super::model::ModelServer;
use crate::env::TestEnv;
use crate::product::Madohub;
use crate::stage::{Stage, StageOptions};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Nothing settles by being looked at: what is reported stays for the comparison. The route is for
/// panes with these roles, which no situation has but the one about routes.
const SETTINGS: &str = r#"
[tracking]
settle = "never"

[[route]]
name = "review"
from = { pane = "author" }
to = { pane = "reviewer" }
send = "The author says: {last_message}"
"#;

/// A shell's prompt as systems set it: who, where and in which folder.
const PROMPT: &str = "PS1='user@host:\\w$ '\n";

/// Writes the agent's files and starts the server and the product.
pub(super) fn build(
    env: TestEnv,
    agent: &Agent,
    version: &str,
    packages: &Packages,
    model: &ModelServer,
) -> Result<Stage, String> {
    let mut env = env;
    let project = project(&env);
    let fill = |text: &str| {
        let path = |dir: PathBuf| dir.display().to_string();
        let folder = |sub: &str| path(env.path().join(sub));
        text.replace("{url}", &format!("http://127.0.0.1:{}", model.port))
            .replace("{home}", &folder("home"))
            .replace("{config}", &folder("config"))
            .replace("{project}", &path(project.clone()))
    };
    make_project(&env, &project)?;
    write(&env.home().join(".bashrc"), PROMPT)?;
    for (file, text) in &agent.files {
        write(Path::new(&fill(file)), &fill(text))?;
    }
    let variables: BTreeMap<String, String> =
        agent.env.iter().map(|(name, value)| (name.clone(), fill(value))).collect();
    for (name, value) in &variables {
        env.set(name, value);
    }
    env.prepend_path(&packages.bin(agent, version)?);
    let env = Arc::new(env);
    let madohub = Madohub::new(&env);
    let options = StageOptions { size: (120, 41), ..StageOptions::default() };
    let stage = Stage::in_env(env, madohub, &options);
    stage.configure(SETTINGS);
    stage.start();
    Ok(stage)
}

/// The folder that the agents work in.
pub(super) fn project(env: &TestEnv) -> PathBuf {
    env.home().join("project")
}

/// A small repository: agents behave differently outside of one.
fn make_project(env: &TestEnv, project: &Path) -> Result<(), String> {
    write(&project.join("README.md"), "# Project\n\nA small one.\n")?;
    for args in [
        &["init", "-q", "-b", "main"][..],
        &["add", "-A"],
        &["-c", "user.name=user", "-c", "user.email=user@localhost", "commit", "-qm", "Begin"],
    ] {
        let output = env.command("git").args(args).current_dir(project).output();
        let output = output.map_err(|error| format!("git: {error}"))?;
        if !output.status.success() {
            return Err(format!("git {args:?}: {}", String::from_utf8_lossy(&output.stderr)));
        }
    }
    Ok(())
}

pub(super) fn write(path: &Path, text: &str) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{}: {error}", path.display());
    if let Some(dir) = path.parent() {
        fs::create_dir_all(dir).map_err(failed)?;
    }
    fs::write(path, text).map_err(failed)
}
