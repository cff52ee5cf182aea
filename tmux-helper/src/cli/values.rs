//! Arguments that are more than text.

use crate::Error;
use crate::tmux::{Pane, Place};
use madohub_detect::State;
use std::convert::Infallible;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// Where a command reads from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// `-`: the standard input.
    Stdin,
    /// A file.
    File(PathBuf),
}

impl FromStr for Input {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(if text == "-" { Self::Stdin } else { Self::File(PathBuf::from(text)) })
    }
}

/// Which pane is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PaneRef {
    /// tmux's own id, `%3`; unique for the life of a server.
    Id(String),
    /// `session:window.pane`, as in `api:1.2`; window and pane by their index.
    Place {
        /// Name of the session.
        session: String,
        /// Index of the window.
        window: u32,
        /// Index of the pane in its window.
        pane: u32,
    },
}

impl PaneRef {
    /// Whether this pane is meant.
    pub fn means(&self, pane: &Pane) -> bool {
        match self {
            Self::Id(id) => pane.id.to_string() == *id,
            Self::Place { session, window, pane: index } => {
                let is_there =
                    |place: &Place| place.session_name == *session && place.window_index == *window;
                pane.index == *index && pane.places.iter().any(is_there)
            }
        }
    }
}

/// States in a list with commas, `completed,failed`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct States(pub Vec<State>);

impl FromStr for States {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let state = |word: &str| match word.trim().parse::<State>() {
            Ok(State::Unknown) => Err(Error::usage("`unknown` is no state to wait for")),
            Ok(state) => Ok(state),
            Err(error) => Err(Error::usage(error.to_string())),
        };
        text.split(',').map(state).collect::<Result<_, _>>().map(Self)
    }
}

/// A length of time: `90`, `90s`, `10m`, `2h`; without a unit it is seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span(pub f64);

impl FromStr for Span {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (number, unit) = match text.strip_suffix(['s', 'm', 'h', 'd']) {
            Some(number) => (number, text.chars().last()),
            None => (text, None),
        };
        let factor = match unit {
            Some('m') => 60.0,
            Some('h') => 3600.0,
            Some('d') => 86_400.0,
            _ => 1.0,
        };
        let whole = number.parse::<f64>().ok().filter(|n| n.is_finite() && *n >= 0.0);
        let seconds = whole.map(|number| number * factor).filter(|n| *n <= 31_536_000.0);
        seconds.map(Self).ok_or_else(|| Error::usage("a time is written as 90, 90s, 10m, 2h or 1d"))
    }
}

impl fmt::Display for PaneRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Id(id) => f.write_str(id),
            Self::Place { session, window, pane } => write!(f, "{session}:{window}.{pane}"),
        }
    }
}

impl FromStr for PaneRef {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let place = || {
            let (rest, pane) = text.rsplit_once('.')?;
            let (session, window) = rest.rsplit_once(':')?;
            let (window, pane) = (window.parse().ok()?, pane.parse().ok()?);
            (!session.is_empty()).then(|| Self::Place { session: session.to_owned(), window, pane })
        };
        let found = match text.strip_prefix('%') {
            Some(digits) if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) => {
                Some(Self::Id(text.to_owned()))
            }
            Some(_) => None,
            None => place(),
        };
        found
            .ok_or_else(|| Error::usage("a pane is `%3` or `session:window.pane`, as in `api:1.2`"))
    }
}

/// How the segment is coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum SegmentStyle {
    /// Text alone
    #[default]
    Plain,
    /// tmux's own marks, for `#(madohub status --style tmux)`
    Tmux,
    /// Escape sequences, for a terminal
    Ansi,
}

/// A shell that completions are made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Shell {
    /// GNU Bash
    Bash,
    /// Z shell
    Zsh,
    /// fish
    Fish,
}
