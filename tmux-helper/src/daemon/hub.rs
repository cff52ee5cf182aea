//! What the daemon's loop shares with its connections.

use crate::events::{Batch, Entry, Ring};
use crate::output::ListedPane;
use crate::protocol::{Event, Hello, PaneHistory};
use madohub_detect::TurnEnd;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Events that a reader is given at a time.
const BATCH: usize = 64;
/// Readers of events at a time. One that does not read holds its connection for as long as it
/// lives; requests must get through beside them.
const WATCHERS_MAX: usize = 40;

/// The latest picture and the last events. Connections read them, each at its own pace; they never
/// wait for tmux, and the loop never waits for them.
#[derive(Debug)]
pub(super) struct Hub {
    picture: Mutex<Arc<Picture>>,
    ring: Mutex<Ring>,
    /// Something was told, or somebody hung up.
    news: Condvar,
    watchers: AtomicUsize,
    is_closed: AtomicBool,
}

/// What the daemon knew after its last look.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Picture {
    pub(super) hello: Hello,
    pub(super) rows: Arc<Vec<ListedPane>>,
    /// How the last turn of each pane ended.
    pub(super) ends: Arc<BTreeMap<String, TurnEnd>>,
}

/// Counts a reader of events for as long as it lives.
#[derive(Debug)]
pub(super) struct Watcher<'a>(&'a Hub);

impl Drop for Watcher<'_> {
    fn drop(&mut self) {
        self.0.watchers.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Hub {
    pub(super) fn new(picture: Picture) -> Self {
        Self {
            picture: Mutex::new(Arc::new(picture)),
            ring: Mutex::new(Ring::default()),
            news: Condvar::new(),
            watchers: AtomicUsize::new(0),
            is_closed: AtomicBool::new(false),
        }
    }

    pub(super) fn picture(&self) -> Arc<Picture> {
        Arc::clone(&held(&self.picture))
    }

    pub(super) fn show(&self, picture: Picture) {
        *held(&self.picture) = Arc::new(picture);
    }

    /// The events as of now.
    pub(super) fn ring(&self) -> MutexGuard<'_, Ring> {
        held(&self.ring)
    }

    /// Lets one more reader of events in, unless there are too many.
    pub(super) fn watcher(&self) -> Option<Watcher<'_>> {
        let before = self.watchers.fetch_add(1, Ordering::Relaxed);
        let watcher = Watcher(self);
        (before < WATCHERS_MAX).then_some(watcher)
    }

    /// Whether anybody listens to events.
    pub(super) fn is_watched(&self) -> bool {
        self.watchers.load(Ordering::Relaxed) > 0
    }

    /// What follows the event with the number `cursor`; waits until something does. Nothing once
    /// the daemon ends or `is_over`.
    pub(super) fn next(&self, cursor: u64, is_over: &AtomicBool) -> Option<Batch> {
        let mut ring = held(&self.ring);
        loop {
            if is_over.load(Ordering::Relaxed) {
                return None;
            }
            let batch = ring.after(cursor, BATCH);
            if !batch.lines.is_empty() {
                return Some(batch);
            }
            if self.is_closed.load(Ordering::Relaxed) {
                return None;
            }
            ring = self.news.wait(ring).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Shows the picture, and gives the events that led to it to all readers: whoever gets an
    /// event finds its state in the list.
    pub(super) fn publish(&self, entries: &[Arc<Entry>], picture: Picture) {
        self.show(picture);
        if entries.is_empty() {
            return;
        }
        let mut ring = held(&self.ring);
        for entry in entries {
            ring.push(entry);
        }
        drop(ring);
        self.news.notify_all();
    }

    /// The panes with an agent, each with its last events.
    pub(super) fn history(&self) -> Vec<PaneHistory> {
        let picture = self.picture();
        let ring = held(&self.ring);
        let events = |pane: &str| ring.history(pane).map(|e| e.event().clone()).collect();
        let history = |pane: &ListedPane| {
            let events: Vec<Event> = events(&pane.row.pane);
            PaneHistory { pane: pane.clone(), events }
        };
        picture.rows.iter().map(history).collect()
    }

    /// Has every reader of events look whether it is over.
    pub(super) fn wake(&self) {
        // Whoever is between looking and waiting holds this.
        drop(held(&self.ring));
        self.news.notify_all();
    }

    /// Lets go of all readers once they have what was told: their connections end.
    pub(super) fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
        self.wake();
    }
}

/// The data behind the lock. A thread that panicked while holding it left whole values behind:
/// a picture is replaced, and a ring is short of an event at the worst.
fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
