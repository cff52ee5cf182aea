//! What is told, and when.

use super::Notice;
use crate::output::ListedPane;
use madohub_detect::State;
use std::collections::BTreeMap;

/// The settings of notifications that decide when there is one.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// The states that are told when a pane enters them.
    pub states: Vec<State>,
    /// Also of the pane in front of the person.
    pub in_front: bool,
    /// Seconds that are waited for more, which are told together.
    pub group: f64,
    /// Seconds between two notifications at least.
    pub every: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            states: vec![State::Waiting, State::Failed, State::Stopped, State::Completed],
            in_front: false,
            group: 1.0,
            every: 5.0,
        }
    }
}

/// Collects what happens and says when to tell of it.
#[derive(Debug)]
pub struct Policy {
    settings: Settings,
    /// Panes to tell of, with the state that they entered.
    pending: BTreeMap<String, State>,
    /// When the first of them came.
    since: f64,
    /// When something was told last.
    told: Option<f64>,
}

impl Policy {
    /// Nothing happened yet.
    pub fn new(settings: Settings) -> Self {
        Self { settings, pending: BTreeMap::new(), since: 0.0, told: None }
    }

    /// A pane entered a state. `in_front`: somebody looks at it.
    pub fn take(&mut self, pane: &str, state: State, in_front: bool, now: f64) {
        // Whatever was to be told of this pane is past.
        self.pending.remove(pane);
        let wanted = self.settings.states.contains(&state);
        if !wanted || (in_front && !self.settings.in_front) {
            return;
        }
        if self.pending.is_empty() {
            self.since = now;
        }
        self.pending.insert(pane.to_owned(), state);
    }

    /// The agent said late how a turn ended that was told as `told`: news for whoever does not hear
    /// of that one.
    pub fn refine(&mut self, pane: &str, told: State, state: State, in_front: bool, now: f64) {
        if !self.settings.states.contains(&told) || self.pending.contains_key(pane) {
            self.take(pane, state, in_front, now);
        }
    }

    /// Somebody looks at the pane now: no need to tell.
    pub fn seen(&mut self, pane: &str) {
        if !self.settings.in_front {
            self.pending.remove(pane);
        }
    }

    /// The panes to be told of.
    pub fn pending(&self) -> impl Iterator<Item = &str> {
        self.pending.keys().map(String::as_str)
    }

    /// What to tell now, if it is time to. `quiet` keeps it from being told at all; what is no
    /// longer so is not told either.
    pub fn due(&mut self, rows: &[ListedPane], quiet: bool, now: f64) -> Option<Notice> {
        // A clock that was set back holds nothing up.
        let waited = now - self.since >= self.settings.group || now < self.since;
        let spaced = self.told.is_none_or(|told| now - told >= self.settings.every || now < told);
        if self.pending.is_empty() || !waited || !(spaced || quiet) {
            return None;
        }
        let pending = std::mem::take(&mut self.pending);
        if quiet {
            return None;
        }
        let panes: Vec<_> = rows
            .iter()
            .filter(|listed| pending.get(&listed.row.pane) == Some(&listed.row.state))
            .map(|listed| (listed.row.state, listed.row.clone(), listed.pane_index))
            .collect();
        let notice = Notice::of(&panes);
        if notice.is_some() {
            self.told = Some(now);
        }
        notice
    }
}

#[cfg(test)]
mod tests {
    use super::super::notice::tests::row;
    use super::*;

    fn rows(panes: &[(&str, State)]) -> Vec<ListedPane> {
        let listed = |(pane, state): &(&str, State)| ListedPane {
            pane_index: 0,
            host: None,
            row: row(pane, *state, None),
        };
        panes.iter().map(listed).collect()
    }

    fn title(notice: Option<Notice>) -> Option<String> {
        notice.map(|notice| notice.title)
    }

