//! Reading Protocol Buffers: the fields of a message, one by one.

use std::fmt;

/// A message that breaks off, or that holds something else than it should.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Malformed;

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("zellij sent a message that cannot be read")
    }
}

impl std::error::Error for Malformed {}

/// The value of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value<'a> {
    /// A number, a flag or one of several names.
    Number(u64),
    /// Text, bytes, a message or several numbers.
    Bytes(&'a [u8]),
    /// A number of fixed size, of which the plugin needs none.
    Fixed,
}

impl<'a> Value<'a> {
    pub(super) fn number(self) -> Result<u64, Malformed> {
        match self {
            Self::Number(number) => Ok(number),
            _ => Err(Malformed),
        }
    }

    /// A number as one of any other type; what does not fit is malformed.
    pub(super) fn as_<T: TryFrom<u64>>(self) -> Result<T, Malformed> {
        T::try_from(self.number()?).map_err(|_| Malformed)
    }

    /// A number that may be below zero.
    pub(super) fn signed(self) -> Result<i64, Malformed> {
        Ok(self.number()?.cast_signed())
    }

    pub(super) fn flag(self) -> Result<bool, Malformed> {
        Ok(self.number()? != 0)
    }

    pub(super) fn bytes(self) -> Result<&'a [u8], Malformed> {
        match self {
            Self::Bytes(bytes) => Ok(bytes),
            _ => Err(Malformed),
        }
    }

    pub(super) fn text(self) -> Result<String, Malformed> {
        Ok(String::from_utf8_lossy(self.bytes()?).into_owned())
    }

    pub(super) fn fields(self) -> Result<Fields<'a>, Malformed> {
        Ok(Fields(self.bytes()?))
    }

    /// Adds to a list of numbers, which come one by one or several as one field.
    pub(super) fn append_to<T: TryFrom<u64>>(self, list: &mut Vec<T>) -> Result<(), Malformed> {
        match self {
            Self::Bytes(mut rest) => {
                while !rest.is_empty() {
                    let number = varint(&mut rest).ok_or(Malformed)?;
                    list.push(T::try_from(number).map_err(|_| Malformed)?);
                }
            }
            one => list.push(one.as_()?),
        }
        Ok(())
    }
}

/// The fields of a message in the order in which they were written, each with its number.
#[derive(Debug, Clone)]
pub(super) struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    pub(super) fn of(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    fn read(&mut self) -> Option<(u32, Value<'a>)> {
        let key = varint(&mut self.0)?;
        let value = match key & 7 {
            0 => Value::Number(varint(&mut self.0)?),
            1 => {
                self.take(8)?;
                Value::Fixed
            }
            2 => {
                let length = usize::try_from(varint(&mut self.0)?).ok()?;
                Value::Bytes(self.take(length)?)
            }
            5 => {
                self.take(4)?;
                Value::Fixed
            }
            _ => return None,
        };
        Some((u32::try_from(key >> 3).ok()?, value))
    }

    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<(u32, Value<'a>), Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let field = self.read();
        if field.is_none() {
            // Nothing behind it can be found.
            self.0 = &[];
        }
        Some(field.ok_or(Malformed))
    }
}

/// A number in groups of seven bits, the lowest first.
fn varint(rest: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (byte, behind) = rest.split_first()?;
        *rest = behind;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]
    use super::super::message::Message;
    use super::*;

    #[test]
    fn fields_come_as_they_were_written() {
        let written = Message::default()
            .number(1, 300)
            .text(2, "é")
            .double(12, 0.5)
            .message(3, &Message::default().flag(1, true))
            .numbers(4, &[1, 300]);
        let bytes = written.into_bytes();
        let fields: Vec<_> = Fields::of(&bytes).collect::<Result<_, _>>().unwrap();
        assert_eq!(fields[0], (1, Value::Number(300)));
        assert_eq!((fields[1].0, fields[1].1.text()), (2, Ok("é".to_owned())));
        assert_eq!(fields[2], (12, Value::Fixed));
        let inner: Vec<_> = fields[3].1.fields().unwrap().collect();
        assert_eq!(inner, [Ok((1, Value::Number(1)))]);
        let mut list = vec![7_u16];
        fields[4].1.append_to(&mut list).unwrap();
        Value::Number(5).append_to(&mut list).unwrap();
        assert_eq!(list, [7, 1, 300, 5]);
    }

    #[test]
    fn what_breaks_off_is_malformed_and_the_end() {
        let whole = Message::default().number(1, 300).text(2, "text").into_bytes();
        for length in 1..whole.len() {
            // Between two fields nothing is missing.
            let complete = length == 3;
            let fields: Vec<_> = Fields::of(whole.get(..length).unwrap()).collect();
            assert_eq!(fields.iter().all(Result::is_ok), complete, "{length}");
            assert!(fields.len() <= 2, "{length}");
        }
        // No such kind of field, a length beyond everything, a number without an end.
        for wrong in [&[0x0f, 1][..], &[0x12, 0xff, 0xff, 0xff, 0xff, 0x0f], &[0xff; 11]] {
            assert_eq!(Fields::of(wrong).collect::<Vec<_>>(), [Err(Malformed)]);
        }
        assert_eq!(Value::Number(1 << 40).as_::<u32>(), Err(Malformed));
        assert_eq!(Value::Number(u64::MAX).signed(), Ok(-1));
    }
}
