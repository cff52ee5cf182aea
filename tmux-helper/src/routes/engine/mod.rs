//! Deciding what follows from events.

mod outcome;
mod plan;

use super::item::{Item, Job, OneShot};
use super::log::LogEntry;
use super::memory::{Chain, Memory, Pending};
use super::route::{Filter, Limits, Route, Target};
use super::text::FIELDS;
use super::view::PaneView;
use crate::config::Template;
use crate::protocol::Event;
use madohub_detect::delivery::Outcome;
use madohub_detect::{State, StateSource};
use outcome::{entry, words};
use plan::job;

pub use outcome::Ended;
pub use plan::preview;

/// Seconds that a state must last that only the screen shows, until it fires anything.
const LAST: f64 = madohub_detect::CONFIRM;
/// Decisions that wait at a time; more are refused.
const QUEUE_MAX: usize = 200;
/// Seconds that is remembered when a route fired, longer than any cooldown that makes sense.
const FIRED_KEPT: f64 = 86_400.0;
/// One-shots at a time.
const ONCE_MAX: usize = 100;

/// Decides what follows from events, and remembers it.
#[derive(Debug)]
pub struct Engine {
    routes: Vec<Route>,
    memory: Memory,
    /// The memory is not what was stored last.
    changed: bool,
}

impl Engine {
    /// With these routes. `memory` is what was stored; what was begun by a daemon that is gone and
    /// cannot be told apart from what is done is not repeated, but said.
    pub fn new(routes: Vec<Route>, memory: Memory, now: f64) -> (Self, Vec<LogEntry>) {
        let mut engine = Self { routes, memory, changed: true };
        let begun = |item: &&Item| !matches!(item.job, Job::Letter(_)) && item.job.is_begun();
        let halfway: Vec<u64> = engine.memory.queue.iter().filter(begun).map(|i| i.id).collect();
        let why = || "the daemon ended while it was done; it is not repeated".to_owned();
        let mut log = Vec::new();
        for id in halfway {
            log.extend(engine.finish(id, &Ended::Failed(why()), None, now));
        }
        (engine, log)
    }

    /// What is remembered.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// The routes.
    pub fn routes(&self) -> &[Route] {
        &self.routes
    }

    /// Whether there is anything to store since the last time that this was asked.
    pub fn take_changed(&mut self) -> bool {
        std::mem::take(&mut self.changed)
    }

    /// Whether anything waits for time to go on or for a pane.
    pub fn is_busy(&self) -> bool {
        !self.memory.pending.is_empty() || !self.memory.queue.is_empty()
    }

    /// The panes of the server with this process and start are meant from now on. What was decided
    /// for those of another one is let go.
    pub fn begin(&mut self, server: (i64, i64), now: f64) -> Vec<LogEntry> {
        if self.memory.server == server {
            return Vec::new();
        }
        self.changed = true;
        self.memory.server = server;
        self.memory.pending.clear();
        self.memory.chains.clear();
        self.memory.refined.clear();
        self.memory.once.clear();
        let letters: Vec<u64> = self
            .memory
            .queue
            .iter()
            .filter(|item| matches!(item.job, Job::Letter(_)))
            .map(|item| item.id)
            .collect();
        let gone = Ended::Letter(Outcome::Refused("is gone with its tmux server".to_owned()));
        letters.into_iter().filter_map(|id| self.finish(id, &gone, None, now)).collect()
    }

    /// Considers an event, once.
    pub fn take(&mut self, event: &Event, panes: &[PaneView], now: f64) -> Vec<LogEntry> {
        if event.seq <= self.memory.seq {
            return Vec::new();
        }
        self.changed = true;
        self.memory.seq = event.seq;
        if event.to == State::Exited {
            self.memory.refined.remove(&event.pane);
        }
        let mut log = self.end_pending(event, now);
        let hops = self.hops(event);
        let pane = panes.iter().find(|pane| pane.id == event.pane);
        let names = self.meant(event, pane, |on| on.contains(&event.to));
        let stands = event.state_source == StateSource::JsonlWatcher || event.since + LAST <= now;
        for route in names {
            if stands {
                log.extend(self.fire(&route, event, hops, panes, now));
            } else {
                let (event, due) = (event.clone(), event.since + LAST);
                self.memory.pending.push(Pending { route, event, hops, due });
            }
        }
        log
    }

