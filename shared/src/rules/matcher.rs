//! One rule's conditions on the text of one region.

use super::needs::{Needs, Pairs};
use super::pattern::Pattern;
use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::ops::Range;

/// The text of one region, and what rules need to know about it.
pub(crate) struct RegionText<'a> {
    pub(crate) text: &'a str,
    /// The row above the region is blank, or there is none.
    pub(crate) after_blank: bool,
    flat: OnceCell<String>,
    pairs: OnceCell<Pairs>,
    asked: Cell<u32>,
}

/// A text of so many bytes has its pairs looked up at once; every further question justifies as
/// many bytes more.
const WORTH: usize = 1024;

impl<'a> RegionText<'a> {
    pub(crate) fn new(text: &'a str, after_blank: bool) -> Self {
        Self {
            text,
            after_blank,
            flat: OnceCell::new(),
            pairs: OnceCell::new(),
            asked: Cell::new(0),
        }
    }

    /// The same, with pairs that are known before: its own and maybe more.
    pub(crate) fn knowing(mut self, pairs: Option<&Pairs>) -> Self {
        if let Some(pairs) = pairs {
            self.pairs = OnceCell::from(pairs.clone());
        }
        self
    }

    /// Lower case, with every run of blanks and line ends as one blank, so that a sentence is
    /// found however a narrow pane wraps it.
    fn flat(&self) -> &str {
        self.flat.get_or_init(|| flatten(self.text))
    }

    /// Whether what has these needs can be found here: asked before it is looked for.
    pub(crate) fn may_meet(&self, needs: &Needs) -> bool {
        let asked = self.asked.get().saturating_add(1);
        self.asked.set(asked);
        if self.pairs.get().is_none() && self.text.len() / WORTH >= asked as usize {
            return true;
        }
        needs.may_be_met(self.pairs.get_or_init(|| Pairs::of(self.text)))
    }
}

/// Frame characters count as blanks, so that a frame does not part a sentence either.
pub(crate) fn flatten(text: &str) -> String {
    let mut flat = String::with_capacity(text.len());
    let mut blank = true;
    let mut rest = text;
    loop {
        let word = rest.bytes().take_while(u8::is_ascii_graphic).count();
        let (word, behind) = rest.split_at_checked(word).unwrap_or_default();
        if !word.is_empty() {
            flat.push_str(word);
            blank = false;
        }
        let mut chars = behind.chars();
        let Some(c) = chars.next() else { break };
        rest = chars.as_str();
        if c.is_whitespace() || is_frame(c) {
            if !blank {
                flat.push(' ');
            }
            blank = true;
        } else {
            // Letters with two cases end below the symbols.
            if c < '\u{2000}' {
                flat.extend(c.to_lowercase().filter(|lower| !lower.is_ascii()));
            } else {
                flat.push(c);
            }
            blank = false;
        }
    }
    flat.truncate(flat.trim_end().len());
    flat.make_ascii_lowercase();
    flat
}

fn is_frame(c: char) -> bool {
    ('\u{2500}'..='\u{257F}').contains(&c)
}

/// All conditions of a rule; every one that is given must hold.
#[derive(Debug, Clone, Default)]
pub(crate) struct Matcher {
    pub(crate) present: bool,
    pub(crate) after_blank: bool,
    pub(crate) contains: Vec<Words>,
    pub(crate) contains_any: Option<Words>,
    pub(crate) not_contains: Option<Words>,
    pub(crate) lines: Vec<Pattern>,
    pub(crate) lines_any: Option<Pattern>,
    pub(crate) not_lines: Option<Pattern>,
}

/// The first condition that did not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Miss<'a> {
    pub(crate) key: &'static str,
    pub(crate) pattern: Cow<'a, str>,
}

impl Matcher {
    pub(crate) fn is_empty(&self) -> bool {
        !self.present
            && self.contains.is_empty()
            && self.contains_any.is_none()
            && self.lines.is_empty()
            && self.lines_any.is_none()
    }

    /// Whether this can match in any part of what has these pairs.
    pub(crate) fn may_match(&self, pairs: &Pairs) -> bool {
        self.lines_any.iter().chain(&self.lines).all(|pattern| pattern.needs().may_be_met(pairs))
            && self.contains.iter().chain(&self.contains_any).all(|w| w.needs.may_be_met(pairs))
    }

    /// Where in the region the rule matched (everything, when no pattern says where).
    pub(crate) fn find(&self, region: &RegionText<'_>) -> Result<Range<usize>, Miss<'_>> {
        let mut place: Option<Range<usize>> = None;
        if self.after_blank && !region.after_blank {
            return Err(Miss { key: "after_blank", pattern: Cow::Borrowed("") });
        }
        if let Some(any) = &self.lines_any {
            match any.find(region) {
                Some(found) => place = Some(found.range()),
                None => return Err(Miss::pattern("lines_any", any)),
            }
        }
        for pattern in &self.lines {
            match pattern.find(region) {
                Some(found) => place = place.or(Some(found.range())),
                None => return Err(Miss::pattern("lines", pattern)),
            }
        }
        if let Some(missing) = self.contains.iter().find(|word| word.first_in(region).is_none()) {
            return Err(Miss::words("contains", missing));
        }
        if let Some(any) = self.contains_any.as_ref().filter(|any| any.first_in(region).is_none()) {
            return Err(Miss::words("contains_any", any));
        }
        if let Some(there) = self.not_contains.as_ref().and_then(|not| not.first_in(region)) {
            return Err(Miss { key: "not_contains", pattern: Cow::Borrowed(there) });
        }
        if let Some(not) = self.not_lines.as_ref().filter(|not| not.is_in(region)) {
            return Err(Miss::pattern("not_lines", not));
        }
        Ok(place.unwrap_or(0..region.text.len()))
    }
}

/// Words of which one is looked for, flat.
#[derive(Debug, Clone)]
pub(crate) struct Words {
    words: Vec<String>,
    needs: Needs,
}

impl Words {
    /// None of no words.
    pub(crate) fn new(words: &[String]) -> Option<Self> {
        let words: Vec<String> = words.iter().map(|word| flatten(word)).collect();
        let needs = Needs::of_words(&words);
        (!words.is_empty()).then_some(Self { words, needs })
    }

    /// The first of the words that is in a region.
    fn first_in(&self, region: &RegionText<'_>) -> Option<&str> {
        if !region.may_meet(&self.needs) {
            return None;
        }
        let found = self.words.iter().find(|word| region.flat().contains(word.as_str()));
        found.map(String::as_str)
    }
}

impl<'a> Miss<'a> {
    fn words(key: &'static str, words: &Words) -> Self {
        Self { key, pattern: Cow::Owned(words.words.join(" | ")) }
    }

    fn pattern(key: &'static str, pattern: &'a Pattern) -> Self {
        Self { key, pattern: Cow::Borrowed(pattern.as_str()) }
    }
}
