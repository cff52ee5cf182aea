//! Asking a running zellij session, and the plugin in it.

use crate::output::{ListedPane, PaneRow};
use crate::{Error, child};
use std::io;
use std::process::Command;
use std::time::Duration;

/// How long zellij may take. A plugin that is asked while it is not there never answers.
const LIMIT: Duration = Duration::from_secs(3);

/// A running session, by its name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Session(String);

impl Session {
    /// The running sessions of this user; none where there is no zellij.
    pub fn all() -> Vec<Self> {
        let mut command = Command::new("zellij");
        command.args(["list-sessions", "--no-formatting"]);
        let said = run(command).unwrap_or_default();
        // One that ended is listed, and asking it would bring it back to life.
        let lines = said.lines().filter(|line| !line.contains("EXITED"));
        lines.filter_map(|line| line.split_once(" [")).map(|(name, _)| Self(name.into())).collect()
    }

    /// The session with this name; it need not run.
    pub fn named(name: &str) -> Self {
        Self(name.to_owned())
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.0
    }

    /// The panes with an agent, sorted by need; an error where the plugin does not answer.
    pub fn list(&self) -> Result<Vec<ListedPane>, Error> {
        let said = self.pipe("list --json")?;
        let rows: Vec<PaneRow> = serde_json::from_str(&said).map_err(|error| {
            Error::failed(format!("the plugin's answer cannot be read: {error}")).remedy(
                "Helper and plugin are of different versions: run `madohub zellij install`.",
            )
        })?;
        let listed = |row: PaneRow| {
            let index = number(&row.pane).and_then(|digits| digits.parse().ok()).unwrap_or(0);
            ListedPane { pane_index: index, host: None, row }
        };
        Ok(rows.into_iter().map(listed).collect())
    }

    /// Why a pane has its state, in the plugin's words.
    pub fn explain(&self, pane: &str) -> Result<String, Error> {
        self.pipe(&format!("explain terminal_{}", checked(pane)?))
    }

    /// What a pane shows, with its colours.
    pub fn screen(&self, pane: &str) -> Result<String, Error> {
        let pane = format!("terminal_{}", checked(pane)?);
        self.run(&["action", "dump-screen", "--ansi", "--pane-id", &pane])
    }

    /// Brings a pane to the front of its session, for somebody who is in it.
    pub fn focus(&self, pane: &str) -> Result<(), Error> {
        self.run(&["action", "focus-pane-id", &format!("terminal_{}", checked(pane)?)]).map(drop)
    }

    /// The command that takes this terminal to the session.
    pub fn attach(&self) -> Command {
        let mut command = Command::new("zellij");
        command.arg("attach").arg("--").arg(&self.0);
        command
    }

    /// Takes the terminal that shows the session `from` to a pane of this one.
    pub fn switch_from(&self, from: &Self, pane: &str) -> Result<(), Error> {
        let pane = format!("--pane-id=terminal_{}", checked(pane)?);
        from.run(&["action", "switch-session", &pane, "--", &self.0]).map(drop)
    }

    fn pipe(&self, command: &str) -> Result<String, Error> {
        self.run(&["pipe", "--name", "madohub", "--", command])
    }

    fn run(&self, args: &[&str]) -> Result<String, Error> {
        let mut command = Command::new("zellij");
        // In one word: a name may begin with a hyphen.
        command.arg(format!("--session={}", self.0)).args(args);
        run(command).map_err(|error| {
            let what = match error.kind() {
                io::ErrorKind::TimedOut => "it did not answer in time".to_owned(),
                _ => crate::output::clean(&error.to_string()),
            };
            Error::failed(format!("zellij session {}: {what}", crate::output::clean(&self.0)))
                .remedy(
                    "`madohub zellij install` puts the plugin in place; a new session loads it.",
                )
        })
    }
}

fn run(command: Command) -> io::Result<String> {
    let said = child::run(command, b"", LIMIT)?;
    if said.status.success() {
        return Ok(String::from_utf8_lossy(&said.stdout).into_owned());
    }
    let words = String::from_utf8_lossy(&said.stderr);
    let line = madohub_detect::text::first_line(&words);
    Err(io::Error::other(line.unwrap_or("it failed").to_owned()))
}

/// The digits of `terminal_3`.
fn number(pane: &str) -> Option<&str> {
    let digits = pane.strip_prefix("terminal_")?;
    (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then_some(digits)
}

fn checked(pane: &str) -> Result<&str, Error> {
    number(pane).ok_or_else(|| Error::failed(format!("{} is no pane", crate::output::clean(pane))))
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn a_pane_of_zellij_has_a_number() {
        assert_eq!(number("terminal_12"), Some("12"));
        for other in ["terminal_", "terminal_-1", "plugin_1", "%3", "terminal_1 --x", ""] {
            assert_eq!(number(other), None, "{other}");
        }
    }
}
