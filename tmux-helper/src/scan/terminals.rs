//! Which panes may have printed, without asking tmux.
//!
//! tmux dates the output of whole windows: beside one pane whose spinner turns, every other pane of
//! its window looks as if it printed too. The kernel dates each pane's own terminal.

use std::path::Path;

/// Linux dates a terminal that is written to only when the clock, in seconds, reached another
/// multiple of this since it was dated last, so that nobody learns from it how somebody types
/// (`tty_update_time`, Linux 3.10 to 6.18).
const GRAIN: i64 = 8;
/// Screens that changed although their terminals' dates say otherwise, after which no date is
/// believed: the panes may live where another file system is.
const LIES: u32 = 3;

/// Reads the dates of terminals, as long as they tell the truth.
#[derive(Debug, Default)]
pub(super) struct Terminals {
    lies: u32,
}

impl Terminals {
    /// Whether dates are believed.
    pub(super) fn are_trusted(&self) -> bool {
        cfg!(target_os = "linux") && self.lies < LIES
    }

    /// Whether anything may have been printed on this terminal since that second. True wherever
    /// nobody can say.
    pub(super) fn may_have_printed(&self, tty: &str, since: i64) -> bool {
        !self.are_trusted() || written(Path::new(tty)).is_none_or(|then| may_be_since(then, since))
    }

    /// Takes note that a screen changed since that second by what was printed.
    pub(super) fn printed(&mut self, tty: &str, since: i64) {
        if self.are_trusted() && !self.may_have_printed(tty, since) {
            self.lies += 1;
            if !self.are_trusted() {
                tracing::info!(tty, "terminals are not dated when they are written to");
            }
        }
    }
}

/// Whether a terminal with the date `written` may have been written to in the second `since` or
/// later.
fn may_be_since(written: i64, since: i64) -> bool {
    written.div_euclid(GRAIN) >= since.div_euclid(GRAIN)
}

/// Second of the terminal's date.
fn written(tty: &Path) -> Option<i64> {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata(tty).ok().map(|meta| meta.mtime())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::time::{Duration, SystemTime};

    fn terminal(dated: u64) -> (tempfile::TempDir, String) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tty");
        let date = SystemTime::UNIX_EPOCH + Duration::from_secs(dated);
        File::create(&path).unwrap().set_modified(date).unwrap();
        let name = path.to_str().unwrap().to_owned();
        (folder, name)
    }

    #[test]
    fn a_date_covers_the_eight_seconds_that_it_lies_in() {
        // Written at 16 and dated so; written again at 23, and not dated anew.
        for (dated, since, may) in
            [(16, 15, true), (16, 16, true), (16, 23, true), (16, 24, false), (23, 24, false)]
        {
            assert_eq!(may_be_since(dated, since), may, "{dated} {since}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn dates_are_believed_until_they_lie_again_and_again() {
        let (_folder, tty) = terminal(1000);
        let mut terminals = Terminals::default();
        assert!(!terminals.may_have_printed(&tty, 2000));
        terminals.printed(&tty, 1000);
        for _ in 0..LIES {
            assert!(terminals.are_trusted());
            terminals.printed(&tty, 2000);
        }
        assert!(!terminals.are_trusted());
        assert!(terminals.may_have_printed(&tty, 2000));
    }

    #[test]
    fn what_has_no_date_may_have_printed() {
        assert!(Terminals::default().may_have_printed("/nowhere/tty", 2000));
    }
}
