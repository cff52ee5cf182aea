//! What is kept of what went wrong.

use super::report::{Outcome, Verdict};
use super::run::{Pane, Session};
use super::world;
use std::process::{Command, Stdio};
use std::time::Instant;

impl Session<'_> {
    /// What the model did, for people.
    pub(super) fn story(&self, pane: &Pane) -> String {
        pane.key
            .as_ref()
            .map_or(String::new(), |key| format!("{key}: {}", self.model.truth.story(key)))
    }

    /// What was said about a pane around a moment, and what the model did.
    pub(super) fn told(&self, pane: &Pane, before: Instant, since: Instant) -> String {
        let history = self.observer.history(&pane.id);
        let lines = history.iter().filter(|said| said.at >= before).map(|said| {
            let at = said.at;
            let ms = at.saturating_duration_since(since).as_millis();
            let early = since.saturating_duration_since(at).as_millis();
            let sign = if early > 0 { format!("-{early}") } else { format!("+{ms}") };
            format!("{sign} ms {}", said.text())
        });
        let said = lines.collect::<Vec<_>>().join("; ");
        format!("said: {said}; {}", self.story(pane))
    }

    /// Keeps what there is to see of a pane.
    pub(super) fn keep(&self, pane: &Pane, name: &str, story: &str) {
        let name: String =
            name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        let dir = self.out.join(name);
        let tmux = |args: &[&str]| self.stage.tmux.try_run(args).stdout;
        let explain = ["explain", &pane.id, "--text", "-L", &self.stage.tmux.socket];
        let explain = self.stage.madohub.try_run(&explain);
        let files = [
            ("story.txt", story.as_bytes().to_vec()),
            ("screen.txt", tmux(&["capture-pane", "-p", "-t", &pane.id])),
            ("title.txt", tmux(&["display-message", "-p", "-t", &pane.id, "#{pane_title}"])),
            ("explain.txt", [explain.stdout, explain.stderr].concat()),
        ];
        for (file, bytes) in files {
            world::write(&dir.join(file), &String::from_utf8_lossy(&bytes))
                .unwrap_or_else(|error| eprintln!("{error}"));
        }
    }

    /// Keeps the agent's own files where anything went wrong: the session logs above all.
    pub(super) fn keep_files(&self, outcomes: &[Outcome]) {
        let right = |outcome: &Outcome| {
            matches!(
                outcome.verdict,
                Verdict::Right { .. } | Verdict::Untried { broken: false, .. }
            )
        };
        if outcomes.iter().all(right) {
            return;
        }
        for sub in ["home", "data", "state"] {
            let from = self.stage.env.path().join(sub);
            let mut copy = Command::new("cp");
            copy.arg("-r").arg(from).arg(&self.out);
            // Sockets and what is being written cannot be copied; the rest is of use.
            let _ = copy.stderr(Stdio::null()).status();
        }
    }
}
