//! Noticing that nothing happened, without asking tmux.

use crate::scan::Reach;

/// Tells whether a tmux server read anything from its panes or terminals.
///
/// On Linux the kernel counts what a process reads, and how often. tmux reads what panes print, that
/// they end, and what people type, but its own clients reach it by messages that are not counted:
/// while the numbers stand still, no pane printed anything (seen in tmux 3.3a).
#[derive(Debug)]
pub(super) struct Activity {
    source: Source,
    count: Count,
}

/// The count, and what of it is our own doing: for the name of a pane's command tmux reads a file
/// of `/proc`, and so is moved by being asked.
#[derive(Debug, Default)]
struct Count {
    seen: Option<Reads>,
    before: Option<Reads>,
    /// What the server read during the last look of each reach.
    ours: [Option<Reads>; 2],
}

/// What a process has read since it began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Reads {
    bytes: u64,
    calls: u64,
}

impl Reads {
    /// From the text of `/proc/PID/io` (proc(5)).
    #[cfg(target_os = "linux")]
    fn parse(text: &str) -> Option<Self> {
        let number =
            |name| text.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok());
        Some(Self { bytes: number("rchar:")?, calls: number("syscr:")? })
    }

    fn since(self, before: Self) -> Option<Self> {
        let bytes = self.bytes.checked_sub(before.bytes)?;
        Some(Self { bytes, calls: self.calls.checked_sub(before.calls)? })
    }
}

impl Activity {
    /// Of the server with this process.
    pub(super) fn of(pid: i64) -> Self {
        Self { source: Source::of(pid), count: Count::default() }
    }

    /// Whether the server read anything since the last look; nothing where nobody can say.
    pub(super) fn is_new(&self) -> Option<bool> {
        Some(self.source.read()? != self.count.seen?)
    }

    /// A look begins.
    pub(super) fn begin_look(&mut self) {
        self.count.begin(self.source.read());
    }

    /// The look is over.
    pub(super) fn end_look(&mut self, reach: Reach) {
        self.count.end(reach, self.source.read());
    }
}

impl Count {
    fn begin(&mut self, count: Option<Reads>) {
        self.before = count;
        // Should the look fail, whatever was read during it is new.
        self.seen = count;
    }

    /// A look that moved the count as much as the last one of its kind moved it alone. After any
    /// other one of the panes may have printed in between, and counts as if it had.
    fn end(&mut self, reach: Reach, count: Option<Reads>) {
        let moved = count.zip(self.before).and_then(|(after, before)| after.since(before));
        let ours = match reach {
            Reach::All => &mut self.ours[0],
            Reach::Moved => &mut self.ours[1],
        };
        if moved.is_some() && *ours == moved {
            self.seen = count;
        }
        *ours = moved;
    }
}

/// Where the numbers come from: the file is kept open, since they are read a dozen times a second.
#[derive(Debug)]
struct Source(#[cfg(target_os = "linux")] Option<std::fs::File>);

#[cfg(target_os = "linux")]
impl Source {
    fn of(pid: i64) -> Self {
        Self(std::fs::File::open(format!("/proc/{pid}/io")).ok())
    }

    fn read(&self) -> Option<Reads> {
        use std::os::unix::fs::FileExt as _;
        let mut text = [0; 512];
        let length = self.0.as_ref()?.read_at(&mut text, 0).ok()?;
        Reads::parse(std::str::from_utf8(text.get(..length)?).ok()?)
    }
}

#[cfg(not(target_os = "linux"))]
impl Source {
    fn of(_pid: i64) -> Self {
        Self()
    }

    fn read(&self) -> Option<Reads> {
        None
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Looks during which the server reads so much; whether each leaves something new.
    fn looks(moves: &[(Reach, u64)]) -> Vec<bool> {
        let mut count = Count::default();
        let mut read = Reads { bytes: 1000, calls: 10 };
        let look = |(reach, moved): &(Reach, u64)| {
            count.begin(Some(read));
            read.bytes += moved;
            read.calls += u64::from(*moved > 0);
            count.end(*reach, Some(read));
            count.seen != Some(read)
        };
        moves.iter().map(look).collect()
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_this_process_reads_is_counted() {
        let source = Source::of(std::process::id().into());
        let before = source.read().unwrap();
        let bytes = std::fs::read("/proc/self/stat").unwrap();
        let more = source.read().unwrap().since(before).unwrap();
        assert!(more.bytes >= u64::try_from(bytes.len()).unwrap(), "{more:?}");
        assert!(more.calls > 0, "{more:?}");
        assert_eq!(Source::of(-1).read(), None);
    }

    #[test]
    fn what_a_look_itself_moves_is_nothing_new() {
        let (all, moved) = (Reach::All, Reach::Moved);
        assert_eq!(
            looks(&[(all, 40), (moved, 0), (all, 40), (all, 40)]),
            [true, false, false, false]
        );
    }

    #[test]
    fn what_a_pane_prints_during_a_look_is_new() {
        assert_eq!(
            looks(&[(Reach::All, 40), (Reach::All, 40), (Reach::All, 47), (Reach::All, 40)]),
            [true, false, true, true]
        );
    }

    #[test]
    fn a_count_that_cannot_be_read_says_nothing() {
        let mut count = Count::default();
        count.begin(Some(Reads { bytes: 5, calls: 1 }));
        count.end(Reach::All, None);
        count.begin(None);
        count.end(Reach::All, None);
        assert_eq!(count.seen, None);
    }
}
