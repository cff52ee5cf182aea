//! The same for a pattern that is asked of single rows: see [`super::needs`].
//!
//! A row is short, so that a table of its pairs would cost more than it saves; how it begins rules
//! out most patterns that look for a prompt or a border.

use regex_syntax::hir::{Class, Hir, HirKind, Look};

/// What a row must begin with for a pattern to match it, and a character that it must have.
#[derive(Debug, Clone, Default)]
pub(crate) struct RowNeeds {
    /// Places of characters, one of which must be the row's first that is no blank.
    first: Option<[u64; 4]>,
    /// A rare ASCII character that must be in the row.
    byte: Option<u8>,
}

impl RowNeeds {
    /// The needs of a pattern for single rows.
    pub(crate) fn of(pattern: &str) -> Self {
        let Ok(hir) = regex_syntax::parse(pattern) else { return Self::default() };
        let anchored = hir.properties().look_set_prefix().contains(Look::Start);
        let (first, open) = first_chars(&hir);
        let required = required(&hir);
        let rare = |b: &u8| b.is_ascii_punctuation() && required & (1u128 << b) != 0;
        Self { first: (anchored && !open).then_some(first), byte: (0..128).find(rare) }
    }

    /// Whether a row can have what is needed.
    pub(crate) fn may_be_met(&self, row: &str) -> bool {
        let first = |places: &[u64; 4]| {
            row.trim_start().chars().next().is_some_and(|c| has_place(places, c))
        };
        self.first.as_ref().is_none_or(first)
            && self.byte.is_none_or(|byte| memchr::memchr(byte, row.as_bytes()).is_some())
    }
}

/// ASCII by itself, the rest by its low bits.
fn char_place(c: char) -> (usize, u64) {
    let code = u32::from(c);
    let place = if c.is_ascii() { code } else { 128 + code % 128 };
    ((place / 64) as usize, 1 << (place % 64))
}

fn has_place(places: &[u64; 4], c: char) -> bool {
    let (word, bit) = char_place(c);
    places.get(word).is_some_and(|w| w & bit != 0)
}

fn add_place(places: &mut [u64; 4], c: char) {
    let (word, bit) = char_place(c);
    if let Some(w) = places.get_mut(word) {
        *w |= bit;
    }
}

/// Characters that can be the first one in a match that is no blank, and whether a match may
/// have none.
fn first_chars(hir: &Hir) -> ([u64; 4], bool) {
    let mut places = [0; 4];
    let mut open = true;
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => match std::str::from_utf8(&literal.0) {
            Ok(text) => {
                if let Some(c) = text.trim_start().chars().next() {
                    add_place(&mut places, c);
                    open = false;
                }
            }
            Err(_) => places = [u64::MAX; 4],
        },
        HirKind::Class(Class::Unicode(class)) => {
            open = false;
            for range in class.ranges() {
                // 128 characters in a row have all places that there are.
                for c in (range.start()..=range.end()).take(128 + 128) {
                    if c.is_whitespace() {
                        open = true;
                    } else {
                        add_place(&mut places, c);
                    }
                }
                open |= range.end() as u32 - range.start() as u32 > 255;
            }
        }
        HirKind::Class(Class::Bytes(_)) => places = [u64::MAX; 4],
        HirKind::Repetition(repetition) => {
            (places, open) = first_chars(&repetition.sub);
            open |= repetition.min == 0;
        }
        HirKind::Capture(capture) => return first_chars(&capture.sub),
        HirKind::Concat(parts) => {
            for part in parts {
                let (more, blank) = first_chars(part);
                places.iter_mut().zip(more).for_each(|(place, more)| *place |= more);
                if !blank {
                    return (places, false);
                }
            }
        }
        HirKind::Alternation(parts) => {
            open = false;
            for part in parts {
                let (more, blank) = first_chars(part);
                places.iter_mut().zip(more).for_each(|(place, more)| *place |= more);
                open |= blank;
            }
        }
    }
    (places, open)
}

/// ASCII characters that are in every match.
fn required(hir: &Hir) -> u128 {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) | HirKind::Class(Class::Bytes(_)) => 0,
        HirKind::Literal(literal) => {
            literal.0.iter().filter(|b| b.is_ascii()).fold(0, |set, b| set | 1u128 << b)
        }
        HirKind::Class(Class::Unicode(class)) => match class.ranges() {
            [one] if one.start() == one.end() && one.start().is_ascii() => {
                1 << u32::from(one.start())
            }
            _ => 0,
        },
        HirKind::Repetition(repetition) if repetition.min == 0 => 0,
        HirKind::Repetition(repetition) => required(&repetition.sub),
        HirKind::Capture(capture) => required(&capture.sub),
        HirKind::Concat(parts) => parts.iter().fold(0, |set, part| set | required(part)),
        HirKind::Alternation(parts) => parts.iter().map(required).reduce(|a, b| a & b).unwrap_or(0),
    }
}
