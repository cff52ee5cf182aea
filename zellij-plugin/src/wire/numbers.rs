//! A message as zellij sends it: a list of its bytes in JSON, on one line.

use super::Malformed;
use std::io::BufRead;

/// Reads one line with a list of bytes. Nothing at all, as zellij answers what it refuses, is
/// malformed.
pub fn read_line(from: &mut impl BufRead) -> Result<Vec<u8>, Malformed> {
    let mut reader = Reader::default();
    loop {
        let piece = from.fill_buf().map_err(|_| Malformed)?;
        if piece.is_empty() {
            break;
        }
        let end = piece.iter().position(|byte| *byte == b'\n');
        let line = piece.get(..end.unwrap_or(piece.len())).unwrap_or(piece);
        // The line is taken off in any case, so that the next one is read from its start.
        for byte in line {
            reader.take(*byte);
        }
        let used = end.map_or(piece.len(), |end| end + 1);
        from.consume(used);
        if end.is_some() {
            break;
        }
    }
    if reader.place == Place::After { Ok(reader.bytes) } else { Err(Malformed) }
}

/// Bytes as the line that zellij reads.
pub fn to_line(bytes: &[u8]) -> Vec<u8> {
    let mut line = Vec::with_capacity(4 * bytes.len() + 3);
    line.push(b'[');
    for (n, byte) in bytes.iter().enumerate() {
        if n > 0 {
            line.push(b',');
        }
        for (unit, least) in [(100, 100), (10, 10), (1, 0)] {
            if *byte >= least {
                line.push(b'0' + byte / unit % 10);
            }
        }
    }
    line.extend_from_slice(b"]\n");
    line
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Place {
    #[default]
    Before,
    /// Behind `[` or `,`.
    Ahead,
    Number(u8),
    After,
    Lost,
}

#[derive(Default)]
struct Reader {
    bytes: Vec<u8>,
    place: Place,
}

impl Reader {
    fn take(&mut self, byte: u8) {
        self.place = match (self.place, byte) {
            (Place::Number(number), b',') => {
                self.bytes.push(number);
                Place::Ahead
            }
            (Place::Number(number), b'0'..=b'9') => number
                .checked_mul(10)
                .and_then(|tens| tens.checked_add(byte - b'0'))
                .map_or(Place::Lost, Place::Number),
            (Place::Ahead, b'0'..=b'9') => Place::Number(byte - b'0'),
            (Place::Before, b'[') => Place::Ahead,
            (Place::Number(number), b']') => {
                self.bytes.push(number);
                Place::After
            }
            (Place::Ahead, b']') if self.bytes.is_empty() => Place::After,
            (place, b' ' | b'\r') if !matches!(place, Place::Number(_)) => place,
            _ => Place::Lost,
        };
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::io::BufReader;

    #[test]
    fn every_byte_goes_out_as_it_comes_in() {
        let all: Vec<u8> = (0..=u8::MAX).collect();
        let line = to_line(&all);
        assert_eq!(serde_json::from_slice::<Vec<u8>>(&line).unwrap(), all);
        // Whatever the pieces are that it comes in.
        for size in [1, 2, 3, 7, 4096] {
            let mut from = BufReader::with_capacity(size, &line[..]);
            assert_eq!(read_line(&mut from).as_ref(), Ok(&all), "{size}");
        }
        assert_eq!(to_line(&[]), b"[]\n");
        assert_eq!(read_line(&mut &b"[]"[..]), Ok(Vec::new()));
    }

    #[test]
    fn the_next_line_is_read_from_its_start() {
        let mut from = &b"[1,2]\n[x]\n[3]\n"[..];
        assert_eq!(read_line(&mut from), Ok(vec![1, 2]));
        assert_eq!(read_line(&mut from), Err(Malformed));
        assert_eq!(read_line(&mut from), Ok(vec![3]));
        assert_eq!(read_line(&mut from), Err(Malformed), "nothing is left");
    }

    #[test]
    fn what_is_no_list_of_bytes_is_malformed() {
        for wrong in ["", "\n", "[", "[1", "[1,", "[1,]", "[,1]", "1]", "[256]", "[1]]", "[-1]"] {
            assert_eq!(read_line(&mut wrong.as_bytes()), Err(Malformed), "{wrong}");
        }
    }
}
