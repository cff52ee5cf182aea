//! Observation lines in, answer lines out: the same order, one for one.

use crate::Error;
use crate::input::{LARGEST, Line, Lines, observation};
use madohub_detect::Observation;
use serde::Serialize;
use std::borrow::Cow;
use std::io::{Read, Write};

/// What went through.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(in crate::commands) struct Counts {
    /// Lines that were answered.
    pub(in crate::commands) answered: usize,
    /// Lines that could not be read, each answered with an error.
    pub(in crate::commands) malformed: usize,
    /// Lines with bytes that are no UTF-8.
    pub(in crate::commands) replaced: usize,
}

#[derive(Serialize)]
struct Malformed<'a> {
    id: Option<&'a str>,
    error: String,
}

/// Answers every line that is not blank; one that cannot be read with
/// `{"id":null,"error":"line 3: …"}`. What is answered is flushed before a read may wait.
pub(in crate::commands) fn run<A: Serialize>(
    from: impl Read,
    out: &mut impl Write,
    mut answer: impl FnMut(Observation) -> A,
) -> Result<Counts, Error> {
    let mut counts = Counts::default();
    let mut lines = Lines::new(from);
    loop {
        if !lines.is_ready() {
            out.flush()?;
        }
        let number = lines.number() + 1;
        let line = lines
            .next_line()
            .map_err(|error| Error::usage(format!("cannot read line {number}: {error}")))?;
        let read = match line {
            None => return Ok(counts),
            Some(Line::TooLong) => Err(format!("longer than {} MiB", LARGEST >> 20)),
            Some(Line::Text(text)) if text.trim().is_empty() => continue,
            Some(Line::Text(text)) => {
                counts.replaced += usize::from(matches!(text, Cow::Owned(_)));
                observation(&text)
            }
        };
        match read {
            Ok(seen) => {
                counts.answered += 1;
                serde_json::to_writer(&mut *out, &answer(seen)).map_err(json_error)?;
            }
            Err(what) => {
                counts.malformed += 1;
                let malformed = Malformed { id: None, error: format!("line {number}: {what}") };
                serde_json::to_writer(&mut *out, &malformed).map_err(json_error)?;
            }
        }
        out.write_all(b"\n")?;
    }
}

/// Our own types always have a JSON form, so that only the writing can have failed.
fn json_error(error: serde_json::Error) -> Error {
    std::io::Error::from(error).into()
}
