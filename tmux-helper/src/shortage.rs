//! Telling what is not there from what could not be looked at.

use rustix::io::Errno;
use std::io;

/// Whether a file could not be opened for want of descriptors or memory: it may be there all the same,
/// so nothing that is known of it has become wrong.
pub(crate) fn is_shortage(error: &io::Error) -> bool {
    let errno = Errno::from_io_error(error);
    errno.is_some_and(|errno| matches!(errno, Errno::MFILE | Errno::NFILE | Errno::NOMEM))
}
