//! Carrying out what routes decide.

use super::{jobs, life::Life};
use crate::Error;
use crate::events::Entry;
use crate::notify::{Notice, Notifier};
use crate::protocol::{Event, OnceAsk, RouteAnswer, RouteAsk, RouteState};
use crate::routes::{
    Ended, Engine, FIELDS, Job, Letter, LogEntry, Memory, OneShot, PaneView, Route, RouteLog,
};
use madohub_detect::delivery::{Gate, gate};
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

/// A decision that was carried out, and how.
type Finished = (u64, Ended);

/// Programs at a time.
const PROGRAMS_MAX: usize = 8;

/// The routes of one daemon: the engine, its file, its log, and the programs that run.
pub(super) struct Routing {
    engine: Engine,
    path: PathBuf,
    log: RouteLog,
    /// How programs ended, by the numbers of the decisions.
    results: Receiver<Finished>,
    sender: Sender<Finished>,
    running: HashSet<u64>,
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
        let (engine, entries) = Engine::new(routes, memory, now);
        let (sender, results) = channel();
        let routing = Self {
            engine,
            path: path.to_owned(),
            log: RouteLog::at(log),
            results,
            sender,
            running: HashSet::new(),
            is_stored: true,
        };
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
        for entry in told {
            let entries = self.engine.take(entry.event(), &panes, now);
            self.note(&entries);
        }
        self.store();
    }

    /// Considers what agents said late of turns whose ends were told. Once each, whatever happens.
    pub(super) fn refine(&mut self, told: &[Event], life: Option<&Life>, now: f64) {
        if told.is_empty() {
            return;
        }
        let panes = life.map(Life::views).unwrap_or_default();
        for event in told {
            let entries = self.engine.refine(event, &panes, now);
            self.note(&entries);
        }
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

    /// Brings everything on; `busy` are panes in which something else is being typed.
    pub(super) fn advance(
        &mut self,
        life: &mut Life,
        notifier: &Notifier,
        mut busy: HashSet<String>,
        now: f64,
    ) {
        while let Ok((id, ended)) = self.results.try_recv() {
            self.running.remove(&id);
            self.finish(id, &ended, None, now);
        }
        if !self.engine.is_busy() && self.engine.memory().once().is_empty() {
            self.store();
            return;
        }
        let entries = self.engine.due(&life.views(), now);
        self.note(&entries);
        busy.extend(self.busy());
        let queue = self.engine.memory().queue().iter();
        let jobs: Vec<(u64, String, Job)> =
            queue.map(|item| (item.id, item.route.clone(), item.job.clone())).collect();
        for (id, route, job) in jobs {
            match job {
                Job::Letter(letter) => self.letter(id, letter, life, &mut busy, now),
                Job::Command { argv, begun: false } => self.command(id, argv),
                Job::File { path, text, begun: false } => {
                    let begun = Job::File { path: path.clone(), text: text.clone(), begun: true };
                    if self.set(id, begun) {
                        self.finish(id, &jobs::append(&path, &text), None, now);
                    }
                }
                Job::Notify { text, urgent, begun: false } => {
                    let begun = Job::Notify { text: text.clone(), urgent, begun: true };
                    if self.set(id, begun) {
                        let ended = notify(notifier, life, &route, &text, urgent);
                        self.finish(id, &ended, None, now);
                    }
                }
                Job::Command { .. } | Job::File { .. } | Job::Notify { .. } => {}
            }
        }
        self.store();
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
        if !has_begun && busy.contains(&letter.pane) {
            return;
        }
        let before = letter.clone();
        let outcome = letter.advance(life, now, |letter| self.set(id, Job::Letter(letter.clone())));
        if letter.delivery.has_begun() {
            busy.insert(letter.pane.clone());
        }
        let Some(outcome) = outcome else {
            if letter != before {
                self.set(id, Job::Letter(letter));
            }
            return;
        };
        let pane = letter.pane.parse().ok();
        let turn = pane.and_then(|pane| life.tracked(pane)).map(|tracked| tracked.turn);
        self.finish(id, &Ended::Letter(outcome), turn, now);
    }

    fn command(&mut self, id: u64, argv: Vec<String>) {
        if self.running.len() >= PROGRAMS_MAX {
            return;
        }
        if !self.set(id, Job::Command { argv: argv.clone(), begun: true }) {
            return;
        }
        self.running.insert(id);
        let sender = self.sender.clone();
        let started = std::thread::Builder::new().name("route".to_owned()).spawn(move || {
            let _ = sender.send((id, jobs::run(&argv)));
        });
        if let Err(error) = started {
            let _ = self.sender.send((id, Ended::Failed(error.to_string())));
        }
    }

    /// Stores how far a job came; whether it is stored. What is not stored must not be done.
    fn set(&mut self, id: u64, job: Job) -> bool {
        if let Some(item) = self.engine.queue_mut().iter_mut().find(|item| item.id == id) {
            item.job = job;
        }
        self.store()
    }

    fn finish(&mut self, id: u64, ended: &Ended, turn: Option<u64>, now: f64) {
        let entry = self.engine.finish(id, ended, turn, now);
        self.note(entry.as_slice());
        self.store();
    }

    fn store(&mut self) -> bool {
        if self.engine.take_changed() {
            let written = self.engine.memory().write(&self.path);
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
