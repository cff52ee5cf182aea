//! The agents in zellij sessions, as the plugin tells them: lists now and then, events as they happen,
//! and screens where they are told.

use super::local::{Local, Teller};
use crate::output::ListedPane;
use crate::protocol::Event;
use crate::zellij::Session;
use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::Child;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// Between two questions to zellij, which starts a program for each; an event is a reason to ask
/// sooner.
const PAUSE: Duration = Duration::from_secs(5);
/// And this long between two at least.
const PAUSE_LEAST: Duration = Duration::from_secs(1);
/// A session that is there and does not answer so often in a row has no agents any more: zellij 0.45.1
/// loses an answer now and then.
const MISSED_MAX: u32 = 3;
/// A listener that heard nothing of so many changes is cut off: zellij 0.45.1 does not tell it.
const UNHEARD_MAX: u32 = 2;
/// Bytes of a line; longer ones are no events.
const LINE_MAX: u64 = 64 * 1024;

/// The programs that listen to sessions. They end with it, and none begins after that.
#[derive(Debug)]
pub(super) struct Listeners(Shared);

/// Nothing once it is over.
type Shared = Arc<Mutex<Option<BTreeMap<Session, Listener>>>>;

/// One that listens to a session.
#[derive(Debug)]
struct Listener {
    child: Child,
    heard: Arc<AtomicU64>,
}

impl Listener {
    fn end(mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }
}

impl Drop for Listeners {
    fn drop(&mut self) {
        let all = self.0.lock().ok().and_then(|mut all| all.take());
        all.into_iter().flat_map(BTreeMap::into_values).for_each(Listener::end);
    }
}

/// Begins to tell, in threads that end when nobody hears them.
pub(super) fn start(screens: bool, teller: &Teller) -> std::io::Result<Listeners> {
    let listeners = Listeners(Arc::new(Mutex::new(Some(BTreeMap::new()))));
    let (nudge, nudged) = channel();
    let round = Round {
        teller: teller.clone(),
        listeners: Arc::clone(&listeners.0),
        nudge,
        screens,
        known: BTreeMap::new(),
    };
    thread::Builder::new().name("zellij".to_owned()).spawn(move || round.run(&nudged))?;
    Ok(listeners)
}

/// What is known of a session.
#[derive(Debug, Default)]
struct Known {
    panes: Vec<ListedPane>,
    /// How often in a row it did not answer.
    missed: u32,
    /// Events that were heard until the last look.
    heard: u64,
    /// How many looks in a row found a change of which no event was heard.
    unheard: u32,
}

/// Asks all sessions, again and again.
struct Round {
    teller: Teller,
    listeners: Shared,
    nudge: Sender<()>,
    screens: bool,
    known: BTreeMap<Session, Known>,
}

