//! What is brought about, and what must be said about it: `tests/real-agents/situations.toml`.

use serde::Deserialize;

/// All situations, in the order in which they are run.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Situations {
    /// The situations.
    pub situation: Vec<Situation>,
}

/// A situation: it begins with a shell in a new pane.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Situation {
    /// Name.
    pub name: String,
    /// What is done and expected, in this order.
    pub steps: Vec<Step>,
}

/// One step. Steps are about the current pane.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Step {
    /// Types a command line of the agent's into the shell, with a scene as its prompt.
    Start {
        /// Name of the command line.
        command: String,
        /// The scene.
        scene: Option<String>,
    },
    /// Types a prompt that names a scene, and waits until the model is asked.
    Prompt(String),
    /// Lets the scene of the pane's last prompt go on.
    Release {},
    /// Lets the scene of the subagent go on.
    ReleaseInner {},
    /// Presses the keys for this.
    Press(String),
    /// Types a line for the shell; `{madohub}` and `{agent}` are the executables.
    Type(String),
    /// Waits until the pane shows what this regular expression matches.
    Shown(String),
    /// Kills what runs in the foreground of the pane.
    Kill {},
    /// `madohub hook` with this verb, `install` or `uninstall`, for the agent.
    Hook(String),
    /// Waits until a hook of the agent has told of this.
    Heard(String),
    /// Waits until the agent, in `madohub run`, has reported this state of itself.
    Reported(String),
    /// Gives the pane's window a size, and waits until the agent's own terminal, in `madohub run`,
    /// has it.
    Resize {
        /// Cells in a row.
        columns: u16,
        /// Rows.
        rows: u16,
    },
    /// Names the pane for the routes of `world.rs`.
    Role(String),
    /// Waits until the log of routes has these outcomes more than when it was last waited for. A
    /// delivered text begins the pane's next scene: the one that the newest prompt's answer names.
    Routed(Vec<String>),
    /// The model was asked so often for the scene that the newest prompt's answer names; where it is
    /// never, nothing of it stands in the pane either.
    Arrived(usize),
    /// Goes to the pane with this name; a new one is opened beside the first.
    Pane(String),
    /// What must be said.
    Expect(Expect),
}

/// What must be said about the current pane, and since when it is true.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// Name of the row in the table.
    pub row: String,
    /// What makes it true.
    pub since: Since,
    /// The state.
    pub state: String,
    /// The source, where it must be this one.
    pub source: Option<String>,
    /// The reason, where it must be this one; `""` is none.
    pub reason: Option<String>,
    /// States that are true on the way there.
    #[serde(default)]
    pub passes: Vec<String>,
}

/// The moment from which on something is true.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Since {
    /// The model was asked.
    Asked,
    /// The model was asked by the subagent.
    InnerAsked,
    /// The model's last word was sent.
    Answered,
    /// The model's last error was sent.
    Failed,
    /// The keys were pressed.
    Pressed,
    /// It was true before, and still is.
    Now,
    /// The command that the model asked for runs.
    Runs,
    /// The shell is in the foreground again.
    Shell,
    /// The pane shows this.
    Shows(String),
}

impl Step {
    pub(super) fn expect(&self) -> Option<&Expect> {
        match self {
            Self::Expect(expect) => Some(expect),
            _ => None,
        }
    }
}

impl Situations {
    /// Reads them.
    pub fn read() -> Result<Self, String> {
        super::read(&super::data_dir().join("situations.toml"))
    }

    /// Names of the rows, in order.
    pub fn rows(&self) -> Vec<&str> {
        let steps = self.situation.iter().flat_map(|situation| &situation.steps);
        steps.filter_map(Step::expect).map(|expect| expect.row.as_str()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::agent::Agent;
    use super::super::model::Script;
    use super::*;
    use std::collections::HashSet;

    /// Nothing is installed for this: the data alone must fit together.
    #[test]
    fn every_agent_has_what_the_situations_ask_for() {
        let situations = Situations::read().unwrap();
        let script: Script =
            super::super::read(&super::super::data_dir().join("model.toml")).unwrap();
        let scenes: HashSet<&str> = script.scenes().collect();
        let agents: Vec<Agent> = Agent::ids().iter().map(|id| Agent::read(id).unwrap()).collect();
        assert!(agents.len() >= 3);
        for step in situations.situation.iter().flat_map(|situation| &situation.steps) {
            match step {
                Step::Prompt(scene) | Step::Start { scene: Some(scene), .. } => {
                    assert!(scenes.contains(scene.as_str()), "{scene}");
                }
                _ => {}
            }
            for agent in &agents {
                match step {
                    Step::Shown(pattern) => {
                        regex::Regex::new(pattern).unwrap();
                    }
                    Step::Press(what) => {
                        assert!(agent.keys.contains_key(what), "{what}: {agent:?}");
                    }
                    Step::Expect(Expect { since: Since::Shows(what), .. }) => {
                        let pattern = agent.shows.get(what).unwrap();
                        regex::Regex::new(pattern).unwrap();
                    }
                    _ => {}
                }
            }
        }
    }

    #[test]
    fn rows_have_names_of_their_own() {
        let situations = Situations::read().unwrap();
        let rows = situations.rows();
        let different: HashSet<&str> = rows.iter().copied().collect();
        assert_eq!(different.len(), rows.len());
        let agents = Agent::ids();
        let agents = agents.iter().map(|id| Agent::read(id).unwrap());
        for row in agents.flat_map(|agent| agent.differs).map(|differs| differs.row) {
            assert!(different.contains(row.as_str()), "{row}");
        }
    }
}
