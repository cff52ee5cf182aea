//! What an agent's input box holds, read from a screen with its colours.
//!
//! Agents show a hint in an empty box (`Ask Codex to do anything`), and it looks like typed text
//! but for its colour: it is faint or grey. Where the agent shows the terminal's cursor, that
//! tells too: typed text is before it.

use anstyle_parse::{DefaultCharAccumulator, Params, Parser, Perform};
use madohub_detect::delivery::Composer;
use std::ops::Range;
use unicode_width::UnicodeWidthChar as _;

/// Grey levels (of 255) of hints, in dark and light themes alike; text is lighter or darker.
const GREY: std::ops::RangeInclusive<u16> = 80..=190;
/// How far the parts of a grey may be apart.
const GREY_SPREAD: u16 = 8;

/// A screen with as much of its colours as tells a hint from a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StyledScreen {
    rows: Vec<Vec<Cell>>,
}

/// One character; `muted` is that of a hint, or of a cursor that the agent draws itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cell {
    c: char,
    muted: bool,
}

impl StyledScreen {
    /// Reads the rows as `capture-pane -e -p` prints them.
    pub fn parse(captured: &str) -> Self {
        let mut parser = Parser::<DefaultCharAccumulator>::new();
        let mut reader = Reader::default();
        for byte in captured.bytes() {
            parser.advance(&mut reader, byte);
        }
        let mut rows = reader.rows;
        if !reader.row.is_empty() {
            rows.push(reader.row);
        }
        Self { rows }
    }

    /// The rows as text.
    pub fn text(&self) -> Vec<String> {
        let text = |row: &Vec<Cell>| row.iter().map(|cell| cell.c).collect::<String>();
        let mut rows: Vec<String> = self.rows.iter().map(text).collect();
        let last = rows.iter().rposition(|row| !row.trim().is_empty());
        rows.truncate(last.map_or(0, |n| n + 1));
        for row in &mut rows {
            row.truncate(row.trim_end_matches(' ').len());
        }
        rows
    }

    /// What the box in these rows holds. `cursor` is its column and row, where it is shown.
    pub fn composer(&self, boxed: Range<usize>, cursor: Option<(usize, usize)>) -> Composer {
        let cursor = cursor.filter(|(_, row)| boxed.contains(row));
        let first = boxed.start;
        let last = cursor.map_or(boxed.end, |(_, row)| row + 1);
        // Below the cursor there may be more than text: OpenCode shows its model there.
        for number in first..last {
            let Some(row) = self.rows.get(number) else { continue };
            let mark = if number == first { mark_end(row) } else { 0 };
            let mut column = 0;
            for (n, cell) in row.iter().enumerate() {
                let here = column;
                column += cell.c.width().unwrap_or(0);
                if n < mark || cell.c.is_whitespace() || is_frame(cell.c) {
                    continue;
                }
                let before = cursor.is_some_and(|(x, y)| y == number && here < x);
                if before || !cell.muted {
                    return Composer::Holds;
                }
            }
        }
        Composer::Empty
    }
}

/// Where the text of a box's first row begins, behind the mark of its prompt (`❯`, `codex>`).
fn mark_end(row: &[Cell]) -> usize {
    let blank = |cell: &Cell| cell.c.is_whitespace() || is_frame(cell.c);
    let start = row.iter().position(|cell| !blank(cell)).unwrap_or(row.len());
    let word: Vec<char> =
        row.iter().skip(start).map(|cell| cell.c).take_while(|c| !c.is_whitespace()).collect();
    let is_mark = word.last() == Some(&'>') || !word.iter().any(|c| c.is_alphanumeric());
    if is_mark { start + word.len() } else { start }
}

fn is_frame(c: char) -> bool {
    matches!(c, '|' | '\u{2500}'..='\u{259f}')
}

#[derive(Default)]
struct Reader {
    rows: Vec<Vec<Cell>>,
    row: Vec<Cell>,
    faint: bool,
    reverse: bool,
    grey: bool,
}

impl Perform for Reader {
    fn print(&mut self, c: char) {
        let muted = self.faint || self.reverse || self.grey;
        self.row.push(Cell { c, muted });
    }

    fn execute(&mut self, byte: u8) {
        if byte == b'\n' {
            self.rows.push(std::mem::take(&mut self.row));
        }
    }

    fn csi_dispatch(&mut self, params: &Params, _: &[u8], _: bool, action: u8) {
        if action == b'm' {
            // `38:5:8` and `38;5;8` are one thing.
            let numbers: Vec<u16> = params.iter().flatten().copied().collect();
            self.style(&numbers);
        }
    }
}

