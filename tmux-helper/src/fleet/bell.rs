//! Wakes a thread that waits for a network connection.

use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;

/// What is waited for beside the network.
#[derive(Debug)]
pub struct Bell {
    ear: UnixStream,
    rope: Rope,
}

/// Rings a [`Bell`], from any thread.
#[derive(Debug, Clone)]
pub struct Rope(Arc<UnixStream>);

impl Bell {
    /// A bell.
    pub fn new() -> io::Result<Self> {
        let (ear, rope) = UnixStream::pair()?;
        ear.set_nonblocking(true)?;
        rope.set_nonblocking(true)?;
        Ok(Self { ear, rope: Rope(Arc::new(rope)) })
    }

    /// What rings it.
    pub fn rope(&self) -> Rope {
        self.rope.clone()
    }

    /// Forgets that it rang.
    pub(super) fn hush(&mut self) {
        let mut ignored = [0; 256];
        while matches!(self.ear.read(&mut ignored), Ok(n) if n > 0) {}
    }
}

impl Rope {
    /// Rings.
    pub fn ring(&self) {
        // Where it is full it rings already.
        let _ = self.0.as_ref().write(&[1]);
    }
}

impl AsFd for Bell {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.ear.as_fd()
    }
}
