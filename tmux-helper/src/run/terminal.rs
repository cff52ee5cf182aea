//! The terminal that the relay was started in.

use rustix::fs::{Mode, OFlags, fstat, open};
use rustix::io;
use rustix::stdio::{stderr, stdin, stdout};
use rustix::termios::{
    OptionalActions, Termios, Winsize, isatty, tcgetattr, tcgetwinsize, tcsetattr, ttyname,
};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// The terminal, through a description of our own: that it does not block is nobody else's
/// concern. What was set is put back when this is dropped.
#[derive(Debug)]
pub(super) struct Terminal {
    tty: OwnedFd,
    /// As it was before it was made raw; nothing while it is not raw.
    before: Option<Termios>,
}

impl Terminal {
    /// The terminal that is standard input and output both; nothing where there is none.
    pub(super) fn open() -> Option<Self> {
        if !isatty(stdin()) || !is_same(stdin(), stdout()) {
            return None;
        }
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let named = ttyname(stdin(), Vec::new()).and_then(|path| open(path, flags, Mode::empty()));
        // A container may not show the terminal's own name.
        let tty = named.or_else(|_| open("/dev/tty", flags, Mode::empty())).ok()?;
        Some(Self { tty, before: None })
    }

    /// Whether errors go to this terminal too.
    pub(super) fn is_stderr() -> bool {
        is_same(stdin(), stderr())
    }

    pub(super) fn attributes(&self) -> io::Result<Termios> {
        tcgetattr(&self.tty)
    }

    pub(super) fn size(&self) -> io::Result<Winsize> {
        tcgetwinsize(&self.tty)
    }

    /// Passes every byte on from now on. In the background this stops the whole job, as it stops
    /// every program that sets its terminal, until somebody brings it to the foreground.
    pub(super) fn make_raw(&mut self) -> io::Result<()> {
        let now = tcgetattr(&self.tty)?;
        let mut raw = now.clone();
        raw.make_raw();
        tcsetattr(&self.tty, OptionalActions::Now, &raw)?;
        self.before.get_or_insert(now);
        Ok(())
    }

    /// Puts it back as it was.
    pub(super) fn restore(&mut self) {
        if let Some(before) = self.before.take() {
            let _ = tcsetattr(&self.tty, OptionalActions::Now, &before);
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.restore();
    }
}

impl AsFd for Terminal {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.tty.as_fd()
    }
}

fn is_same(one: BorrowedFd<'_>, other: BorrowedFd<'_>) -> bool {
    let device = |fd| fstat(fd).ok().map(|stat| stat.st_rdev);
    isatty(other) && device(one).is_some() && device(one) == device(other)
}
