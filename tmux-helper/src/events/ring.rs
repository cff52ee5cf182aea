//! The last events, for readers that come late or read slowly.

use super::entry::{Entry, Gap};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

/// Events that are kept.
pub(super) const KEPT: usize = 1000;
/// Events of one pane that are kept for its history, also when others pushed them out.
pub(super) const HISTORY: usize = 20;

/// The last events of a server, and the last ones of each of its panes.
#[derive(Debug, Default)]
pub struct Ring {
    entries: VecDeque<Arc<Entry>>,
    histories: HashMap<String, VecDeque<Arc<Entry>>>,
    /// Number of the last event that was ever told.
    last: u64,
}

/// What a reader gets next.
#[derive(Debug, Clone, PartialEq)]
pub struct Batch {
    /// The lines, oldest first.
    pub lines: Vec<Arc<str>>,
    /// Where to go on.
    pub cursor: u64,
}

impl Ring {
    /// No event is kept; the last one that was told has this number.
    pub fn starting_after(last: u64) -> Self {
        Self { last, ..Self::default() }
    }

    /// Events up to this number were told, also where they are not kept.
    pub(super) fn raise(&mut self, last: u64) {
        self.last = self.last.max(last);
    }

    /// Number of the last event.
    pub fn last(&self) -> u64 {
        self.last
    }

    /// Takes an event, whose number is higher than those before.
    pub fn push(&mut self, entry: &Arc<Entry>) {
        self.last = entry.event().seq;
        keep(self.histories.entry(entry.event().pane.clone()).or_default(), entry, HISTORY);
        keep(&mut self.entries, entry, KEPT);
    }

    /// What follows the event with the number `cursor`, at most `most` events. A reader that asks
    /// for what is no longer kept gets the gap as its first line, and one whose number was never
    /// told gets all that is there.
    pub fn after(&self, cursor: u64, most: usize) -> Batch {
        let mut lines = Vec::new();
        let first = self.entries.front().map_or(self.last + 1, |entry| entry.event().seq);
        let start = if cursor > self.last || cursor + 1 < first {
            lines.push(Gap { after: cursor, next: first }.line());
            first
        } else {
            cursor + 1
        };
        let skip = self.entries.partition_point(|entry| entry.event().seq < start);
        let mut cursor = start.saturating_sub(1);
        for entry in self.entries.iter().skip(skip).take(most) {
            lines.push(Arc::clone(entry.line()));
            cursor = entry.event().seq;
        }
        Batch { lines, cursor }
    }

    /// The last events of a pane, oldest first.
    pub fn history(&self, pane: &str) -> impl Iterator<Item = &Arc<Entry>> {
        self.histories.get(pane).into_iter().flatten()
    }

    /// Forgets the histories of the panes that are not to be kept.
    pub fn retain_histories(&mut self, is_kept: impl Fn(&str) -> bool) {
        self.histories.retain(|pane, _| is_kept(pane));
    }

    /// Everything that is kept, oldest first, each event once.
    pub(super) fn all(&self) -> Vec<Arc<Entry>> {
        let first = self.entries.front().map_or(u64::MAX, |entry| entry.event().seq);
        let older = self.histories.values().flatten().filter(|e| e.event().seq < first);
        let mut all: Vec<_> = older.chain(&self.entries).map(Arc::clone).collect();
        all.sort_by_key(|entry| entry.event().seq);
        all
    }
}

fn keep(entries: &mut VecDeque<Arc<Entry>>, entry: &Arc<Entry>, most: usize) {
    if entries.len() >= most {
        entries.pop_front();
    }
    entries.push_back(Arc::clone(entry));
}

#[cfg(test)]
pub(super) mod tests {
    #![allow(
        clippy::indexing_slicing,
        clippy::panic,
        clippy::unwrap_used,
        reason = "a failing test may panic"
    )]

    use super::super::entry::Record;
    use super::*;
    use crate::protocol::Event;
    use madohub_detect::{AgentId, State, StateSource};

    pub(in super::super) fn entry(seq: u64, pane: &str) -> Arc<Entry> {
        let event = Event {
            v: 1,
            seq,
            time: 0.0,
            host: "devbox".to_owned(),
            mux: "tmux".to_owned(),
            server: "/s".to_owned(),
            pane: pane.to_owned(),
            agent: AgentId::new("claude"),
            from: State::Working,
            to: State::Stopped,
            state_source: StateSource::PtyScrape,
            reason: None,
            since: 0.0,
            turn: seq.to_string(),
            evidence: Vec::new(),
        };
        Arc::new(Entry::new(Record { server: 7, pid: 70, event }).unwrap())
    }

    fn ring(numbers: impl Iterator<Item = u64>) -> Ring {
        let mut ring = Ring::default();
        numbers.for_each(|seq| ring.push(&entry(seq, "%1")));
        ring
    }

    /// The numbers in a batch; a gap as `after..next`.
    fn read(batch: &Batch) -> Vec<String> {
        let value = |line: &Arc<str>| serde_json::from_str::<serde_json::Value>(line).unwrap();
        let word = |value: serde_json::Value| match value.get("gap") {
            Some(gap) => format!("{}..{}", gap["after"], gap["next"]),
            None => value["seq"].to_string(),
        };
        batch.lines.iter().map(value).map(word).collect()
    }

    #[test]
    fn a_reader_goes_on_where_it_was() {
        let ring = ring(5..=9);
        for (cursor, lines, next) in [
            (9, vec![], 9),
            (8, vec!["9"], 9),
            (6, vec!["7", "8"], 8),
            (4, vec!["5", "6"], 6),
            // What came before is no longer there.
            (3, vec!["3..5", "5", "6"], 6),
            (0, vec!["0..5", "5", "6"], 6),
            // The numbers began anew since.
            (400, vec!["400..5", "5", "6"], 6),
        ] {
            let batch = ring.after(cursor, 2);
            assert_eq!(
                (read(&batch), batch.cursor),
                (lines.iter().map(ToString::to_string).collect(), next)
            );
        }
    }

    #[test]
    fn nothing_was_told_yet() {
        assert_eq!(read(&Ring::default().after(0, 9)), Vec::<String>::new());
        let later = Ring::starting_after(41);
        assert_eq!(read(&later.after(41, 9)), Vec::<String>::new());
        let batch = later.after(40, 9);
        assert_eq!((read(&batch), batch.cursor), (vec!["40..42".to_owned()], 41));
    }

    #[test]
    fn a_ring_is_bounded_and_says_so() {
        let many = u64::try_from(KEPT).unwrap() + 10;
        let ring = ring(1..=many);
        assert_eq!(ring.entries.len(), KEPT);
        assert_eq!(ring.last(), many);
        assert_eq!(read(&ring.after(0, 1)), ["0..11", "11"]);
    }

    #[test]
    fn a_busy_pane_leaves_the_history_of_others() {
        let mut ring = ring(1..=3);
        let many = u64::try_from(KEPT).unwrap() + 10;
        (4..=many).for_each(|seq| ring.push(&entry(seq, "%2")));
        let history = |pane| ring.history(pane).map(|e| e.event().seq).collect::<Vec<_>>();
        assert_eq!(history("%1"), [1, 2, 3]);
        assert_eq!(history("%2").len(), HISTORY);
        let all: Vec<u64> = ring.all().iter().map(|e| e.event().seq).collect();
        assert_eq!(all.len(), KEPT + 3);
        assert!(all.is_sorted_by(|a, b| a < b));
        ring.retain_histories(|pane| pane == "%2");
        assert_eq!(ring.history("%1").count(), 0);
    }
}
