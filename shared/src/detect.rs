//! From one observation to one detection.
use crate::{AgentId, Detection, Observation, RuleSet, State, StateSource};

/// The engine's verdict on one observation. Total: never fails, never panics.
pub fn detect(_rules: &RuleSet, seen: &Observation) -> Detection {
    Detection {
        id: seen.id.clone(),
        agent: AgentId::unknown(),
        agent_name: None,
        agent_version: None,
        state: State::Unknown,
        state_source: StateSource::PtyScrape,
        reason: None,
        background: 0,
        evidence: Vec::new(),
        held: false,
    }
}
