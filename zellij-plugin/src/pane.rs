//! What is known of one pane.

use crate::event::{PaneFacts, PaneId, Screen};
use madohub_detect::{Detection, HookReport, Process, ProgramStatus, Registry, SessionLog};
use serde::Deserialize;

/// What the helper knows of a pane's processes.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct HostFacts {
    /// The pane's own process.
    pub(crate) pid: i64,
    /// The pane's processes.
    pub(crate) processes: Vec<Process>,
    /// The agent's entry for its running process.
    pub(crate) registry: Option<Registry>,
    /// The end of the agent's session log.
    pub(crate) log: Option<SessionLog>,
    /// What the agent reports of itself.
    pub(crate) program_status: Option<ProgramStatus>,
    /// The newest report of the agent's own hooks.
    pub(crate) hook: Option<HookReport>,
    /// Working directory of the agent, else of the pane's process.
    pub(crate) cwd: Option<String>,
    /// The model in use.
    pub(crate) model: Option<String>,
}

/// The command line in the foreground.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Foreground {
    /// Command line of the foreground group's leader.
    pub(crate) argv: Vec<String>,
    /// It is the process that the pane was opened with.
    pub(crate) own: bool,
    /// What the command line alone says: an agent, surely no agent, or nothing.
    pub(crate) says: CommandSays,
}

/// What a command line alone says of the pane's occupant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CommandSays {
    /// An agent.
    Agent,
    /// A shell at its prompt, or a program that shows other people's text.
    NoAgent,
    /// Nothing: a launcher may have the agent as its child.
    Nothing,
}

/// One pane.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each tells of something else")]
pub(crate) struct Pane {
    /// zellij's facts.
    pub(crate) facts: PaneFacts,
    /// Visible text, as far as it was read.
    pub(crate) screen: Option<Screen>,
    /// Title as read live, newer than the one in `facts`.
    pub(crate) title: Option<String>,
    /// Process of the pane.
    pub(crate) pid: Option<i64>,
    /// Command in the foreground.
    pub(crate) foreground: Option<Foreground>,
    /// The helper's word.
    pub(crate) host: Option<HostFacts>,
    /// Since when the session's reports lack it: it may be on its way to another tab.
    pub(crate) missing: Option<f64>,
    /// zellij does not give its text: another pane has taken its place for a time.
    pub(crate) unreadable: bool,
    /// The user scrolled it: its text is not the live one.
    pub(crate) scrolled: bool,
    /// Letters of its text, or something else that decides, changed since the last look.
    pub(crate) dirty: bool,
    /// Its text changed since the last look, but no letter of it: a spinner turned, a clock went on.
    pub(crate) spun: bool,
    /// Its title changed since the last look.
    pub(crate) retitled: bool,
    /// Verdict of the last look.
    pub(crate) seen: Option<Detection>,
    /// Time of the last look, of the last look at changed letters, of the last read, of the last
    /// change of its letters, and of the last reads of its title and of its command.
    pub(crate) looked: f64,
    pub(crate) looked_closely: f64,
    pub(crate) read: f64,
    pub(crate) changed: f64,
    pub(crate) title_read: f64,
    pub(crate) command_read: f64,
    /// When its title is to be read, where it may have changed since.
    pub(crate) title_due: Option<f64>,
    /// The tracker has not settled on the last verdict yet.
    pub(crate) unsettled: bool,
}

impl Pane {
    /// A pane seen for the first time.
    pub(crate) fn new(facts: PaneFacts) -> Self {
        Self { facts, dirty: true, ..Self::default() }
    }

    /// Takes newer facts; true when they can change the verdict.
    pub(crate) fn update(&mut self, facts: PaneFacts) -> bool {
        let matters = facts.exited != self.facts.exited
            || facts.held != self.facts.held
            || facts.title != self.facts.title
            || facts.size != self.facts.size;
        if facts.title != self.facts.title {
            self.title = None;
        }
        if facts.exited != self.facts.exited {
            self.foreground = None;
            self.host = None;
        }
        self.facts = facts;
        self.dirty |= matters;
        matters
    }

    /// Takes its text; true when letters of it changed.
    pub(crate) fn set_screen(&mut self, screen: Screen, now: f64) -> bool {
        self.read = now;
        self.dirty |= self.unreadable;
        self.unreadable = false;
        if self.screen.as_ref() == Some(&screen) {
            return false;
        }
        let spun = self.screen.as_ref().is_some_and(|before| same_letters(before, &screen));
        self.screen = Some(screen);
        self.spun |= spun;
        if !spun {
            self.changed = now;
            self.dirty = true;
        }
        !spun
    }

    /// Notes that its text could not be read.
    pub(crate) fn set_unreadable(&mut self, now: f64) {
        self.read = now;
        self.dirty |= !self.unreadable;
        self.unreadable = true;
    }

    /// The title as the user sees it.
    pub(crate) fn title(&self) -> &str {
        self.title.as_deref().unwrap_or(&self.facts.title)
    }

    /// Whether its program ended while the pane stays.
    pub(crate) fn dead(&self) -> bool {
        self.facts.exited
    }

    /// Whether something changed since the last look.
    pub(crate) fn has_news(&self) -> bool {
        self.dirty || self.spun || self.retitled
    }

    /// It is being looked at.
    pub(crate) fn no_news(&mut self) {
        (self.dirty, self.spun, self.retitled) = (false, false, false);
    }

    /// Whether it holds an agent, as far as the last look saw.
    pub(crate) fn has_agent(&self) -> bool {
        self.seen.as_ref().is_some_and(|seen| seen.agent.is_agent())
    }
}

/// Whether two texts differ in nothing but signs, digits and blanks.
fn same_letters(a: &Screen, b: &Screen) -> bool {
    fn letters(row: &str) -> impl Iterator<Item = char> + '_ {
        row.chars().filter(|c| c.is_alphabetic())
    }
    a.rows.len() == b.rows.len()
        && a.rows.iter().zip(&b.rows).all(|(a, b)| a == b || letters(a).eq(letters(b)))
}

/// Name of a pane in every output, as zellij's own commands write it.
pub(crate) fn name(pane: PaneId) -> String {
    format!("terminal_{pane}")
}

/// Reads a pane id as zellij's own commands write it, or as a number.
pub(crate) fn parse(text: &str) -> Option<PaneId> {
    text.strip_prefix("terminal_").unwrap_or(text).parse().ok()
}