impl Reader {
    fn style(&mut self, mut numbers: &[u16]) {
        loop {
            numbers = match numbers {
                [] => return,
                [38 | 48 | 58, 5, index, rest @ ..] => {
                    if numbers.first() == Some(&38) {
                        self.grey = is_grey_index(*index);
                    }
                    rest
                }
                [38 | 48 | 58, 2, r, g, b, rest @ ..] => {
                    if numbers.first() == Some(&38) {
                        self.grey = is_grey(*r, *g, *b);
                    }
                    rest
                }
                [number, rest @ ..] => {
                    match number {
                        0 => (self.faint, self.reverse, self.grey) = (false, false, false),
                        2 => self.faint = true,
                        22 => self.faint = false,
                        7 => self.reverse = true,
                        27 => self.reverse = false,
                        90 => self.grey = true,
                        30..=37 | 39 | 91..=97 => self.grey = false,
                        _ => {}
                    }
                    rest
                }
            };
        }
    }
}

fn is_grey_index(index: u16) -> bool {
    match index {
        8 => true,
        232..=255 => {
            let level = 8 + 10 * (index - 232);
            is_grey(level, level, level)
        }
        _ => false,
    }
}

fn is_grey(r: u16, g: u16, b: u16) -> bool {
    let (low, high) = (r.min(g).min(b), r.max(g).max(b));
    high - low <= GREY_SPREAD && GREY.contains(&high)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of the whole screen as the box.
    fn composer(screen: &str, cursor: Option<(usize, usize)>) -> Composer {
        let styled = StyledScreen::parse(screen);
        let rows = styled.rows.len();
        styled.composer(0..rows, cursor)
    }

    #[test]
    fn a_hint_is_no_text() {
        for (what, screen, cursor, expected) in [
            ("Claude, empty", "❯\u{a0}\x1b[7m \x1b[m\n", None, Composer::Empty),
            (
                "Claude, a hint with its own cursor on it",
                "❯\u{a0}\x1b[7mT\x1b[0;2mry \"fix lint errors\"\x1b[m\n",
                None,
                Composer::Empty,
            ),
            ("Claude, typed", "❯\u{a0}fix it\x1b[7m \x1b[m\n", None, Composer::Holds),
            (
                "Claude, typed on two rows",
                "❯\u{a0}\n  second\x1b[7m \x1b[m\n",
                None,
                Composer::Holds,
            ),
            (
                "Codex, a hint",
                "\x1b[1m›\x1b[0m \x1b[2mAsk Codex to do anything\x1b[m\n",
                Some((2, 0)),
                Composer::Empty,
            ),
            ("Codex, typed", "\x1b[1m›\x1b[0m fix the bug\n", Some((13, 0)), Composer::Holds),
            (
                "Codex, typed, the cursor at the start",
                "\x1b[1m›\x1b[0m fix the bug\n",
                Some((2, 0)),
                Composer::Holds,
            ),
            (
                "Gemini, a grey hint",
                " \x1b[38;2;215;175;255m> \x1b[38;2;175;175;175m  Type your message\x1b[m\n",
                None,
                Composer::Empty,
            ),
            ("Gemini, typed", " \x1b[38;2;215;175;255m> \x1b[0mhello\n", None, Composer::Holds),
            (
                "OpenCode, empty above its model",
                "  \x1b[38;5;75m┃\x1b[38;5;15m      \n  ┃  \x1b[38;5;75mBuild\x1b[0m · Model\n",
                Some((5, 0)),
                Composer::Empty,
            ),
            (
                "OpenCode, typed",
                "  \x1b[38;5;75m┃\x1b[38;5;15m  fix  \n  ┃  \x1b[38;5;75mBuild\x1b[0m · Model\n",
                Some((8, 0)),
                Composer::Holds,
            ),
            ("a prompt that is a word", "codex>\n", None, Composer::Empty),
            ("faint text that was typed", "❯ \x1b[2mabc\x1b[m\n", Some((5, 0)), Composer::Holds),
            ("wide text", "❯ 日本\n", Some((6, 0)), Composer::Holds),
        ] {
            assert_eq!(composer(screen, cursor), expected, "{what}");
        }
    }

    #[test]
    fn text_comes_out_as_without_colours() {
        let screen = "\x1b[1ma\x1b[0;38:5:8mb\x1b]8;;http://x\x1b\\c\x1b]8;;\x1b\\\x1b[m  \n\n \n";
        assert_eq!(StyledScreen::parse(screen).text(), ["abc"]);
        assert_eq!(StyledScreen::parse("").text(), Vec::<String>::new());
    }

    #[test]
    fn greys_are_grey() {
        for (r, g, b, grey) in [
            (175, 175, 175, true),
            (135, 135, 135, true),
            (255, 255, 255, false),
            (231, 231, 231, false),
            (60, 60, 67, false),
            (0, 0, 0, false),
            (215, 175, 255, false),
        ] {
            assert_eq!(is_grey(r, g, b), grey, "{r} {g} {b}");
        }
        assert!(is_grey_index(8) && is_grey_index(246) && is_grey_index(244));
        assert!(!is_grey_index(15) && !is_grey_index(231) && !is_grey_index(255));
    }
}
