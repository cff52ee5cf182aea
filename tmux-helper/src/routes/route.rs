//! A route as it is set, checked.

use super::view::PaneView;
use crate::config::Template;
use crate::protocol::Event;
use madohub_detect::State;
use std::path::PathBuf;

/// What follows from an agent that enters a state.
#[derive(Debug, Clone, PartialEq)]
pub struct Route {
    /// Name, unique among the routes.
    pub name: String,
    /// Whose states are meant.
    pub from: Filter,
    /// The states entered.
    pub on: Vec<State>,
    /// Where it goes.
    pub to: Target,
    /// The text, for targets that take one.
    pub text: Option<Template>,
    /// Its bounds.
    pub limits: Limits,
}

/// Which panes are meant; what is not set matches all. `*` stands for any text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// `tmux`.
    pub mux: Option<String>,
    /// Name of the session.
    pub session: Option<String>,
    /// Name of the window.
    pub window: Option<String>,
    /// Id, place, role, title or window of the pane.
    pub pane: Option<String>,
    /// Title of the pane.
    pub title: Option<String>,
    /// Id of the agent.
    pub agent: Option<String>,
    /// Working directory, or a folder above it.
    pub cwd: Option<String>,
}

/// Where a route goes.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    /// A pane, by id, place, role, title or window; of a shell only where that is said.
    Pane {
        /// Which one.
        pane: String,
        /// A shell is meant, no agent.
        shell: bool,
    },
    /// A program with its arguments; no shell reads them.
    Command(Vec<Template>),
    /// A file that gets a line.
    File(PathBuf),
    /// A notification, by the ways that `[notify]` sets.
    Notify,
}

/// Bounds of a route. Times are in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// How long a text waits for its pane.
    pub expire: f64,
    /// How often text and key are tried.
    pub tries: u32,
    /// How long a pane that fired must rest until it fires again.
    pub cooldown: f64,
    /// How many deliveries may follow from one another.
    pub hops: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { expire: 1800.0, tries: 3, cooldown: 5.0, hops: 5 }
    }
}

impl Filter {
    /// Whether this is the pane of an event; else what does not match.
    pub fn check(&self, event: &Event, pane: Option<&PaneView>) -> Result<(), String> {
        let view = |value: fn(&PaneView) -> &str| pane.map_or("", value);
        let conditions = [
            ("mux", &self.mux, event.mux.as_str()),
            ("agent", &self.agent, event.agent.as_str()),
            ("session", &self.session, view(|p| &p.session)),
            ("window", &self.window, view(|p| &p.window)),
            ("title", &self.title, view(|p| &p.title)),
        ];
        for (key, wanted, value) in conditions {
            if let Some(wanted) = wanted
                && !matches(wanted, value)
            {
                return Err(format!("{key} is `{value}`, not `{wanted}`"));
            }
        }
        if let Some(wanted) = &self.pane {
            let is_meant = pane.map_or(*wanted == event.pane, |pane| pane.is_called(wanted));
            if !is_meant {
                return Err(format!("pane is {}, not `{wanted}`", event.pane));
            }
        }
        let cwd = pane.and_then(|pane| pane.cwd.as_deref()).unwrap_or_default();
        match &self.cwd {
            Some(wanted) if !is_within(wanted, cwd) => {
                Err(format!("cwd is `{cwd}`, not `{wanted}`"))
            }
            _ => Ok(()),
        }
    }

    /// Whether it matches every pane.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The conditions as they are set, for people: `agent=claude window=build`.
    pub fn describe(&self) -> String {
        let set = [
            ("mux", &self.mux),
            ("session", &self.session),
            ("window", &self.window),
            ("pane", &self.pane),
            ("title", &self.title),
            ("agent", &self.agent),
            ("cwd", &self.cwd),
        ];
        let words =
            set.iter().filter_map(|(key, value)| Some(format!("{key}={}", value.as_ref()?)));
        let words: Vec<String> = words.collect();
        if words.is_empty() { "any pane".to_owned() } else { words.join(" ") }
    }
}

impl Target {
    /// For people: `%5`, `command notify-send`, `file ~/x`.
    pub fn describe(&self) -> String {
        match self {
            Self::Pane { pane, shell: false } => format!("pane {pane}"),
            Self::Pane { pane, shell: true } => format!("shell in pane {pane}"),
            Self::Command(argv) => {
                let program = argv.first().map(|word| word.fill(|_| String::new()));
                format!("command {}", program.unwrap_or_default())
            }
            Self::File(path) => format!("file {}", path.display()),
            Self::Notify => "notification".to_owned(),
        }
    }
}

/// Whether the text is the pattern, in which `*` stands for any text.
pub(super) fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = rest.get(at + part.len()..).unwrap_or_default();
    }
    rest.ends_with(last)
}

fn is_within(wanted: &str, cwd: &str) -> bool {
    let wanted = wanted.trim_end_matches('/');
    matches(wanted, cwd) || matches(&format!("{wanted}/*"), cwd)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_text() {
        for (pattern, text, expected) in [
            ("claude", "claude", true),
            ("claude", "claude2", false),
            ("*", "", true),
            ("a*", "abc", true),
            ("*c", "abc", true),
            ("a*b*c", "a--b--c", true),
            ("a*b*c", "acb", false),
            ("ab*ba", "aba", false),
            ("", "", true),
            ("", "x", false),
            ("日*", "日本", true),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn a_folder_is_meant_with_what_is_in_it() {
        for (wanted, cwd, expected) in [
            ("/src/api", "/src/api", true),
            ("/src/api/", "/src/api", true),
            ("/src/api", "/src/api/tests", true),
            ("/src/api", "/src/api2", false),
            ("/src/*", "/src/api", true),
        ] {
            assert_eq!(is_within(wanted, cwd), expected, "{wanted} {cwd}");
        }
    }
}
