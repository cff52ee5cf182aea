//! What has to be known about one agent to find and read its session logs.

use super::everyone::List;
use super::kept::Kept;
use super::tail::Tail;
use madohub_detect::{LogDetail, Process, Registry};
use serde_json::Value;
use std::io;
use std::path::PathBuf;

/// Knows where one agent keeps its session logs and how they tie to its processes. What the
/// records mean is no business of a source: log rules say that.
pub(super) trait Source: Send {
    /// Id of the agent, as in its rule file.
    fn agent(&self) -> &'static str;

    /// The logs that may be this process's. Called seldom, but for every agent's process: it may
    /// list folders of the last days and read the first lines of a few files, never all files.
    fn candidates(&mut self, subject: &Subject<'_>) -> Vec<Candidate>;

    /// Whether another record may follow at once that says how the turn really ended. Such a record
    /// is held back for a moment.
    fn is_provisional(&self) -> fn(&Value) -> bool {
        |_| false
    }

    /// Takes from a record what people want to know beside the state.
    fn detail(&self) -> fn(&Value, &mut LogDetail) {
        |_, _| {}
    }

    /// The prompt in a record of one that a person typed.
    fn prompt(&self) -> fn(&Value) -> Option<&str> {
        |_| None
    }

    /// How to read a log; most are JSON Lines.
    fn open(&self, log: &LogId) -> Box<dyn Reader> {
        Box::new(Tail::new(&log.root, &log.path))
    }
}

/// Reads one log.
pub(super) trait Reader: Send {
    /// Reads what is new. Costs next to nothing when nothing is.
    fn read(&mut self, kept: &mut Kept) -> io::Result<()>;
}

impl Reader for Tail {
    fn read(&mut self, kept: &mut Kept) -> io::Result<()> {
        Tail::read(self, kept)
    }
}

/// The agent's process in a pane.
#[derive(Clone, Copy)]
pub(super) struct Subject<'a> {
    /// The process itself.
    pub(super) process: &'a Process,
    /// It and those of its descendants that are the same agent: launchers start the agent proper.
    pub(super) family: &'a [Process],
    /// When it started, seconds since the epoch, where that is known.
    pub(super) started: Option<f64>,
    /// The agent's own entry for it.
    pub(super) registry: Option<&'a Registry>,
    /// All processes of this user.
    pub(super) everyone: &'a dyn List,
}

/// One session log.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct LogId {
    /// The agent's folder; nothing outside of it is read.
    pub(super) root: PathBuf,
    /// The file.
    pub(super) path: PathBuf,
    /// The session, where a file holds more than one.
    pub(super) session: Option<String>,
}

/// A log that may be a process's own.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Candidate {
    /// The log.
    pub(super) log: LogId,
    /// How sure that is.
    pub(super) strength: Strength,
    /// By what, for people: `open in process 4711`.
    pub(super) how: String,
    /// For [`Strength::Start`] and what is less: when it was written last, seconds since the epoch.
    pub(super) written: f64,
}

/// How sure it is that a log belongs to a process, the surest last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Strength {
    /// It was written last in the same folder before the process started. That alone makes it
    /// nobody's; the process may show it again.
    Earlier,
    /// It was written in the same folder while the process ran.
    Place,
    /// It was begun in the same folder when the process started.
    Start,
    /// Its newest words are on the screen of the process's pane and of no other.
    Shown,
    /// The command line names the session.
    Argv,
    /// The process itself says so: an entry, a lock, an open file.
    Process,
}

impl Candidate {
    pub(super) fn new(log: LogId, strength: Strength, how: String) -> Self {
        Self { log, strength, how, written: 0.0 }
    }

    /// A log that was begun in the same folder when the process started.
    pub(super) fn at_start(log: LogId, written: f64) -> Self {
        let how = "begun in its folder when the process started".to_owned();
        Self { log, strength: Strength::Start, how, written }
    }

    /// A log that was left before the process started.
    pub(super) fn earlier(log: LogId, written: f64) -> Self {
        let how = "left in its folder before the process started".to_owned();
        Self { log, strength: Strength::Earlier, how, written }
    }

    /// A log that only lies in the right place and was written at the right time.
    pub(super) fn placed(log: LogId, written: f64) -> Self {
        let how = "the only one in its folder that was begun since the process started".to_owned();
        Self { log, strength: Strength::Place, how, written }
    }
}

impl LogId {
    /// A file with one session.
    pub(super) fn file(root: impl Into<PathBuf>, path: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), path: path.into(), session: None }
    }

    /// The log's name for people.
    pub(super) fn name(&self) -> String {
        let path = self.path.display();
        match &self.session {
            Some(session) => format!("{path} ({session})"),
            None => path.to_string(),
        }
    }
}

impl Subject<'_> {
    /// Whether one of these options is on the command line.
    pub(super) fn has(&self, names: &[&str]) -> bool {
        let mut words = self.process.argv.iter().skip(1);
        words.any(|word| names.contains(&word.split('=').next().unwrap_or_default()))
    }

    /// The value of the first of these options on the command line: `--resume ID`,
    /// `--resume=ID`. A value that looks like another option is none.
    pub(super) fn option(&self, names: &[&str]) -> Option<&str> {
        let argv = &self.process.argv;
        argv.iter().enumerate().skip(1).find_map(|(n, word)| {
            let value = match word.split_once('=') {
                Some((name, value)) if names.contains(&name) => Some(value),
                _ if names.contains(&word.as_str()) => argv.get(n + 1).map(String::as_str),
                _ => None,
            };
            value.filter(|value| !value.is_empty() && !value.starts_with('-'))
        })
    }
}
