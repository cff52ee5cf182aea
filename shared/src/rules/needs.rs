//! What a text must hold for a pattern to match, so that most patterns are never run.
//!
//! A screen asks dozens of patterns, nearly all of which find nothing; each costs hundreds of
//! nanoseconds even then, most of it for fetching its automaton into the cache. What is derived
//! here from the pattern's syntax answers "surely not" from a table that all patterns of a region
//! share. It may only err on the other side.

use regex_syntax::hir::{Class, Hir, HirKind, Look, Repetition};
use std::rc::Rc;

/// Bytes of a text that are looked at together.
const BLOCK: usize = 8;
/// Pairs of bytes are looked up in a table of this many places, a power of two.
const PLACES: u16 = 8192;
/// Texts of a group, at most: beyond, the group says too little to be worth its room.
const MAX_TEXTS: usize = 32;
/// Characters of a class that are followed one by one.
const MAX_CLASS: usize = 12;
/// Pairs of one text that are looked up.
const MAX_PAIRS: usize = 6;
/// Pairs of one word or sentence that are looked up.
const MAX_WORD_PAIRS: usize = 12;
/// Groups that are looked up.
const MAX_GROUPS: usize = 3;

/// Ends a text in [`Needs`].
const END_TEXT: u16 = u16::MAX;
/// Ends a group of texts in [`Needs`].
const END_GROUP: u16 = u16::MAX - 1;

/// Which bytes stand next to each other in a text, upper case taken as lower case.
#[derive(Debug, Clone)]
pub(crate) struct Pairs(Rc<[u64; PLACES as usize / 64]>);

impl Pairs {
    /// The pairs of a text, as if a line end stood at both of its ends.
    pub(crate) fn of(text: &str) -> Self {
        let mut table = [0; PLACES as usize / 64];
        let (blocks, tail) = text.as_bytes().as_chunks::<BLOCK>();
        // No text holds this byte.
        let mut before = [0xFF; BLOCK];
        let mut last = b'\n';
        for block in blocks {
            // Lines and blanks repeat one character of three bytes or of one.
            let fresh = if repeats(before, *block) { 1 } else { BLOCK };
            for byte in block.iter().take(fresh) {
                add(&mut table, place(last, *byte));
                last = *byte;
            }
            (before, [.., last]) = (*block, *block);
        }
        for byte in tail.iter().chain(b"\n") {
            add(&mut table, place(last, *byte));
            last = *byte;
        }
        Self(Rc::new(table))
    }

    fn has(&self, place: u16) -> bool {
        self.0.get(usize::from(place / 64)).is_some_and(|word| word & 1 << (place % 64) != 0)
    }
}

/// Marks a place of the table.
fn add(table: &mut [u64; PLACES as usize / 64], place: u16) {
    if let Some(word) = table.get_mut(usize::from(place / 64)) {
        *word |= 1 << (place % 64);
    }
}

/// Whether each byte of a block is the one three before it, so that only its first pair can be new.
fn repeats(before: [u8; BLOCK], block: [u8; BLOCK]) -> bool {
    let [before, block] = [before, block].map(u64::from_le_bytes);
    block == (before >> 40 | block << 24)
}

/// Where a pair is in the table, the same for both cases. Neighbours in a language differ in their
/// low bits.
fn place(first: u8, second: u8) -> u16 {
    /// What a lower case letter has more than its upper case.
    const LOWER: u8 = 0x20;
    let (first, second) = (u16::from(first | LOWER), u16::from(second | LOWER));
    ((first << 6) ^ second ^ (second << 3)) % PLACES
}

/// Groups of texts: of each group, one must be in what a pattern matches.
#[derive(Debug, Clone, Default)]
pub(crate) struct Needs(Box<[u16]>);

