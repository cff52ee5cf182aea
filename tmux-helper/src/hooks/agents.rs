//! Where each agent keeps its hooks, and in which form.

use std::path::{Path, PathBuf};

/// The form of an agent's hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// `hooks` in a settings file in JSON: a list of groups for each event, each with a list of
    /// commands. The number is the time limit in the agent's own unit.
    Groups(u32),
    /// A file of our own in JSON, with a list of commands for each event.
    List,
    /// A plugin in JavaScript, a file of our own.
    Plugin,
}

/// Where an agent's hooks are set up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    /// Id of the agent.
    pub(super) agent: &'static str,
    /// The file.
    pub(super) path: PathBuf,
    pub(super) form: Form,
}

/// The agents whose hooks can be set up.
pub(super) const AGENTS: [&str; 5] = ["claude", "codex", "copilot", "gemini", "opencode"];

impl Target {
    /// The target for an agent, by these variables. Nothing for agents without hooks, and where
    /// there is no home folder.
    pub(super) fn of(agent: &str, var: impl Fn(&str) -> Option<PathBuf>) -> Option<Self> {
        let absolute = |name: &str| var(name).filter(|path| path.is_absolute());
        let below = |name: &str, home: &str, rest: &str| {
            let base = absolute(name).or_else(|| absolute("HOME").map(|dir| dir.join(home)))?;
            Some(base.join(Path::new(rest)))
        };
        let (agent, path, form) = match agent {
            // Claude Code 2.1.332: seconds.
            "claude" => {
                ("claude", below("CLAUDE_CONFIG_DIR", ".claude", "settings.json"), Form::Groups(5))
            }
            // Codex 0.171: seconds; it asks once whether the hooks are trusted.
            "codex" => ("codex", below("CODEX_HOME", ".codex", "hooks.json"), Form::Groups(5)),
            // Copilot CLI 1.0: every file in the folder is read.
            "copilot" => {
                ("copilot", below("COPILOT_HOME", ".copilot", "hooks/madohub.json"), Form::List)
            }
            // Gemini CLI 0.61: milliseconds.
            "gemini" => {
                let path = absolute("HOME").map(|home| home.join(".gemini/settings.json"));
                ("gemini", path, Form::Groups(5000))
            }
            "opencode" => (
                "opencode",
                below("XDG_CONFIG_HOME", ".config", "opencode/plugins/madohub.js"),
                Form::Plugin,
            ),
            _ => return None,
        };
        Some(Self { agent, path: path?, form })
    }
}
