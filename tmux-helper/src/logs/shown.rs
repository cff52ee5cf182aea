//! Which log a pane shows: where folder and time leave several, the newest prompt or answer of a log
//! on the screen of one pane alone tells whose it is.
//!
//! Letters and digits are compared and nothing else, because interfaces wrap, indent and frame what
//! they show. The words are compared with the screen and never shown or written anywhere.

use super::kept::Kept;
use super::source::{Candidate, LogId, Reader, Source, Strength};
use madohub_detect::RuleSet;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// Fewer letters and digits may stand on any screen.
const WORDS_MIN: usize = 10;
/// So many are compared: the beginning may be all that is on the screen.
const WORDS_MAX: usize = 60;
/// Logs of one agent that are compared, those that were written last.
const LOGS_MAX: usize = 16;

/// What is known of the logs that panes show.
#[derive(Default)]
pub(super) struct Shown {
    open: HashMap<LogId, Open>,
    known: BTreeMap<u64, Known>,
}

/// A log that is read for its words.
struct Open {
    reader: Box<dyn Reader>,
    kept: Kept,
}

/// The log that a pane was seen to show.
#[derive(Debug, Clone, PartialEq)]
struct Known {
    log: LogId,
    /// When it was seen last, seconds since the epoch.
    at: f64,
}

/// A pane, or a process in none, that may have any of several logs.
#[derive(Debug)]
pub(super) struct Contender {
    /// The pane, or a number beyond those of panes.
    pub(super) who: u64,
    /// Folder that it works in.
    pub(super) place: Option<String>,
    /// What its pane shows; nothing where that cannot be seen.
    pub(super) screen: Option<String>,
    /// The logs.
    pub(super) candidates: Vec<Candidate>,
}

impl std::fmt::Debug for Shown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shown").field("open", &self.open.len()).field("known", &self.known).finish()
    }
}

impl Shown {
    /// The pane is gone, or another process is in it.
    pub(super) fn forget(&mut self, pane: u64) {
        self.known.remove(&pane);
    }

    /// Compares the logs of contenders of one agent with what their panes show, and makes the
    /// candidate of each pane that is known by that a surer one.
    pub(super) fn heed(
        &mut self,
        source: &dyn Source,
        rules: &Arc<RuleSet>,
        contenders: &mut [Contender],
        now: f64,
    ) {
        self.read(source, rules, &contested(contenders.iter()));
        let places: HashSet<Option<&str>> = contenders.iter().map(Contender::place).collect();
        for place in places {
            let here = || contenders.iter().filter(|contender| contender.place() == place);
            let words: Vec<(LogId, Vec<String>)> = contested(here())
                .into_iter()
                .filter_map(|log| Some((log.clone(), self.open.get(&log)?.words())))
                .collect();
            let screens = here().filter_map(|c| Some((c.who, c.screen.as_deref()?)));
            for (who, log) in matched(&words, &screens.collect::<Vec<_>>()) {
                self.learn(who, log, now);
            }
        }
        for contender in contenders {
            let known = self.known.get(&contender.who);
            let Some(known) = known.filter(|known| self.holds(known, contender)) else { continue };
            for candidate in contender.candidates.iter_mut().filter(|c| c.log == known.log) {
                candidate.strength = Strength::Shown;
                "the only one whose newest words the pane shows".clone_into(&mut candidate.how);
            }
        }
    }

    /// A pane shows a log that no other one shows.
    fn learn(&mut self, who: u64, log: LogId, now: f64) {
        // Words of a log that is another pane's may be quoted, or typed but not sent.
        let others = self.known.iter().any(|(other, known)| *other != who && known.log == log);
        if !others {
            self.known.insert(who, Known { log, at: now });
        }
    }

    /// Whether what is known of a pane still holds: it may have gone on in a log that was written
    /// since its own was seen on it, and that is known to be nobody else's.
    fn holds(&self, known: &Known, contender: &Contender) -> bool {
        let claimed = |log: &LogId| self.known.values().any(|other| other.log == *log);
        !contender.candidates.iter().any(|c| c.written > known.at && !claimed(&c.log))
    }

    /// Reads what is new in these logs, and closes all others of the agent.
    fn read(&mut self, source: &dyn Source, rules: &Arc<RuleSet>, logs: &[LogId]) {
        let agent = source.agent();
        self.open.retain(|log, open| open.kept.agent() != agent || logs.contains(log));
        for log in logs {
            let open = self.open.entry(log.clone()).or_insert_with(|| Open {
                reader: source.open(log),
                kept: Kept::new(Arc::clone(rules), source, None),
            });
            // What cannot be read has no words.
            let _ = open.reader.read(&mut open.kept);
        }
    }
}

impl Contender {
    /// Whether it has nothing surer than a place.
    pub(super) fn is_placed(&self) -> bool {
        is_placed(&self.candidates)
    }

    /// Whether it may show a log that was left before its process started.
    pub(super) fn may_go_on(&self) -> bool {
        self.candidates.iter().any(|c| c.strength == Strength::Earlier)
    }

