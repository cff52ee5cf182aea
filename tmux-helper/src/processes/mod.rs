//! The processes of a pane.
//!
//! Linux has everything that is needed in `/proc` and is read directly, only below the panes;
//! elsewhere the crate `sysinfo` lists all processes. Environments are never read.

#[cfg(target_os = "linux")]
mod linux;
mod portable;

#[cfg(target_os = "linux")]
pub use linux::Procfs;
pub use portable::Portable;

use madohub_detect::Process;

/// Processes read below one pane at most; a build that forks thousands does not slow us down.
/// What is near the pane's own process comes first.
const MOST: usize = 256;

/// Something that knows processes.
pub trait ProcessSource: Send {
    /// Begins a new look: what is answered from now on is as of now.
    fn begin(&mut self);

    /// The process and all its descendants, nearest first. Nothing when it is not there or
    /// cannot be read, which is not the same as an empty list.
    fn tree(&mut self, root: i64) -> Option<Vec<Process>>;

    /// The parent of this process, its parent, and so on.
    fn ancestors(&mut self) -> Vec<Process> {
        let everyone = self.everyone();
        let mut found: Vec<Process> = Vec::new();
        let mut pid = i64::from(std::process::id());
        while let Some(process) = everyone.iter().find(|process| process.pid == pid) {
            // Ids are reused: what would be a circle is none.
            if process.ppid <= 1 || found.len() >= MOST {
                break;
            }
            pid = process.ppid;
            found.extend(everyone.iter().find(|process| process.pid == pid).cloned());
        }
        found
    }

    /// All processes of this user, wherever they run. Costs far more than a tree.
    fn everyone(&mut self) -> Vec<Process>;

    /// What shows cheaply whether the tree may have changed; nothing when there is no process.
    fn sign(&mut self, pid: i64) -> Option<Sign>;

    /// Whether anything that was asked for since [`Self::begin`] may be there and could not be read: no
    /// file descriptor was left, or there is no process table. What is missing then is not gone.
    fn fell_short(&self) -> bool {
        false
    }
}

/// What shows cheaply that another program is in the foreground.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sign {
    /// Short name; another program may take over a process.
    pub name: String,
    /// Start of the process, against reuse of its id.
    pub start: u64,
    /// Foreground group of its terminal.
    pub foreground: Option<i64>,
    /// It is suspended or dead.
    pub halted: bool,
}

/// When a process started, in seconds since the epoch, exact to a hundredth; `now` is that clock.
/// Nothing where start times are in another unit.
#[cfg(target_os = "linux")]
pub fn started(process: &Process, now: f64) -> Option<f64> {
    use rustix::time::{ClockId, clock_gettime};
    let boot = clock_gettime(ClockId::Boottime);
    #[expect(clippy::cast_precision_loss, reason = "seconds and ticks of an uptime fit")]
    let (up, ticks) = (
        boot.tv_sec as f64 + boot.tv_nsec as f64 / 1e9,
        process.start_time? as f64 / procfs::ticks_per_second() as f64,
    );
    Some(now - up + ticks)
}

/// Start times are in another unit here.
#[cfg(not(target_os = "linux"))]
pub fn started(_: &Process, _: f64) -> Option<f64> {
    None
}

/// The best source of this system.
pub fn source() -> Box<dyn ProcessSource> {
    #[cfg(target_os = "linux")]
    {
        Box::new(Procfs::new())
    }
    #[cfg(not(target_os = "linux"))]
    {
        Box::new(Portable::new())
    }
}
