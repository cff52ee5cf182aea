//! The visible screen as clean rows.
//!
//! Every row is kept twice: `raw` with its frame characters, for finding the layout, and `text`
//! without them, for rules. Both are one buffer with rows joined by `\n`, so that a region is a
//! slice and a rule looks at a region with one search.

use std::ops::Range;

/// Rows beyond these are cut: no agent's live region is larger, and hostile input stays cheap.
const MAX_ROWS: usize = 400;
const MAX_ROW_BYTES: usize = 4096;

/// Clean rows of one screen.
#[derive(Debug, Default)]
pub(crate) struct Screen {
    raw: Rows,
    text: Rows,
    /// Rows cut from the top, so that row numbers in evidence are those of the observation.
    skipped: usize,
    /// Width of the pane in cells, where the host knows it or the rows tell.
    cols: Option<usize>,
}

#[derive(Debug, Default)]
struct Rows {
    buffer: String,
    /// End of each row in the buffer, without the `\n` that follows it.
    ends: Vec<usize>,
}

impl Screen {
    /// Cleans the rows of an observation; trailing blank rows are dropped.
    pub(crate) fn new(rows: &[String], cols: Option<u16>) -> Self {
        let used = rows.iter().rposition(|r| !trim_end(r).is_empty()).map_or(0, |last| last + 1);
        let skipped = used.saturating_sub(MAX_ROWS);
        let rows = rows.get(skipped..used).unwrap_or_default();
        let bytes = rows.iter().map(|r| r.len().min(MAX_ROW_BYTES) + 1).sum();
        let mut screen = Self {
            raw: Rows::new(bytes, rows.len()),
            text: Rows::new(bytes, rows.len()),
            skipped,
            cols: cols.map(usize::from),
        };
        for row in rows {
            let start = screen.raw.buffer.len();
            push_clean(&mut screen.raw.buffer, row);
            let clean = screen.raw.buffer.get(start..).unwrap_or_default();
            screen.text.buffer.push_str(strip_frame(clean));
            screen.raw.end_row();
            screen.text.end_row();
        }
        if screen.cols.is_none() {
            screen.cols = screen.edge();
        }
        screen
    }

    /// Where the pane ends, as far as its rows tell: the widest row, if it is not the only one.
    /// Rules across the pane, and rows that a terminal breaks, all end there.
    fn edge(&self) -> Option<usize> {
        let widths = (0..self.len()).map(|row| self.raw(row).chars().count());
        let widest = widths.clone().max()?;
        (widths.filter(|width| *width == widest).count() > 1).then_some(widest)
    }

    /// Number of rows, the last one not blank.
    pub(crate) fn len(&self) -> usize {
        self.raw.ends.len()
    }

    /// A row with its frame, or "" outside the screen.
    pub(crate) fn raw(&self, row: usize) -> &str {
        self.raw.row(row)
    }

    /// A row without its frame, or "" outside the screen.
    pub(crate) fn text(&self, row: usize) -> &str {
        self.text.row(row)
    }

    /// Rows of a range without their frames, joined by `\n`.
    pub(crate) fn region(&self, rows: &Range<usize>) -> &str {
        let Some(last) = rows.end.checked_sub(1).filter(|last| *last >= rows.start) else {
            return "";
        };
        let end = self.text.ends.get(last).copied().unwrap_or(self.text.buffer.len());
        self.text.buffer.get(self.text.start(rows.start)..end).unwrap_or_default()
    }

    /// Whether a row is blank without its frame.
    pub(crate) fn is_blank(&self, row: usize) -> bool {
        self.text(row).is_empty()
    }

    /// Whether a row goes on from a row above that fills the pane: a terminal breaks what it
    /// wraps anywhere, and some programs break between words, without any indentation.
    pub(crate) fn is_wrapped(&self, row: usize) -> bool {
        let (Some(cols), Some(above)) = (self.cols, row.checked_sub(1)) else { return false };
        let (above, row) = (self.raw(above), self.raw(row));
        let first = row.chars().next();
        let text = first.is_some_and(|c| c.is_alphanumeric() || "\"'({[<_-.,".contains(c));
        let drawn = |c: char| ('\u{2500}'..='\u{259F}').contains(&c);
        if !text || above.is_empty() || above.ends_with(drawn) {
            return false;
        }
        let word = row.split(' ').next().unwrap_or_default().chars().count();
        above.chars().count() + 1 + word > cols
    }

    /// Row numbers of the observation for a byte range of [`Screen::region`].
    pub(crate) fn rows_of(&self, region: &Range<usize>, bytes: &Range<usize>) -> (usize, usize) {
        let base = self.text.start(region.start);
        let find = |at: usize| self.text.ends.partition_point(|end| *end < base + at);
        let first = find(bytes.start);
        (first + self.skipped, find(bytes.end.max(bytes.start)).max(first) + self.skipped)
    }

