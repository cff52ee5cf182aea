//! Findings, and how they are written.

use crate::output::Terminal;
use serde::{Serialize, Serializer};
use std::fmt::Write as _;

/// What one check found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Verdict {
    /// It works.
    Ok,
    /// It works, and something could be better, or is merely not running.
    Note,
    /// It does not work.
    Wrong,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Finding {
    /// What was looked at.
    pub(super) check: &'static str,
    /// What was found.
    pub(super) verdict: Verdict,
    /// In words.
    pub(super) what: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) remedy: Option<String>,
}

/// All findings, in the order of looking.
#[derive(Debug, Default)]
pub(super) struct Report(Vec<Finding>);

impl Report {
    pub(super) fn ok(&mut self, check: &'static str, what: impl Into<String>) {
        self.add(check, Verdict::Ok, what.into(), None);
    }

    pub(super) fn note(
        &mut self,
        check: &'static str,
        what: impl Into<String>,
        remedy: impl Into<String>,
    ) {
        self.add(check, Verdict::Note, what.into(), Some(remedy.into()));
    }

    pub(super) fn wrong(
        &mut self,
        check: &'static str,
        what: impl Into<String>,
        remedy: impl Into<String>,
    ) {
        self.add(check, Verdict::Wrong, what.into(), Some(remedy.into()));
    }

    fn add(&mut self, check: &'static str, verdict: Verdict, what: String, remedy: Option<String>) {
        let remedy = remedy.filter(|remedy| !remedy.is_empty());
        self.0.push(Finding { check, verdict, what, remedy });
    }

    /// Whether nothing is wrong.
    pub(super) fn is_well(&self) -> bool {
        self.0.iter().all(|finding| finding.verdict != Verdict::Wrong)
    }

    /// For people: a line per finding, and one for what to do.
    pub(super) fn text(&self, terminal: Terminal) -> String {
        let mut out = String::new();
        for finding in &self.0 {
            let (word, sgr) = match finding.verdict {
                Verdict::Ok => ("ok", "32"),
                Verdict::Note => ("note", "33"),
                Verdict::Wrong => ("wrong", "31"),
            };
            let (start, end) = match terminal.colours {
                Some(_) => (format!("\x1b[{sgr}m"), "\x1b[0m"),
                None => (String::new(), ""),
            };
            let _ = write!(out, "{start}{word:<6}{end} {:<10}", finding.check);
            let indent = " ".repeat(18);
            for (number, line) in finding.what.lines().enumerate() {
                let _ = writeln!(out, "{}{line}", if number == 0 { " " } else { &indent });
            }
            for line in finding.remedy.iter().flat_map(|remedy| remedy.lines()) {
                let _ = writeln!(out, "{indent}-> {line}");
            }
        }
        let wrong = self.0.iter().filter(|finding| finding.verdict == Verdict::Wrong).count();
        let _ = match wrong {
            0 => writeln!(out, "\nNothing is wrong."),
            1 => writeln!(out, "\n1 thing is wrong."),
            n => writeln!(out, "\n{n} things are wrong."),
        };
        out
    }
}

impl Serialize for Report {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Versioned<'a> {
            v: u32,
            ok: bool,
            findings: &'a [Finding],
        }
        Versioned { v: 1, ok: self.is_well(), findings: &self.0 }.serialize(serializer)
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a failing test may panic")]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_not_wrong_and_a_remedy_stands_below_its_finding() {
        let mut report = Report::default();
        report.ok("tmux", "tmux 3.5a");
        report.note("daemon", "not running", "madohub tmux start");
        assert!(report.is_well());
        report.wrong("settings", "config.toml:3: no\nsuch key", "Correct it.");
        assert!(!report.is_well());
        assert_eq!(
            report.text(Terminal::default()),
            "\
ok     tmux       tmux 3.5a
note   daemon     not running
                  -> madohub tmux start
wrong  settings   config.toml:3: no
                  such key
                  -> Correct it.

1 thing is wrong.
"
        );
        let json = serde_json::to_value(&report).unwrap();
        assert_eq!(json["v"], 1);
        assert_eq!(json["ok"], false);
        assert_eq!(json["findings"][2]["verdict"], "wrong");
    }
}
