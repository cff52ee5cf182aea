//! The thread that tells.

use super::{Notice, Screen, desktop};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

/// Notifications that may wait to be told; more are dropped.
const WAITING_MAX: usize = 8;

/// Stack of the thread, in bytes.
const STACK: usize = 256 * 1024;

/// The ways that notifications take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Via {
    /// The desktop where there is one, else the terminals.
    #[default]
    Auto,
    /// The desktop alone.
    Desktop,
    /// The terminals of the attached clients.
    Terminal,
    /// Nothing is told.
    Off,
}

#[derive(Debug)]
struct Job {
    notice: Notice,
    screens: Vec<Screen>,
}

/// Tells notifications.
#[derive(Debug)]
pub struct Notifier {
    jobs: Option<SyncSender<Job>>,
}

impl Notifier {
    /// Starts the thread, unless nothing is to be told.
    pub fn start(via: Via, sound: bool) -> Self {
        if via == Via::Off {
            return Self { jobs: None };
        }
        let (jobs, taken) = sync_channel::<Job>(WAITING_MAX);
        let tell = move || {
            for Job { notice, screens } in taken {
                let desktop = via == Via::Desktop || (via == Via::Auto && desktop::is_there());
                let shown = desktop && desktop::notify(&notice, sound);
                if via == Via::Terminal || (via == Via::Auto && !shown) {
                    for screen in &screens {
                        screen.notify(&notice, sound);
                    }
                }
            }
        };
        let thread = thread::Builder::new().name("notify".to_owned()).stack_size(STACK).spawn(tell);
        Self { jobs: thread.is_ok().then_some(jobs) }
    }

    /// Whether anything is told at all.
    pub fn is_on(&self) -> bool {
        self.jobs.is_some()
    }

    /// Tells it, to these terminals where it goes to terminals. Never waits.
    pub fn tell(&self, notice: Notice, screens: Vec<Screen>) {
        if let Some(jobs) = &self.jobs {
            let _ = jobs.try_send(Job { notice, screens });
        }
    }
}
