//! Noticing that nothing happened, without asking tmux.

/// Tells whether a tmux server read anything from its panes or terminals.
///
/// On Linux the kernel counts the bytes that a process reads. tmux reads what panes print and what
/// people type, but its own clients reach it by messages that are not counted: while the number
/// stands still, no pane printed anything, whoever asks tmux whatever (seen in tmux 3.3a).
#[derive(Debug)]
pub(super) struct Activity {
    pid: i64,
    seen: Option<u64>,
}

impl Activity {
    /// Of the server with this process.
    pub(super) fn of(pid: i64) -> Self {
        Self { pid, seen: None }
    }

    /// Whether the server read anything since [`Activity::note`]; nothing where nobody can say.
    pub(super) fn is_new(&self) -> Option<bool> {
        Some(read(self.pid)? != self.seen?)
    }

    /// Takes note of what the server read so far.
    pub(super) fn note(&mut self) {
        self.seen = read(self.pid);
    }
}

#[cfg(target_os = "linux")]
fn read(pid: i64) -> Option<u64> {
    use procfs::FromRead as _;
    procfs::process::Io::from_file(format!("/proc/{pid}/io")).ok().map(|io| io.rchar)
}

#[cfg(not(target_os = "linux"))]
fn read(_pid: i64) -> Option<u64> {
    None
}
