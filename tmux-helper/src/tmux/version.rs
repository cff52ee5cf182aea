//! Versions of tmux, and what each of them can do for us.

use std::fmt;
use std::str::FromStr;

/// A version of tmux: `3.3a` is 3, 3, `a`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    major: u16,
    minor: u16,
    /// Letter of a patch release; `\0` for none, which sorts first.
    patch: char,
}

/// How much of us a version of tmux can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Support {
    /// 3.2 and newer: coloured border lines, labels, pulse, and the guard that gives the user's
    /// style back when the daemon dies.
    Full,
    /// 3.0 and 3.1: border styles take no formats there, so that only the label has a colour.
    LabelOnly,
    /// Older: there are no options of a pane to put a state in.
    TooOld,
}

impl Version {
    /// A released version.
    pub const fn new(major: u16, minor: u16) -> Self {
        Self { major, minor, patch: '\0' }
    }

    /// How much of us this version can show.
    pub fn support(self) -> Support {
        if self >= Self::new(3, 2) {
            Support::Full
        } else if self >= Self::new(3, 0) {
            Support::LabelOnly
        } else {
            Support::TooOld
        }
    }

    /// Whether `source-file -` reads commands from the standard input (3.1 and newer).
    pub fn reads_stdin(self) -> bool {
        self >= Self::new(3, 1)
    }

    /// Whether `tmux -N` keeps a command from starting a server (3.2 and newer).
    pub fn has_no_start(self) -> bool {
        self >= Self::new(3, 2)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.major == u16::MAX {
            return f.write_str("master");
        }
        write!(f, "{}.{}", self.major, self.minor)?;
        if self.patch == '\0' { Ok(()) } else { write!(f, "{}", self.patch) }
    }
}

impl FromStr for Version {
    type Err = String;

    /// Reads what `tmux -V` or `#{version}` say: `tmux 3.3a`, `3.6b`, `next-3.8`, `3.4-rc2`,
    /// `master`, `openbsd-7.8` (tmux as it was then; new enough).
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        let word = text.strip_prefix("tmux ").unwrap_or(text).trim();
        if word == "master" || word.starts_with("openbsd-") {
            return Ok(Self::new(u16::MAX, 0));
        }
        let unknown = || format!("`{text}` is no version of tmux");
        let number = word.strip_prefix("next-").unwrap_or(word);
        let (major, rest) = number.split_once('.').ok_or_else(unknown)?;
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let (minor, tail) = rest.split_at_checked(digits).ok_or_else(unknown)?;
        Ok(Self {
            major: major.parse().map_err(|_| unknown())?,
            minor: minor.parse().map_err(|_| unknown())?,
            patch: tail.chars().next().filter(char::is_ascii_lowercase).unwrap_or('\0'),
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_tmux_says_of_itself() {
        for (text, shown, support) in [
            ("tmux 3.3a", "3.3a", Support::Full),
            ("3.2", "3.2", Support::Full),
            ("tmux next-3.8", "3.8", Support::Full),
            ("tmux 3.4-rc2", "3.4", Support::Full),
            ("tmux master", "master", Support::Full),
            ("tmux openbsd-7.8", "master", Support::Full),
            ("tmux 3.1c\n", "3.1c", Support::LabelOnly),
            ("3.0a", "3.0a", Support::LabelOnly),
            ("tmux 2.9a", "2.9a", Support::TooOld),
            ("tmux 1.8", "1.8", Support::TooOld),
        ] {
            let version: Version = text.parse().unwrap();
            assert_eq!((version.to_string().as_str(), version.support()), (shown, support));
        }
    }

    #[test]
    fn what_is_no_version_is_an_error() {
        for text in ["", "tmux", "3", "x.y", "tmux .3", "3.", "99999999.1"] {
            assert!(text.parse::<Version>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn sorts_patch_letters_after_the_release() {
        let [plain, a, b]: [Version; 3] = ["3.3", "3.3a", "3.4"].map(|v| v.parse().unwrap());
        assert!(plain < a && a < b);
    }

    #[test]
    fn only_versions_that_can_are_fed_through_stdin() {
        assert!(!"3.0a".parse::<Version>().unwrap().reads_stdin());
        assert!("3.1".parse::<Version>().unwrap().reads_stdin());
    }
}
