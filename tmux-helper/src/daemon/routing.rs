//! Carrying out what routes decide.

use super::errands::{Errands, Finished};
use super::life::Life;
use crate::Error;
use crate::events::Entry;
use crate::fault;
use crate::notify::{Notice, Notifier};
use crate::protocol::{Event, OnceAsk, RouteAnswer, RouteAsk, RouteState};
use crate::routes::{
    Ended, Engine, FIELDS, Item, Job, Letter, LogEntry, Memory, OneShot, PaneView, Route, RouteLog,
};
use madohub_detect::delivery::{Gate, gate};
use std::collections::{BTreeMap, HashSet};
use std::io;
use std::path::Path;
use std::sync::Arc;

/// Lines and notifications of one step. More wait for the next one: the panes are looked at in between,
/// however much there is to do.
const AT_ONCE: usize = 64;

/// Panes that are typed into at a time: each is looked at in every step until its turn has begun.
const TYPED_AT_ONCE: usize = 8;

/// Stores what routes have in mind.
type Keep = Box<dyn FnMut(&Memory) -> io::Result<()>>;

/// The routes of one daemon: the engine, its file, its log, and the programs that run.
pub(super) struct Routing {
    engine: Engine,
    keep: Keep,
    log: RouteLog,
    errands: Errands,
    /// The memory is in its file.
    is_stored: bool,
}

impl Routing {
    /// Goes on where a former daemon was. `told` are the events that are kept, of which the last
    /// ones may not have been considered yet.
    pub(super) fn open(
        routes: Vec<Route>,
        (path, log): (&Path, &Path),
        server: (i64, i64),
        seq: u64,
        now: f64,
    ) -> Self {
        let memory = match Memory::read(path) {
            Ok(memory) => memory,
            Err(why) => {
                tracing::warn!(why, "what routes had in mind cannot be read; starting anew");
                None
            }
        };
        let memory = memory.unwrap_or_else(|| Memory::new(server, seq));
        let path = path.to_owned();
        Self::new(routes, memory, Box::new(move |memory| memory.write(&path)), log, now)
    }

    fn new(routes: Vec<Route>, memory: Memory, keep: Keep, log: &Path, now: f64) -> Self {
        let (engine, entries) = Engine::new(routes, memory, now);
        let log = RouteLog::at(log);
        let routing = Self { engine, keep, log, errands: Errands::new(), is_stored: true };
        routing.note(&entries);
        routing
    }

    /// The last event that was considered.
    pub(super) fn seq(&self) -> u64 {
        self.engine.memory().seq()
    }

    /// Panes of this server are meant from now on.
    pub(super) fn begin(&mut self, server: (i64, i64), now: f64) {
        let entries = self.engine.begin(server, now);
        self.note(&entries);
        self.store();
    }

    /// Considers events that were told. They are considered once, whatever happens afterwards.
    pub(super) fn take(&mut self, told: &[Arc<Entry>], life: Option<&Life>, now: f64) {
        if told.is_empty() {
            return;
        }
        let panes = life.map(Life::views).unwrap_or_default();
        let take = |entry: &Arc<Entry>| self.engine.take(entry.event(), &panes, now);
        let entries: Vec<LogEntry> = told.iter().flat_map(take).collect();
        self.note(&entries);
        self.store();
    }

    /// Considers what agents said late of turns whose ends were told. Once each, whatever happens.
    pub(super) fn refine(&mut self, told: &[Event], life: Option<&Life>, now: f64) {
        if told.is_empty() {
            return;
        }
        let panes = life.map(Life::views).unwrap_or_default();
        let refine = |event| self.engine.refine(event, &panes, now);
        let entries: Vec<LogEntry> = told.iter().flat_map(refine).collect();
        self.note(&entries);
        self.store();
    }

    /// Whether states or panes are waited for.
    pub(super) fn is_busy(&self) -> bool {
        self.engine.is_busy()
    }

    /// The panes in which something is being typed.
    pub(super) fn busy(&self) -> HashSet<String> {
        let letters = self.engine.memory().queue().iter().filter_map(|item| match &item.job {
            Job::Letter(letter) if letter.delivery.has_begun() => Some(letter.pane.clone()),
            _ => None,
        });
        letters.collect()
    }

    /// Whether there is more to do than one step does.
    pub(super) fn is_in_haste(&self) -> bool {
        self.errands.is_writing() || self.engine.memory().queue().iter().any(|i| i.job.is_quick())
    }

