//! Counting right answers and laying them out for people.

use crate::suites::Suite;
use std::collections::BTreeMap;
use std::io::Write;

/// Right answers out of all.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Tally {
    pub(crate) right: usize,
    pub(crate) all: usize,
}

impl Tally {
    pub(crate) fn count(&mut self, right: bool) {
        self.right += usize::from(right);
        self.all += 1;
    }

    /// Share of what was counted in per cent; nothing asked is no success.
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    pub(crate) fn percent(self) -> f64 {
        100.0 * self.right as f64 / self.all.max(1) as f64
    }
}

/// Tallies by row and suite, and over all rows.
#[derive(Debug, Default)]
pub(crate) struct Table {
    rows: BTreeMap<String, Row>,
    total: Row,
}

type Row = BTreeMap<Suite, Tally>;

impl Table {
    pub(crate) fn count(&mut self, row: &str, suite: Suite, right: bool) {
        for row in [self.rows.entry(row.to_owned()).or_default(), &mut self.total] {
            row.entry(suite).or_default().count(right);
        }
    }

    /// The tally of one row.
    pub(crate) fn row(&self, row: &str, suite: Suite) -> Tally {
        self.rows.get(row).and_then(|row| row.get(&suite)).copied().unwrap_or_default()
    }

    /// The tally of all rows.
    pub(crate) fn total(&self, suite: Suite) -> Tally {
        self.total.get(&suite).copied().unwrap_or_default()
    }

    /// The table as text: right, all and the share in every cell.
    pub(crate) fn render(&self, title: &str) -> String {
        let line = |name: &str, cell: &dyn Fn(Suite) -> String| {
            let cells: String = Suite::ALL.map(|suite| format!("{:>19}", cell(suite))).concat();
            format!("{name:<20}{cells}\n")
        };
        let mut text = format!("\n{}", line(title, &|suite| suite.to_string()));
        for (name, row) in self.rows.iter().chain([(&"total".to_owned(), &self.total)]) {
            text += &line(name, &|suite| match row.get(&suite) {
                Some(t) => format!("{}/{} {:6.2} %", t.right, t.all, t.percent()),
                None => "-".to_owned(),
            });
        }
        text
    }
}

/// Shows figures also when the test passes: they are its result.
pub(crate) fn show(text: &str) {
    std::io::stderr().write_all(text.as_bytes()).unwrap();
}
