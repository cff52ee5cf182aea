//! The table: what was said in each situation, and how long after it became true.

use serde_json::{Value, json};
use std::fmt::Write as _;
use std::time::Duration;

/// How one expectation came out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The right answer came, and stayed.
    Right {
        /// How long after it became true.
        delay: Duration,
        /// Other states that were said on the way.
        passing: Vec<String>,
    },
    /// Something else was said.
    Wrong {
        /// What it was.
        said: String,
    },
    /// The agent does not have the situation, or it could not be brought about.
    Untried {
        /// Why.
        why: String,
        /// It was meant to be tried.
        broken: bool,
    },
}

/// One cell of the table.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// Agent and version.
    pub agent: String,
    /// Row.
    pub row: String,
    /// How it came out.
    pub verdict: Verdict,
    /// What happened, for who looks into it.
    pub story: String,
}

/// All cells.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// In the order in which they came.
    pub outcomes: Vec<Outcome>,
}

impl Report {
    /// Cells that are not right.
    pub fn wrong(&self) -> impl Iterator<Item = &Outcome> {
        self.outcomes.iter().filter(|outcome| match &outcome.verdict {
            Verdict::Wrong { .. } => true,
            Verdict::Untried { broken, .. } => *broken,
            Verdict::Right { .. } => false,
        })
    }

    fn delays(&self) -> Vec<Duration> {
        let delay = |outcome: &Outcome| match outcome.verdict {
            Verdict::Right { delay, .. } => Some(delay),
            _ => None,
        };
        let mut delays: Vec<Duration> = self.outcomes.iter().filter_map(delay).collect();
        delays.sort_unstable();
        delays
    }

    /// How many of the tried cells are right, and their delays.
    pub fn summary(&self) -> String {
        let delays = self.delays();
        let wrong = self.wrong().count();
        let at = |percent: usize| {
            let last = delays.len().saturating_sub(1);
            delays.get(last * percent / 100).map_or(0, Duration::as_millis)
        };
        format!(
            "{} of {} right; delay from the truth: median {} ms, p95 {} ms, max {} ms",
            delays.len(),
            delays.len() + wrong,
            at(50),
            at(95),
            at(100)
        )
    }

    /// A table in Markdown: a row for each expectation, a column for each version.
    pub fn table(&self) -> String {
        let mut rows: Vec<&str> = Vec::new();
        let mut agents: Vec<&str> = Vec::new();
        for outcome in &self.outcomes {
            if !rows.contains(&outcome.row.as_str()) {
                rows.push(&outcome.row);
            }
            if !agents.contains(&outcome.agent.as_str()) {
                agents.push(&outcome.agent);
            }
        }
        let mut table = format!("| situation | {} |\n|---|", agents.join(" | "));
        table += &"---|".repeat(agents.len());
        for row in rows {
            let _ = write!(table, "\n| {row} |");
            for agent in &agents {
                let of = |o: &&Outcome| o.row == row && o.agent == *agent;
                let cell =
                    self.outcomes.iter().find(of).map_or(String::new(), |o| cell(&o.verdict));
                let _ = write!(table, " {cell} |");
            }
        }
        table.push('\n');
        for outcome in self.wrong() {
            let Outcome { agent, row, story, .. } = outcome;
            let _ = write!(table, "\n- {agent}, {row}: {}\n  {story}", cell(&outcome.verdict));
        }
        table
    }

    /// The cells as JSON.
    pub fn json(&self) -> Value {
        let cell = |outcome: &Outcome| {
            let Outcome { agent, row, verdict, story } = outcome;
            match verdict {
                Verdict::Right { delay, passing } => json!({
                    "agent": agent, "row": row, "verdict": "right",
                    "delay_ms": u64::try_from(delay.as_millis()).unwrap_or(u64::MAX),
                    "passing": passing,
                }),
                Verdict::Wrong { said } => json!({
                    "agent": agent, "row": row, "verdict": "wrong", "said": said, "story": story,
                }),
                Verdict::Untried { why, broken } => json!({
                    "agent": agent, "row": row, "why": why,
                    "verdict": if *broken { "broken" } else { "absent" },
                }),
            }
        };
        Value::Array(self.outcomes.iter().map(cell).collect())
    }
}

fn cell(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Right { delay, passing } if passing.is_empty() => {
            format!("{} ms", delay.as_millis())
        }
        Verdict::Right { delay, passing } => {
            format!("{} ms, by {}", delay.as_millis(), passing.join(", "))
        }
        Verdict::Wrong { said } => format!("**wrong**: {said}"),
        Verdict::Untried { why, broken: true } => format!("**not brought about**: {why}"),
        Verdict::Untried { .. } => "–".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_a_cell_for_each_outcome() {
        let outcome = |row: &str, verdict| Outcome {
            agent: "claude 1".to_owned(),
            row: row.to_owned(),
            verdict,
            story: "a story".to_owned(),
        };
        let right = |ms, passing| Verdict::Right { delay: Duration::from_millis(ms), passing };
        let report = Report {
            outcomes: vec![
                outcome("start", right(120, vec![])),
                outcome("finish", right(300, vec!["stopped".to_owned()])),
                outcome("limit", Verdict::Wrong { said: "idle".to_owned() }),
                outcome("plan", Verdict::Untried { why: "none".to_owned(), broken: false }),
            ],
        };
        let table = report.table();
        assert!(table.contains("| start | 120 ms |"), "{table}");
        assert!(table.contains("| finish | 300 ms, by stopped |"), "{table}");
        assert!(table.contains("| limit | **wrong**: idle |"), "{table}");
        assert!(table.contains("| plan | – |"), "{table}");
        assert!(table.contains("- claude 1, limit: **wrong**: idle\n  a story"), "{table}");
        assert!(report.summary().starts_with("2 of 3 right"), "{}", report.summary());
    }
}