    /// What an observation calls this row.
    pub(crate) fn row_of(&self, row: usize) -> usize {
        row + self.skipped
    }

    /// The row that an observation calls `row`, if it was kept.
    pub(crate) fn index_of(&self, row: i64) -> Option<usize> {
        usize::try_from(row).ok()?.checked_sub(self.skipped)
    }

    /// The first of the last `count` rows that are not blank, counted upwards from `end`.
    pub(crate) fn back(&self, end: usize, count: usize) -> usize {
        let filled = (0..end.min(self.len())).rev().filter(|row| !self.is_blank(*row));
        filled.take(count).last().unwrap_or(end)
    }
}

impl Rows {
    fn new(bytes: usize, rows: usize) -> Self {
        Self { buffer: String::with_capacity(bytes), ends: Vec::with_capacity(rows) }
    }

    fn end_row(&mut self) {
        self.ends.push(self.buffer.len());
        self.buffer.push('\n');
    }

    fn start(&self, row: usize) -> usize {
        row.checked_sub(1).and_then(|above| self.ends.get(above)).map_or(0, |end| end + 1)
    }

    fn row(&self, row: usize) -> &str {
        let end = self.ends.get(row).copied();
        end.and_then(|end| self.buffer.get(self.start(row)..end)).unwrap_or_default()
    }
}

/// A single line of text (a title), cleaned like a row.
pub(crate) fn clean_line(line: &str) -> String {
    let mut clean = String::with_capacity(line.len().min(MAX_ROW_BYTES));
    push_clean(&mut clean, line);
    clean
}

/// A row without the blanks at its end: nearly all of them are plain ones, and many.
fn trim_end(row: &str) -> &str {
    let end = row.bytes().rposition(|byte| byte != b' ').map_or(0, |last| last + 1);
    row.get(..end).unwrap_or_default().trim_end()
}

/// A row without the blanks at its start.
fn trim_start(row: &str) -> &str {
    let start = row.bytes().take_while(|byte| *byte == b' ').count();
    row.get(start..).unwrap_or_default().trim_start()
}

/// Takes from a row what only confuses: no-break and wide blanks become a blank, control
/// characters too; zero-width characters, variation selectors and blanks at the end go.
fn push_clean(buffer: &mut String, row: &str) {
    let row = trim_end(row.get(..row.floor_char_boundary(MAX_ROW_BYTES)).unwrap_or_default());
    if is_plain(row.as_bytes()) {
        buffer.push_str(row);
        return;
    }
    let start = buffer.len();
    buffer.extend(row.chars().filter_map(|c| match c {
        '\u{A0}' | '\u{3000}' => Some(' '),
        '\u{200B}'..='\u{200F}'
        | '\u{2060}'
        | '\u{FEFF}'
        | '\u{FE00}'..='\u{FE0F}'
        | '\u{E0000}'..='\u{E0FFF}' => None,
        c if c.is_control() => Some(' '),
        c => Some(c),
    }));
    let clean = trim_end(buffer.get(start..).unwrap_or_default()).len();
    buffer.truncate(start + clean);
}

/// Whether nothing has to go, by bytes: box drawing and the symbols of spinners begin with other
/// ones. No early exit, and whole blocks only, so that the loop works on many bytes at a time.
fn is_plain(row: &[u8]) -> bool {
    const BLOCK: usize = 32;
    let suspect = |a: u8, b: u8, c: u8| {
        let is = u8::from;
        // Control characters, and what all that goes beyond U+2FFF begins with.
        let first = is(a < b' ') | is(matches!(a, 0x7F | 0xE3 | 0xEF | 0xF3));
        // U+0080 to U+00A0.
        let blank = is(a == 0xC2) & is(b <= 0xA0);
        // U+200B to U+200F, and U+2060.
        let zero_width =
            is(b == 0x80) & is(matches!(c, 0x8B..=0x8F)) | is(b == 0x81) & is(c == 0xA0);
        first | blank | is(a == 0xE2) & zero_width
    };
    let mut rest = row;
    while let Some(block) = rest.first_chunk::<{ BLOCK + 2 }>() {
        if has_triple(block, suspect) {
            return false;
        }
        rest = rest.get(BLOCK..).unwrap_or_default();
    }
    let mut padded = [b' '; BLOCK + 3];
    padded.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
    !has_triple(&padded, suspect)
}

