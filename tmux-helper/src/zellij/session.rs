//! Asking a running zellij session, and the plugin in it.

use crate::output::{ListedPane, PaneRow, clean};
use crate::{Error, child};
use madohub_detect::delivery::Outcome;
use std::io;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// How long zellij may take. A plugin that is asked while it is not there never answers.
const LIMIT: Duration = Duration::from_secs(3);
/// How long a text may take that need not wait, with the proof that a turn began.
const SEND_LIMIT: Duration = Duration::from_secs(45);
/// How long a text may wait, in seconds.
const SEND_MAX: f64 = 24.0 * 3600.0;

/// A running session, by its name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Session(String);

impl Session {
    /// The running sessions of this user; none where there is no zellij.
    pub fn all() -> Vec<Self> {
        let mut command = Command::new("zellij");
        command.args(["list-sessions", "--no-formatting"]);
        let said = run(command, LIMIT).unwrap_or_default();
        // One that ended is listed, and asking it would bring it back to life.
        let lines = said.lines().filter(|line| !line.contains("EXITED"));
        lines.filter_map(|line| line.split_once(" [")).map(|(name, _)| Self(name.into())).collect()
    }

    /// The session with this name; it need not run.
    pub fn named(name: &str) -> Self {
        Self(name.to_owned())
    }

    /// Whether that names a pane of any session, as `terminal_3`.
    pub fn is_pane(name: &str) -> bool {
        number(name).is_some()
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

    /// Changes of state as they happen, a line each, until the child is ended. zellij 0.45.1 may cut it
    /// off without a word.
    pub fn events(&self) -> io::Result<Child> {
        let mut command = self.command(&["pipe", "--name", "madohub", "--", "events"]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()
    }

    /// Puts a text into the input box of an agent, as the plugin does it: where it is ready, or will be
    /// within `wait` seconds. zellij takes the text as an argument, which the process list shows.
    pub fn send(&self, pane: &str, text: &str, wait: Option<f64>) -> Result<Outcome, Error> {
        let pane = format!("terminal_{}", checked(pane)?);
        let patience = Duration::from_secs_f64(wait.unwrap_or(0.0).clamp(0.0, SEND_MAX).ceil());
        let when = match wait {
            Some(_) => format!("--when idle --timeout {}s ", patience.as_secs()),
            None => String::new(),
        };
        let command = format!("send {when}{pane} {text}");
        let args = ["pipe", "--name", "madohub", "--", &command];
        let said = self.run_within(&args, SEND_LIMIT + patience)?;
        outcome(&said, &pane).ok_or_else(|| {
            Error::failed(format!("zellij session {}: {}", clean(&self.0), clean(said.trim())))
        })
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

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new("zellij");
        // In one word: a name may begin with a hyphen.
        command.arg(format!("--session={}", self.0)).args(args);
        command
    }

    fn run(&self, args: &[&str]) -> Result<String, Error> {
        self.run_within(args, LIMIT)
    }

    fn run_within(&self, args: &[&str], limit: Duration) -> Result<String, Error> {
        run(self.command(args), limit).map_err(|error| {
            let what = match error.kind() {
                io::ErrorKind::TimedOut => "it did not answer in time".to_owned(),
                _ => clean(&error.to_string()),
            };
            Error::failed(format!("zellij session {}: {what}", clean(&self.0))).remedy(
                "`madohub zellij install` puts the plugin in place; a new session loads it.",
            )
        })
    }
}

fn run(command: Command, limit: Duration) -> io::Result<String> {
    let said = child::run(command, b"", limit)?;
    if said.status.success() {
        return Ok(String::from_utf8_lossy(&said.stdout).into_owned());
    }
    let words = String::from_utf8_lossy(&said.stderr);
    let line = madohub_detect::text::first_line(&words);
    Err(io::Error::other(line.unwrap_or("it failed").to_owned()))
}

/// How a delivery ended, by the words of the plugin; nothing where they are of something else.
fn outcome(said: &str, pane: &str) -> Option<Outcome> {
    let line = said.lines().next()?;
    if line == format!("delivered to {pane}") {
        return Some(Outcome::Delivered);
    }
    let (word, rest) = line.split_once(": ")?;
    let why = || clean(rest.strip_prefix(pane).unwrap_or(rest).trim());
    match word {
        "unproved" => Some(Outcome::Unproved),
        "refused" => Some(match rest.rsplit_once("; `--when idle`") {
            Some((rest, _)) => {
                Outcome::NotNow(clean(rest.strip_prefix(pane).unwrap_or(rest).trim()))
            }
            None => Outcome::Refused(why()),
        }),
        "expired" => Some(Outcome::Expired(why())),
        "stopped" => Some(Outcome::Stopped(why())),
        _ => None,
    }
}

/// The digits of `terminal_3`.
fn number(pane: &str) -> Option<&str> {
    let digits = pane.strip_prefix("terminal_")?;
    (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then_some(digits)
}

fn checked(pane: &str) -> Result<&str, Error> {
    number(pane).ok_or_else(|| Error::failed(format!("{} is no pane", clean(pane))))
}

#[cfg(test)]
mod tests {
    use super::{Outcome, number, outcome};

    #[test]
    fn the_plugins_words_say_how_a_delivery_ended() {
        for (said, expected) in [
            ("delivered to terminal_3\n", Some(Outcome::Delivered)),
            (
                "unproved: the text went to terminal_3, but no turn was seen to start\n",
                Some(Outcome::Unproved),
            ),
            (
                "refused: terminal_3 waits for a person\n",
                Some(Outcome::Refused("waits for a person".into())),
            ),
            (
                "refused: terminal_3 works; `--when idle` waits until it is ready\n",
                Some(Outcome::NotNow("works".into())),
            ),
            (
                "expired: terminal_3 was not ready in time\n",
                Some(Outcome::Expired("was not ready in time".into())),
            ),
            ("stopped: terminal_3 is gone\n", Some(Outcome::Stopped("is gone".into()))),
            ("`send` is off\n", None),
            ("", None),
        ] {
            assert_eq!(outcome(said, "terminal_3"), expected, "{said}");
        }
    }

    #[test]
    fn a_pane_of_zellij_has_a_number() {
        assert_eq!(number("terminal_12"), Some("12"));
        for other in ["terminal_", "terminal_-1", "plugin_1", "%3", "terminal_1 --x", ""] {
            assert_eq!(number(other), None, "{other}");
        }
    }
}
