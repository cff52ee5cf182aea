//! The agents' own hooks: set up by the product, and heard of.

use super::run::{Pane, Session};
use std::fs;
use std::time::SystemTime;

impl Session<'_> {
    /// `madohub hook install` or `uninstall` for the agent.
    pub(super) fn hook(&self, verb: &str) -> Result<(), String> {
        let yes = (verb == "install").then_some("--yes");
        let args: Vec<&str> = ["hook", verb, &self.agent.id].into_iter().chain(yes).collect();
        let output = self.stage.madohub.try_run(&args);
        if output.status.success() {
            return Ok(());
        }
        Err(format!("madohub {args:?}: {}", String::from_utf8_lossy(&output.stderr)))
    }

    /// Waits until the last event that a hook reported is one of those that the agent has for this.
    pub(super) fn heard(&self, pane: &Pane, what: &str) -> Result<(), String> {
        let events = self.agent.hooks.get(what);
        let events = events.ok_or_else(|| format!("the agent has no hook for {what}"))?;
        let mut last = None;
        let heard = self.wait(&format!("the hook of {what}, {events:?}"), || {
            last = self.last_event();
            last.as_ref().filter(|event| events.contains(event)).map(|_| ())
        });
        heard.map(|_| ()).map_err(|why| format!("{why} in {}; the last was {last:?}", pane.id))
    }

    /// The event in the newest report of a hook.
    fn last_event(&self) -> Option<String> {
        let dir = self.stage.env.path().join("run/madohub/reports");
        let files = fs::read_dir(dir).ok()?.flatten();
        let hooks = files.filter(|file| file.file_name().to_string_lossy().ends_with(".hook.json"));
        let time = |file: &fs::DirEntry| {
            file.metadata().and_then(|data| data.modified()).unwrap_or(SystemTime::UNIX_EPOCH)
        };
        let newest = hooks.max_by_key(time)?;
        let file: serde_json::Value =
            serde_json::from_slice(&fs::read(newest.path()).ok()?).ok()?;
        let record: serde_json::Value =
            serde_json::from_str(file["hook"]["record"].as_str()?).ok()?;
        Some(record["event"].as_str()?.to_owned())
    }
}
