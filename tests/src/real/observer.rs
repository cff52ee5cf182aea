//! Follows what the product says about every pane.

use crate::product::{ListRow, Madohub};
use crate::tmux::Tmux;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Between two questions.
const EVERY: Duration = Duration::from_millis(25);

/// Asks `madohub list --json` again and again, and keeps what changed.
#[derive(Debug)]
pub(super) struct Observer {
    said: Arc<Mutex<HashMap<String, Vec<Said>>>>,
    end: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// What was said about a pane from a moment on.
#[derive(Debug, Clone)]
pub(super) struct Said {
    /// When it was read.
    pub(super) at: Instant,
    /// The row; nothing where the pane had none.
    pub(super) row: Option<ListRow>,
}

impl Said {
    /// The state, `-` where there was no row.
    pub(super) fn state(&self) -> &str {
        self.row.as_ref().map_or("-", |row| row.state.as_str())
    }

    /// The row in few words.
    pub(super) fn text(&self) -> String {
        self.row.as_ref().map_or_else(
            || "no row".to_owned(),
            |row| {
                let reason = row.reason.as_deref().unwrap_or("-");
                format!("{} {} ({reason}, {})", row.agent, row.state, row.state_source)
            },
        )
    }
}

impl Observer {
    pub(super) fn start(madohub: &Madohub, tmux: &Tmux) -> Self {
        let said = Arc::new(Mutex::new(HashMap::new()));
        let end = Arc::new(AtomicBool::new(false));
        let (madohub, tmux) = (madohub.clone(), tmux.clone());
        let (sink, stop) = (Arc::clone(&said), Arc::clone(&end));
        let thread = thread::spawn(move || {
            while !stop.load(Ordering::Relaxed) {
                note(&sink, rows(&madohub, &tmux));
                thread::sleep(EVERY);
            }
        });
        Self { said, end, thread: Some(thread) }
    }

    /// Everything that was said about a pane, oldest first.
    pub(super) fn history(&self, pane: &str) -> Vec<Said> {
        self.said.lock().expect("no panic inside").get(pane).cloned().unwrap_or_default()
    }
}

impl Drop for Observer {
    fn drop(&mut self) {
        self.end.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The rows; nothing where the product gives no answer, which changes nothing.
fn rows(madohub: &Madohub, tmux: &Tmux) -> Option<Vec<ListRow>> {
    let output = madohub.try_run(&["list", "--json", "-L", &tmux.socket]);
    serde_json::from_slice(&output.stdout).ok()
}

fn note(said: &Mutex<HashMap<String, Vec<Said>>>, rows: Option<Vec<ListRow>>) {
    let Some(rows) = rows else { return };
    let at = Instant::now();
    let mut said = said.lock().expect("no panic inside");
    let mut rows: HashMap<String, ListRow> =
        rows.into_iter().map(|row| (row.pane.clone(), row)).collect();
    for (pane, history) in said.iter_mut() {
        let row = rows.remove(pane);
        if !history.last().is_some_and(|last| is_same(last.row.as_ref(), row.as_ref())) {
            history.push(Said { at, row });
        }
    }
    for (pane, row) in rows {
        said.insert(pane, vec![Said { at, row: Some(row) }]);
    }
}

fn is_same(a: Option<&ListRow>, b: Option<&ListRow>) -> bool {
    let key = |row: &ListRow| {
        (row.agent.clone(), row.state.clone(), row.state_source.clone(), row.reason.clone())
    };
    a.map(key) == b.map(key)
}
