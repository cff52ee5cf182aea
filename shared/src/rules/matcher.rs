//! One rule's conditions on the text of one region.

use super::pattern::Pattern;
use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;

/// The text of one region, and what rules need to know about it.
pub(crate) struct RegionText<'a> {
    pub(crate) text: &'a str,
    /// The row above the region is blank, or there is none.
    pub(crate) after_blank: bool,
    flat: OnceCell<String>,
}

impl<'a> RegionText<'a> {
    pub(crate) fn new(text: &'a str, after_blank: bool) -> Self {
        Self { text, after_blank, flat: OnceCell::new() }
    }

    /// Lower case, with every run of blanks and line ends as one blank, so that a sentence is
    /// found however a narrow pane wraps it.
    fn flat(&self) -> &str {
        self.flat.get_or_init(|| flatten(self.text))
    }
}

/// Frame characters count as blanks, so that a frame does not part a sentence either.
pub(crate) fn flatten(text: &str) -> String {
    let mut flat = String::with_capacity(text.len());
    let mut blank = true;
    for c in text.chars() {
        if c.is_ascii_graphic() {
            flat.push(c.to_ascii_lowercase());
            blank = false;
        } else if c.is_whitespace() || is_frame(c) {
            if !blank {
                flat.push(' ');
            }
            blank = true;
        } else {
            // Letters with two cases end below the symbols.
            if c < '\u{2000}' {
                flat.extend(c.to_lowercase());
            } else {
                flat.push(c);
            }
            blank = false;
        }
    }
    flat.truncate(flat.trim_end().len());
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
    pub(crate) contains: Vec<String>,
    pub(crate) contains_any: Vec<String>,
    pub(crate) not_contains: Vec<String>,
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
            && self.contains_any.is_empty()
            && self.lines.is_empty()
            && self.lines_any.is_none()
    }

    /// Where in the region the rule matched (everything, when no pattern says where).
    pub(crate) fn find(&self, region: &RegionText<'_>) -> Result<Range<usize>, Miss<'_>> {
        let mut place: Option<Range<usize>> = None;
        if self.after_blank && !region.after_blank {
            return Err(Miss { key: "after_blank", pattern: Cow::Borrowed("") });
        }
        if let Some(any) = &self.lines_any {
            match any.find(region.text) {
                Some(found) => place = Some(found.range()),
                None => return Err(Miss::pattern("lines_any", any)),
            }
        }
        for pattern in &self.lines {
            match pattern.find(region.text) {
                Some(found) => place = place.or(Some(found.range())),
                None => return Err(Miss::pattern("lines", pattern)),
            }
        }
        if let Some(missing) = self.contains.iter().find(|w| !region.flat().contains(w.as_str())) {
            return Err(Miss { key: "contains", pattern: Cow::Borrowed(missing) });
        }
        if !self.contains_any.is_empty()
            && !self.contains_any.iter().any(|w| region.flat().contains(w.as_str()))
        {
            return Err(Miss {
                key: "contains_any",
                pattern: Cow::Owned(self.contains_any.join(" | ")),
            });
        }
        if let Some(there) = self.not_contains.iter().find(|w| region.flat().contains(w.as_str())) {
            return Err(Miss { key: "not_contains", pattern: Cow::Borrowed(there) });
        }
        if let Some(not) = self.not_lines.as_ref().filter(|not| not.is_match(region.text)) {
            return Err(Miss::pattern("not_lines", not));
        }
        Ok(place.unwrap_or(0..region.text.len()))
    }
}

impl<'a> Miss<'a> {
    fn pattern(key: &'static str, pattern: &'a Pattern) -> Self {
        Self { key, pattern: Cow::Borrowed(pattern.as_str()) }
    }
}