impl Needs {
    /// The needs of a multi-line pattern; none for a pattern that says too little.
    pub(crate) fn of(pattern: &str) -> Self {
        let mut parser = regex_syntax::ParserBuilder::new().multi_line(true).build();
        let Ok(hir) = parser.parse(pattern) else { return Self::default() };
        let mut groups = Groups::default();
        groups.read(&hir);
        groups.end_run();
        Self::from_groups(groups.done)
    }

    /// The needs of one of several words. Only what no blank parts counts: words are compared
    /// with other blanks than the text has.
    pub(crate) fn of_words(words: &[String]) -> Self {
        let parts = |word: &String| {
            let ascii = word.split(|c: char| !c.is_ascii_graphic());
            ascii.flat_map(|part| places(part.as_bytes())).take(MAX_WORD_PAIRS).collect()
        };
        let texts: Vec<Vec<u16>> = words.iter().map(parts).collect();
        if texts.len() > MAX_TEXTS || texts.iter().any(Vec::is_empty) {
            return Self::default();
        }
        Self::flat(&[texts])
    }

    /// Whether a text with these pairs can have what is needed.
    pub(crate) fn may_be_met(&self, pairs: &Pairs) -> bool {
        let (mut group, mut text) = (false, true);
        for place in &self.0 {
            match *place {
                END_TEXT => {
                    group |= text;
                    text = true;
                }
                END_GROUP if group => group = false,
                END_GROUP => return false,
                place => text &= pairs.has(place),
            }
        }
        true
    }

    fn from_groups(mut groups: Vec<Vec<Vec<u8>>>) -> Self {
        groups.retain(|texts| shortest(texts) >= 2 && texts.len() <= MAX_TEXTS);
        groups.sort_by_key(|texts| std::cmp::Reverse(shortest(texts)));
        groups.truncate(MAX_GROUPS);
        let looked_up = |text: &Vec<u8>| places(text).take(MAX_PAIRS).collect();
        let groups: Vec<Vec<Vec<u16>>> =
            groups.iter().map(|texts| texts.iter().map(looked_up).collect()).collect();
        Self::flat(&groups)
    }

    fn flat(groups: &[Vec<Vec<u16>>]) -> Self {
        let mut flat = Vec::new();
        for texts in groups {
            for text in texts {
                flat.extend(text);
                flat.push(END_TEXT);
            }
            flat.push(END_GROUP);
        }
        Self(flat.into())
    }
}

/// The places of a text's pairs.
fn places(text: &[u8]) -> impl Iterator<Item = u16> {
    text.iter().zip(text.iter().skip(1)).map(|(first, second)| place(*first, *second))
}

/// Length of the shortest of some texts; 0 when there is none.
fn shortest(texts: &[Vec<u8>]) -> usize {
    texts.iter().map(Vec::len).min().unwrap_or(0)
}

/// Collects groups while a pattern is read from left to right.
struct Groups {
    done: Vec<Vec<Vec<u8>>>,
    /// What the pattern may have matched right before this place, without a gap.
    run: Vec<Vec<u8>>,
}

impl Default for Groups {
    fn default() -> Self {
        Self { done: Vec::new(), run: vec![Vec::new()] }
    }
}

impl Groups {
    fn read(&mut self, hir: &Hir) {
        match hir.kind() {
            HirKind::Literal(literal) => self.append(&[literal.0.to_vec()]),
            HirKind::Class(class) => match few_chars(class) {
                Some(chars) => self.append(&chars),
                None => self.end_run(),
            },
            HirKind::Look(Look::Start | Look::StartLF) => {
                self.end_run();
                self.run = vec![b"\n".to_vec()];
            }
            HirKind::Look(Look::End | Look::EndLF) => {
                self.append(&[b"\n".to_vec()]);
                self.end_run();
            }
            // Takes no character: what stands around stays neighbours.
            HirKind::Empty | HirKind::Look(_) => {}
            HirKind::Repetition(repetition) => self.repeat(repetition),
            HirKind::Capture(capture) => self.read(&capture.sub),
            HirKind::Concat(parts) => parts.iter().for_each(|part| self.read(part)),
            HirKind::Alternation(parts) => self.either(parts),
        }
    }

