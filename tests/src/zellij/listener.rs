//! A `zellij pipe` that stays open.

use std::fs;
use std::path::PathBuf;
use std::process::Child;
use std::thread;
use std::time::Duration;

/// A `zellij pipe` that stays open. Dropping it ends it.
#[derive(Debug)]
pub struct Listener {
    pub(super) child: Child,
    /// File with what it printed.
    pub path: PathBuf,
}

impl Listener {
    /// What it printed once it has ended; none when zellij cut it off, which [`ask`](super::ZellijStage::ask)
    /// explains.
    pub fn answer(&mut self) -> Option<String> {
        let ended = |child: &mut Child| child.try_wait().expect("its state").is_some();
        for _ in 0..100 {
            if ended(&mut self.child) {
                break;
            }
            thread::sleep(Duration::from_millis(50));
        }
        Some(fs::read_to_string(&self.path).expect("its output")).filter(|text| !text.is_empty())
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
