#![allow(clippy::unwrap_used, reason = "a failing test may panic")]

use super::*;
use crate::config::Config;
use crate::events::{Ring, Source, Teller};
use crate::protocol::Scene;
use madohub_detect::{AgentId, Change, State, StateSource};
use std::cell::{Cell, RefCell};
use std::fmt::Write as _;
use std::rc::Rc;

/// Routes whose memory is stored in a cell, as long as the disk takes it.
struct World {
    folder: tempfile::TempDir,
    routing: Routing,
    stored: Rc<RefCell<Memory>>,
    writes: Rc<Cell<usize>>,
    is_full: Rc<Cell<bool>>,
}

impl World {
    fn new(routes: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let stored = Rc::new(RefCell::new(Memory::new((7, 70), 0)));
        let (writes, is_full) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(false)));
        let keep: Keep = {
            let (stored, writes, is_full) = (stored.clone(), writes.clone(), is_full.clone());
            Box::new(move |memory| {
                writes.set(writes.get() + 1);
                if is_full.get() {
                    return Err(io::ErrorKind::StorageFull.into());
                }
                *stored.borrow_mut() = memory.clone();
                Ok(())
            })
        };
        let mut text = String::new();
        for n in 0..routes {
            let to = folder.path().join("lines");
            let to = to.display();
            writeln!(
                text,
                "[[route]]\nname = \"r{n}\"\non = [\"working\", \"waiting\"]\ncooldown = 0\n\
                 to = {{ file = \"{to}\" }}\nsend = \"{n} {{pane}} {{turn}}\""
            )
            .unwrap();
        }
        let routes = Config::parse(&text, Path::new("config.toml")).unwrap().routes;
        let log = folder.path().join("log");
        let routing = Routing::new(routes, Memory::new((7, 70), 0), keep, &log, 0.0);
        Self { folder, routing, stored, writes, is_full }
    }

    /// One step of the daemon, as far as it is about files.
    fn step(&mut self) {
        self.routing.take_results(1.0);
        self.routing.carry_out(&|_, _, _| Ended::Done, 1.0);
        self.routing.store();
    }

    fn lines(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.folder.path().join("lines")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// Steps until nothing is left to do.
    fn finish(&mut self) {
        while self.routing.is_in_haste() {
            self.step();
            std::thread::yield_now();
        }
    }

    fn waiting(&self) -> usize {
        self.routing.engine.memory().queue().iter().filter(|item| !item.job.is_begun()).count()
    }
}

/// Events of so many panes, told by a teller of its own.
fn events(folder: &Path, panes: usize) -> Vec<Arc<Entry>> {
    let scene = Scene { host: "devbox".to_owned(), server: "/s".to_owned() };
    let (mut teller, _) = Teller::open(scene, &folder.join("events"));
    let change = |n| Change {
        pane: format!("%{n}"),
        agent: AgentId::new("claude"),
        from: State::Working,
        to: State::Waiting,
        state_source: StateSource::JsonlWatcher,
        reason: None,
        turn: 1,
        evidence: Vec::new(),
    };
    let changes = (0..panes).map(|n| (change(n), 1.0)).collect();
    let source = Source { server: 7, pid: &|_| Some(70) };
    teller.tell(changes, Vec::new(), &source, Vec::new, 1.0).events
}

/// Looking at the panes and showing their states comes before what follows from it in a step, and
/// what follows is no more in one step than this.
#[test]
fn a_step_does_no_more_than_its_share_however_much_there_is_to_do() {
    let mut world = World::new(20);
    let told = events(world.folder.path(), 1000);
    assert_eq!(told.len(), 1000);
    // Readers that read nothing are no work either: the ring keeps what it keeps.
    let mut ring = Ring::default();
    for entry in &told {
        ring.push(entry);
    }
    assert_eq!(ring.kept().len(), 1000);
    world.routing.take(&told, None, 1.0);
    assert_eq!(world.writes.get(), 1, "a thousand events are stored in one go");
    let queued = world.waiting();
    assert_eq!(queued, 200, "what is more is refused, and said");
    let mut steps = 0;
    while world.waiting() > 0 {
        let (before, writes) = (world.waiting(), world.writes.get());
        world.step();
        assert!(before - world.waiting() <= AT_ONCE);
        assert!(world.writes.get() - writes <= 2);
        steps += usize::from(before > world.waiting());
    }
    assert_eq!(steps, queued.div_ceil(AT_ONCE));
    world.finish();
    let lines = world.lines();
    assert_eq!(lines.len(), queued);
    // In the order of the decisions.
    assert_eq!(lines.first().unwrap(), "0 %0 1");
    assert_eq!(lines.last().unwrap(), "19 %9 1");
}

#[test]
fn what_cannot_be_stored_is_done_later_and_once() {
    let mut world = World::new(2);
    let told = events(world.folder.path(), 3);
    world.is_full.set(true);
    world.routing.take(&told, None, 1.0);
    for _ in 0..5 {
        world.step();
        assert_eq!((world.lines().len(), world.waiting()), (0, 6));
    }
    assert_eq!(world.stored.borrow().seq(), 0, "a later daemon would consider the events again");
    world.is_full.set(false);
    world.finish();
    assert_eq!((world.lines().len(), world.waiting()), (6, 0));
    world.step();
    assert_eq!((world.stored.borrow().seq(), world.stored.borrow().queue().len()), (3, 0));
}

/// A daemon is killed right after any of its writes, and the next one goes on with what that wrote.
#[test]
fn killed_after_any_write_it_does_nothing_twice() {
    for killed_after in 0.. {
        let mut world = World::new(2);
        let told = events(world.folder.path(), 3);
        let kept = Rc::clone(&world.stored);
        let mut writes = 0;
        world.routing.keep = Box::new(move |memory| {
            writes += 1;
            if writes > killed_after {
                return Err(io::ErrorKind::Other.into());
            }
            *kept.borrow_mut() = memory.clone();
            Ok(())
        });
        world.routing.take(&told, None, 1.0);
        for _ in 0..20 {
            world.step();
            while world.routing.errands.is_writing() {
                world.routing.take_results(1.0);
                std::thread::yield_now();
            }
        }
        let by_first = world.lines().len();
        let was_complete = world.routing.is_stored;
        // The next daemon: what the file holds, and the events that it had not considered.
        let memory = world.stored.borrow().clone();
        let seq = memory.seq();
        let routes = world.routing.engine.routes().to_vec();
        let log = world.folder.path().join("log");
        world.routing = Routing::new(routes, memory, Box::new(|_| Ok(())), &log, 2.0);
        let new: Vec<_> = told.iter().filter(|e| e.event().seq > seq).cloned().collect();
        world.routing.take(&new, None, 2.0);
        world.finish();
        let lines = world.lines();
        let mut once = lines.clone();
        once.sort();
        once.dedup();
        assert_eq!(once.len(), lines.len(), "killed after {killed_after}: {lines:?}");
        // What was begun and is not known to be done is said, and not repeated.
        let said = RouteLog::at(&log).read().unwrap();
        let unknown = said.iter().filter(|entry| entry.outcome == "failed").count();
        assert!(lines.len() + unknown >= 6, "killed after {killed_after}: {lines:?} {said:?}");
        assert!(by_first == 0 || by_first == 6);
        if was_complete {
            return;
        }
    }
}
