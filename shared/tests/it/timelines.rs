//! Continuous recordings, five moments a second: right over time, without flicker, soon.

use crate::cases::{files, lines};
use crate::over_time::tracked_states;
use crate::report::{Tally, show};
use madohub_detect::{Observation, RuleSet, State};
use serde::Deserialize;

/// Least share of right moments in per cent.
const FLOOR: f64 = 97.0;

/// One moment of a continuous recording.
#[derive(Debug, Deserialize)]
struct Moment {
    observation: Observation,
    /// A state's name, `shell`, or another word where nothing can be asked.
    true_state: String,
    /// The truth changes here: both answers are right.
    transition: bool,
}

#[test]
fn tracked_states_are_right_and_do_not_flicker() {
    let rules = RuleSet::builtin().unwrap();
    let (mut all, mut delays, mut misses, mut flips) =
        (Tally::default(), Vec::new(), Vec::new(), Vec::new());
    for path in files("timelines", ".jsonl.gz") {
        let moments: Vec<Moment> = lines(&path);
        let states = tracked_states(&rules, moments.iter().map(|m| m.observation.clone()));
        for (moment, state) in moments.iter().zip(&states) {
            if let (false, Some(right)) = (moment.transition, right_states(&moment.true_state)) {
                all.count(right.contains(state));
                if !right.contains(state) {
                    let id = &moment.observation.id;
                    misses.push(format!("miss {id}: truth {}, got {state}", moment.true_state));
                }
            }
        }
        flips.extend(unfounded_flips(&moments, &states));
        delays.extend(delays_to_right(&moments, &states));
    }
    println!("{}\n{}", misses.join("\n"), flips.join("\n"));
    delays.sort_by(f64::total_cmp);
    assert!(!delays.is_empty() && all.all > 0, "no moment that can be judged");
    show(&format!(
        "\ntimelines: {}/{} moments right ({:.2} %), {} flips, right after {:.2} s (median), {:.2} s (worst)\n",
        all.right,
        all.all,
        all.percent(),
        flips.len(),
        delays[delays.len() / 2],
        delays[delays.len() - 1],
    ));
    assert!(all.percent() >= FLOOR, "under the floor: {:.2} % < {FLOOR} %", all.percent());
    assert_eq!(flips, Vec::<String>::new(), "flips that the truth did not make");
}

/// The states that are right for a truth: a turn that is over looks alike on a screen however
/// it ended. `None` where the recording does not know.
fn right_states(truth: &str) -> Option<&'static [State]> {
    use State::{Completed, Exited, Failed, Idle, Stopped, Unknown, Waiting, Working};
    Some(match truth {
        "working" => &[Working],
        "waiting" => &[Waiting],
        "idle" | "completed" | "stopped" => &[Stopped, Idle, Completed],
        "failed" => &[Failed, Stopped],
        "exited" | "shell" => &[Exited, Idle, Unknown],
        _ => return None,
    })
}

/// What a border would show: every state without a running turn or an open question is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Look {
    Working,
    Waiting,
    Rest,
}

impl From<State> for Look {
    fn from(state: State) -> Self {
        match state {
            State::Working => Self::Working,
            State::Waiting => Self::Waiting,
            _ => Self::Rest,
        }
    }
}

/// Changes of the tracked look that the truth did not make.
fn unfounded_flips(moments: &[Moment], states: &[State]) -> Vec<String> {
    let mut flips = Vec::new();
    let mut last = None;
    for (moment, &state) in moments.iter().zip(states) {
        let look = Look::from(state);
        let truth = match right_states(&moment.true_state) {
            Some(right) => Some(Look::from(right[0])),
            None => last,
        };
        if last.is_some_and(|last| last != look) && truth != Some(look) && !moment.transition {
            flips.push(format!("flip {}: {last:?} to {look:?}", moment.observation.id));
        }
        last = Some(look);
    }
    flips
}

/// Seconds from each change of the truth to the first right answer.
fn delays_to_right(moments: &[Moment], states: &[State]) -> Vec<f64> {
    let mut delays = Vec::new();
    let (mut truth, mut since) = (None, None);
    for (moment, state) in moments.iter().zip(states) {
        let now = moment.observation.now.unwrap();
        let right = right_states(&moment.true_state);
        if truth != Some(&moment.true_state) {
            since = (truth.is_some() && right.is_some()).then_some(now);
            truth = Some(&moment.true_state);
        }
        if right.is_none_or(|right| right.contains(state)) {
            delays.extend(since.take().map(|since| now - since));
        }
    }
    delays
}