    /// Brings everything on; `busy` are panes in which something else is being typed.
    pub(super) fn advance(
        &mut self,
        life: &mut Life,
        notifier: &Notifier,
        mut busy: HashSet<String>,
        now: f64,
    ) {
        self.take_results(now);
        if !self.engine.is_busy() && self.engine.memory().once().is_empty() {
            self.store();
            return;
        }
        let entries = self.engine.due(&life.views(), now);
        self.note(&entries);
        busy.extend(self.busy());
        let letter = |item: &Item| match &item.job {
            Job::Letter(letter) => Some((item.id, letter.clone())),
            _ => None,
        };
        let letters: Vec<_> = self.engine.memory().queue().iter().filter_map(letter).collect();
        for (id, letter) in letters {
            self.letter(id, letter, life, &mut busy, now);
        }
        let tell = |route: &str, text: &str, urgent| notify(notifier, life, route, text, urgent);
        self.carry_out(&tell, now);
        self.store();
    }

    /// Takes note of what ended meanwhile.
    fn take_results(&mut self, now: f64) {
        let finished = self.errands.finished();
        if finished.is_empty() {
            return;
        }
        fault::point("done");
        self.finish_all(&finished, now);
        self.store();
        fault::point("finished");
    }

    /// Begins programs, lines and notifications, as many as one step takes. All of them are stored
    /// as begun before the first one is: what a killed daemon had begun is never done twice.
    fn carry_out(&mut self, tell: &dyn Fn(&str, &str, bool) -> Ended, now: f64) {
        let begun = self.next();
        if begun.is_empty() {
            return;
        }
        self.set_begun(&begun, true);
        if !self.store() {
            self.set_begun(&begun, false);
            return;
        }
        fault::point("begun");
        let (mut lines, mut told) = (Vec::new(), Vec::new());
        for Item { id, route, job, .. } in begun {
            match job {
                Job::Command { argv, .. } => self.errands.run(id, argv),
                Job::File { path, text, .. } => lines.push((id, path, text)),
                Job::Notify { text, urgent, .. } => told.push((id, tell(&route, &text, urgent))),
                Job::Letter(_) => {}
            }
        }
        self.errands.write(lines);
        self.finish_all(&told, now);
    }

    /// What this step begins.
    fn next(&self) -> Vec<Item> {
        let (mut programs, mut rest) = (self.errands.room(), AT_ONCE);
        let may_write = self.errands.may_write();
        let mut is_next = |item: &&Item| {
            let left = match item.job {
                _ if item.job.is_begun() => return false,
                Job::Command { .. } => &mut programs,
                Job::File { .. } if !may_write => return false,
                Job::File { .. } | Job::Notify { .. } => &mut rest,
                Job::Letter(_) => return false,
            };
            let has_room = *left > 0;
            *left = left.saturating_sub(1);
            has_room
        };
        self.engine.memory().queue().iter().filter(|item| is_next(item)).cloned().collect()
    }

    fn set_begun(&mut self, items: &[Item], is_begun: bool) {
        let ids: HashSet<u64> = items.iter().map(|item| item.id).collect();
        for item in self.engine.queue_mut().iter_mut().filter(|item| ids.contains(&item.id)) {
            item.job.set_begun(is_begun);
        }
    }

    fn letter(
        &mut self,
        id: u64,
        mut letter: Letter,
        life: &mut Life,
        busy: &mut HashSet<String>,
        now: f64,
    ) {
        let has_begun = letter.delivery.has_begun();
        if !has_begun && (busy.contains(&letter.pane) || busy.len() >= TYPED_AT_ONCE) {
            return;
        }
        let before = letter.clone();
        let outcome = letter.advance(life, now, |letter| self.begin_letter(id, letter.clone()));
        if letter.delivery.has_begun() {
            busy.insert(letter.pane.clone());
        }
        let Some(outcome) = outcome else {
            if letter != before {
                self.put(id, Job::Letter(letter));
                self.store();
            }
            return;
        };
        let pane = letter.pane.parse().ok();
        let turn = pane.and_then(|pane| life.tracked(pane)).map(|tracked| tracked.turn);
        self.finish(id, &Ended::Letter(outcome), turn, now);
    }

    /// Stores that a letter is about to be typed; whether it is stored. What is not stored must not
    /// be done, and is not what the memory holds.
    fn begin_letter(&mut self, id: u64, letter: Letter) -> bool {
        let Some(before) = self.put(id, Job::Letter(letter)) else { return false };
        let is_stored = self.store();
        if !is_stored {
            self.put(id, before);
        }
        is_stored
    }

    /// Takes note of how far a job came; answers what was known of it.
    fn put(&mut self, id: u64, job: Job) -> Option<Job> {
        let item = self.engine.queue_mut().iter_mut().find(|item| item.id == id)?;
        Some(std::mem::replace(&mut item.job, job))
    }

    fn finish(&mut self, id: u64, ended: &Ended, turn: Option<u64>, now: f64) {
        let entry = self.engine.finish(id, ended, turn, now);
        self.note(entry.as_slice());
        self.store();
    }

