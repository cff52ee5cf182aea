//! The end of a session log.

use super::LARGEST;
use crate::Error;
use madohub_detect::SessionLog;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// Records that are handed on. A turn of an agent is rarely longer, and its end is what counts.
const RECORDS: usize = 200;
/// What is read at first; more only while too few records end in it.
const WINDOW: u64 = 256 * 1024;

/// The last complete records of a log in JSON Lines. A file of any size is read from its end.
pub fn read_log(path: &Path) -> Result<SessionLog, Error> {
    let failed = |error| Error::file("cannot read the session log", path, &error);
    let mut file = File::open(path).map_err(failed)?;
    let records = last_records(&mut file, WINDOW).map_err(failed)?;
    Ok(SessionLog { path: path.display().to_string(), records, ..SessionLog::default() })
}

fn last_records(file: &mut (impl Read + Seek), window: u64) -> io::Result<Vec<String>> {
    let length = file.seek(SeekFrom::End(0))?;
    let mut window = window.min(length);
    loop {
        let start = length - window;
        // One byte more tells whether the window begins with a record.
        let from = start.saturating_sub(1);
        file.seek(SeekFrom::Start(from))?;
        let mut bytes = Vec::new();
        file.by_ref().take(length - from).read_to_end(&mut bytes)?;
        let records = complete_records(&bytes, start > 0);
        if records.len() >= RECORDS || start == 0 || window >= LARGEST as u64 {
            return Ok(records);
        }
        window = window.saturating_mul(4).min(length).min(LARGEST as u64);
    }
}

/// The last records in `bytes`; the first one is not complete where `cut` says so, unless a line
/// ends right before it.
fn complete_records(bytes: &[u8], cut: bool) -> Vec<String> {
    let bytes = match (cut, bytes.iter().position(|b| *b == b'\n')) {
        (false, _) => bytes,
        (true, Some(end)) => bytes.get(end + 1..).unwrap_or_default(),
        (true, None) => &[],
    };
    let mut lines: Vec<&[u8]> = bytes.split(|b| *b == b'\n').collect();
    // What follows the last line end is being written right now, unless it is whole already.
    let rest = lines.pop().unwrap_or_default();
    if serde_json::from_slice::<serde::de::IgnoredAny>(rest).is_ok() {
        lines.push(rest);
    }
    lines.retain(|line| !line.trim_ascii().is_empty());
    let first = lines.len().saturating_sub(RECORDS);
    let last = lines.get(first..).unwrap_or_default();
    last.iter().map(|line| String::from_utf8_lossy(line.trim_ascii()).into_owned()).collect()
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a failing test may panic")]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn read(bytes: impl Into<Vec<u8>>, window: u64) -> Vec<String> {
        last_records(&mut Cursor::new(bytes.into()), window).unwrap()
    }

    #[test]
    fn a_record_that_is_being_written_does_not_count() {
        assert_eq!(read("{\"a\":1}\n\n{\"b\":", 100), ["{\"a\":1}"]);
        assert_eq!(read("{\"a\":1}\n{\"b\":2}", 100), ["{\"a\":1}", "{\"b\":2}"]);
        assert_eq!(read("", 100), [] as [String; 0]);
    }

    #[test]
    fn a_big_file_is_read_from_its_end_until_enough_records_are_there() {
        let lines: Vec<String> = (0..1000).map(|n| format!("{{\"n\":{n}}}\n")).collect();
        let records = read(lines.concat(), 32);
        assert_eq!(records.len(), RECORDS);
        assert_eq!(records.first().unwrap(), "{\"n\":800}");
        assert_eq!(records.last().unwrap(), "{\"n\":999}");
    }

    #[test]
    fn a_window_that_begins_with_a_record_keeps_it() {
        assert_eq!(complete_records(b"\n{}\n{}\n", true), ["{}", "{}"]);
        assert_eq!(complete_records(b"x}\n{}\n", true), ["{}"]);
        assert_eq!(complete_records(b"no end", true), [] as [String; 0]);
    }

    #[test]
    fn bytes_that_are_no_utf8_do_not_lose_the_record() {
        assert_eq!(read(b"{\"a\":\"\xff\"}\n".to_vec(), 100), ["{\"a\":\"�\"}"]);
    }
}
