//! From changes of state to what is told of them: the end of one turn is one event.
//!
//! A change shows at once. Told is it when it stands: that a turn is over is first seen on the
//! screen, and the agent's own record says a moment later how it ended. So an end that only the
//! screen shows waits for that word, or until it has lasted. Where the word comes later than that,
//! the end is told already: then it is a refinement, which is no event of its own. Like the tracker,
//! this has no clock.

use crate::detection::{State, StateSource};
use crate::tracker::Change;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Seconds that the end of a turn must last until it is told without the agent's own word.
pub const CONFIRM: f64 = 2.0;

/// A change that is told, and since when its state holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Told {
    /// The change.
    pub change: Change,
    /// When the pane entered the state, seconds since the epoch.
    pub since: f64,
    /// The end of this turn was told before, without the agent's word on how it ended. `from` of
    /// the change is the state that was told.
    pub refines: bool,
}

/// The end of a turn as it was told, or as the agent said afterwards that it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnEnd {
    /// Number of the turn in its pane.
    pub turn: u64,
    /// The state that the turn ended in.
    pub to: State,
}

/// Decides which changes are told, and when. It can be stored, so that a restart neither repeats
/// nor loses an end that waits.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Announcer {
    /// Ends that wait for the agent's word, by pane, with the time from which they wait.
    waiting: BTreeMap<String, (Told, f64)>,
    /// The last turn of each pane whose end was told, and as what.
    ends: BTreeMap<String, TurnEnd>,
}

impl Announcer {
    /// Takes a change as the tracker answers it; answers what is to be told now, oldest first.
    /// `since` is the time since when the new state holds.
    pub fn take(&mut self, change: Change, since: f64, now: f64) -> Vec<Told> {
        let mut told = Vec::new();
        let mut next = Told { change, since, refines: false };
        if let Some((held, seen)) = self.waiting.remove(&next.change.pane) {
            if is_same_end(&held.change, &next.change) {
                // The same end, told better.
                next.change.from = held.change.from;
                next.since = held.since;
                if waits(&next.change) {
                    self.waiting.insert(next.change.pane.clone(), (next, seen));
                    return told;
                }
            } else if held.change.to == State::Idle && held.change.agent == next.change.agent {
                // A sign of work was missing for a moment: the turn had not ended.
                next.change.from = held.change.from;
                if next.change.from == next.change.to {
                    return told;
                }
            } else {
                self.tell(held, &mut told);
            }
        }
        if waits(&next.change) {
            self.waiting.insert(next.change.pane.clone(), (next, now));
        } else {
            self.tell(next, &mut told);
        }
        told
    }

    /// Takes the agent's word on a turn whose end its pane no longer shows, see
    /// [`Step::verdict`](crate::Step::verdict). It makes an end better known and is none by itself.
    pub fn judge(&mut self, verdict: Change, since: f64, now: f64) -> Vec<Told> {
        let Change { pane, turn, .. } = &verdict;
        let is_known = self.ends.get(pane).is_some_and(|end| end.turn == *turn)
            || self.waiting.get(pane).is_some_and(|(held, _)| is_same_end(&held.change, &verdict));
        if is_known { self.take(verdict, since, now) } else { Vec::new() }
    }

    /// What has waited long enough.
    pub fn due(&mut self, now: f64) -> Vec<Told> {
        let is_due = |seen: f64| now - seen >= CONFIRM || now < seen;
        let panes: Vec<String> = self
            .waiting
            .iter()
            .filter(|(_, (_, seen))| is_due(*seen))
            .map(|(pane, _)| pane.clone())
            .collect();
        let mut told = Vec::new();
        for pane in panes {
            if let Some((held, _)) = self.waiting.remove(&pane) {
                self.tell(held, &mut told);
            }
        }
        told
    }

    /// Whether anything waits.
    pub fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// When something has waited long enough, seconds since the epoch.
    pub fn deadline(&self) -> Option<f64> {
        self.waiting.values().map(|(_, seen)| seen + CONFIRM).min_by(f64::total_cmp)
    }

