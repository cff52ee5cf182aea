//! Routes between real agents: what they decided, and whether their text arrived.

use super::model::{Key, What};
use super::run::{Pane, Session};

impl Session<'_> {
    /// Names a pane for the routes.
    pub(super) fn role(&self, pane: &Pane, role: &str) {
        self.stage.tmux.run(&["set-option", "-p", "-t", &pane.id, "@madohub_role", role]);
    }

    /// Waits until the routes have decided this since the last time, and nothing else.
    pub(super) fn routed(&self, pane: &mut Pane, outcomes: &[String]) -> Result<(), String> {
        let mut last = Vec::new();
        let decided = self.wait(&format!("the routes to say {outcomes:?}"), || {
            last = self.decisions();
            let new = last.iter().map(|(outcome, _)| outcome);
            new.eq(outcomes).then_some(())
        });
        decided.map_err(|why| format!("{why}; they said {last:?}"))?;
        self.decided.set(self.decided.get() + last.len());
        if outcomes.iter().any(|outcome| outcome == "delivered") {
            pane.key = Some(self.routed_key());
        }
        Ok(())
    }

    /// That the text arrived at the model so often; where it never did, that it was not typed.
    pub(super) fn arrived(&self, pane: &Pane, times: usize) -> Result<(), String> {
        let key = self.routed_key();
        let asked = self.model.truth.count(&key, What::Asked);
        if asked != times {
            return Err(format!("{key} was asked for {asked} times instead of {times}"));
        }
        if times == 0 && self.stage.tmux.capture(&pane.id).contains(&format!("scene:{key}")) {
            return Err(format!("{key} stands in {}", pane.id));
        }
        Ok(())
    }

    /// The scene that the answer of `hand-over` to the newest prompt names.
    fn routed_key(&self) -> Key {
        Key { scene: "stall".to_owned(), number: self.number.get() }
    }

    /// Outcome and reason of the decisions that were not looked at yet.
    fn decisions(&self) -> Vec<(String, String)> {
        let log = ["route", "log", "--json", "-L", &self.stage.tmux.socket];
        let text = String::from_utf8_lossy(&self.stage.madohub.try_run(&log).stdout).into_owned();
        let entry = |line: &str| {
            let entry: serde_json::Value = serde_json::from_str(line).ok()?;
            let word = |key: &str| entry[key].as_str().unwrap_or_default().to_owned();
            Some((word("outcome"), word("why")))
        };
        text.lines().skip(self.decided.get()).filter_map(entry).collect()
    }
}
