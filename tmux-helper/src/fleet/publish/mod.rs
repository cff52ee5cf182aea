//! `madohub fleet publish`: tells the broker of this machine's agents, for as long as it runs.

mod publisher;
mod say;

use super::bell::{Bell, Rope};
use super::local::{self, Teller};
use super::message::{Presence, VERSION};
use super::snapshot::{self, Snapshot};
use super::station;
use super::topic::Topics;
use super::wire::Dial;
use crate::config::Fleet;
use crate::daemon::Lock;
use crate::{Context, Error, Kind as ErrorKind, time};
use publisher::{Ends, Publisher};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::thread;

/// Seconds for which the broker keeps what was said of a host's presence last.
const PRESENCE_EXPIRY: u32 = 24 * 3600;

/// Publishes until it is ended by a signal.
pub fn run(fleet: &Fleet, ctx: &Context) -> Result<(), Error> {
    let dial = Dial::new(fleet)?;
    let host = super::host_name(fleet)?;
    ctx.paths().ensure_runtime_dir()?;
    let lock_path = snapshot::lock(ctx.paths());
    let _lock = Lock::await_turn(&lock_path).map_err(|error| match error.kind() {
        ErrorKind::Refused => {
            let who = Lock::holder(&lock_path).map(|pid| format!(" (process {pid})"));
            Error::refused(format!(
                "`madohub fleet publish` runs already{}",
                who.unwrap_or_default()
            ))
        }
        _ => error,
    })?;
    let bell = Bell::new()?;
    let is_ending = Arc::new(AtomicBool::new(false));
    heed_signals(Arc::clone(&is_ending), bell.rope())?;
    let (tell, hear) = channel();
    let teller = Teller::new(tell, bell.rope());
    let start = || local::start(fleet.publish.screens, ctx, &teller);
    let _listeners = fleet.publish.states.then(start).transpose()?;
    drop(teller);
    let bell_rope = bell.rope();
    let mut publisher =
        Publisher::new(fleet, host, dial.name(), ctx, Ends { hear, is_ending, bell_rope })?;
    station::run(&dial, &mut publisher, bell);
    Snapshot::remove(ctx.paths());
    Ok(())
}

fn topics(fleet: &Fleet) -> Topics {
    Topics::below(&fleet.prefix)
}

/// A number that another publisher has not.
fn instance() -> u64 {
    time::now().to_bits() ^ u64::from(std::process::id()).rotate_left(32)
}

fn heed_signals(is_ending: Arc<AtomicBool>, rope: Rope) -> Result<(), Error> {
    let mut signals = Signals::new([SIGTERM, SIGINT, SIGHUP])?;
    let heed = move || {
        for _ in signals.forever() {
            if is_ending.swap(true, Ordering::Relaxed) {
                // Whoever asks twice does not want to wait.
                std::process::exit(1);
            }
            rope.ring();
        }
    };
    thread::Builder::new().name("signals".to_owned()).spawn(heed)?;
    Ok(())
}

/// The last will says what the presence does, but for being there.
pub(super) fn presence(host: &str, instance: u64, since: f64, fleet: &Fleet) -> Presence {
    Presence {
        v: VERSION,
        host: host.to_owned(),
        online: true,
        instance,
        since,
        keep_alive: u32::try_from(fleet.keep_alive.as_secs()).unwrap_or(u32::MAX),
        expiry: PRESENCE_EXPIRY,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        panes: 0,
        sum: 0,
        screens: fleet.publish.screens,
    }
}
