//! What the daemon's loop shares with its connections.

use crate::output::ListedPane;
use crate::protocol::{Event, Hello};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Events that a subscriber may lag behind; one that reads more slowly is let go.
const LAG_MAX: usize = 1024;

/// The latest picture and the subscribers. Connections read it; they never wait for tmux.
#[derive(Debug)]
pub(super) struct Hub {
    picture: Mutex<Arc<Picture>>,
    subscribers: Mutex<Vec<SyncSender<Arc<str>>>>,
}

/// What the daemon knew after its last look.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Picture {
    pub(super) hello: Hello,
    pub(super) rows: Arc<Vec<ListedPane>>,
    /// Number of the last event.
    pub(super) seq: u64,
}

impl Hub {
    pub(super) fn new(picture: Picture) -> Self {
        Self { picture: Mutex::new(Arc::new(picture)), subscribers: Mutex::new(Vec::new()) }
    }

    pub(super) fn picture(&self) -> Arc<Picture> {
        Arc::clone(&held(&self.picture))
    }

    pub(super) fn show(&self, picture: Picture) {
        *held(&self.picture) = Arc::new(picture);
    }

    /// Events from now on, each a line, and the number of the last one before. The channel ends
    /// when the reader is too slow.
    pub(super) fn subscribe(&self) -> (u64, Receiver<Arc<str>>) {
        let (sender, receiver) = sync_channel(LAG_MAX);
        let mut subscribers = held(&self.subscribers);
        subscribers.push(sender);
        (self.picture().seq, receiver)
    }

    /// Whether anybody listens to events.
    pub(super) fn is_watched(&self) -> bool {
        !held(&self.subscribers).is_empty()
    }

    /// Gives the events to all subscribers and shows the picture that they lead to, so that no
    /// subscriber gets a number that is not after the one that it was told.
    pub(super) fn publish(&self, events: &[Event], picture: Picture) {
        let mut subscribers = held(&self.subscribers);
        for event in events {
            let Ok(line) = serde_json::to_string(event) else { continue };
            let line: Arc<str> = format!("{line}\n").into();
            subscribers.retain(|subscriber| {
                !matches!(
                    subscriber.try_send(Arc::clone(&line)),
                    Err(TrySendError::Full(_) | TrySendError::Disconnected(_))
                )
            });
        }
        self.show(picture);
    }

    /// Lets go of all subscribers: their connections end.
    pub(super) fn close(&self) {
        held(&self.subscribers).clear();
    }
}

/// The data behind the lock. A thread that panicked while holding it left whole values behind:
/// they are replaced, never changed in place.
fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