    /// How the last turn of each pane ended, as far as it was told.
    pub fn ends(&self) -> &BTreeMap<String, TurnEnd> {
        &self.ends
    }

    /// Forgets the ends of the panes that are not to be kept. What waits is told all the same.
    pub fn retain_ends(&mut self, is_kept: impl Fn(&str) -> bool) {
        self.ends.retain(|pane, _| is_kept(pane));
    }

    /// Takes note of what was told by a former announcer after it was stored.
    pub fn note(&mut self, pane: &str, to: State, turn: u64) {
        self.waiting.remove(pane);
        self.note_end(pane, to, turn);
    }

    fn tell(&mut self, mut next: Told, told: &mut Vec<Told>) {
        let Change { to, turn, .. } = next.change;
        let before = self.ends.get(&next.change.pane).filter(|end| end.turn == turn);
        match before {
            Some(end) if to.is_turn_over() => {
                if is_judged(end.to) || !is_judged(to) {
                    return;
                }
                next.refines = true;
                next.change.from = end.to;
            }
            _ => {}
        }
        // What comes next in a pane whose agent is gone counts its turns anew, or goes on counting.
        self.note_end(&next.change.pane, to, turn);
        told.push(next);
    }

    fn note_end(&mut self, pane: &str, to: State, turn: u64) {
        if to.is_turn_over() {
            self.ends.insert(pane.to_owned(), TurnEnd { turn, to });
        } else if to == State::Exited {
            self.ends.remove(pane);
        }
    }
}

/// Whether only the agent itself can have said so.
fn is_judged(state: State) -> bool {
    matches!(state, State::Completed | State::Failed)
}

/// Whether the change is the end of a turn of which more may become known.
fn waits(change: &Change) -> bool {
    let ends = matches!(change.from, State::Working | State::Waiting);
    let by_screen = change.state_source == StateSource::PtyScrape;
    ends && (change.to == State::Idle || change.to == State::Stopped && by_screen)
}

