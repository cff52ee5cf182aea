//! Agents in `madohub run`: what they report of themselves is heard, and the size goes through.

use super::run::{Pane, Session};
use rustix::fs::{Mode, OFlags, open};
use rustix::termios::tcgetwinsize;
use std::fs;
use std::path::PathBuf;

impl Session<'_> {
    /// Waits until the agent reports this state of itself, in the protocol's word.
    pub(super) fn reported(&self, pane: &Pane, state: &str) -> Result<(), String> {
        let mut last = None;
        let reported = self.wait(&format!("a report of `{state}`"), || {
            last = self.report();
            last.as_deref().filter(|last| *last == state).map(|_| ())
        });
        reported.map(|_| ()).map_err(|why| format!("{why} in {}; the last was {last:?}", pane.id))
    }

    /// The state in the report that stands; one agent runs in `madohub run` at a time.
    fn report(&self) -> Option<String> {
        let dir = self.stage.env.path().join("run/madohub/reports");
        let mut files = fs::read_dir(dir).ok()?.flatten().map(|file| file.path());
        let file = files.find(|path| path.to_string_lossy().ends_with(".status.json"))?;
        let file: serde_json::Value = serde_json::from_slice(&fs::read(file).ok()?).ok()?;
        Some(file["status"]["state"].as_str()?.to_owned())
    }

    /// Resizes the pane's window, and waits until the terminal inside has the pane's new size.
    pub(super) fn resize(&self, pane: &Pane, columns: u16, rows: u16) -> Result<(), String> {
        let tmux = &self.stage.tmux;
        let size = || tmux.get(&pane.id, "#{pane_width} #{pane_height}");
        let (before, x, y) = (size(), columns.to_string(), rows.to_string());
        tmux.run(&["resize-window", "-t", &pane.id, "-x", &x, "-y", &y]);
        let wanted = size();
        if wanted == before {
            return Err(format!("the pane has {before} already"));
        }
        let mut last = None;
        let resized = self.wait(&format!("the agent's terminal to have {wanted}"), || {
            last = self.inner_size(pane);
            last.as_ref().filter(|last| **last == wanted).map(|_| ())
        });
        resized.map(|_| ()).map_err(|why| format!("{why}; it has {last:?}"))
    }

    /// Size of the terminal that a process below the pane's shell has instead of the pane's.
    fn inner_size(&self, pane: &Pane) -> Option<String> {
        let outer = PathBuf::from(self.stage.tmux.get(&pane.id, "#{pane_tty}"));
        let mut processes = vec![self.stage.tmux.get(&pane.id, "#{pane_pid}")];
        while let Some(process) = processes.pop() {
            let terminal = fs::read_link(format!("/proc/{process}/fd/0")).unwrap_or_default();
            if terminal.starts_with("/dev/pts") && terminal != outer {
                // Not as the controlling terminal of this process.
                let flags = OFlags::RDONLY | OFlags::NOCTTY;
                let size = tcgetwinsize(open(&terminal, flags, Mode::empty()).ok()?).ok()?;
                return Some(format!("{} {}", size.ws_col, size.ws_row));
            }
            let children = fs::read_to_string(format!("/proc/{process}/task/{process}/children"));
            processes.extend(children.ok()?.split_whitespace().map(str::to_owned));
        }
        None
    }
}
