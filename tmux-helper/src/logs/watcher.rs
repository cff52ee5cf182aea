//! File events of the folders in which logs are written, so that a record is read at once. They are
//! only a hint: without them, and where one is missed, logs are looked at in the usual pace.

use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Watches folders, never what lies below their folders.
#[derive(Debug)]
pub(super) struct Watcher {
    inner: RecommendedWatcher,
    folders: HashSet<PathBuf>,
    news: Arc<AtomicBool>,
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
            Ok(inner) => Some(Self { inner, folders: HashSet::new(), news }),
            Err(error) => {
                tracing::info!(%error, "no file events; session logs are polled");
                None
            }
        }
    }

    /// Watches these folders and no others.
    pub(super) fn set(&mut self, folders: HashSet<PathBuf>) {
        for gone in self.folders.difference(&folders) {
            // It may be gone from the disk as well.
            let _ = self.inner.unwatch(gone);
        }
        let new = folders.difference(&self.folders);
        let missing: Vec<PathBuf> = new
            .filter(|folder| self.inner.watch(folder, RecursiveMode::NonRecursive).is_err())
            .cloned()
            .collect();
        self.folders = folders;
        // Those are tried again the next time.
        self.folders.retain(|folder| !missing.contains(folder));
    }

    /// Whether anything happened since the news were taken last.
    pub(super) fn has_news(&self) -> bool {
        self.news.load(Ordering::Relaxed)
    }

    /// From here on what happens is new.
    pub(super) fn take_news(&self) {
        self.news.store(false, Ordering::Relaxed);
    }
}
