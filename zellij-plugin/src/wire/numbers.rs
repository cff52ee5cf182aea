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
        // The line is taken off in any case, so that the next one is read from its start.
        let (used, ended) = reader.take(piece);
        from.consume(used);
        if ended {
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
    Number,
    After,
    Lost,
}

#[derive(Default)]
struct Reader {
    bytes: Vec<u8>,
    place: Place,
    number: u16,
}

impl Reader {
    /// Takes a piece of the line; how much of it belongs to it, and whether the line ends in it. Text
    /// of panes comes by the hundred thousand characters, and is read by an interpreter: nearly all of
    /// them take the first two ways.
    fn take(&mut self, piece: &[u8]) -> (usize, bool) {
        let (mut place, mut number) = (self.place, self.number);
        let mut used = 0;
        for byte in piece {
            used += 1;
            let digit = byte.wrapping_sub(b'0');
            if digit < 10 && matches!(place, Place::Number | Place::Ahead) {
                number = number.saturating_mul(10).saturating_add(u16::from(digit));
                place = Place::Number;
            } else if *byte == b',' && place == Place::Number {
                place = self.push(number, Place::Ahead);
                number = 0;
            } else if *byte == b'\n' {
                self.place = place;
                return (used, true);
            } else {
                place = match (place, byte) {
                    (Place::Before, b'[') => Place::Ahead,
                    (Place::Number, b']') => self.push(number, Place::After),
                    (Place::Ahead, b']') if self.bytes.is_empty() => Place::After,
                    (place, b' ' | b'\r') if place != Place::Number => place,
                    _ => Place::Lost,
                };
            }
        }
        (self.place, self.number) = (place, number);
        (used, false)
    }

    fn push(&mut self, number: u16, next: Place) -> Place {
        let Ok(byte) = u8::try_from(number) else { return Place::Lost };
        self.bytes.push(byte);
        next
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
