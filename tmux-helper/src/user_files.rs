//! Files of the person's own that this program changes when it is asked to.

use crate::Error;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

/// The text of a file; nothing where there is none.
pub(crate) fn read(path: &Path) -> Result<Option<String>, Error> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::file("cannot read", path, &error)),
    }
}

/// Writes a file as a whole or not at all. A link stays a link: its target is written.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let failed = |error: io::Error| Error::file("cannot write", path, &error);
    let dir = target.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(dir).map_err(failed)?;
    let mode = fs::metadata(&target).ok().map(|meta| meta.permissions());
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let temporary = dir.join(format!(".{name}.{}", std::process::id()));
    let written = (|| {
        let mut file = fs::File::create(&temporary)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        if let Some(mode) = mode {
            fs::set_permissions(&temporary, mode)?;
        }
        fs::rename(&temporary, &target)
    })();
    if written.is_err() {
        // What could not be completed is not left behind.
        let _ = fs::remove_file(&temporary);
    }
    written.map_err(failed)
}

/// Removes a file; false when there was none.
pub(crate) fn remove(path: &Path) -> Result<bool, Error> {
    match fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(Error::file("cannot remove", path, &error)),
    }
}
