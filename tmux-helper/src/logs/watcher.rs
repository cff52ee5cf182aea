//! File events of the folders in which logs are written, so that a record is read at once. They are
//! only a hint: without them, and where one is missed, logs are looked at in the usual pace.

use notify::{ErrorKind, Event, EventKind, RecursiveMode};
use std::collections::HashSet;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Watches folders, never what lies below their folders.
pub(super) struct Watcher {
    inner: Box<dyn notify::Watcher + Send>,
    folders: HashSet<PathBuf>,
    /// Folders for which the system had no watch left the last time.
    refused: usize,
    news: Arc<AtomicBool>,
}

impl fmt::Debug for Watcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watcher").field("folders", &self.folders).finish_non_exhaustive()
    }
}

impl Watcher {
    /// Watches nothing yet. Nothing where the system has no file events, or none left for us.
    pub(super) fn new() -> Option<Self> {
        let news = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&news);
        let heed = move |event: notify::Result<Event>| {
            // Our own reading is no news.
            if !event.is_ok_and(|event| matches!(event.kind, EventKind::Access(_))) {
                flag.store(true, Ordering::Relaxed);
            }
        };
        match notify::recommended_watcher(heed) {
            Ok(inner) => Some(Self::with(Box::new(inner), news)),
            Err(error) => {
                tracing::info!(%error, "no file events; session logs are polled");
                None
            }
        }
    }

    fn with(inner: Box<dyn notify::Watcher + Send>, news: Arc<AtomicBool>) -> Self {
        Self { inner, folders: HashSet::new(), refused: 0, news }
    }

    /// Watches these folders and no others.
    pub(super) fn set(&mut self, folders: HashSet<PathBuf>) {
        for gone in self.folders.difference(&folders) {
            // It may be gone from the disk as well.
            let _ = self.inner.unwatch(gone);
        }
        let mut refused = 0;
        let mut missing: Vec<PathBuf> = Vec::new();
        for folder in folders.difference(&self.folders) {
            if let Err(error) = self.inner.watch(folder, RecursiveMode::NonRecursive) {
                refused += usize::from(matches!(error.kind, ErrorKind::MaxFilesWatch));
                missing.push(folder.clone());
            }
        }
        if refused > self.refused {
            tracing::warn!(
                folders = refused,
                "no file events are left for folders with session logs, which are polled; \
                 fs.inotify.max_user_watches may be too low"
            );
        }
        self.refused = refused;
        self.folders = folders;
        // Those are tried again the next time.
        self.folders.retain(|folder| !missing.contains(folder));
    }

    /// Whether anything happened since the news were taken last.
    pub(super) fn has_news(&self) -> bool {
        self.news.load(Ordering::Relaxed)
    }

    /// Whether the system had a watch for every folder that is there.
    pub(super) fn is_complete(&self) -> bool {
        self.refused == 0
    }

    /// From here on what happens is new.
    pub(super) fn take_news(&self) {
        self.news.store(false, Ordering::Relaxed);
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use std::path::Path;

    /// A system that has so many watches left.
    #[derive(Debug)]
    struct Limited(usize);

    impl notify::Watcher for Limited {
        fn new<F: notify::EventHandler>(_: F, _: notify::Config) -> notify::Result<Self> {
            Ok(Self(0))
        }

        fn watch(&mut self, _: &Path, _: RecursiveMode) -> notify::Result<()> {
            self.0 = self.0.checked_sub(1).ok_or(notify::Error::new(ErrorKind::MaxFilesWatch))?;
            Ok(())
        }

        fn unwatch(&mut self, _: &Path) -> notify::Result<()> {
            self.0 += 1;
            Ok(())
        }

        fn kind() -> notify::WatcherKind {
            notify::WatcherKind::NullWatcher
        }
    }

    /// A watcher to which the system gives so many folders.
    pub(in crate::logs) fn limited(watches: usize) -> Watcher {
        Watcher::with(Box::new(Limited(watches)), Arc::default())
    }

    #[test]
    fn folders_that_the_system_refuses_are_counted_and_tried_again() {
        let folders = |names: &[&str]| names.iter().map(PathBuf::from).collect::<HashSet<_>>();
        let mut watcher = limited(2);
        watcher.set(folders(&["/a", "/b", "/c"]));
        assert_eq!((watcher.folders.len(), watcher.refused), (2, 1));
        assert!(!watcher.is_complete());
        watcher.set(folders(&["/a", "/b", "/c", "/d"]));
        assert_eq!((watcher.folders.len(), watcher.refused), (2, 2));
        // One is given back, and goes to one that waits.
        let all = folders(&["/a", "/b", "/c", "/d"]);
        let gone = watcher.folders.iter().next().cloned().unwrap_or_default();
        watcher.set(all.into_iter().filter(|folder| *folder != gone).collect());
        assert_eq!((watcher.folders.len(), watcher.refused), (2, 1));
        assert!(!watcher.folders.contains(&gone));
    }
}
