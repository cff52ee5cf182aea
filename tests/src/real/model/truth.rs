//! What really happened, and when: written by the model server, read by the run.

use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// One use of a scene: `stall-7`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key {
    /// Name of the scene.
    pub scene: String,
    /// Tells one use from another.
    pub number: u32,
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.scene, self.number)
    }
}

impl FromStr for Key {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (scene, number) = text.rsplit_once('-').ok_or(())?;
        let number = number.parse().map_err(|_| ())?;
        if scene.is_empty() {
            return Err(());
        }
        Ok(Self { scene: scene.to_owned(), number })
    }
}

/// What the server saw or did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// A request came in.
    Asked,
    /// A reply was sent to its end, without a tool call.
    Answered,
    /// A reply was sent to its end and asks for a tool.
    Called,
    /// An error was sent, or the connection broken.
    Failed,
    /// The agent hung up.
    Left,
}

/// All that happened so far.
#[derive(Debug, Default)]
pub struct Truth {
    inner: Mutex<Inner>,
    news: Condvar,
    released: tokio::sync::Notify,
}

#[derive(Debug, Default)]
struct Inner {
    events: Vec<(Instant, Key, What)>,
    released: HashSet<Key>,
}

impl Truth {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().expect("no panic inside")
    }

    pub(super) fn tell(&self, key: &Key, what: What) {
        self.inner().events.push((Instant::now(), key.clone(), what));
        self.news.notify_all();
    }

    /// Lets a scene that holds go on, now and whenever it would hold again.
    pub fn release(&self, key: &Key) {
        self.inner().released.insert(key.clone());
        self.released.notify_waiters();
    }

    pub(super) fn is_released(&self, key: &Key) -> bool {
        self.inner().released.contains(key)
    }

    /// Waits until the scene is released.
    pub(super) async fn wait_release(&self, key: &Key) {
        loop {
            let notified = self.released.notified();
            tokio::pin!(notified);
            notified.as_mut().enable();
            if self.is_released(key) {
                return;
            }
            notified.await;
        }
    }

    /// When the newest such event of the scene happened.
    pub fn last(&self, key: &Key, what: What) -> Option<Instant> {
        let inner = self.inner();
        inner.events.iter().rev().find(|(_, k, w)| k == key && *w == what).map(|(at, ..)| *at)
    }

    /// How often such an event of the scene happened.
    pub fn count(&self, key: &Key, what: What) -> usize {
        self.inner().events.iter().filter(|(_, k, w)| k == key && *w == what).count()
    }

    /// Waits until such an event of the scene has happened after `since`.
    pub fn wait(
        &self,
        key: &Key,
        what: What,
        since: Instant,
        timeout: Duration,
    ) -> Option<Instant> {
        let deadline = Instant::now() + timeout;
        let mut inner = self.inner();
        loop {
            let is_it = |(at, k, w): &&(Instant, Key, What)| k == key && *w == what && *at >= since;
            if let Some((at, ..)) = inner.events.iter().find(is_it) {
                return Some(*at);
            }
            let left = deadline.checked_duration_since(Instant::now())?;
            inner = self.news.wait_timeout(inner, left).expect("no panic inside").0;
        }
    }

    /// What happened in the scene, for people.
    pub fn story(&self, key: &Key) -> String {
        let inner = self.inner();
        let mut events = inner.events.iter().filter(|(_, k, _)| k == key).peekable();
        let Some(start) = events.peek().map(|(at, ..)| *at) else {
            return "the model was not asked".to_owned();
        };
        let line = |(at, _, what): &(Instant, Key, What)| {
            format!("{what:?} +{} ms", at.duration_since(start).as_millis())
        };
        events.map(line).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_back() {
        let key: Key = "api-error-12".parse().unwrap();
        assert_eq!(key, Key { scene: "api-error".to_owned(), number: 12 });
        assert_eq!(key.to_string(), "api-error-12");
        assert!("stall".parse::<Key>().is_err());
    }

    #[test]
    fn events_are_waited_for_by_key_and_time() {
        let truth = Truth::default();
        let key: Key = "stall-1".parse().unwrap();
        let begin = Instant::now();
        truth.tell(&key, What::Asked);
        let asked = truth.wait(&key, What::Asked, begin, Duration::ZERO);
        assert!(asked.is_some());
        assert_eq!(truth.count(&key, What::Asked), 1);
        assert_eq!(truth.count(&key, What::Answered), 0);
        let later = Instant::now();
        assert_eq!(truth.wait(&key, What::Asked, later, Duration::ZERO), None);
        assert_eq!(truth.wait(&key, What::Answered, begin, Duration::ZERO), None);
    }
}
