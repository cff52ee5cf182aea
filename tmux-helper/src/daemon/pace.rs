//! When to look at the server again, and how much of it.

use crate::config::Pace as Settings;
use crate::scan::Reach;
use std::time::{Duration, Instant};

/// How often it is checked whether anything happened; costs microseconds.
const TICK: Duration = Duration::from_millis(80);
/// An agent that writes without pause is read this often.
const READ: Duration = Duration::from_millis(100);
/// While nobody looks.
const TICK_AWAY: Duration = Duration::from_millis(500);
/// While nothing happens at all, tmux is asked this much more seldom than in the calm pace.
const STILL: u32 = 5;

/// What to do now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// Nothing, for so long.
    Wait(Duration),
    /// Look at processes and the agents' own records, which costs no run of tmux.
    Peek,
    /// Read the agents' own records alone.
    Read,
    /// Ask tmux.
    Look(Reach),
}

/// What the pace depends on.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Debug, Clone, Copy)]
pub(super) struct Mood {
    /// The screen of an agent changes, or a state is about to.
    pub(super) hot: bool,
    /// The next half of a pulse is due.
    pub(super) pulse: bool,
    /// Whether something was printed since the last look; nothing where that cannot be known.
    pub(super) activity: Option<bool>,
    /// An agent wrote something down.
    pub(super) news: bool,
    /// Agents may write something down of which nothing tells.
    pub(super) deaf: bool,
    /// Nobody looks: no terminal is attached and nobody watches.
    pub(super) away: bool,
}

/// Decides by the time of the last steps. Steps are never made up for: after a stall the next one
/// comes once.
#[derive(Debug)]
pub(super) struct Pace {
    settings: Settings,
    partial: bool,
    all: Option<Instant>,
    look: Option<Instant>,
    peek: Option<Instant>,
    read: Option<Instant>,
}

impl Pace {
    /// With these settings; `partial` says whether tmux can be asked for the moved panes alone.
    pub(super) fn new(settings: Settings, partial: bool) -> Self {
        Self { settings, partial, all: None, look: None, peek: None, read: None }
    }

    /// What to do at `now`.
    pub(super) fn step(&self, mood: Mood, now: Instant) -> Step {
        let due = |then: Option<Instant>, every: Duration| {
            then.is_none_or(|then| now.saturating_duration_since(then) >= every)
        };
        let Settings { hot, calm, away } = self.settings;
        // Without knowledge of activity only a hot server is asked more often than the calm pace.
        let lively = mood.hot || mood.activity == Some(true);
        let all = match (mood.away, lively || mood.activity.is_none()) {
            (false, true) => calm,
            (false, false) => calm * STILL,
            (true, true) => calm.max(away / STILL),
            (true, false) => away.max(calm * STILL),
        };
        // What moves is of interest at once when it is an agent, and a little later when it is
        // anything else: a build that prints for hours must not cost as much.
        let moved = match (mood.away, mood.hot) {
            (true, _) => calm,
            (false, true) => hot,
            (false, false) => hot * 3 / 2,
        };
        let peek = match (mood.hot, mood.activity) {
            (true, _) => hot,
            (false, Some(false)) if !mood.deaf => calm * STILL,
            (false, _) => calm,
        };
        let anything_new = mood.activity.unwrap_or(mood.hot) || mood.pulse;
        if due(self.all, all) {
            Step::Look(Reach::All)
        } else if anything_new && due(self.look, moved) {
            Step::Look(if self.partial { Reach::Moved } else { Reach::All })
        } else if due(self.peek, peek) {
            // Nothing new, but time goes on for what waits to be believed.
            Step::Peek
        } else if mood.news && due(self.read, READ) {
            Step::Read
        } else {
            Step::Wait(if mood.away { TICK_AWAY } else { TICK })
        }
    }

    /// Takes note of a step that was made.
    pub(super) fn made(&mut self, step: Step, now: Instant) {
        match step {
            Step::Wait(_) => return,
            Step::Read => {}
            Step::Peek => self.peek = Some(now),
            Step::Look(reach) => {
                self.look = Some(now);
                self.peek = Some(now);
                if reach == Reach::All {
                    self.all = Some(now);
                }
            }
        }
        self.read = Some(now);
    }

