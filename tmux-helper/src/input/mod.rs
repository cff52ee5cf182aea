//! What people and programs hand in: lines of observations, screens, process lists, logs.
//!
//! Nothing here trusts its input: sizes are bounded, invalid UTF-8 is read with `�` in its place,
//! and whatever cannot be used is said with its place.

mod lines;
mod log;
mod observation;
mod processes;
mod screen;

pub use lines::{Line, Lines};
pub use log::read_log;
pub use observation::observation;
pub use processes::{PS_COLUMNS, parse_processes};
pub use screen::screen_rows;

use crate::Error;
use crate::cli::Input;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::AsFd as _;
use std::path::Path;

/// Largest input that is read as a whole, and longest line: 64 MiB.
pub const LARGEST: usize = 64 * 1024 * 1024;

/// Opens an input without a buffer of its own, so that the reader knows when reading would wait.
pub fn open(input: &Input) -> Result<File, Error> {
    match input {
        Input::Stdin => io::stdin()
            .as_fd()
            .try_clone_to_owned()
            .map(File::from)
            .map_err(|error| Error::usage(format!("cannot read the standard input: {error}"))),
        Input::File(path) => {
            File::open(path).map_err(|error| Error::file("cannot read", path, &error))
        }
    }
}

/// Name of an input for messages.
pub fn name(input: &Input) -> String {
    match input {
        Input::Stdin => "the standard input".to_owned(),
        Input::File(path) => path.display().to_string(),
    }
}

/// The whole input as text, with `�` for what is no UTF-8. More than [`LARGEST`] is refused.
pub fn read_text(input: &Input) -> Result<String, Error> {
    let name = name(input);
    read_bounded(open(input)?)
        .map_err(|error| Error::usage(format!("cannot read {name}: {error}")))?
        .ok_or_else(|| Error::usage(format!("{name} is larger than {} MiB", LARGEST >> 20)))
}

/// [`read_text`] for a file.
pub fn read_file(path: &Path) -> Result<String, Error> {
    read_text(&Input::File(path.to_owned()))
}

fn read_bounded(from: File) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    from.take(LARGEST as u64 + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() <= LARGEST).then(|| into_text(bytes)))
}

/// The bytes as text without a copy where they are UTF-8, as they nearly always are.
fn into_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}
