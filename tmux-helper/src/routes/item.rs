//! What routes have decided and not finished.

use madohub_detect::State;
use madohub_detect::delivery::Delivery;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A text on its way to a pane.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Letter {
    /// The pane, `%3`.
    pub pane: String,
    /// Process that it is meant for.
    pub occupant: i64,
    /// The text, harmless.
    pub text: String,
    /// How far it came.
    pub delivery: Delivery,
}

/// A decision that is to be carried out, once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Item {
    /// Number of the decision.
    pub id: u64,
    /// The route, or the one-shot, by its name.
    pub route: String,
    /// The event that fired it.
    pub seq: u64,
    /// The pane of that event.
    pub from: String,
    /// Which delivery this is in a chain of them.
    pub hops: u32,
    /// What is to be done.
    pub job: Job,
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Job {
    /// Bring a text to a pane.
    Letter(Letter),
    /// Run a program.
    Command {
        /// Program and arguments.
        argv: Vec<String>,
        /// It was started.
        begun: bool,
    },
    /// Append a line to a file.
    File {
        /// The file.
        path: PathBuf,
        /// The line.
        text: String,
        /// It was begun to be written.
        begun: bool,
    },
    /// Tell a person.
    Notify {
        /// What.
        text: String,
        /// Somebody must decide.
        urgent: bool,
        /// It was told.
        begun: bool,
    },
}

impl Job {
    /// Whether it was begun.
    pub fn is_begun(&self) -> bool {
        match self {
            Self::Letter(letter) => letter.delivery.has_begun(),
            Self::Command { begun, .. } | Self::File { begun, .. } | Self::Notify { begun, .. } => {
                *begun
            }
        }
    }

    /// Takes note that it is begun, or that it is not after all. A letter knows that itself.
    pub fn set_begun(&mut self, is_begun: bool) {
        match self {
            Self::Letter(_) => {}
            Self::Command { begun, .. } | Self::File { begun, .. } | Self::Notify { begun, .. } => {
                *begun = is_begun;
            }
        }
    }

    /// Whether it can be done at once: it waits for no pane and no program.
    pub fn is_quick(&self) -> bool {
        matches!(self, Self::File { .. } | Self::Notify { .. })
    }
}

/// A route that fires once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OneShot {
    /// Number, to call it off.
    pub id: u64,
    /// The pane whose state is waited for.
    pub from: String,
    /// Process that it holds.
    pub from_occupant: i64,
    /// The states.
    pub on: Vec<State>,
    /// The pane that gets the text.
    pub to: String,
    /// Process that it holds.
    pub to_occupant: i64,
    /// The text as it was given, with `{…}` places.
    pub text: String,
    /// When it is too late for it to fire, seconds since the epoch.
    pub until: f64,
    /// A shell is meant, no agent.
    pub shell: bool,
}

impl OneShot {
    /// Its name in lists and in the log.
    pub fn name(&self) -> String {
        format!("once-{}", self.id)
    }
}

impl Job {
    /// Where it goes, for people.
    pub fn describe(&self) -> String {
        match self {
            Self::Letter(letter) => letter.pane.clone(),
            Self::Command { argv, .. } => {
                format!("command {}", argv.first().map_or("", String::as_str))
            }
            Self::File { path, .. } => format!("file {}", path.display()),
            Self::Notify { .. } => "notification".to_owned(),
        }
    }
}