    /// The next step asks tmux for everything.
    pub(super) fn hurry(&mut self) {
        self.all = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUIET: Mood = Mood {
        hot: false,
        pulse: false,
        activity: Some(false),
        news: false,
        deaf: false,
        away: false,
    };

    /// Steps made within ten seconds of waking up every 20 ms.
    fn looks(mood: Mood, partial: bool) -> (usize, usize, usize) {
        let mut pace = Pace::new(Settings::default(), partial);
        let start = Instant::now();
        let (mut all, mut moved, mut peeks) = (0, 0, 0);
        for tick in 0..500 {
            let now = start + Duration::from_millis(20 * tick);
            let step = pace.step(mood, now);
            pace.made(step, now);
            match step {
                Step::Wait(_) | Step::Read => {}
                Step::Peek => peeks += 1,
                Step::Look(Reach::All) => all += 1,
                Step::Look(Reach::Moved) => moved += 1,
            }
        }
        (all, moved, peeks)
    }

    #[test]
    fn a_still_server_is_hardly_asked() {
        assert_eq!(looks(QUIET, true), (2, 0, 0));
    }

    #[test]
    fn where_nothing_tells_what_agents_write_it_is_looked_for() {
        let (all, moved, peeks) = looks(Mood { deaf: true, ..QUIET }, true);
        assert_eq!((all, moved, peeks), (2, 0, 8));
    }

    #[test]
    fn a_hot_server_is_asked_four_times_a_second() {
        let (all, moved, _) = looks(Mood { hot: true, activity: Some(true), ..QUIET }, true);
        assert_eq!((all, all + moved), (10, 40));
    }

    #[test]
    fn what_is_no_agent_is_asked_less_often() {
        let (all, moved, _) = looks(Mood { activity: Some(true), ..QUIET }, true);
        assert!((25..=40).contains(&(all + moved)), "{all} + {moved}");
    }

    #[test]
    fn a_state_that_waits_to_be_believed_costs_no_run_of_tmux() {
        let (all, moved, peeks) = looks(Mood { hot: true, ..QUIET }, true);
        assert_eq!((all, moved), (10, 0));
        assert!(peeks >= 30, "{peeks}");
    }

    #[test]
    fn a_pulse_goes_on_while_nothing_is_printed() {
        let (all, moved, _) = looks(Mood { pulse: true, ..QUIET }, true);
        assert!(all + moved > 20, "{all} + {moved}");
    }

    #[test]
    fn an_old_tmux_is_always_asked_for_all() {
        let (all, moved, _) = looks(Mood { hot: true, activity: Some(true), ..QUIET }, false);
        assert_eq!((all, moved), (39, 0));
    }

    #[test]
    fn where_activity_cannot_be_known_the_calm_pace_holds() {
        let unknown = Mood { activity: None, ..QUIET };
        assert_eq!(looks(unknown, true), (10, 0, 0));
    }

    #[test]
    fn what_an_agent_writes_is_read_at_once_and_not_too_often() {
        let mut pace = Pace::new(Settings::default(), true);
        let start = Instant::now();
        pace.made(Step::Look(Reach::All), start);
        let news = Mood { news: true, ..QUIET };
        let reads = (1..=20).filter(|tick| {
            let now = start + Duration::from_millis(20 * tick);
            let step = pace.step(news, now);
            pace.made(step, now);
            step == Step::Read
        });
        assert_eq!(reads.count(), 4);
    }

    #[test]
    fn nobody_looks() {
        let (all, moved, _) = looks(Mood { away: true, ..QUIET }, true);
        assert_eq!((all, moved), (2, 0));
        let (all, moved, _) = looks(Mood { away: true, activity: Some(true), ..QUIET }, true);
        assert!(all + moved <= 11, "{all} + {moved}");
    }

    #[test]
    fn a_missed_tick_is_not_made_up_for() {
        let mut pace = Pace::new(Settings::default(), true);
        let start = Instant::now();
        let hot = Mood { hot: true, activity: Some(true), ..QUIET };
        pace.made(pace.step(hot, start), start);
        let late = start + Duration::from_mins(1);
        let step = pace.step(hot, late);
        assert_eq!(step, Step::Look(Reach::All));
        pace.made(step, late);
        assert!(matches!(pace.step(hot, late + Duration::from_millis(1)), Step::Wait(_)));
    }
}