/// Whether `next` says of the same turn's end what `held` says.
fn is_same_end(held: &Change, next: &Change) -> bool {
    next.to.is_turn_over() && next.turn == held.turn && next.agent == held.agent
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detection::AgentId;

    /// `from>to turn source`.
    fn change(line: &str) -> Change {
        let mut words = line.split_whitespace();
        let mut word = || words.next().unwrap_or_default();
        let (from, to) = word().split_once('>').unwrap_or_default();
        let turn = word().parse().unwrap_or_default();
        let log = word() == "log";
        Change {
            pane: "%1".to_owned(),
            agent: AgentId::new("claude"),
            from: from.parse().unwrap_or_default(),
            to: to.parse().unwrap_or_default(),
            state_source: if log { StateSource::JsonlWatcher } else { StateSource::PtyScrape },
            reason: None,
            turn,
            evidence: Vec::new(),
        }
    }

    fn said(told: &[Told]) -> String {
        let lines = told.iter().map(|t| {
            let refines = if t.refines { " refines" } else { "" };
            format!("{}>{} {}{refines}", t.change.from, t.change.to, t.since)
        });
        lines.collect::<Vec<_>>().join(", ")
    }

    /// Second, the change that comes then (none: time goes on), and what is told.
    type Frame = (f64, &'static str, &'static str);

    fn film(frames: &[Frame]) -> Announcer {
        let mut announcer = Announcer::default();
        for (second, line, expected) in frames {
            let mut told = announcer.due(*second);
            if !line.is_empty() {
                told.extend(announcer.take(change(line), *second, *second));
            }
            assert_eq!(said(&told), *expected, "{second}: {line}");
        }
        announcer
    }

    #[test]
    fn what_calls_for_a_person_is_told_at_once() {
        film(&[
            (0.0, "idle>working 1", "idle>working 0"),
            (1.0, "working>waiting 1", "working>waiting 1"),
            (2.0, "waiting>working 1", "waiting>working 2"),
            (3.0, "working>exited 1", "working>exited 3"),
        ]);
    }

    #[test]
    fn an_end_that_only_the_screen_shows_is_told_when_it_lasted() {
        film(&[(0.0, "working>stopped 1", ""), (1.9, "", ""), (2.0, "", "working>stopped 0")]);
        let waits = film(&[(0.0, "working>idle 1", "")]);
        assert_eq!(waits.deadline(), Some(CONFIRM));
        let told = film(&[(0.0, "working>idle 1", ""), (2.5, "", "working>idle 0"), (9.0, "", "")]);
        assert_eq!(told.deadline(), None);
    }

    #[test]
    fn the_agents_own_word_is_the_event() {
        film(&[
            (0.0, "working>stopped 1", ""),
            (0.4, "stopped>completed 1 log", "working>completed 0"),
            (9.0, "", ""),
        ]);
        film(&[(0.0, "working>failed 1 log", "working>failed 0"), (9.0, "", "")]);
        film(&[
            (0.0, "working>idle 1", ""),
            (0.4, "idle>stopped 1", ""),
            (1.0, "", ""),
            (2.0, "", "working>stopped 0"),
        ]);
    }

    #[test]
    fn one_turns_end_is_told_once_however_late_the_word_comes() {
        film(&[
            (0.0, "working>stopped 1", ""),
            (2.0, "", "working>stopped 0"),
            (5.0, "stopped>completed 1 log", "stopped>completed 5 refines"),
            (5.5, "idle>failed 1 log", ""),
            (6.0, "completed>working 2", "completed>working 6"),
            (7.0, "working>completed 2 log", "working>completed 7"),
            (8.0, "idle>completed 2 log", ""),
        ]);
        film(&[
            (0.0, "working>idle 1", ""),
            (2.0, "", "working>idle 0"),
            (3.0, "idle>stopped 1", ""),
            (9.0, "stopped>failed 1 log", "idle>failed 9 refines"),
        ]);
    }

    #[test]
    fn a_word_on_what_a_person_has_seen_refines_and_is_no_end_by_itself() {
        let mut announcer = Announcer::default();
        let word = || change("idle>completed 1 log");
        assert_eq!(announcer.judge(word(), 0.0, 0.0), []);
        announcer.take(change("working>stopped 1"), 1.0, 1.0);
        assert_eq!(said(&announcer.judge(word(), 2.0, 2.0)), "working>completed 1");
        assert_eq!(announcer.judge(word(), 3.0, 3.0), []);
        announcer.take(change("working>stopped 2"), 4.0, 4.0);
        announcer.due(6.0);
        let text = serde_json::to_string(&announcer).unwrap_or_default();
        let mut later: Announcer = serde_json::from_str(&text).unwrap_or_default();
        for announcer in [&mut announcer, &mut later] {
            let late = change("idle>completed 2 log");
            assert_eq!(said(&announcer.judge(late, 8.0, 8.0)), "stopped>completed 8 refines");
        }
    }

    #[test]
    fn a_turn_that_follows_at_once_makes_the_end_before_it_known() {
        film(&[
            (0.0, "working>stopped 1", ""),
            (0.5, "stopped>working 2", "working>stopped 0, stopped>working 0.5"),
        ]);
    }

    #[test]
    fn a_missing_sign_of_work_is_no_end() {
        film(&[(0.0, "working>idle 1", ""), (1.0, "idle>working 2", ""), (9.0, "", "")]);
        film(&[(0.0, "working>idle 1", ""), (1.0, "idle>waiting 1", "working>waiting 1")]);
    }

    #[test]
    fn a_restart_neither_repeats_nor_loses() -> Result<(), serde_json::Error> {
        let before = film(&[
            (0.0, "working>completed 1 log", "working>completed 0"),
            (1.0, "completed>working 2", "completed>working 1"),
            (2.0, "working>stopped 2", ""),
        ]);
        let text = serde_json::to_string(&before)?;
        let mut after: Announcer = serde_json::from_str(&text)?;
        assert_eq!(before, after);
        assert_eq!(
            said(&after.take(change("stopped>completed 2 log"), 3.0, 3.0)),
            "working>completed 2"
        );
        let mut told_since: Announcer = serde_json::from_str(&text)?;
        told_since.note("%1", State::Stopped, 2);
        assert_eq!(said(&told_since.due(9.0)), "");
        Ok(())
    }
}
