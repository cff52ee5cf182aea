//! From what was just seen of a pane to what the pane is over time.

use madohub_detect::{Observation, Previous, RuleSet, Step, Tracker, detect};

/// Detects `pane` and takes the verdict into the tracker. The engine is told what the pane was
/// before, unless the observation says so itself; `focused` and `now` as in [`Tracker::step`].
pub fn follow(
    rules: &RuleSet,
    tracker: &mut Tracker,
    pane: &str,
    mut seen: Observation,
    focused: bool,
    now: f64,
) -> Step {
    if seen.previous.is_none() {
        seen.previous = tracker.get(pane).map(|known| Previous {
            agent: Some(known.detection.agent.to_string()),
            state: Some(known.detection.state),
        });
    }
    tracker.step(pane, detect(rules, &seen), focused, now)
}
