//! The files of one daemon: one set per tmux server.

use crate::config::Paths;
use crate::tmux::Server;
use crate::{Error, Kind};
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

/// Longest path of a unix socket that every system takes.
const SOCKET_PATH_MAX: usize = 100;

/// Where the daemon of one server keeps its files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Files {
    /// Locked while a daemon lives; the kernel unlocks it however that ends.
    pub lock: PathBuf,
    /// The daemon listens here.
    pub socket: PathBuf,
    /// What a later daemon must know.
    pub state: PathBuf,
    /// The last events.
    pub events: PathBuf,
    /// What routes must know after a restart.
    pub routes: PathBuf,
    /// What routes did and did not do.
    pub route_log: PathBuf,
    /// What the daemon says.
    pub log: PathBuf,
}

impl Files {
    /// The files for this server. None of them need exist, nor their folders.
    pub fn of(server: &Server, paths: &Paths) -> Self {
        let key = key(server.socket());
        let name = |ending: &str| format!("tmux-{key:016x}.{ending}");
        Self {
            lock: paths.runtime_dir.join(name("lock")),
            socket: paths.runtime_dir.join(name("sock")),
            state: paths.state_dir.join(name("json")),
            events: paths.state_dir.join(name("events")),
            routes: paths.state_dir.join(name("routes")),
            route_log: paths.state_dir.join(name("routes.log")),
            log: paths.state_dir.join(name("log")),
        }
    }

    /// Creates the folders, for this user alone.
    pub fn create_folders(&self, paths: &Paths) -> Result<(), Error> {
        paths.ensure_runtime_dir()?;
        if self.socket.as_os_str().len() > SOCKET_PATH_MAX {
            return Err(Error::usage(format!(
                "the path {} is too long for a socket",
                self.socket.display()
            ))
            .remedy("Set XDG_RUNTIME_DIR to a shorter path."));
        }
        let dir = &paths.state_dir;
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(dir)
            .map_err(|error| Error::file("cannot create the state folder", dir, &error))
    }
}

/// Names a server's files. The path is taken without links, so that two ways to write it are one
/// server.
fn key(socket: &Path) -> u64 {
    let folder = socket.parent().and_then(|dir| fs::canonicalize(dir).ok());
    let path = match (folder, socket.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => socket.to_owned(),
    };
    // FNV-1a: the same in every version of this program, unlike the hasher of the library.
    path.as_os_str().as_encoded_bytes().iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Held while this process is the daemon of its server.
#[derive(Debug)]
pub struct Lock(File);

/// How long the kernel may take to close the files of a daemon that was killed.
const DYING: Duration = Duration::from_secs(1);

/// Between two looks at a held lock.
const TICK: Duration = Duration::from_millis(10);

impl Lock {
    /// Becomes the daemon, as soon as one that is just ending is gone. Refused while another one
    /// lives.
    pub fn await_turn(path: &Path) -> Result<Self, Error> {
        let deadline = Instant::now() + DYING;
        loop {
            match Self::acquire(path) {
                Err(error) if error.kind() == Kind::Refused && Instant::now() < deadline => {
                    thread::sleep(TICK);
                }
                answer => return answer,
            }
        }
    }

    /// Becomes the daemon. Refused while another one lives.
    pub fn acquire(path: &Path) -> Result<Self, Error> {
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(path)
            .map_err(|error| Error::file("cannot open the lock", path, &error))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut pid = String::new();
                let _ = file.read_to_string(&mut pid);
                let who = match pid.trim() {
                    "" => String::new(),
                    pid => format!(" (process {pid})"),
                };
                return Err(Error::new(
                    Kind::Refused,
                    format!("another daemon{who} already watches this tmux server"),
                ));
            }
            Err(TryLockError::Error(error)) => {
                return Err(Error::file("cannot lock", path, &error));
            }
        }
        // For people and for the message above; the lock itself needs no content.
        let note = format!("{}\n", std::process::id());
        let _ = file
            .set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| file.write_all(note.as_bytes()));
        Ok(Self(file))
    }

    /// Whether the file at `path` is still the locked one. Runtime folders are swept: by the
    /// system when the user logs out, and by age where they are in the temporary folder.
    pub fn is_at(&self, path: &Path) -> bool {
        let id = |meta: fs::Metadata| (meta.dev(), meta.ino());
        let there = fs::symlink_metadata(path).ok().map(id);
        there.is_some() && there == self.0.metadata().ok().map(id)
    }

    /// Process of the daemon that lives, by its own note.
    pub fn holder(path: &Path) -> Option<i32> {
        let note = fs::read_to_string(path).ok().filter(|_| Self::is_held(path))?;
        note.trim().parse().ok().filter(|pid| *pid > 1)
    }

    /// Whether a daemon lives.
    pub fn is_held(path: &Path) -> bool {
        let file = OpenOptions::new().read(true).write(true).open(path);
        file.is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn one_daemon_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.lock");
        assert!(!Lock::is_held(&path));
        let first = Lock::acquire(&path).unwrap();
        assert!(Lock::is_held(&path) && first.is_at(&path));
        assert_eq!(Lock::holder(&path), i32::try_from(std::process::id()).ok());
        let refused = Lock::acquire(&path).unwrap_err();
        assert_eq!(refused.kind(), Kind::Refused);
        assert!(refused.message().contains(&std::process::id().to_string()), "{refused}");
        drop(first);
        assert!(!Lock::is_held(&path));
        Lock::acquire(&path).unwrap();
    }

    #[test]
    fn a_daemon_that_is_just_ending_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.lock");
        let ending = Lock::acquire(&path).unwrap();
        let next = thread::spawn({
            let path = path.clone();
            move || Lock::await_turn(&path)
        });
        // The other one may come later than this: then it finds the lock free, which is right too.
        thread::sleep(TICK * 3);
        drop(ending);
        let next = next.join().unwrap().unwrap();
        assert_eq!(Lock::acquire(&path).unwrap_err().kind(), Kind::Refused);
        drop(next);
    }

    #[test]
    fn a_swept_lock_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.lock");
        let lock = Lock::acquire(&path).unwrap();
        fs::remove_file(&path).unwrap();
        assert!(!lock.is_at(&path));
        fs::write(&path, "").unwrap();
        assert!(!lock.is_at(&path));
    }

    #[test]
    fn two_ways_to_write_a_path_are_one_server() {
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().join("real");
        fs::create_dir(&real).unwrap();
        std::os::unix::fs::symlink(&real, folder.path().join("link")).unwrap();
        assert_eq!(key(&real.join("a")), key(&folder.path().join("link/a")));
        assert_ne!(key(&real.join("a")), key(&real.join("b")));
    }
}
