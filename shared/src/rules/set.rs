//! The rules that ship with the crate.

use super::compile::{Trust, compile};
use super::compiled::Agent;
use super::error::RuleError;
use super::file::RuleFile;
use super::pattern::RowPattern;
use crate::screen::Screen;
use serde::Serialize;

/// Name of the source of built-in rules.
const BUILT_IN: &str = "built-in";

/// Name and text of each file, from the folder as written or from what the build script packed.
macro_rules! shipped {
    ($($id:literal),* $(,)?) => {{
        #[cfg(feature = "user-rules")]
        {
            [$((concat!($id, ".toml"), include_str!(concat!("../../rules/", $id, ".toml")))),*]
        }
        #[cfg(not(feature = "user-rules"))]
        {
            [$((concat!($id, ".toml"), include_str!(concat!(env!("OUT_DIR"), "/", $id, ".json")))),*]
        }
    }};
}

/// The rule files that ship with the crate, in the order in which agents are tried on a screen
/// whose agent is not known: those with the most telling screens first.
pub(super) const FILES: [(&str, &str); 12] = shipped![
    "opencode", "gemini", "qwen", "copilot", "amp", "droid", "auggie", "codex", "claude", "aider",
    "crush", "goose",
];

/// A prompt this far from the end was written over an interface with a footer below it.
const SHELL_ROWS: usize = 3;

/// What people may want to know about an agent that the rules know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AgentInfo {
    /// Id.
    pub id: String,
    /// Name for people.
    pub name: String,
    /// Versions that the rules were checked with.
    pub checked_with: Vec<String>,
    /// Number of screen and title rules.
    pub rules: usize,
    /// Number of session log rules.
    pub log_rules: usize,
    /// Number of rules for reports of the agent's own hooks.
    pub hook_rules: usize,
    /// Where the rules come from: `built-in`, or the name of a user's file.
    pub source: String,
}

/// The compiled rules of all agents.
#[derive(Debug, Clone)]
pub struct RuleSet {
    pub(super) agents: Vec<Agent>,
    shell_prompt: RowPattern,
}

/// `user@host:~/dir$`, alone or with what was typed behind it: no agent's interface has it, so
/// a shell has written over the interface and the agent that painted it is gone.
const SHELL_PROMPT: &str =
    r"^(?:\([^)]{1,40}\) )?[\w.-]+@[\w.-]+(?::[^\n$#%]{0,200}| [^\n$#%]{1,100} )?[$#%](?: |$)";

impl RuleSet {
    /// Events of an agent's own hooks that its rules read: those that an agent must report.
    pub fn hook_events(&self, agent: &str) -> Vec<String> {
        self.agent(agent).map(Agent::hook_events).unwrap_or_default()
    }

    /// The rules that ship with the crate. An error here is a defect of the build; a test sees
    /// to it that there is none.
    pub fn builtin() -> Result<Self, RuleError> {
        let shell_prompt = RowPattern::known_good(SHELL_PROMPT);
        let mut set = Self { agents: Vec::with_capacity(FILES.len()), shell_prompt };
        for (name, text) in FILES {
            let file = RuleFile { name: name.to_owned(), text: text.to_owned() };
            let (mut agent, _) = compile(&file, false, Trust::Shipped)?;
            BUILT_IN.clone_into(&mut agent.source);
            set.agents.push(agent);
        }
        Ok(set)
    }

    /// The agents that the rules know, in the order in which they are tried.
    pub fn agents(&self) -> Vec<AgentInfo> {
        self.agents.iter().map(AgentInfo::of).collect()
    }

    /// The name for people of an agent.
    pub fn agent_name(&self, id: &str) -> Option<&str> {
        self.agent(id).map(|a| a.name.as_str())
    }

    pub(crate) fn agent(&self, id: &str) -> Option<&Agent> {
        self.agents.iter().find(|a| a.id == id)
    }

    pub(crate) fn all(&self) -> &[Agent] {
        &self.agents
    }

    /// Whether a shell waits for a command: its prompt is empty in one of the last rows, or has
    /// something typed behind it in the very last row or at the cursor.
    pub(crate) fn shell_prompt_at_end(&self, screen: &Screen, cursor: Option<usize>) -> bool {
        let rows = screen.len();
        let prompt = |row: usize| self.shell_prompt.find(screen.raw(row));
        let empty = |row: usize| prompt(row).is_some_and(|m| m.end() == screen.raw(row).len());
        (screen.back(rows, SHELL_ROWS)..rows).any(empty)
            || rows.checked_sub(1).into_iter().chain(cursor).any(|row| prompt(row).is_some())
    }
}

/// Where a hook's report says which event it is about.
const EVENT: &[&str] = &["event"];

impl Agent {
    /// Events that hook rules read, in the order of the file.
    fn hook_events(&self) -> Vec<String> {
        let conditions = self.hook_rules.iter().flat_map(|rule| &rule.conditions);
        let about_events = conditions.filter(|(path, _)| path == EVENT);
        let mut events: Vec<String> = Vec::new();
        for name in about_events.flat_map(|(_, check)| check.texts()) {
            if !events.contains(&name) {
                events.push(name);
            }
        }
        events
    }
}

impl AgentInfo {
    pub(super) fn of(agent: &Agent) -> Self {
        Self {
            id: agent.id.clone(),
            name: agent.name.clone(),
            checked_with: agent.checked_with.clone(),
            rules: agent.rules.len() + agent.identify.len(),
            log_rules: agent.log_rules.len(),
            hook_rules: agent.hook_rules.len(),
            source: agent.source.clone(),
        }
    }
}
