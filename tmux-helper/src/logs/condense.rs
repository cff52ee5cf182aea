//! One record of JSON Lines in bounded memory: long texts are cut while the bytes stream by.
//!
//! A record may be 64 MB of tool output around a few words that matter. Its bytes are looked at
//! once and never held: structure and the beginning of every text are kept, the rest is not.

use memchr::{memchr, memchr2};

/// Bytes kept of one text. What rules look for stands at the beginning of a text.
pub(super) const TEXT_MAX: usize = 512;
/// Bytes kept of one record; a longer one is given up.
pub(super) const RECORD_MAX: usize = 64 * 1024;

/// A record that is still being read.
#[derive(Debug, Default)]
pub(super) struct Condenser {
    kept: Vec<u8>,
    place: Place,
    /// The record is longer than what is kept of one.
    too_long: bool,
    /// Any byte was read.
    begun: bool,
}

/// Where in the record the next byte stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Place {
    /// Outside of texts.
    #[default]
    Structure,
    /// In a text of which so many bytes are kept.
    Text(usize),
    /// Behind the backslash of an escape that is kept.
    Escape(usize),
    /// In a text whose rest is dropped.
    Dropped,
    /// Behind a backslash in a dropped rest.
    DroppedEscape,
}

/// What became of a record.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Condensed<'a> {
    /// Nothing stood in the line.
    Blank,
    /// The record, its long texts cut.
    Record(&'a str),
    /// It is no text, or longer than any record that matters even without its texts.
    Unusable,
}

impl Condenser {
    /// Takes more of the record, without its line end.
    pub(super) fn feed(&mut self, mut bytes: &[u8]) {
        self.begun |= !bytes.is_empty();
        while !bytes.is_empty() && !self.too_long {
            bytes = match self.place {
                Place::Structure => self.structure(bytes),
                Place::Text(kept) => self.text(bytes, kept),
                Place::Escape(kept) => {
                    let (escape, rest) = bytes.split_at(1);
                    self.keep(escape);
                    self.place = Place::Text(kept + 1);
                    rest
                }
                Place::Dropped => self.dropped(bytes),
                Place::DroppedEscape => {
                    self.place = Place::Dropped;
                    bytes.get(1..).unwrap_or_default()
                }
            };
        }
    }

    /// The record is complete; the next byte begins another one.
    pub(super) fn finish<T>(&mut self, take: impl FnOnce(Condensed<'_>) -> T) -> T {
        let condensed = match std::str::from_utf8(&self.kept) {
            _ if !self.begun => Condensed::Blank,
            _ if self.too_long => Condensed::Unusable,
            Ok(text) if text.trim().is_empty() => Condensed::Blank,
            Ok(text) => Condensed::Record(text),
            Err(_) => Condensed::Unusable,
        };
        let answer = take(condensed);
        self.reset();
        answer
    }

    /// Forgets what was read of the record.
    pub(super) fn reset(&mut self) {
        self.kept.clear();
        self.kept.shrink_to(TEXT_MAX);
        self.place = Place::Structure;
        self.too_long = false;
        self.begun = false;
    }

    fn structure<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let Some(quote) = memchr(b'"', bytes) else {
            self.keep(bytes);
            return &[];
        };
        let (before, rest) = bytes.split_at(quote + 1);
        self.keep(before);
        self.place = Place::Text(0);
        rest
    }

    fn text<'a>(&mut self, bytes: &'a [u8], kept: usize) -> &'a [u8] {
        let room = TEXT_MAX.saturating_sub(kept);
        let window = bytes.get(..room).unwrap_or(bytes);
        match memchr2(b'"', b'\\', window) {
            Some(end) => {
                let (before, rest) = bytes.split_at(end + 1);
                self.keep(before);
                self.place = if before.last() == Some(&b'"') {
                    Place::Structure
                } else {
                    Place::Escape(kept + end + 1)
                };
                rest
            }
            None if window.len() < room => {
                self.keep(window);
                self.place = Place::Text(kept + window.len());
                &[]
            }
            None => {
                let (head, rest) = bytes.split_at(window.len());
                self.keep(head);
                self.cut();
                self.place = Place::Dropped;
                rest
            }
        }
    }

    fn dropped<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let Some(end) = memchr2(b'"', b'\\', bytes) else { return &[] };
        let (before, rest) = bytes.split_at(end + 1);
        if before.last() == Some(&b'"') {
            self.keep(b"\"");
            self.place = Place::Structure;
        } else {
            self.place = Place::DroppedEscape;
        }
        rest
    }

    /// Takes back what must not be cut in two: a character, an escape of four digits, a pair of
    /// surrogates.
    fn cut(&mut self) {
        // An escape near the end may go on behind it, `\ud83d\ude00` for twelve bytes. One that
        // is complete is taken back too; nobody misses a few bytes.
        let tail = self.kept.len().saturating_sub(12);
        if let Some(escape) = self.kept.get(tail..).and_then(|end| memchr(b'\\', end)) {
            self.cut_escape(tail + escape);
        }
        // The first half of a pair whose second half was just taken back.
        let half = self.kept.len().saturating_sub(6);
        if let Some([b'\\', b'u', b'd' | b'D', b'8' | b'9' | b'a'..=b'b' | b'A'..=b'B', ..]) =
            self.kept.get(half..)
        {
            self.cut_escape(half);
        }
        let mut end = self.kept.len();
        while end > 0 && self.kept.get(end - 1).is_some_and(|b| b & 0b1100_0000 == 0b1000_0000) {
            end -= 1;
        }
        // The lead byte of what was just taken back, or of a character without its rest.
        if end > 0 && self.kept.get(end - 1).is_some_and(|b| b & 0b1100_0000 == 0b1100_0000) {
            end -= 1;
        }
        self.kept.truncate(end);
    }

    /// Ends the kept text before the escape at `start`; before all of a row of backslashes, because
    /// which of them begin an escape shows only from its first one.
    fn cut_escape(&mut self, mut start: usize) {
        while start > 0 && self.kept.get(start - 1) == Some(&b'\\') {
            start -= 1;
        }
        self.kept.truncate(start);
    }

    fn keep(&mut self, bytes: &[u8]) {
        if self.kept.len() + bytes.len() > RECORD_MAX {
            self.too_long = true;
            self.kept.clear();
            return;
        }
        self.kept.extend_from_slice(bytes);
    }
}

