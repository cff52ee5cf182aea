//! Arguments that are more than text.

use crate::Error;
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
