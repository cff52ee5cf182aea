//! Lines of any length, one at a time.

use super::LARGEST;
use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, Read};

/// Room of the buffer that is kept from line to line; a longer line gives its memory back.
const KEPT: usize = 1024 * 1024;

/// Reads lines from a source that may be endless.
#[derive(Debug)]
pub struct Lines<R> {
    source: BufReader<R>,
    line: Vec<u8>,
    number: usize,
    longest: usize,
}

/// One line without its end.
#[derive(Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// Its text; [`Cow::Owned`] when bytes that are no UTF-8 were replaced.
    Text(Cow<'a, str>),
    /// It was longer than [`LARGEST`] and was passed over.
    TooLong,
}

impl<R: Read> Lines<R> {
    /// Lines of `source`, at most [`LARGEST`] bytes each.
    pub fn new(source: R) -> Self {
        Self::with_longest(source, LARGEST)
    }

    fn with_longest(source: R, longest: usize) -> Self {
        let source = BufReader::with_capacity(64 * 1024, source);
        Self { source, line: Vec::new(), number: 0, longest }
    }

    /// Number of the line that was read last, counted from 1.
    pub fn number(&self) -> usize {
        self.number
    }

    /// Whether the next line is there already, so that reading it does not wait for anybody.
    pub fn is_ready(&self) -> bool {
        self.source.buffer().contains(&b'\n')
    }

    /// The next line, or none at the end. A last line without an end is a line.
    pub fn next_line(&mut self) -> io::Result<Option<Line<'_>>> {
        self.line.clear();
        self.line.shrink_to(KEPT);
        let limit = self.longest as u64 + 1;
        if self.source.by_ref().take(limit).read_until(b'\n', &mut self.line)? == 0 {
            return Ok(None);
        }
        self.number += 1;
        if self.line.last() == Some(&b'\n') {
            self.line.pop();
        } else if self.line.len() > self.longest {
            self.source.skip_until(b'\n')?;
            return Ok(Some(Line::TooLong));
        }
        let bytes = if self.number == 1 {
            self.line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&self.line)
        } else {
            &self.line
        };
        Ok(Some(Line::Text(String::from_utf8_lossy(bytes))))
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a failing test may panic")]
mod tests {
    use super::*;

    fn read(bytes: &[u8], longest: usize) -> Vec<String> {
        let mut lines = Lines::with_longest(bytes, longest);
        let mut all = Vec::new();
        while let Some(line) = lines.next_line().unwrap() {
            all.push(match line {
                Line::Text(text) => text.into_owned(),
                Line::TooLong => "too long".to_owned(),
            });
        }
        all
    }

    #[test]
    fn a_last_line_needs_no_end() {
        assert_eq!(read(b"a\n\nb", 9), ["a", "", "b"]);
        assert_eq!(read(b"a\n", 9), ["a"]);
        assert_eq!(read(b"", 9), [] as [String; 0]);
    }

    #[test]
    fn a_line_that_is_too_long_is_passed_over_and_the_next_one_is_whole() {
        assert_eq!(read(b"12345\n1234\n123456789\nx", 4), ["too long", "1234", "too long", "x"]);
        assert_eq!(read(b"12345", 4), ["too long"]);
    }

    #[test]
    fn bytes_that_are_no_utf8_are_replaced_and_told_apart() {
        let mut lines = Lines::new(&b"\xef\xbb\xbfok\n\xff\n"[..]);
        assert!(
            matches!(lines.next_line().unwrap(), Some(Line::Text(Cow::Borrowed(t))) if t == "ok")
        );
        assert!(lines.is_ready());
        assert!(matches!(lines.next_line().unwrap(), Some(Line::Text(Cow::Owned(t))) if t == "�"));
        assert!(!lines.is_ready());
        assert_eq!(lines.number(), 2);
    }
}
