//! Moments in a row through the tracker, as a host feeds it.

use madohub_detect::{Observation, Previous, RuleSet, Settings, State, Tracker, detect};

/// The tracked state after each moment of one pane. Nobody looks at the pane.
pub(crate) fn tracked_states(
    rules: &RuleSet,
    film: impl IntoIterator<Item = Observation>,
) -> Vec<State> {
    let mut tracker = Tracker::new(Settings::default());
    let mut states = Vec::new();
    for mut seen in film {
        if seen.previous.is_none() {
            seen.previous = tracker.get("pane").map(|before| Previous {
                agent: Some(before.detection.agent.as_str().to_owned()),
                state: Some(before.detection.state),
            });
        }
        let now = seen.now.expect("moments carry their time");
        let step = tracker.step("pane", detect(rules, &seen), false, now);
        states.push(step.tracked.detection.state);
    }
    states
}

/// A state that came and went again within `within` seconds: A, B, A.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Flap {
    pub(crate) from: State,
    pub(crate) to: State,
    /// When the state went back.
    pub(crate) at: f64,
}

/// Every flap in a row of states, each with its time.
pub(crate) fn flaps(states: &[(f64, State)], within: f64) -> Vec<Flap> {
    let mut entered: Vec<(f64, State)> = Vec::new();
    for &(at, state) in states {
        if entered.last().is_none_or(|&(_, last)| last != state) {
            entered.push((at, state));
        }
    }
    let returns = entered.windows(3).filter(|w| w[0].1 == w[2].1 && w[2].0 - w[1].0 < within);
    returns.map(|w| Flap { from: w[0].1, to: w[1].1, at: w[2].0 }).collect()
}

#[test]
fn a_flap_is_a_quick_return() {
    use State::{Idle, Waiting, Working};
    let flap = Flap { from: Working, to: Idle, at: 2.0 };
    assert_eq!(flaps(&[(0.0, Working), (1.0, Idle), (2.0, Working)], 2.0), [flap]);
    assert_eq!(flaps(&[(0.0, Working), (1.0, Idle), (3.0, Working)], 2.0), []);
    assert_eq!(flaps(&[(0.0, Working), (1.0, Idle), (1.5, Waiting)], 2.0), []);
}
