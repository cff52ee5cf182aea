//! Rule files of the user's own, on top of those that ship.

use super::compile::{Trust, compile};
use super::compiled::{Agent, Layout};
use super::error::{RuleError, RuleErrorKind};
use super::file::RuleFile;
use super::set::{AgentInfo, FILES, RuleSet};

impl RuleSet {
    /// The built-in rules with the user's files on top, in the order given. A file that cannot
    /// be used is left out and answered as an error; everything else is in force.
    pub fn layered(user: &[RuleFile]) -> Result<(Self, Vec<RuleError>), RuleError> {
        Ok(Self::builtin()?.with(user))
    }

    /// The same over rules that are compiled already.
    pub fn with(mut self, user: &[RuleFile]) -> (Self, Vec<RuleError>) {
        let errors = user.iter().filter_map(|file| self.add(file).err()).collect();
        (self, errors)
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
    fn empty(id: &str, source: &str) -> Self {
        Self {
            id: id.to_owned(),
            name: String::new(),
            checked_with: Vec::new(),
            rules: 0,
            log_rules: 0,
            hook_rules: 0,
            source: source.to_owned(),
        }
    }
}

impl Agent {
    fn has_rule(&self, id: &str) -> bool {
        let screen = self.identify.iter().chain(&self.rules).map(|r| &r.id);
        let records = self.log_rules.iter().chain(&self.hook_rules).map(|r| &r.id);
        screen.chain(records).any(|known| known == id)
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
        self.process.but_args.extend(new.process.but_args);
        self.process.headless_args.extend(new.process.headless_args);
        self.layout.extend(new.layout);
        self.version = new.version.or(self.version.take());
        self.background.extend(new.background);
        layer(&mut self.identify, new.identify, disable, |r| &r.id);
        layer(&mut self.rules, new.rules, disable, |r| &r.id);
        layer(&mut self.log_rules, new.log_rules, disable, |r| &r.id);
        layer(&mut self.hook_rules, new.hook_rules, disable, |r| &r.id);
    }
}

impl Layout {
    fn extend(&mut self, new: Self) {
        if !new.boxes.is_empty() {
            self.boxes = new.boxes;
        }
        if new.status_skip.is_some() {
            self.status_skip = new.status_skip;
            self.status_goes_on = new.status_goes_on;
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