    /// Considers, once, how a turn ended of whose end an event told already: `event.from` is what
    /// was told, `event.to` the agent's own word. It is for the routes that the first one did not
    /// concern.
    pub fn refine(&mut self, event: &Event, panes: &[PaneView], now: f64) -> Vec<LogEntry> {
        let turn = event.turn_number();
        if self.memory.refined.insert(event.pane.clone(), turn) == Some(turn) {
            return Vec::new();
        }
        self.changed = true;
        let hops = self.hops(event);
        let pane = panes.iter().find(|pane| pane.id == event.pane);
        let is_meant = |on: &[State]| on.contains(&event.to) && !on.contains(&event.from);
        let names = self.meant(event, pane, is_meant);
        names.iter().flat_map(|name| self.fire(name, event, hops, panes, now)).collect()
    }

    /// The routes and one-shots that an event of this pane concerns, by what they go by.
    fn meant(
        &self,
        event: &Event,
        pane: Option<&PaneView>,
        is_meant: impl Fn(&[State]) -> bool,
    ) -> Vec<String> {
        let routes = self
            .routes
            .iter()
            .filter(|route| is_meant(&route.on) && route.from.check(event, pane).is_ok());
        let shots =
            self.memory.once.iter().filter(|shot| shot.from == event.pane && is_meant(&shot.on));
        routes.map(|route| route.name.clone()).chain(shots.map(OneShot::name)).collect()
    }

    /// Fires what has lasted by now, and lets go of what came too late.
    pub fn due(&mut self, panes: &[PaneView], now: f64) -> Vec<LogEntry> {
        self.memory.fired.retain(|_, then| now - *then < FIRED_KEPT);
        let mut log = Vec::new();
        // A clock that was set back holds nothing up.
        let is_due = |pending: &Pending| pending.due <= now || pending.due > now + LAST;
        let due: Vec<Pending> = self.memory.pending.iter().filter(|p| is_due(p)).cloned().collect();
        self.memory.pending.retain(|pending| !is_due(pending));
        for Pending { route, event, hops, .. } in due {
            log.extend(self.fire(&route, &event, hops, panes, now));
        }
        let late: Vec<OneShot> =
            self.memory.once.iter().filter(|shot| shot.until <= now).cloned().collect();
        for shot in late {
            self.changed = true;
            self.memory.once.retain(|other| other.id != shot.id);
            let why = format!("{} entered none of its states in time", shot.from);
            log.push(
                entry(&shot.name(), self.memory.seq, &shot.from, &shot.to, "expired", now)
                    .because(why),
            );
        }
        log
    }

    /// Takes on a route that fires once; answers its number.
    pub fn once(&mut self, mut shot: OneShot) -> Result<u64, String> {
        if self.memory.once.len() >= ONCE_MAX {
            return Err(format!("{ONCE_MAX} one-shots wait already"));
        }
        Template::parse(&shot.text, &FIELDS)?;
        shot.id = self.next_id();
        let id = shot.id;
        self.memory.once.push(shot);
        Ok(id)
    }

    /// Calls off a one-shot, or a decision that waits; whether there was one.
    pub fn cancel(&mut self, id: u64, now: f64) -> (bool, Vec<LogEntry>) {
        let before = self.memory.once.len();
        self.memory.once.retain(|shot| shot.id != id);
        let was_once = self.memory.once.len() < before;
        self.changed |= was_once;
        let waits = |item: &Item| item.id == id && !item.job.is_begun();
        if !was_once && self.memory.queue.iter().any(waits) {
            let ended = Ended::Letter(Outcome::Stopped("was called off".to_owned()));
            return (true, self.finish(id, &ended, None, now).into_iter().collect());
        }
        (was_once, Vec::new())
    }

    /// From now on nothing fires, or everything does again. What was decided before goes on.
    pub fn pause(&mut self, paused: bool) {
        self.changed |= self.memory.paused != paused;
        self.memory.paused = paused;
    }

    /// What is to be done, in order of the decisions.
    pub fn queue_mut(&mut self) -> &mut Vec<Item> {
        self.changed = true;
        &mut self.memory.queue
    }

    /// A job ended. `turn` is the turn of the pane that got a letter.
    pub fn finish(
        &mut self,
        id: u64,
        ended: &Ended,
        turn: Option<u64>,
        now: f64,
    ) -> Option<LogEntry> {
        let at = self.memory.queue.iter().position(|item| item.id == id)?;
        let item = self.memory.queue.remove(at);
        self.changed = true;
        if let (Job::Letter(letter), Ended::Letter(Outcome::Delivered), Some(turn)) =
            (&item.job, ended, turn)
        {
            self.memory.chains.insert(letter.pane.clone(), Chain { turn, hops: item.hops });
        }
        let (word, why) = words(ended);
        let entry = entry(&item.route, item.seq, &item.from, &item.job.describe(), word, now);
        Some(LogEntry { why, ..entry })
    }