    fn place(&self) -> Option<&str> {
        self.place.as_deref()
    }
}

/// Whether a process has nothing surer than logs in the right place.
pub(super) fn is_placed(candidates: &[Candidate]) -> bool {
    !candidates.is_empty() && candidates.iter().all(|c| c.strength <= Strength::Start)
}

impl Open {
    fn words(&self) -> Vec<String> {
        let said = [self.kept.prompt(), self.kept.detail().last_message.as_deref()];
        let words = said.into_iter().flatten().map(|text| plain(text.chars()));
        let words = words.map(|words| words.chars().take(WORDS_MAX).collect::<String>());
        words.filter(|words| words.chars().count() >= WORDS_MIN).collect()
    }
}

/// The rows of a screen as they are compared.
pub(super) fn plain_rows(rows: &[String]) -> String {
    plain(rows.iter().flat_map(|row| row.chars()))
}

fn plain(text: impl Iterator<Item = char>) -> String {
    text.filter(|c| c.is_alphanumeric()).collect()
}

/// The logs that are compared.
fn contested<'a>(contenders: impl Iterator<Item = &'a Contender>) -> Vec<LogId> {
    let mut logs: Vec<(&LogId, f64)> = Vec::new();
    for candidate in contenders.flat_map(|contender| &contender.candidates) {
        if logs.iter().all(|(log, _)| *log != &candidate.log) {
            logs.push((&candidate.log, candidate.written));
        }
    }
    logs.sort_by(|a, b| b.1.total_cmp(&a.1));
    logs.into_iter().take(LOGS_MAX).map(|(log, _)| log.clone()).collect()
}

/// The panes that show words of exactly one log, where no other pane shows any words of that log.
/// Words that two logs have in common are nobody's.
fn matched(words: &[(LogId, Vec<String>)], screens: &[(u64, &str)]) -> Vec<(u64, LogId)> {
    let own = |log: &LogId, text: &String| {
        let mut others = words.iter().filter(|(other, _)| other != log);
        !others.any(|(_, texts)| texts.iter().any(|t| t.contains(text.as_str())))
    };
    let shows = |screen: &str, (log, texts): &(LogId, Vec<String>)| {
        texts.iter().any(|text| own(log, text) && screen.contains(text.as_str()))
    };
    let mut pairs = Vec::new();
    for (who, screen) in screens {
        let mut logs = words.iter().filter(|log| shows(screen, log));
        let (Some(log), None) = (logs.next(), logs.next()) else { continue };
        let shared = screens.iter().any(|(other, screen)| other != who && shows(screen, log));
        if !shared {
            pairs.push((*who, log.0.clone()));
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(words: &[(&str, &[&str])], screens: &[&str]) -> String {
        let words: Vec<(LogId, Vec<String>)> = words
            .iter()
            .map(|(log, texts)| {
                let texts = texts.iter().map(|text| plain(text.chars())).collect();
                (LogId::file("/logs", *log), texts)
            })
            .collect();
        let screens: Vec<String> = screens.iter().map(|s| plain(s.chars())).collect();
        let screens: Vec<(u64, &str)> = (1..).zip(screens.iter().map(String::as_str)).collect();
        let pairs = matched(&words, &screens);
        let names = pairs.iter().map(|(who, log)| format!("{who}={}", log.path.display()));
        names.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_log_is_the_pane_s_that_alone_shows_it() {
        let both: &[(&str, &[&str])] = &[("a", &["Fix the tests"]), ("b", &["Write the docs"])];
        for (why, words, screens, expected) in [
            ("each shows its own", both, &["› Fix the tests", "› Write the docs"][..], "1=a 2=b"),
            ("rows are wrapped and framed", both, &["│ Fix the │\n│  tests │", ""], "1=a"),
            ("one log is shown twice", both, &["Fix the tests", "Fix the tests"], ""),
            ("a pane shows both", both, &["Fix the tests, Write the docs", ""], ""),
            (
                "a pane quotes the other one's",
                both,
                &["Fix the tests", "Write the docs. Fix the tests"],
                "",
            ),
            ("nothing is shown", both, &["", "$ ls"], ""),
            (
                "the same words in both",
                &[("a", &["Fix the tests"]), ("b", &["Fix the tests"])],
                &["Fix the tests", ""],
                "",
            ),
            (
                "one's words are part of the other's",
                &[("a", &["Fix the tests"]), ("b", &["Fix the tests and the docs"])],
                &["Fix the tests", "Fix the tests and the docs"],
                "2=b",
            ),
            (
                "the answer tells where the prompt does not",
                &[
                    ("a", &["Go on, please", "All is well."]),
                    ("b", &["Go on, please", "It broke."]),
                ],
                &["Go on, please • All is well.", "Go on, please"],
                "1=a",
            ),
        ] {
            assert_eq!(pairs(words, screens), expected, "{why}");
        }
    }
}
