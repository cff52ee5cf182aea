//! Whether the broker can be reached and takes us in, for a short time and without doing anything
//! there.

use super::bell::Bell;
use super::link::{Message, Opening, Why};
use super::station::{self, Flow, Role, Tools};
use super::wire::Dial;
use crate::Error;
use crate::config::Fleet;
use std::time::Duration;

/// Seconds without a word after which the connection is taken for dead.
const KEEP_ALIVE: u16 = 10;

/// Asks the broker to take us in, and leaves again. An error says what is missing: a file that cannot
/// be read, a broker that is not there within `limit`, is not trusted, or refuses us.
pub fn probe(fleet: &Fleet, limit: Duration) -> Result<(), Error> {
    let mut probe = Probe {
        opening: Opening {
            client_id: format!("madohub-doctor-{}", std::process::id()),
            user: fleet.user.clone(),
            password: super::password(fleet)?,
            keep_alive: KEEP_ALIVE,
            clean: true,
            session_expiry: 0,
            will: None,
        },
        until: limit.as_secs_f64(),
        found: Err(Why::Unreachable(format!("no answer within {} s", limit.as_secs()))),
    };
    let dial = Dial::new(fleet)?;
    station::run(&dial, &mut probe, Bell::new()?);
    probe.found.map_err(|why| super::error(&why, &dial.name()))
}

struct Probe {
    opening: Opening,
    until: f64,
    found: Result<(), Why>,
}

impl Role for Probe {
    fn opening(&mut self) -> Opening {
        self.opening.clone()
    }

    fn up(&mut self, _session: bool, _tools: &mut Tools<'_>) {
        self.found = Ok(());
    }

    fn message(&mut self, _message: Message, _tools: &mut Tools<'_>) {}

    fn down(&mut self, why: &Why, _now: f64) -> Option<f64> {
        if self.found.is_err() {
            self.found = Err(why.clone());
        }
        None
    }

    fn turn(&mut self, _tools: Option<&mut Tools<'_>>, now: f64) -> Flow {
        if self.found.is_ok() || now >= self.until {
            return Flow::End;
        }
        Flow::Until(Some(self.until))
    }
}