#[cfg(test)]
mod tests {
    #![expect(
        clippy::unwrap_used,
        clippy::indexing_slicing,
        clippy::panic,
        reason = "a failing test may panic"
    )]

    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};
    use std::fmt::Write as _;

    fn condense(record: &[u8], step: usize) -> Option<String> {
        let mut condenser = Condenser::default();
        for piece in record.chunks(step.max(1)) {
            condenser.feed(piece);
        }
        condenser.finish(|condensed| match condensed {
            Condensed::Record(text) => Some(text.to_owned()),
            Condensed::Blank | Condensed::Unusable => None,
        })
    }

    #[test]
    fn short_records_stay_as_they_are() {
        for record in [r#"{"a":"b\"c\\","d":[1,"é\u00e9"]}"#, "7", r#""\\""#, "{}"] {
            for step in [1, 2, 1000] {
                assert_eq!(condense(record.as_bytes(), step).as_deref(), Some(record));
            }
        }
    }

    #[test]
    fn nothing_is_no_record() {
        for line in ["", "  ", "\r"] {
            assert_eq!(condense(line.as_bytes(), 3), None, "{line:?}");
        }
    }

    #[test]
    fn what_is_no_text_or_too_long_is_given_up() {
        assert_eq!(condense(b"{\"a\":\"\xff\"}", 4), None);
        let long = format!("[{}1]", "1,".repeat(RECORD_MAX));
        assert_eq!(condense(long.as_bytes(), 4096), None);
    }

    #[test]
    fn a_record_after_a_bad_one_is_whole() {
        let mut condenser = Condenser::default();
        condenser.feed(&vec![b'1'; RECORD_MAX + 1]);
        condenser.finish(|condensed| assert_eq!(condensed, Condensed::Unusable));
        condenser.feed(b"{}");
        condenser.finish(|condensed| assert_eq!(condensed, Condensed::Record("{}")));
    }

    #[test]
    fn a_huge_text_costs_no_memory() {
        let mut condenser = Condenser::default();
        condenser.feed(br#"{"output":""#);
        for _ in 0..8 * 1024 {
            condenser.feed(&[b'x'; 8 * 1024]);
            assert!(condenser.kept.capacity() < 2 * RECORD_MAX);
        }
        condenser.feed(br#"","end":"stop"}"#);
        let record = condenser.finish(|condensed| match condensed {
            Condensed::Record(text) => serde_json::from_str::<Value>(text).unwrap(),
            other => panic!("{other:?}"),
        });
        assert_eq!(record["end"], "stop");
        assert_eq!(record["output"].as_str().unwrap().len(), TEXT_MAX);
    }

    /// Texts that are hard to cut: long characters and escapes around the limit.
    fn text() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            Just("x".repeat(100)),
            Just("\\".to_owned()),
            Just("\"".to_owned()),
            Just("😀".to_owned()),
            Just("\u{1}".to_owned()),
            Just("é".to_owned()),
            ".{0,40}",
        ];
        proptest::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn every_text_is_kept_or_cut_to_its_beginning(text in text(), ascii: bool, step in 1_usize..700) {
            let record = json!({"a": text, "b": [text, 1], "c": true}).to_string();
            let record = if ascii { escape_all(&record) } else { record };
            let condensed = condense(record.as_bytes(), step).unwrap();
            let value: Value = serde_json::from_str(&condensed).unwrap();
            prop_assert_eq!(&value["c"], true);
            prop_assert_eq!(&value["b"][1], 1);
            for kept in [&value["a"], &value["b"][0]] {
                prop_assert!(text.starts_with(kept.as_str().unwrap()));
            }
        }
    }

    /// The same JSON with every character beyond ASCII as escapes, as some agents write it.
    fn escape_all(json: &str) -> String {
        let mut out = String::new();
        for c in json.chars() {
            if c.is_ascii() {
                out.push(c);
            } else {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    write!(out, "\\u{unit:04x}").unwrap();
                }
            }
        }
        out
    }
}