impl Round {
    fn run(mut self, nudged: &Receiver<()>) {
        let mut looked: Option<Instant> = None;
        loop {
            let began = Instant::now();
            let is_time = self.screens && looked.is_none_or(|then| then.elapsed() >= PAUSE);
            if !self.look(is_time) {
                return;
            }
            if is_time {
                looked = Some(Instant::now());
            }
            match nudged.recv_timeout(PAUSE) {
                Ok(()) | Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            thread::sleep(PAUSE_LEAST.saturating_sub(began.elapsed()));
            nudged.try_iter().for_each(drop);
        }
    }

    /// Asks every session once; false when nobody hears it.
    fn look(&mut self, screens: bool) -> bool {
        let sessions = Session::all();
        let gone: Vec<Session> =
            self.known.keys().filter(|known| !sessions.contains(known)).cloned().collect();
        for session in gone {
            if !self.forget(&session) {
                return false;
            }
        }
        for session in sessions {
            let Ok(panes) = session.list() else {
                let known = self.known.entry(session.clone()).or_default();
                known.missed += 1;
                if known.missed >= MISSED_MAX && !self.forget(&session) {
                    return false;
                }
                continue;
            };
            self.listen(&session, &panes);
            let shown = if screens { looks(&session, &panes) } else { Vec::new() };
            if !self.teller.tell(Local::Panes(source(&session), panes)) {
                return false;
            }
            for (pane, screen) in shown {
                self.teller.tell(Local::Screen(Box::new(pane), screen));
            }
        }
        true
    }

    /// A session is no more, or has no plugin any more; false when nobody hears it.
    fn forget(&mut self, session: &Session) -> bool {
        self.known.remove(session);
        let mut all = self.listeners.lock().ok();
        let all = all.as_deref_mut().and_then(Option::as_mut);
        if let Some(listener) = all.and_then(|all| all.remove(session)) {
            listener.end();
        }
        self.teller.tell(Local::Gone(source(session)))
    }

    /// Sees to it that the events of a session are heard, which has these panes now.
    fn listen(&mut self, session: &Session, panes: &[ListedPane]) {
        let Ok(mut all) = self.listeners.lock() else { return };
        let Some(all) = all.as_mut() else { return };
        let known = self.known.entry(session.clone()).or_default();
        let heard = all.get(session).map_or(0, |it| it.heard.load(Ordering::Relaxed));
        let is_change = !known.panes.is_empty() && states(&known.panes) != states(panes);
        known.missed = 0;
        known.unheard = match (heard == known.heard, is_change) {
            (false, _) => 0,
            (true, true) => known.unheard + 1,
            (true, false) => known.unheard,
        };
        known.panes = panes.to_vec();
        known.heard = heard;
        let is_deaf = known.unheard >= UNHEARD_MAX;
        if all.get_mut(session).is_some_and(|listener| is_deaf || listener.has_ended())
            && let Some(listener) = all.remove(session)
        {
            listener.end();
        }
        if !all.contains_key(session) {
            (known.heard, known.unheard) = (0, 0);
            // Where it cannot be started it is tried again with the next look.
            if let Ok(listener) = self.listener(session) {
                all.insert(session.clone(), listener);
            }
        }
    }

    fn listener(&self, session: &Session) -> std::io::Result<Listener> {
        let mut child = session.events()?;
        let heard = Arc::new(AtomicU64::new(0));
        let (count, teller, nudge) = (Arc::clone(&heard), self.teller.clone(), self.nudge.clone());
        let lines = child.stdout.take().map(BufReader::new);
        let body = move || {
            let Some(mut lines) = lines else { return };
            loop {
                let mut line = Vec::new();
                match lines.by_ref().take(LINE_MAX).read_until(b'\n', &mut line) {
                    Ok(0) | Err(_) => return,
                    Ok(_) => {}
                }
                let Some(event) = read(&line) else { continue };
                count.fetch_add(1, Ordering::Relaxed);
                if !teller.tell(Local::Event(Box::new(event))) || nudge.send(()).is_err() {
                    return;
                }
            }
        };
        let listener = Listener { child, heard };
        match thread::Builder::new().name("events".to_owned()).spawn(body) {
            Ok(_) => Ok(listener),
            Err(error) => {
                listener.end();
                Err(error)
            }
        }
    }
}

/// What a session is called among the sources of this machine.
fn source(session: &Session) -> String {
    format!("zellij {}", session.name())
}

/// Which panes there are and in what state.
fn states(panes: &[ListedPane]) -> Vec<(&str, madohub_detect::State, f64)> {
    let mut all: Vec<_> =
        panes.iter().map(|p| (p.row.pane.as_str(), p.row.state, p.row.since)).collect();
    all.sort_by(|a, b| a.0.cmp(b.0));
    all
}

/// What the panes show.
fn looks(session: &Session, panes: &[ListedPane]) -> Vec<(ListedPane, String)> {
    let shown = |pane: &ListedPane| Some((pane.clone(), session.screen(&pane.row.pane).ok()?));
    panes.iter().filter_map(shown).collect()
}

/// Reads an event of the plugin, which does not know the machine's name.
fn read(line: &[u8]) -> Option<Event> {
    let mut event: serde_json::Value = serde_json::from_slice(line).ok()?;
    *event.get_mut("host")? = "".into();
    serde_json::from_value(event).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_of_the_plugin_is_read_and_nothing_else() {
        let line = r#"{"v":1,"seq":3,"time":5.0,"host":null,"mux":"zellij","server":"stage",
            "pane":"terminal_1","agent":"claude","from":"working","to":"waiting",
            "state_source":"pty-scrape","reason":"approval","since":4.0,"turn":"1","evidence":[]}"#;
        let event = read(line.as_bytes());
        let told = event.map(|event| (event.host, event.server, event.pane, event.seq));
        assert_eq!(told, Some((String::new(), "stage".into(), "terminal_1".into(), 3)));
        for other in ["", "{}", "pause: no such command", r#"{"host":null}"#] {
            assert!(read(other.as_bytes()).is_none(), "{other}");
        }
    }
}
