//! Waiting on conditions. Nothing in the tests sleeps for a fixed time.

use std::thread;
use std::time::{Duration, Instant};

/// How long a condition may take before the test fails: 45 s, or `MADOHUB_TEST_TIMEOUT` seconds.
pub fn default_timeout() -> Duration {
    let seconds = std::env::var("MADOHUB_TEST_TIMEOUT").ok().and_then(|s| s.parse().ok());
    Duration::from_secs(seconds.unwrap_or(45))
}

/// Probes until the answer is `Ok` and returns it; fails with the last `Err`, which says what
/// was seen instead.
#[track_caller]
pub fn wait_for<T>(what: &str, mut probe: impl FnMut() -> Result<T, String>) -> T {
    let start = Instant::now();
    let mut pause = Duration::from_millis(5);
    loop {
        let seen = match probe() {
            Ok(found) => return found,
            Err(seen) => seen,
        };
        assert!(
            start.elapsed() < default_timeout(),
            "waited {:.1?} for: {what}\nlast seen:\n{seen}",
            start.elapsed()
        );
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(80));
    }
}

/// Waits until `holds` is true of what `look` sees; fails with what it saw last.
#[track_caller]
pub fn wait_until<T: ToString>(
    what: &str,
    mut look: impl FnMut() -> T,
    mut holds: impl FnMut(&T) -> bool,
) -> T {
    wait_for(what, || {
        let seen = look();
        if holds(&seen) { Ok(seen) } else { Err(seen.to_string()) }
    })
}
