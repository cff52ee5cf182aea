//! Opening the files of agents: this user's own regular files below the agent's folder, and never
//! one that may hold a secret.

use jiff::Timestamp;
use rustix::fs::OFlags;
use rustix::process::geteuid;
use std::ffi::OsStr;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// Parts of names that agents give to files with keys, tokens and passwords
/// (`auth.json`, `.credentials.json`, `oauth_creds.json`, `<pid>.<hash>.key`, `.env`, …).
const SECRET: [&str; 8] =
    ["auth", "credential", "creds", ".key", "token", "secret", ".pem", ".env"];

/// Which version of a file was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    pub(super) device: u64,
    pub(super) inode: u64,
    pub(super) size: u64,
    modified: (i64, i64),
}

impl Stamp {
    /// The file as it is now; nothing where there is none.
    pub(super) fn of(path: &Path) -> Option<Self> {
        fs::metadata(path).ok().map(|meta| Self::from(&meta))
    }

    /// When it was written last, where that is a time that records can have.
    pub(super) fn time(&self) -> Option<Timestamp> {
        Timestamp::new(self.modified.0, i32::try_from(self.modified.1).ok()?).ok()
    }

    /// Seconds since the epoch of the last write.
    #[expect(clippy::cast_precision_loss, reason = "seconds fit")]
    pub(super) fn modified(&self) -> f64 {
        self.modified.0 as f64 + self.modified.1 as f64 / 1e9
    }
}

impl From<&Metadata> for Stamp {
    fn from(meta: &Metadata) -> Self {
        Self {
            device: meta.dev(),
            inode: meta.ino(),
            size: meta.size(),
            modified: (meta.mtime(), meta.mtime_nsec()),
        }
    }
}

/// A file below an agent's folder that is read from where the last reading ended.
#[derive(Debug)]
pub(super) struct Followed {
    root: PathBuf,
    path: PathBuf,
    /// As of the last reading.
    stamp: Option<Stamp>,
}

/// What a file became since it was read.
#[derive(Debug)]
pub(super) struct Changed {
    /// The file, opened.
    pub(super) file: File,
    /// As of now: what is appended from here on shows in the next stamp.
    pub(super) stamp: Stamp,
    /// It is the one that was read, and no shorter than what was read of it.
    pub(super) has_grown: bool,
}

impl Followed {
    /// A file that nothing was read of yet.
    pub(super) fn new(root: &Path, path: &Path) -> Self {
        Self { root: root.to_owned(), path: path.to_owned(), stamp: None }
    }

    /// The file, when it is not what was seen; `offset` bytes of it were read. Costs one `stat`
    /// when nothing changed.
    pub(super) fn changed(&self, offset: u64) -> io::Result<Option<Changed>> {
        let stamp = Stamp::of(&self.path);
        if stamp.is_some() && stamp == self.stamp {
            return Ok(None);
        }
        let file = open(&self.root, &self.path)?;
        let stamp = Stamp::from(&file.metadata()?);
        let has_grown = self.stamp.is_some_and(|then| {
            (then.device, then.inode) == (stamp.device, stamp.inode) && stamp.size >= offset
        });
        Ok(Some(Changed { file, stamp, has_grown }))
    }

    /// It was read as it was then.
    pub(super) fn seen(&mut self, stamp: Stamp) {
        self.stamp = Some(stamp);
    }
}

/// Whether a file of this name may hold a secret. Such a file is never opened.
pub(super) fn is_secret(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else { return true };
    let name = name.to_ascii_lowercase();
    SECRET.iter().any(|part| name.contains(part))
}

/// Opens `path` for reading. It must be a regular file of this user that lies below `root` also
/// when every link on the way is followed: a link in an agent's folder must not make us read
/// anything else.
pub(super) fn open(root: &Path, path: &Path) -> io::Result<File> {
    let refused = |why: &str| io::Error::new(io::ErrorKind::PermissionDenied, why.to_owned());
    let real = real_path(root, path)?;
    let mut options = OpenOptions::new();
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
    options.read(true).custom_flags(flags.bits().cast_signed());
    let file = options.open(real)?;
    let meta = file.metadata()?;
    if !meta.is_file() {
        return Err(refused("it is no regular file"));
    }
    if meta.uid() != geteuid().as_raw() {
        return Err(refused("it belongs to another user"));
    }
    Ok(file)
}

/// The file's path without links, when it lies below `root` and holds no secret.
pub(super) fn real_path(root: &Path, path: &Path) -> io::Result<PathBuf> {
    let refused = |why: &str| io::Error::new(io::ErrorKind::PermissionDenied, why.to_owned());
    let real = path.canonicalize()?;
    if !real.starts_with(root.canonicalize()?) {
        return Err(refused("it lies outside of the agent's folder"));
    }
    if real.file_name().is_none_or(is_secret) || path.file_name().is_none_or(is_secret) {
        return Err(refused("its name is that of a file with secrets"));
    }
    Ok(real)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failing test may panic")]

    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn names_of_secrets_are_known() {
        for name in
            ["auth.json", ".credentials.json", "1234.ab12.key", "oauth_creds.json", ".env", "token"]
        {
            assert!(is_secret(OsStr::new(name)), "{name}");
        }
        for name in ["rollout-2026.jsonl", "events.jsonl", "opencode.db", "4711.json"] {
            assert!(!is_secret(OsStr::new(name)), "{name}");
        }
    }

    #[test]
    fn only_files_below_the_folder_are_opened() {
        let home = tempfile::tempdir().unwrap();
        let agent = home.path().join("agent");
        fs::create_dir_all(agent.join("sessions")).unwrap();
        let inside = agent.join("sessions/log.jsonl");
        let outside = home.path().join("other.jsonl");
        fs::write(&inside, "{}\n").unwrap();
        fs::write(&outside, "{}\n").unwrap();
        fs::write(agent.join("auth.json"), "{}").unwrap();
        symlink(&inside, agent.join("inner.jsonl")).unwrap();
        symlink(&outside, agent.join("outer.jsonl")).unwrap();
        symlink(agent.join("auth.json"), agent.join("plain.jsonl")).unwrap();
        symlink(home.path(), agent.join("up")).unwrap();
        let linked = home.path().join("linked");
        symlink(&agent, &linked).unwrap();

        for path in ["sessions/log.jsonl", "inner.jsonl"] {
            assert!(open(&agent, &agent.join(path)).is_ok(), "{path}");
            assert!(open(&linked, &linked.join(path)).is_ok(), "{path} by a linked folder");
        }
        for path in [
            "outer.jsonl",
            "up/other.jsonl",
            "../other.jsonl",
            "auth.json",
            "plain.jsonl",
            "sessions",
        ] {
            assert!(open(&agent, &agent.join(path)).is_err(), "{path}");
        }
    }
}
