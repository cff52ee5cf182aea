//! What the model does, by scene.

use serde::Deserialize;
use std::collections::BTreeMap;

/// The scenes by name: `tests/real-agents/model.toml`.
#[derive(Debug, Clone, Deserialize)]
#[serde(transparent)]
pub struct Script(BTreeMap<String, Scene>);

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Scene {
    /// One reply for the prompt, then one for each tool result; the last is repeated.
    replies: Vec<Vec<Act>>,
}

/// One thing that the model does in a reply.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Act {
    /// Says nothing until the scene is released.
    Hold {},
    /// Thinks aloud until the scene is released.
    Think {},
    /// Writes its answer until the scene is released.
    Stream {},
    /// Writes this text at once.
    Say(String),
    /// Asks for a tool: its kind, and the arguments by their usual names.
    Call {
        /// `shell`, `question`, `subagent`, `await`: the agent's own name for it is in its file.
        /// Nothing is asked for where it has none.
        tool: String,
        /// The command, or what the subagent is told.
        #[serde(default)]
        text: String,
    },
    /// Answers with this HTTP status instead of a stream; with `until-released` only until then.
    Fail {
        /// The status.
        status: u16,
        /// Go on with the acts behind it once the scene is released.
        #[serde(default, rename = "until-released")]
        until_released: bool,
    },
    /// Breaks the connection.
    Drop {},
}

impl Script {
    /// What the scene does after so many tool results; a plain answer where nobody knows the scene.
    pub fn reply(&self, scene: &str, results: usize) -> Vec<Act> {
        let reply = self.0.get(scene).and_then(|scene| {
            let last = scene.replies.len().checked_sub(1)?;
            scene.replies.get(results.min(last)).cloned()
        });
        reply.unwrap_or_else(|| vec![Act::Say("Done.".to_owned())])
    }

    /// Names of the scenes.
    pub fn scenes(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}