    /// Goes on with one of these texts.
    fn append(&mut self, texts: &[Vec<u8>]) {
        if self.run.len() * texts.len() > MAX_TEXTS {
            self.end_run();
        }
        self.run = joined(&self.run, texts);
    }

    /// What comes next need not follow right on what came before.
    fn end_run(&mut self) {
        let run = std::mem::replace(&mut self.run, vec![Vec::new()]);
        self.done.push(run);
    }

    fn repeat(&mut self, repetition: &Repetition) {
        let sub = &repetition.sub;
        match (repetition.min, repetition.max) {
            (0, Some(1)) => match exact(sub) {
                Some(mut texts) => {
                    texts.push(Vec::new());
                    self.append(&texts);
                }
                None => self.end_run(),
            },
            (0, _) => self.end_run(),
            (min, max) => {
                self.read(sub);
                if min > 1 {
                    self.read(sub);
                }
                if max != Some(min) || min > 2 {
                    self.end_run();
                }
            }
        }
    }

    fn either(&mut self, parts: &[Hir]) {
        let exact: Option<Vec<Vec<Vec<u8>>>> = parts.iter().map(exact).collect();
        let texts = exact.map(|texts| texts.concat());
        if let Some(texts) = texts.filter(|texts| self.run.len() * texts.len() <= MAX_TEXTS) {
            return self.append(&texts);
        }
        self.end_run();
        // Each part needs the best of its own groups; one of the parts is what matches.
        let best = |part: &Hir| {
            let mut groups = Self::default();
            groups.read(part);
            groups.end_run();
            groups.done.into_iter().max_by_key(|texts| shortest(texts)).unwrap_or_default()
        };
        let each: Vec<Vec<Vec<u8>>> = parts.iter().map(best).collect();
        if each.iter().all(|texts| !texts.is_empty()) {
            self.done.push(each.concat());
        }
    }
}

/// Every text of `before` with every one of `after` right behind it.
fn joined(before: &[Vec<u8>], after: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let with = |text: &Vec<u8>| after.iter().map(|next| [text.as_slice(), next].concat()).collect();
    before.iter().flat_map(|text| -> Vec<Vec<u8>> { with(text) }).collect()
}

/// All texts that a part can match, if they are few.
fn exact(hir: &Hir) -> Option<Vec<Vec<u8>>> {
    let texts = match hir.kind() {
        HirKind::Empty => vec![Vec::new()],
        HirKind::Literal(literal) => vec![literal.0.to_vec()],
        HirKind::Class(class) => few_chars(class)?,
        HirKind::Capture(capture) => exact(&capture.sub)?,
        HirKind::Concat(parts) => {
            let mut all = vec![Vec::new()];
            for part in parts {
                let texts = exact(part)?;
                if all.len() * texts.len() > MAX_TEXTS {
                    return None;
                }
                all = joined(&all, &texts);
            }
            all
        }
        HirKind::Alternation(parts) => {
            parts.iter().map(exact).collect::<Option<Vec<_>>>()?.concat()
        }
        HirKind::Look(_) | HirKind::Repetition(_) => return None,
    };
    (texts.len() <= MAX_TEXTS).then_some(texts)
}

/// The characters of a class in UTF-8, if they are few; upper case taken as lower case.
fn few_chars(class: &Class) -> Option<Vec<Vec<u8>>> {
    let Class::Unicode(class) = class else { return None };
    let mut chars = Vec::new();
    for range in class.ranges() {
        for c in range.start()..=range.end() {
            let c = c.to_ascii_lowercase();
            if !chars.contains(&c) {
                chars.push(c);
            }
            if chars.len() > MAX_CLASS {
                return None;
            }
        }
    }
    Some(chars.into_iter().map(|c| c.to_string().into_bytes()).collect())
}

#[cfg(test)]
mod tests;
