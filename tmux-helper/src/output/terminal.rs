//! What the terminal that is written to can show.

use crate::config::Depth;
use rustix::termios::{isatty, tcgetwinsize};
use std::env;
use std::ffi::OsString;
use std::io::stdout;

/// A terminal, or something that is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Terminal {
    /// Cells in a row, where it is a terminal that says so.
    pub width: Option<usize>,
    /// Colours, where they can be shown and are wanted.
    pub colours: Option<Depth>,
}

impl Terminal {
    /// The standard output.
    pub fn of_stdout() -> Self {
        let stdout = stdout();
        if !isatty(&stdout) {
            return Self::default();
        }
        let width = tcgetwinsize(&stdout).ok().map(|size| usize::from(size.ws_col));
        Self { width: width.filter(|width| *width > 0), colours: colours(|name| env::var_os(name)) }
    }
}

/// How many colours the environment promises; none when it asks for none (`NO_COLOR`).
fn colours(var: impl Fn(&str) -> Option<OsString>) -> Option<Depth> {
    let text = |name| var(name).map(|value| value.to_string_lossy().into_owned());
    let term = text("TERM").unwrap_or_default();
    if var("NO_COLOR").is_some_and(|value| !value.is_empty()) || matches!(&*term, "" | "dumb") {
        return None;
    }
    let true_colour = text("COLORTERM").is_some_and(|c| c == "truecolor" || c == "24bit");
    Some(if true_colour || term.ends_with("-direct") {
        Depth::Rgb
    } else if term.contains("256color") {
        Depth::TwoFiftySix
    } else if term.contains("16color") {
        Depth::Sixteen
    } else {
        Depth::Eight
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_says_how_many_colours_there_are() {
        let with = |vars: &[(&str, &str)]| {
            colours(|name| {
                vars.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into())
            })
        };
        assert_eq!(with(&[("TERM", "xterm")]), Some(Depth::Eight));
        assert_eq!(with(&[("TERM", "tmux-256color")]), Some(Depth::TwoFiftySix));
        assert_eq!(with(&[("TERM", "xterm"), ("COLORTERM", "truecolor")]), Some(Depth::Rgb));
        assert_eq!(with(&[("TERM", "xterm-256color"), ("NO_COLOR", "1")]), None);
        assert_eq!(with(&[("TERM", "dumb"), ("COLORTERM", "truecolor")]), None);
        assert_eq!(with(&[]), None);
    }
}
