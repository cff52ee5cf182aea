//! The rules in force: the built-in files with the user's on top.

use super::compile::{Trust, compile};
use super::compiled::{Agent, Layout};
use super::error::{RuleError, RuleErrorKind};
use super::file::RuleFile;
use super::pattern::RowPattern;
use crate::screen::Screen;
use serde::Serialize;

/// Name of the source of built-in rules.
const BUILT_IN: &str = "built-in";

/// The rule files that ship with the crate, in the order in which agents are tried on a screen
/// whose agent is not known: those with the most telling screens first.
const FILES: [(&str, &str); 10] = [
    ("opencode.toml", include_str!("../../rules/opencode.toml")),
    ("gemini.toml", include_str!("../../rules/gemini.toml")),
    ("qwen.toml", include_str!("../../rules/qwen.toml")),
    ("copilot.toml", include_str!("../../rules/copilot.toml")),
    ("amp.toml", include_str!("../../rules/amp.toml")),
    ("droid.toml", include_str!("../../rules/droid.toml")),
    ("auggie.toml", include_str!("../../rules/auggie.toml")),
    ("codex.toml", include_str!("../../rules/codex.toml")),
    ("claude.toml", include_str!("../../rules/claude.toml")),
    ("aider.toml", include_str!("../../rules/aider.toml")),
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
    /// Where the rules come from: `built-in`, or the name of a user's file.
    pub source: String,
}

/// The compiled rules of all agents.
#[derive(Debug, Clone)]
pub struct RuleSet {
    agents: Vec<Agent>,
    shell_prompt: RowPattern,
}

/// `user@host:~/dir$`, alone or with what was typed behind it: no agent's interface has it, so
/// a shell has written over the interface and the agent that painted it is gone.
const SHELL_PROMPT: &str =
    r"^(?:\([^)]{1,40}\) )?[\w.-]+@[\w.-]+(?::[^\n$#%]{0,200}| [^\n$#%]{1,100} )?[$#%](?: |$)";

impl RuleSet {
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

    /// The built-in rules with the user's files on top, in the order given. A file that cannot
    /// be used is left out and answered as an error; everything else is in force.
    pub fn layered(user: &[RuleFile]) -> Result<(Self, Vec<RuleError>), RuleError> {
        let mut set = Self::builtin()?;
        let errors = user.iter().filter_map(|file| set.add(file).err()).collect();
        Ok((set, errors))
    }

    /// Checks one file as [`RuleSet::layered`] would take it.
    pub fn check(file: &RuleFile) -> Result<AgentInfo, RuleError> {
        let mut set = Self::builtin()?;
        let id = set.add(file)?;
        let info = set.agent(&id).map(AgentInfo::of);
        Ok(info.unwrap_or_else(|| AgentInfo::empty(&id, &file.name)))
    }

    /// The text of a built-in rule file, as a starting point for a user's own.
    pub fn builtin_text(id: &str) -> Option<&'static str> {
        let name = format!("{id}.toml");
        FILES.iter().find(|(file, _)| *file == name).map(|(_, text)| *text)
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

    fn add(&mut self, file: &RuleFile) -> Result<String, RuleError> {
        // Whether the agent is known decides what the file must hold, and its id is in the file.
        let id = toml::from_str::<toml::Table>(&file.text)
            .ok()
            .and_then(|t| t.get("id").and_then(|id| id.as_str().map(str::to_owned)));
        let place = id.as_ref().and_then(|id| self.agents.iter().position(|a| a.id == *id));
        let (new, disable) = compile(file, place.is_some(), Trust::Nobodys)?;
        let id = new.id.clone();
        let old = place.and_then(|p| self.agents.get_mut(p));
        let known = |id: &String| old.as_ref().is_some_and(|agent| agent.has_rule(id));
        if let Some(unknown) = disable.iter().find(|id| !known(id)) {
            return Err(RuleError {
                file: file.name.clone(),
                section: None,
                kind: RuleErrorKind::Value {
                    key: "disable".to_owned(),
                    problem: format!(
                        "no rule has the id `{unknown}`; `madohub rules show {id}` lists them"
                    ),
                },
            });
        }
        match old {
            Some(old) => old.extend(new, &disable),
            // A user's agent is tried first: its author knows what is on the screen.
            None => self.agents.insert(0, new),
        }
        Ok(id)
    }
}

impl AgentInfo {
    fn of(agent: &Agent) -> Self {
        Self {
            id: agent.id.clone(),
            name: agent.name.clone(),
            checked_with: agent.checked_with.clone(),
            rules: agent.rules.len() + agent.identify.len(),
            log_rules: agent.log_rules.len(),
            source: agent.source.clone(),
        }
    }

    fn empty(id: &str, source: &str) -> Self {
        Self {
            id: id.to_owned(),
            name: String::new(),
            checked_with: Vec::new(),
            rules: 0,
            log_rules: 0,
            source: source.to_owned(),
        }
    }
}

impl Agent {
    fn has_rule(&self, id: &str) -> bool {
        let screen = self.identify.iter().chain(&self.rules).map(|r| &r.id);
        screen.chain(self.log_rules.iter().map(|r| &r.id)).any(|known| known == id)
    }

    /// Takes a user's file for this agent: a rule with a known id replaces that rule in its
    /// place, a new one is tried before the built-in ones, a layout section replaces that section.
    fn extend(&mut self, new: Self, disable: &[String]) {
        self.source = format!("{} + {}", self.source, new.source);
        if !new.name.is_empty() {
            self.name = new.name;
        }
        self.checked_with.extend(new.checked_with);
        self.process.names.extend(new.process.names);
        self.process.packages.extend(new.process.packages);
        self.process.not_args.extend(new.process.not_args);
        self.process.headless_args.extend(new.process.headless_args);
        self.layout.extend(new.layout);
        self.version = new.version.or(self.version.take());
        self.background.extend(new.background);
        layer(&mut self.identify, new.identify, disable, |r| &r.id);
        layer(&mut self.rules, new.rules, disable, |r| &r.id);
        layer(&mut self.log_rules, new.log_rules, disable, |r| &r.id);
    }
}

impl Layout {
    fn extend(&mut self, new: Self) {
        if !new.boxes.is_empty() {
            self.boxes = new.boxes;
        }
        if new.status_skip.is_some() {
            self.status_skip = new.status_skip;
            self.status_rows = new.status_rows;
        }
        if new.dialog_after.is_some() {
            self.dialog_after = new.dialog_after;
            self.dialog_rows = new.dialog_rows;
        }
    }
}

fn layer<T>(old: &mut Vec<T>, new: Vec<T>, disable: &[String], id: impl Fn(&T) -> &String) {
    old.retain(|rule| !disable.contains(id(rule)));
    let mut added = Vec::new();
    for rule in new {
        match old.iter_mut().find(|r| id(r) == id(&rule)) {
            Some(place) => *place = rule,
            None => added.push(rule),
        }
    }
    old.splice(0..0, added);
}
