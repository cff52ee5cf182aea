//! Bytes on their way from one side to the other.

use rustix::io::{Errno, read, retry_on_intr, write};
use std::os::fd::AsFd;

/// Bytes held at most; the kernel's own buffers hold back what is more.
const MOST: usize = 64 * 1024;

/// Bytes that were read and not written yet.
#[derive(Debug)]
pub(super) struct Queue {
    bytes: Vec<u8>,
    /// So many of them are written.
    written: usize,
}

/// What reading came to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Read {
    /// So many new bytes.
    Some(usize),
    /// Nothing now.
    Nothing,
    /// Nothing any more.
    End,
}

impl Queue {
    pub(super) fn new() -> Self {
        Self { bytes: Vec::with_capacity(MOST), written: 0 }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.written == self.bytes.len()
    }

    pub(super) fn has_room(&self) -> bool {
        self.bytes.len() < MOST
    }

    /// Adds what comes from nowhere.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// The last `count` bytes that were read.
    pub(super) fn newest(&self, count: usize) -> &[u8] {
        let start = self.bytes.len().saturating_sub(count);
        self.bytes.get(start..).unwrap_or_default()
    }

    /// Reads what is there and has room. A terminal whose other side is gone says so by an error.
    pub(super) fn fill(&mut self, from: impl AsFd) -> Read {
        let start = self.bytes.len();
        self.bytes.resize(MOST.max(start), 0);
        let space = self.bytes.get_mut(start..).unwrap_or_default();
        let count = if space.is_empty() {
            Err(Errno::AGAIN)
        } else {
            retry_on_intr(|| read(&from, &mut *space))
        };
        self.bytes.truncate(start + *count.as_ref().unwrap_or(&0));
        match count {
            Ok(0) => Read::End,
            Ok(count) => Read::Some(count),
            Err(Errno::AGAIN) => Read::Nothing,
            Err(_) => Read::End,
        }
    }

    /// Writes what the other side takes now. Where it is gone, what is left goes nowhere.
    pub(super) fn drain(&mut self, to: impl AsFd) {
        while let Some(rest) = self.bytes.get(self.written..).filter(|rest| !rest.is_empty()) {
            match retry_on_intr(|| write(&to, rest)) {
                Ok(count) if count > 0 => self.written += count,
                Ok(_) | Err(Errno::AGAIN) => break,
                Err(_) => self.written = self.bytes.len(),
            }
        }
        if self.is_empty() {
            self.bytes.clear();
        } else {
            self.bytes.drain(..self.written);
        }
        self.written = 0;
    }
}