    #[test]
    fn a_late_word_is_told_where_the_end_was_not() {
        let ended = [State::Stopped, State::Completed];
        for (states, told) in [
            // The end was told already; one that still waits is told as what it is.
            (&ended[..], true),
            (&[State::Completed][..], true),
            (&[State::Stopped][..], false),
        ] {
            let settings = Settings { states: states.to_vec(), ..Settings::default() };
            let mut policy = Policy::new(settings);
            policy.take("%1", State::Stopped, false, 10.0);
            policy.refine("%1", State::Stopped, State::Completed, false, 10.5);
            let is_now = rows(&[("%1", State::Completed)]);
            let notice = title(policy.due(&is_now, false, 12.0));
            assert_eq!(notice.is_some(), told, "{states:?}: {notice:?}");
            policy.refine("%1", State::Stopped, State::Completed, true, 30.0);
            assert_eq!(policy.due(&is_now, false, 60.0), None, "in front: {states:?}");
        }
    }

    #[test]
    fn what_happens_together_is_told_together() {
        let mut policy = Policy::new(Settings::default());
        let rows = rows(&[("%1", State::Waiting), ("%2", State::Completed)]);
        policy.take("%1", State::Waiting, false, 100.0);
        assert_eq!(policy.due(&rows, false, 100.5), None, "more may come");
        policy.take("%2", State::Completed, false, 100.6);
        let told = title(policy.due(&rows, false, 101.0));
        assert_eq!(told.as_deref(), Some("agents: 1 waiting, 1 completed"));
        assert_eq!(policy.due(&rows, false, 120.0), None, "once");
    }

    #[test]
    fn the_next_one_waits_its_time() {
        let mut policy = Policy::new(Settings::default());
        let rows = rows(&[("%1", State::Waiting), ("%2", State::Failed)]);
        policy.take("%1", State::Waiting, false, 100.0);
        assert!(policy.due(&rows, false, 101.0).is_some());
        policy.take("%2", State::Failed, false, 102.0);
        assert_eq!(policy.due(&rows, false, 105.9), None);
        assert!(policy.due(&rows, false, 106.0).is_some());
        // A thousand changes are no thousand notifications.
        let mut told = 0;
        for step in 0..1000 {
            let now = 200.0 + f64::from(step) * 0.01;
            policy.take("%1", State::Waiting, false, now);
            told += usize::from(policy.due(&rows, false, now).is_some());
        }
        assert!(told <= 3, "{told}");
    }

    #[test]
    fn what_nobody_needs_to_hear_is_not_told() {
        for (state, in_front) in [
            (State::Working, false),
            (State::Idle, false),
            (State::Exited, false),
            (State::Waiting, true),
        ] {
            let mut policy = Policy::new(Settings::default());
            policy.take("%1", state, in_front, 0.0);
            assert_eq!(policy.due(&rows(&[("%1", state)]), false, 60.0), None, "{state}");
        }
        let mut policy = Policy::new(Settings::default());
        let waits = rows(&[("%1", State::Waiting)]);
        policy.take("%1", State::Waiting, false, 0.0);
        policy.seen("%1");
        assert_eq!(policy.due(&waits, false, 60.0), None, "the person went there");
        policy.take("%1", State::Waiting, false, 70.0);
        policy.take("%1", State::Working, false, 70.5);
        assert_eq!(policy.due(&waits, false, 80.0), None, "answered");
        policy.take("%1", State::Waiting, false, 90.0);
        assert_eq!(policy.due(&rows(&[("%1", State::Working)]), false, 95.0), None, "no longer so");
        policy.take("%1", State::Waiting, false, 100.0);
        assert_eq!(policy.due(&waits, true, 101.0), None, "quiet hours");
        assert_eq!(policy.due(&waits, false, 110.0), None, "and not afterwards");
    }

    #[test]
    fn settings_widen_it() {
        let settings =
            Settings { states: vec![State::Exited], in_front: true, ..Settings::default() };
        let mut policy = Policy::new(settings);
        policy.take("%1", State::Exited, true, 0.0);
        policy.seen("%1");
        assert!(policy.due(&rows(&[("%1", State::Exited)]), false, 1.0).is_some());
    }

    #[test]
    fn a_clock_that_was_set_back_holds_nothing_up() {
        let mut policy = Policy::new(Settings::default());
        let waits = rows(&[("%1", State::Waiting)]);
        policy.take("%1", State::Waiting, false, 1000.0);
        assert!(policy.due(&waits, false, 500.0).is_some());
        policy.take("%1", State::Waiting, false, 501.0);
        assert!(policy.due(&waits, false, 506.0).is_some());
    }
}