    fn finish_all(&mut self, finished: &[Finished], now: f64) {
        let finish = |(id, ended): &Finished| self.engine.finish(*id, ended, None, now);
        let entries: Vec<LogEntry> = finished.iter().filter_map(finish).collect();
        self.note(&entries);
    }

    fn store(&mut self) -> bool {
        if self.engine.take_changed() || !self.is_stored {
            let written = (self.keep)(self.engine.memory());
            if let Err(error) = &written
                && self.is_stored
            {
                tracing::warn!(%error, "cannot store what routes have in mind; nothing is typed");
            }
            self.is_stored = written.is_ok();
        }
        self.is_stored
    }

    fn note(&self, entries: &[LogEntry]) {
        for LogEntry { route, from, to, outcome, why, .. } in entries {
            let why = why.as_deref().unwrap_or_default();
            tracing::info!(route, from, to, outcome, why, "route");
        }
        if !entries.is_empty()
            && let Err(error) = self.log.append(entries)
        {
            tracing::warn!(%error, "cannot write the log of the routes");
        }
    }

    /// Answers a client.
    pub(super) fn answer(
        &mut self,
        ask: RouteAsk,
        life: Option<&Life>,
        now: f64,
    ) -> Result<RouteAnswer, String> {
        let answer = match ask {
            RouteAsk::List => return Ok(RouteAnswer::State(Box::new(self.state()))),
            RouteAsk::Pause(paused) => {
                self.engine.pause(paused);
                RouteAnswer::Done
            }
            RouteAsk::Once(ask) => {
                let shot = shot(ask, life.ok_or("the tmux server is gone")?, now)?;
                RouteAnswer::Once(self.engine.once(shot)?)
            }
            RouteAsk::Cancel(id) => {
                let (was_there, entries) = self.engine.cancel(id, now);
                self.note(&entries);
                if !was_there {
                    return Err(format!("nothing with the number {id} waits"));
                }
                RouteAnswer::Done
            }
        };
        if self.store() { Ok(answer) } else { Err("it cannot be stored; see the log".to_owned()) }
    }

    fn state(&self) -> RouteState {
        let memory = self.engine.memory();
        let mut routes = BTreeMap::new();
        for route in self.engine.routes() {
            routes.insert(route.name.clone(), route.to.describe());
        }
        RouteState {
            paused: memory.is_paused(),
            routes,
            once: memory.once().to_vec(),
            queue: memory.queue().to_vec(),
        }
    }
}

fn shot(ask: OnceAsk, life: &Life, now: f64) -> Result<OneShot, String> {
    let panes = life.views();
    let find = |name: &str| crate::routes::resolve(&panes, name);
    let (from, to) = (find(&ask.from)?, find(&ask.to)?);
    let agent = |pane: &PaneView| {
        if pane.has_agent() { Ok(()) } else { Err(format!("{} holds no agent", pane.id)) }
    };
    agent(from)?;
    let is_shut = |gate: Gate| matches!(gate, Gate::Shut(_));
    let target = to.tracked.as_ref().ok_or_else(|| format!("{} holds no agent", to.id))?;
    // A dialog may be answered by the time.
    let asks = target.detection.state == madohub_detect::State::Waiting;
    if let Gate::Shut(why) = gate(target, ask.shell)
        && !asks
        && is_shut(Gate::Shut(why))
    {
        return Err(format!("{} {why}", to.id));
    }
    crate::config::Template::parse(&ask.text, &FIELDS)?;
    Ok(OneShot {
        id: 0,
        from: from.id.clone(),
        from_occupant: from.occupant,
        on: ask.on,
        to: to.id.clone(),
        to_occupant: to.occupant,
        text: ask.text,
        until: now + ask.expire,
        shell: ask.shell,
    })
}

/// Tells a person, where anything is told at all.
fn notify(notifier: &Notifier, life: &Life, route: &str, text: &str, urgent: bool) -> Ended {
    if !notifier.is_on() {
        return Ended::Failed("notifications are off: `via` in `[notify]` says so".to_owned());
    }
    notifier.tell(Notice::new(text, &format!("route {route}"), urgent), life.screens());
    Ended::Done
}

impl Life {
    /// All panes as routes see them.
    pub(super) fn views(&self) -> Vec<PaneView> {
        let scanner = self.scanner();
        scanner
            .panes()
            .map(|seen| {
                crate::glance::view(seen, self.tracked(seen.pane.id), self.row(seen.pane.id))
            })
            .collect()
    }
}

impl From<Error> for Ended {
    fn from(error: Error) -> Self {
        Self::Failed(error.message().to_owned())
    }
}

#[cfg(test)]
mod tests;
