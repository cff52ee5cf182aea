//! Texts with `{field}` places, as in the label of a border.

/// A text with places that are filled in later. Only known fields get in, so that a misspelt one
/// is found when the settings are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    parts: Vec<Part>,
}

/// A piece of a [`Template`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Text as it is.
    Text(String),
    /// The value of this field goes here.
    Field(&'static str),
}

impl Template {
    /// Reads `text`, where `{{` and `}}` stand for the braces themselves; `fields` are the names
    /// that may stand in braces. The error says what is wrong with which field.
    pub fn parse(text: &str, fields: &'static [&'static str]) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut literal = String::new();
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '{' | '}' if chars.peek() == Some(&c) => {
                    chars.next();
                    literal.push(c);
                }
                '{' => {
                    let mut name = String::new();
                    loop {
                        match chars.next() {
                            Some('}') => break,
                            Some(c) => name.push(c),
                            None => return Err(format!("`{{{name}` has no closing brace")),
                        }
                    }
                    let Some(field) = fields.iter().find(|f| **f == name) else {
                        return Err(format!(
                            "`{{{name}}}` is no field; the fields are {}",
                            fields.join(", ")
                        ));
                    };
                    if !literal.is_empty() {
                        parts.push(Part::Text(std::mem::take(&mut literal)));
                    }
                    parts.push(Part::Field(field));
                }
                '}' => return Err("`}` stands alone; write `}}` for the brace itself".to_owned()),
                c => literal.push(c),
            }
        }
        if !literal.is_empty() {
            parts.push(Part::Text(literal));
        }
        Ok(Self { parts })
    }

    /// These fields with a space between them.
    pub(crate) fn literal_fields(fields: &[&'static str]) -> Self {
        let mut parts = Vec::new();
        for field in fields {
            if !parts.is_empty() {
                parts.push(Part::Text(" ".to_owned()));
            }
            parts.push(Part::Field(field));
        }
        Self { parts }
    }

    /// The pieces in order.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Whether a place is filled with this field.
    pub fn uses(&self, field: &str) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Field(name) if *name == field))
    }

    /// The text with every field replaced by its value. A field without a value takes one space
    /// beside it along, so that `{glyph} {reason} {since}` leaves no gap.
    pub fn fill(&self, value: impl Fn(&str) -> String) -> String {
        let mut out = String::new();
        for part in &self.parts {
            match part {
                Part::Text(text) => {
                    let skip = text.starts_with(' ') && (out.is_empty() || out.ends_with(' '));
                    out.push_str(if skip { text.get(1..).unwrap_or_default() } else { text });
                }
                Part::Field(name) => out.push_str(&value(name)),
            }
        }
        out.trim_end().to_owned()
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a failing test may panic")]
mod tests {
    use super::*;

    const FIELDS: [&str; 2] = ["a", "b"];

    #[test]
    fn fields_are_filled_and_braces_can_be_written() {
        let template = Template::parse("{{{a}}} {b}!", &FIELDS).unwrap();
        assert_eq!(template.fill(|field| format!("<{field}>")), "{<a>} <b>!");
        assert!(template.uses("a"));
        assert!(!template.uses("c"));
    }

    #[test]
    fn a_field_without_a_value_leaves_no_gap() {
        let template = Template::parse("{a} {b} {a}", &FIELDS).unwrap();
        let only = |wanted: &'static str| {
            template.fill(|field| if field == wanted { "x".to_owned() } else { String::new() })
        };
        assert_eq!(only("a"), "x x");
        assert_eq!(only("b"), "x");
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, part) in [("{c}", "the fields are a, b"), ("{a", "closing"), ("a}", "alone")] {
            let error = Template::parse(text, &FIELDS).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
