//! The same path as [`crate::detect`], with every rule tried.

use crate::detect::run;
use crate::detection::Detection;
use crate::observation::{LogDetail, Observation};
use crate::rules::{Region, RuleSet};
use crate::scan::{Attempt, Sight, Tried};
use serde::Serialize;

/// Everything that led to a detection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Explanation {
    /// The verdict, equal to what [`crate::detect`] answers.
    pub detection: Detection,
    /// The session log that was looked at, or why none was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log: Option<ExplainedLog>,
    /// Where the agent's live region was found; empty when the pane holds no agent.
    pub regions: Vec<RegionRows>,
    /// Every rule tried, in the order of trying.
    pub tried: Vec<Attempt>,
}

/// A session log without what stands in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExplainedLog {
    /// Its path; empty where none could be tied to the pane.
    pub path: String,
    /// By what it is known to be this pane's, or why none is.
    pub tie: Option<String>,
    /// The logs between which none could be chosen.
    pub between: Vec<String>,
    /// Records that were looked at.
    pub records: usize,
    /// Records that could not be read.
    pub skipped: u64,
    /// What the log tells beside the state.
    pub detail: LogDetail,
}

/// A region that was found on the screen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RegionRows {
    /// Name of the region as rule files write it.
    pub region: &'static str,
    /// First and last row, zero-based.
    pub rows: (usize, usize),
    /// The rows' text. Hosts show it only when asked to.
    pub text: String,
}

/// Explains the verdict on one observation.
pub fn explain(rules: &RuleSet, seen: &Observation) -> Explanation {
    let sight = Sight::of(seen);
    let mut tried = Tried::collecting();
    let (detection, scan) = run(rules, seen, &sight, &mut tried);
    let regions = scan.map_or_else(Vec::new, |scan| {
        let found = Region::ALL.into_iter().filter_map(|(region, name)| {
            let rows = scan.regions().rows(region).filter(|rows| !rows.is_empty())?;
            let text = sight.screen.region(rows);
            let place = sight.screen.rows_of(rows, &(0..text.len()));
            Some(RegionRows { region: name, rows: place, text: text.to_owned() })
        });
        found.collect()
    });
    let log = seen.log.as_ref().map(|log| ExplainedLog {
        path: log.path.clone(),
        tie: log.tie.clone(),
        between: log.between.clone(),
        records: log.records.len(),
        skipped: log.skipped,
        detail: log.detail.clone(),
    });
    Explanation { detection, log, regions, tried: tried.into_attempts() }
}
