//! Whether events come faster than they can be taken.
//!
//! zellij 0.45.1 queues every event of a plugin without a bound, and reports the text of panes after
//! each picture that it draws. Where that is more than the machine has time for, commands wait
//! behind reports for longer and longer. A timer stands in the same queue, so how late it comes
//! tells how long the queue is; then reports are done without, and panes are read one by one.

/// Seconds that a timer is late until reports are done without.
const LATE: f64 = 1.0;
/// Seconds that a timer may be late when reports are taken again.
const IN_TIME: f64 = 0.25;
/// Seconds without delay until reports are taken again.
const CALM: f64 = 10.0;

/// What is known of the queue.
#[derive(Debug, Default)]
pub(super) struct Pressure {
    /// Reports are done without; since when no timer was late.
    relieved: Option<f64>,
    /// The latest that a timer came, in seconds.
    latest: f64,
}

impl Pressure {
    /// Whether reports are done without.
    pub(super) fn is_high(&self) -> bool {
        self.relieved.is_some()
    }

    /// The latest that a timer ever came, in seconds.
    pub(super) fn latest(&self) -> f64 {
        self.latest
    }

    /// A timer came so many seconds late; true when that changes what [`Self::is_high`] says.
    pub(super) fn timer_was_late(&mut self, late: f64, now: f64) -> bool {
        self.latest = self.latest.max(late);
        match self.relieved {
            None if late > LATE => self.relieved = Some(now),
            Some(_) if late > IN_TIME => {
                self.relieved = Some(now);
                return false;
            }
            Some(since) if now - since >= CALM => self.relieved = None,
            _ => return false,
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_go_when_timers_are_late_and_come_back_after_a_while() {
        let mut pressure = Pressure::default();
        for (now, late, changes, high) in [
            (0.0, 0.02, false, false),
            (1.0, 0.9, false, false),
            (3.0, 1.4, true, true),
            (4.0, 2.0, false, true),
            (6.0, 0.5, false, true),
            (9.0, 0.1, false, true),
            (15.9, 0.1, false, true),
            (16.0, 0.1, true, false),
            (17.0, 0.1, false, false),
        ] {
            assert_eq!(pressure.timer_was_late(late, now), changes, "at {now}");
            assert_eq!(pressure.is_high(), high, "at {now}");
        }
        assert!((pressure.latest() - 2.0).abs() < 0.001);
    }
}