/// Whether `asked` answers more than 0 for three neighbours.
fn has_triple<const N: usize>(bytes: &[u8; N], asked: impl Fn(u8, u8, u8) -> u8) -> bool {
    let behind = |by: usize| bytes.get(by..).unwrap_or_default();
    let triples = bytes.iter().zip(behind(1)).zip(behind(2));
    triples.fold(0, |found, ((a, b), c)| found | asked(*a, *b, *c)) != 0
}

/// Cuts frame characters at both sides of a row (`│ text │`, `┃  text`, a scroll bar at the
/// right); the blanks after a left frame stay, they are the text's indentation.
fn strip_frame(row: &str) -> &str {
    const LEFT: [char; 4] = ['│', '┃', '║', '┊'];
    const RIGHT: [char; 8] = ['│', '┃', '║', '┊', '█', '▐', '▌', '░'];
    let mut inner = row;
    loop {
        let text = trim_start(inner);
        let cut = text.trim_start_matches(LEFT);
        if cut.len() == text.len() {
            break;
        }
        inner = cut;
    }
    loop {
        // Only behind a blank: a block at the end of a word belongs to it.
        let Some(cut) = inner.strip_suffix(RIGHT) else { return inner.trim_end() };
        if !cut.is_empty() && !cut.ends_with(char::is_whitespace) && !cut.ends_with(RIGHT) {
            return inner.trim_end();
        }
        inner = cut.trim_end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn screen(rows: &[&str]) -> Screen {
        Screen::new(&rows.iter().map(|r| (*r).to_owned()).collect::<Vec<_>>(), None)
    }

    #[test]
    fn cleans_blanks_and_zero_width_characters() {
        let s = screen(&["❯\u{A0}hi\u{200B}", "●\u{FE0E} ok\u{2060}", "a\tb\u{1b}[31m", "", "  "]);
        assert_eq!(s.len(), 3);
        assert_eq!(s.text(0), "❯ hi");
        assert_eq!(s.text(1), "● ok");
        assert_eq!(s.text(2), "a b [31m");
    }

    #[test]
    fn frames_are_cut_on_both_sides() {
        let s = screen(&["│ │ touch x   │ │", "  ┃  1. Red", "text    ┃", "full█", "╭──╮"]);
        assert_eq!(s.text(0), " touch x");
        assert_eq!(s.text(1), "  1. Red");
        assert_eq!(s.text(2), "text");
        assert_eq!(s.text(3), "full█");
        assert_eq!(s.text(4), "╭──╮");
        assert_eq!(s.raw(1), "  ┃  1. Red");
    }

    proptest! {
        /// The quick look at bytes misses nothing, wherever in a block it stands.
        #[test]
        fn what_looks_plain_needs_no_cleaning(
            before in "[a─·…•✻ ]{0,40}",
            odd in "[\u{0}-\u{1F}\u{7F}-\u{A0}\u{200B}-\u{200F}\u{2060}\u{3000}\u{FE00}-\u{FE0F}\u{FEFF}\u{E0000}-\u{E0FFF}]?",
            after in "[a─·…•✻]{0,40}",
        ) {
            let row = format!("{before}{odd}{after}");
            prop_assert_eq!(is_plain(row.as_bytes()), odd.is_empty(), "{:?}", row);
        }
    }

    #[test]
    fn regions_are_slices_and_know_their_rows() {
        let s = screen(&["one", "│ two │", "", "four"]);
        assert_eq!(s.region(&(1..4)), " two\n\nfour");
        assert_eq!(s.region(&(2..2)), "");
        assert_eq!(s.rows_of(&(1..4), &(1..4)), (1, 1));
        assert_eq!(s.rows_of(&(1..4), &(1..10)), (1, 3));
        assert_eq!(s.back(4, 2), 1);
    }

    #[test]
    fn wrapped_rows_go_on_from_a_full_row() {
        let rows = ["● a long answer that", "fills the pane", "❯ no", "short", "word"];
        let s = Screen::new(&rows.map(str::to_owned), Some(22));
        assert_eq!([1, 2, 3, 4].map(|row| s.is_wrapped(row)), [true, false, false, false]);
        assert!(!screen(&rows).is_wrapped(1), "without a width nothing is known");
    }

    #[test]
    fn huge_screens_are_cut_from_the_top() {
        let rows: Vec<String> = (0..10_000).map(|n| format!("row {n}")).collect();
        let s = Screen::new(&rows, None);
        assert_eq!(s.len(), MAX_ROWS);
        assert_eq!(s.rows_of(&(MAX_ROWS - 1..MAX_ROWS), &(0..3)), (9_999, 9_999));
        let wide = Screen::new(&["é".repeat(1_000_000)], None);
        assert!(wide.text(0).len() <= MAX_ROW_BYTES);
    }
}
