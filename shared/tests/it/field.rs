//! Public reports of what similar programs got wrong, as cases.

use crate::cases::{files, parse};
use madohub_detect::{Observation, Previous, Process, SessionLog, State};
use serde::Deserialize;
use std::sync::LazyLock;

/// Every report that is input of the engine.
pub(crate) static FIELD: LazyLock<Vec<Field>> = LazyLock::new(|| {
    let paths = files("field", ".json");
    paths.iter().map(|path| parse(path, &std::fs::read(path).unwrap())).collect()
});

/// One report.
#[derive(Debug, Deserialize)]
pub(crate) struct Field {
    pub(crate) id: String,
    pub(crate) kind: Kind,
    input: Input,
    expect: Expect,
}

/// Which part of an observation a report is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    Screen,
    Process,
    Log,
}

/// What the report shows.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Input {
    /// Rows of a screen, or records of a log.
    lines: Option<Vec<String>>,
    /// The same situation on several screens.
    variants: Vec<Vec<String>>,
    /// Screens over time.
    frames: Vec<Frame>,
    agent_hint: Option<String>,
    prior_state: Option<State>,
    cols: Option<u16>,
    processes: Option<Vec<Process>>,
    pane_title: Option<String>,
    pane_current_command: Option<String>,
    path: Option<String>,
    /// When the report was made: `2026-01-01T10:05:00Z`.
    now: Option<String>,
}

/// One screen of a report over time.
#[derive(Debug, Deserialize)]
struct Frame {
    /// Seconds since the first one.
    t: f64,
    lines: Vec<String>,
}

/// What would have been right.
#[derive(Debug, Deserialize)]
struct Expect {
    agent: Option<String>,
    state: Option<State>,
    /// Right states; null stands for "any", and some reports use words that are no state here.
    accept: Vec<Option<String>>,
}

impl Field {
    /// The agent's id; a report without one is about a pane that holds none.
    pub(crate) fn agent(&self) -> &str {
        self.expect.agent.as_deref().unwrap_or("shell")
    }

    /// The state that the report calls right.
    pub(crate) fn truth(&self) -> Option<State> {
        self.expect.state
    }

    /// The states that are right; empty where the report is about the agent alone.
    pub(crate) fn accept(&self) -> Vec<State> {
        self.expect.accept.iter().flatten().filter_map(|word| word.parse().ok()).collect()
    }

    /// Every single observation that the report shows.
    pub(crate) fn observations(&self) -> Vec<Observation> {
        match self.kind {
            Kind::Screen => {
                let screens = self.input.variants.iter().chain(&self.input.lines);
                screens.map(|screen| self.screen(screen.clone())).collect()
            }
            Kind::Process => vec![Observation {
                processes: self.input.processes.clone(),
                command: Some(self.input.pane_current_command.clone().unwrap_or_default()),
                title: Some(self.input.pane_title.clone().unwrap_or_default()),
                ..self.base()
            }],
            Kind::Log => vec![Observation {
                agent_hint: Some(self.agent().to_owned()),
                log: Some(SessionLog {
                    path: self.input.path.clone().unwrap_or_default(),
                    records: self.input.lines.clone().unwrap_or_default(),
                    ..SessionLog::default()
                }),
                ..self.base()
            }],
        }
    }

    /// The observations of a report over time; empty for all others.
    pub(crate) fn film(&self) -> Vec<Observation> {
        let moment =
            |frame: &Frame| Observation { now: Some(frame.t), ..self.screen(frame.lines.clone()) };
        self.input.frames.iter().map(moment).collect()
    }

    fn screen(&self, screen: Vec<String>) -> Observation {
        Observation {
            screen: Some(screen),
            agent_hint: self.input.agent_hint.clone(),
            title: self.input.pane_title.clone(),
            cols: self.input.cols,
            processes: self.input.processes.clone(),
            ..self.base()
        }
    }

    fn base(&self) -> Observation {
        let previous = self
            .input
            .prior_state
            .map(|state| Previous { agent: Some(self.agent().to_owned()), state: Some(state) });
        let seconds =
            |now: &String| now.parse::<jiff::Timestamp>().unwrap().as_duration().as_secs_f64();
        let now = self.input.now.as_ref().map(seconds);
        Observation { id: self.id.clone(), previous, now, ..Observation::default() }
    }
}
