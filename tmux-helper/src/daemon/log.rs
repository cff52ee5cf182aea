//! The daemon's log: a file of bounded size, and the one before it. Screen text never gets in.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use tracing_subscriber::fmt::MakeWriter;

/// Bytes after which a new file is begun.
const SIZE_MAX: u64 = 1024 * 1024;

/// A log file that starts anew when it gets large; the former one is kept as `….log.old`.
#[derive(Debug, Clone)]
pub(super) struct LogFile(Arc<Mutex<Inner>>);

#[derive(Debug)]
struct Inner {
    path: PathBuf,
    file: File,
    size: u64,
}

impl LogFile {
    /// Opens the log, to be written on at its end.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = open(path)?;
        let size = file.metadata()?.len();
        Ok(Self(Arc::new(Mutex::new(Inner { path: path.to_owned(), file, size }))))
    }
}

/// Sends what the daemon says to this writer.
pub(super) fn init<W>(writer: W)
where
    W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    let subscriber = tracing_subscriber::fmt()
        .with_writer(writer)
        .with_ansi(false)
        .with_target(false)
        .with_max_level(tracing::Level::INFO)
        .finish();
    // A second daemon in one process (in tests) keeps the first one's log.
    let _ = tracing::subscriber::set_global_default(subscriber);
}

impl<'a> MakeWriter<'a> for LogFile {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

impl Write for LogFile {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(line)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Inner {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        if self.size + line.len() as u64 > SIZE_MAX {
            fs::rename(&self.path, self.path.with_extension("log.old"))?;
            self.file = open(&self.path)?;
            self.size = 0;
        }
        let written = self.file.write(line)?;
        self.size += written as u64;
        Ok(written)
    }
}

fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).create(true).mode(0o600).open(path)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_log_stays_small() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.log");
        let mut log = LogFile::open(&path).unwrap();
        let line = [b'x'; 1000];
        for _ in 0..3000 {
            log.write_all(&line).unwrap();
        }
        let size = |path: &Path| fs::metadata(path).unwrap().len();
        assert!(size(&path) <= SIZE_MAX);
        assert!(size(&path.with_extension("log.old")) <= SIZE_MAX);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}
