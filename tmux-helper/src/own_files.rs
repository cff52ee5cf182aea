//! Files of this program's own, in the folders that are for this user alone.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

/// Writes a file so that a reader finds the old or the new one, never a half. `new` is where it is
/// written first, in the same folder; it takes no room where that fails. The answer is the file, open
/// to be written on.
pub(crate) fn replace(path: &Path, new: &Path, bytes: &[u8]) -> io::Result<File> {
    let mut file =
        OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(new)?;
    let replaced = file.write_all(bytes).and_then(|()| fs::rename(new, path));
    if replaced.is_err() {
        let _ = fs::remove_file(new);
    }
    replaced.map(|()| file)
}
