//! Observation lines in, answers out: the same order, one for one.

use crate::cli::Input;
use crate::input::{self, LARGEST, Line, Lines, observation};
use crate::{Error, Exit};
use madohub_detect::Observation;
use serde::Serialize;
use std::borrow::Cow;
use std::io::{self, BufWriter, Write};

/// Writes the answer to one line: to the observation, or to what is wrong with the line.
pub(super) trait Answer {
    /// Writes it with its line end.
    fn answer(
        &mut self,
        out: &mut dyn Write,
        seen: Result<Observation, Malformed>,
    ) -> io::Result<()>;
}

/// The answer to a line that cannot be read: its number and what is wrong with it.
#[derive(Debug, Serialize)]
pub(super) struct Malformed {
    id: Option<()>,
    /// `line 3: …`.
    pub(super) error: String,
}

#[derive(Debug, Default)]
struct Counts {
    answered: usize,
    malformed: usize,
    replaced: usize,
}

/// Answers every line that is not blank on the standard output. What is answered is flushed
/// before a read may wait; lines that could not be read are told at the end.
pub(super) fn run(from: &Input, mut answer: impl Answer) -> Result<Exit, Error> {
    let mut lines = Lines::new(input::open(from)?);
    // Locked and buffered: one write per line would cost more than the detection.
    let mut out = BufWriter::with_capacity(64 * 1024, io::stdout().lock());
    let mut counts = Counts::default();
    loop {
        if !lines.is_ready() {
            out.flush()?;
        }
        let number = lines.number() + 1;
        let line = lines.next_line().map_err(|error| {
            Error::usage(format!("cannot read line {number} of {}: {error}", input::name(from)))
        })?;
        let seen = match line {
            None => break,
            Some(Line::TooLong) => Err(format!("longer than {} MiB", LARGEST >> 20)),
            Some(Line::Text(text)) if text.trim().is_empty() => continue,
            // No observation fits on such a line: it begins one that is written over many.
            Some(Line::Text(text)) if text.trim() == "{" => match whole_file(from) {
                Some(seen) if number == 1 => {
                    counts.answered += 1;
                    answer.answer(&mut out, Ok(seen))?;
                    break;
                }
                _ => observation(&text),
            },
            Some(Line::Text(text)) => {
                counts.replaced += usize::from(matches!(text, Cow::Owned(_)));
                observation(&text)
            }
        };
        match &seen {
            Ok(_) => counts.answered += 1,
            Err(_) => counts.malformed += 1,
        }
        let seen =
            seen.map_err(|what| Malformed { id: None, error: format!("line {number}: {what}") });
        answer.answer(&mut out, seen)?;
    }
    out.flush()?;
    counts.tell(&input::name(from))
}

/// The one observation of a file that holds nothing else, as people write it.
fn whole_file(from: &Input) -> Option<Observation> {
    match from {
        Input::File(_) => observation(&input::read_text(from).ok()?).ok(),
        Input::Stdin => None,
    }
}

/// One JSON value and a line end.
pub(super) fn write_json(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    out.write_all(b"\n")
}

impl Counts {
    fn tell(&self, name: &str) -> Result<Exit, Error> {
        if self.replaced > 0 {
            super::note(&format!(
                "{name}: {} line(s) held bytes that are no UTF-8; they were read as �",
                self.replaced
            ));
        }
        if self.malformed == 0 {
            return Ok(Exit::Ok);
        }
        let all = self.malformed + self.answered;
        Err(Error::usage(format!("{name}: {} of {all} line(s) could not be read", self.malformed))
            .remedy("Their answers have the id null and say what is wrong."))
    }
}