    /// States that did not last fire nothing.
    fn end_pending(&mut self, event: &Event, now: f64) -> Vec<LogEntry> {
        let mut log = Vec::new();
        self.memory.pending.retain(|pending| {
            let is_over = pending.event.pane == event.pane;
            if is_over {
                let why = format!("`{}` did not last", pending.event.to);
                let Pending { route, event, .. } = pending;
                log.push(entry(route, event.seq, &event.pane, "", "refused", now).because(why));
            }
            !is_over
        });
        log
    }

    /// How many deliveries led to this event, one from another.
    fn hops(&mut self, event: &Event) -> u32 {
        let turn = event.turn_number();
        match self.memory.chains.get(&event.pane) {
            Some(chain) if chain.turn == turn => chain.hops,
            Some(chain) if chain.turn < turn => {
                // A person started this turn.
                self.memory.chains.remove(&event.pane);
                0
            }
            _ => 0,
        }
    }

    fn fire(
        &mut self,
        name: &str,
        event: &Event,
        hops: u32,
        panes: &[PaneView],
        now: f64,
    ) -> Vec<LogEntry> {
        self.changed = true;
        let Some((route, pins)) = self.route(name) else { return Vec::new() };
        if pins.is_some() {
            self.memory.once.retain(|shot| shot.name() != name);
        }
        let to = route.to.describe();
        let refuse = |why: String| {
            vec![entry(name, event.seq, &event.pane, &to, "refused", now).because(why)]
        };
        let job = self
            .may_fire(&route, event, hops, now)
            .and_then(|()| job(&route, pins, event, panes, now));
        let job = match job {
            Ok(job) => job,
            Err(why) => return refuse(why),
        };
        self.memory.fired.insert(key(name, &event.pane), now);
        let mut log = self.make_room(name, &job, now);
        if self.memory.queue.len() >= QUEUE_MAX {
            return refuse(format!("{QUEUE_MAX} decisions wait already"));
        }
        if let Job::Letter(letter) = &job {
            log.push(entry(name, event.seq, &event.pane, &letter.pane, "queued", now));
        }
        let id = self.next_id();
        let (route, seq, from) = (name.to_owned(), event.seq, event.pane.clone());
        self.memory.queue.push(Item { id, route, seq, from, hops: hops + 1, job });
        log
    }

    /// The route of this name, and for a one-shot the processes that it is pinned to.
    fn route(&self, name: &str) -> Option<(Route, Option<(i64, i64)>)> {
        if let Some(route) = self.routes.iter().find(|route| route.name == name) {
            return Some((route.clone(), None));
        }
        let shot = self.memory.once.iter().find(|shot| shot.name() == name)?;
        let route = Route {
            name: shot.name(),
            from: Filter { pane: Some(shot.from.clone()), ..Filter::default() },
            on: shot.on.clone(),
            to: Target::Pane { pane: shot.to.clone(), shell: shot.shell },
            text: Template::parse(&shot.text, &FIELDS).ok(),
            limits: Limits::default(),
        };
        Some((route, Some((shot.from_occupant, shot.to_occupant))))
    }

    fn may_fire(&self, route: &Route, event: &Event, hops: u32, now: f64) -> Result<(), String> {
        let Limits { cooldown, hops: most, .. } = route.limits;
        if self.memory.paused {
            return Err("routes are paused".to_owned());
        }
        let fired = &self.memory.fired;
        let rests = |then: &f64| (0.0..cooldown).contains(&(now - then));
        if fired.get(&key(&route.name, &event.pane)).is_some_and(rests) {
            return Err(format!("it fired less than {cooldown} s ago for this pane"));
        }
        if hops >= most {
            return Err(format!("it is a loop: {hops} deliveries led to one another"));
        }
        Ok(())
    }

    /// One text of a route waits for a pane: a newer one takes its place.
    fn make_room(&mut self, route: &str, job: &Job, now: f64) -> Vec<LogEntry> {
        let Job::Letter(new) = job else { return Vec::new() };
        let mut log = Vec::new();
        self.memory.queue.retain(|item| {
            let Job::Letter(old) = &item.job else { return true };
            let is_replaced =
                item.route == route && old.pane == new.pane && !old.delivery.has_begun();
            if is_replaced {
                let why = "a newer one of the same route waits now".to_owned();
                let entry = entry(route, item.seq, &item.from, &old.pane, "replaced", now);
                log.push(entry.because(why));
            }
            !is_replaced
        });
        log
    }

    fn next_id(&mut self) -> u64 {
        self.changed = true;
        self.memory.last_id += 1;
        self.memory.last_id
    }
}

fn key(route: &str, pane: &str) -> String {
    format!("{route} {pane}")
}

#[cfg(test)]
mod tests;
