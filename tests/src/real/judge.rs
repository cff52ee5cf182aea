//! Holds what was said against what is true.

use super::observer::{Observer, Said};
use super::report::Verdict;
use super::situation::Expect;
use std::thread;
use std::time::{Duration, Instant};

/// How long the right answer may take.
const PATIENCE: Duration = Duration::from_secs(8);
/// How long it must stay.
const STEADY: Duration = Duration::from_millis(1500);
/// States that must never be said where they are not true.
const FINAL: [&str; 2] = ["completed", "failed"];

/// Waits for the right answer about a pane. `before` is when the last right answer was given,
/// `since` when the expected one became true. Answers when it was said, too.
pub(super) fn judge(
    observer: &Observer,
    pane: &str,
    agent: &str,
    expect: &Expect,
    before: Instant,
    since: Instant,
) -> (Verdict, Instant) {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let history = observer.history(pane);
        let now = Instant::now();
        if let Some(at) = right_since(&history, agent, expect) {
            if now >= at.max(since) + STEADY {
                return (verdict(&history, expect, before, since, at), at.max(since));
            }
        } else if now >= deadline {
            let said = history.last().map_or_else(|| "nothing".to_owned(), Said::text);
            return (Verdict::Wrong { said }, now);
        }
        if now >= deadline + STEADY * 2 {
            let said = "it does not stay".to_owned();
            return (Verdict::Wrong { said }, now);
        }
        thread::sleep(Duration::from_millis(25));
    }
}

/// Since when the last word is the expected one.
fn right_since(history: &[Said], agent: &str, expect: &Expect) -> Option<Instant> {
    let is_right = |said: &&Said| {
        said.row.as_ref().is_some_and(|row| {
            let reason = row.reason.as_deref().unwrap_or("");
            row.agent == agent
                && row.state == expect.state
                && expect.source.as_ref().is_none_or(|source| row.state_source == *source)
                && expect.reason.as_ref().is_none_or(|wanted| reason == wanted)
        })
    };
    history.iter().rev().take_while(is_right).last().map(|said| said.at)
}

fn verdict(
    history: &[Said],
    expect: &Expect,
    before: Instant,
    since: Instant,
    at: Instant,
) -> Verdict {
    // What was said when the last right answer was given is not new.
    let known = history.iter().rev().find(|said| said.at <= before).map_or("-", Said::state);
    let between = history.iter().filter(|said| said.at > before && said.at < at);
    let passing: Vec<&str> = between
        .map(Said::state)
        .filter(|state| *state != known && *state != expect.state && *state != "-")
        .collect();
    let is_wrong =
        |state: &&&str| FINAL.contains(state) && !expect.passes.iter().any(|s| s == *state);
    if let Some(wrong) = passing.iter().find(is_wrong) {
        return Verdict::Wrong { said: format!("{wrong} in passing") };
    }
    let mut passing: Vec<String> = passing.into_iter().map(str::to_owned).collect();
    passing.dedup();
    Verdict::Right { delay: at.saturating_duration_since(since), passing }
}

#[cfg(test)]
mod tests {
    use super::super::situation::Since;
    use super::*;
    use crate::product::ListRow;

    fn history(start: Instant, states: &[(u64, &str)]) -> Vec<Said> {
        let said = |(ms, state): &(u64, &str)| Said {
            at: start + Duration::from_millis(*ms),
            row: Some(ListRow {
                pane: "%1".to_owned(),
                agent: "claude".to_owned(),
                state: (*state).to_owned(),
                state_source: "pty-scrape".to_owned(),
                reason: None,
                since: 0.0,
            }),
        };
        states.iter().map(said).collect()
    }

    fn expect(state: &str) -> Expect {
        let (row, state) = ("row".to_owned(), state.to_owned());
        let passes = vec!["failed".to_owned()];
        Expect { row, since: Since::Asked, state, source: None, reason: None, passes }
    }

    fn judged(states: &[(u64, &str)], wanted: &str, before: u64, since: u64) -> Option<Verdict> {
        let start = Instant::now();
        let ms = |ms| start + Duration::from_millis(ms);
        let (history, expect) = (history(start, states), expect(wanted));
        let at = right_since(&history, "claude", &expect)?;
        Some(verdict(&history, &expect, ms(before), ms(since), at))
    }

    #[test]
    fn the_delay_counts_from_the_truth() {
        let right = |delay, passing: &[&str]| Verdict::Right {
            delay: Duration::from_millis(delay),
            passing: passing.iter().map(|s| (*s).to_owned()).collect(),
        };
        let states = [(10, "working"), (500, "stopped"), (700, "completed")];
        assert_eq!(judged(&states, "completed", 10, 400), Some(right(300, &["stopped"])));
        assert_eq!(judged(&states[..1], "working", 0, 400), Some(right(0, &[])));
        assert_eq!(judged(&states[..2], "completed", 10, 400), None);
    }

    #[test]
    fn a_final_word_in_passing_is_wrong() {
        let early = [(10, "working"), (500, "completed"), (700, "working"), (900, "idle")];
        assert!(matches!(judged(&early, "idle", 10, 800), Some(Verdict::Wrong { .. })));
        // Unless it is true on the way there.
        let end = [(10, "working"), (500, "failed"), (700, "exited")];
        assert!(matches!(judged(&end, "exited", 10, 400), Some(Verdict::Right { .. })));
        // What was true before is no new word.
        let states = [(10, "completed"), (500, "working")];
        assert!(matches!(judged(&states, "working", 10, 400), Some(Verdict::Right { .. })));
    }
}
