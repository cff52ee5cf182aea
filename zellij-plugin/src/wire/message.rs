//! Writing Protocol Buffers.

/// A message that is being written, field by field. Fields are written also where they have the
/// value that a missing one stands for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Message(Vec<u8>);

impl Message {
    pub(super) fn number(mut self, field: u32, number: u64) -> Self {
        self.key(field, 0);
        self.varint(number);
        self
    }

    pub(super) fn flag(self, field: u32, flag: bool) -> Self {
        self.number(field, u64::from(flag))
    }

    pub(super) fn double(mut self, field: u32, number: f64) -> Self {
        self.key(field, 1);
        self.0.extend_from_slice(&number.to_le_bytes());
        self
    }

    pub(super) fn bytes(mut self, field: u32, bytes: &[u8]) -> Self {
        self.key(field, 2);
        self.varint(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
        self.0.extend_from_slice(bytes);
        self
    }

    pub(super) fn text(self, field: u32, text: &str) -> Self {
        self.bytes(field, text.as_bytes())
    }

    pub(super) fn message(self, field: u32, message: &Self) -> Self {
        self.bytes(field, &message.0)
    }

    /// Several numbers as one field.
    pub(super) fn numbers(self, field: u32, numbers: &[u64]) -> Self {
        let mut all = Self::default();
        for number in numbers {
            all.varint(*number);
        }
        self.message(field, &all)
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    fn key(&mut self, field: u32, kind: u64) {
        self.varint(u64::from(field) << 3 | kind);
    }

    fn varint(&mut self, mut number: u64) {
        while number > 0x7f {
            self.0.push(0x80 | number.to_le_bytes()[0]);
            number >>= 7;
        }
        self.0.push(number.to_le_bytes()[0]);
    }
}
