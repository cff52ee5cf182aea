//! The agents of this machine, as the daemons of its tmux servers and its zellij sessions tell them.

use super::bell::Rope;
use super::zellij;
use crate::Context;
use crate::client::Client;
use crate::events::Line;
use crate::output::ListedPane;
use crate::protocol::Event;
use crate::tmux::Server;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// Between two questions to the daemons, which answer from memory; an event is a reason to ask at
/// once.
const PAUSE: Duration = Duration::from_secs(1);
/// Between two looks at screens, where they are told.
const SCREEN_PAUSE: Duration = Duration::from_secs(2);

/// What there is on this machine.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Local {
    /// The panes of a source.
    Panes(String, Vec<ListedPane>),
    /// A source is no more.
    Gone(String),
    /// A change of state.
    Event(Box<Event>),
    /// What a pane shows, with colours as escape sequences.
    Screen(Box<ListedPane>, String),
    /// All sources were asked once.
    Complete,
}

/// Hands on what is told, and wakes who hears it.
#[derive(Debug, Clone)]
pub(super) struct Teller {
    tell: Sender<Local>,
    rope: Rope,
}

impl Teller {
    /// Tells `tell`, and rings.
    pub(super) fn new(tell: Sender<Local>, rope: Rope) -> Self {
        Self { tell, rope }
    }

    /// Whether somebody hears it.
    pub(super) fn tell(&self, news: Local) -> bool {
        let is_heard = self.tell.send(news).is_ok();
        self.rope.ring();
        is_heard
    }
}

/// Begins to tell, in threads that end when nobody hears them; what listens to zellij ends with the
/// answer.
pub(super) fn start(
    screens: bool,
    ctx: &Context,
    teller: &Teller,
) -> std::io::Result<zellij::Listeners> {
    let (nudge, nudged) = channel();
    let (own, its) = (teller.clone(), ctx.clone());
    let ask = move || ask_tmux(screens, &its, &own, &nudge, &nudged);
    thread::Builder::new().name("tmux".to_owned()).spawn(ask)?;
    zellij::start(screens, teller)
}

/// The last event of each daemon that was heard.
type Heard = Arc<Mutex<BTreeMap<PathBuf, Option<u64>>>>;

fn ask_tmux(
    screens: bool,
    ctx: &Context,
    teller: &Teller,
    nudge: &Sender<()>,
    nudged: &Receiver<()>,
) {
    let heard = Heard::default();
    let followed: Arc<Mutex<BTreeSet<PathBuf>>> = Arc::default();
    let mut known = BTreeSet::new();
    let mut looked: Option<Instant> = None;
    let mut is_first = true;
    loop {
        let mut there = BTreeSet::new();
        let is_time = screens && looked.is_none_or(|then| then.elapsed() >= SCREEN_PAUSE);
        for client in Client::all(ctx.paths()) {
            // One that is in trouble is asked again; until then what it told last holds.
            let Ok(Some(panes)) = client.list() else { continue };
            let source = client.socket().to_string_lossy().into_owned();
            follow(&client, &heard, &followed, teller, nudge);
            there.insert(source.clone());
            let shown = if is_time { looks(&panes) } else { Vec::new() };
            if !teller.tell(Local::Panes(source, panes)) {
                return;
            }
            for (pane, screen) in shown {
                teller.tell(Local::Screen(Box::new(pane), screen));
            }
        }
        if is_time {
            looked = Some(Instant::now());
        }
        for gone in known.difference(&there) {
            teller.tell(Local::Gone(String::clone(gone)));
        }
        if std::mem::take(&mut is_first) && !teller.tell(Local::Complete) {
            return;
        }
        known = there;
        match nudged.recv_timeout(PAUSE) {
            Ok(()) => nudged.try_iter().for_each(drop),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

/// Follows the events of a daemon in a thread, unless one does already.
fn follow(
    client: &Client,
    heard: &Heard,
    followed: &Arc<Mutex<BTreeSet<PathBuf>>>,
    teller: &Teller,
    nudge: &Sender<()>,
) {
    let socket = client.socket().to_owned();
    if !followed.lock().is_ok_and(|mut followed| followed.insert(socket.clone())) {
        return;
    }
    let (client, heard, theirs) = (client.clone(), Arc::clone(heard), Arc::clone(followed));
    let (teller, nudge, at) = (teller.clone(), nudge.clone(), socket.clone());
    let body = move || {
        // After a restart of the daemon it goes on where it was; the first time, now.
        let since = heard.lock().ok().and_then(|heard| heard.get(&socket).copied().flatten());
        for line in client.watch(since).ok().flatten().into_iter().flatten() {
            let Ok((_, Line::Event(event))) = line else { continue };
            if let Ok(mut heard) = heard.lock() {
                heard.insert(socket.clone(), Some(event.seq));
            }
            if !teller.tell(Local::Event(event)) || nudge.send(()).is_err() {
                return;
            }
        }
        if let Ok(mut followed) = theirs.lock() {
            followed.remove(&socket);
        }
    };
    let started = thread::Builder::new().name("events".to_owned()).spawn(body);
    // Without a thread it is tried again with the next question.
    if let (Err(_), Ok(mut followed)) = (started, followed.lock()) {
        followed.remove(&at);
    }
}

/// What the panes of one server show; nothing where tmux does not answer.
fn looks(panes: &[ListedPane]) -> Vec<(ListedPane, String)> {
    let Some(first) = panes.first() else { return Vec::new() };
    let ids = panes.iter().map(|pane| pane.row.pane.as_str());
    let screens = Server::at(&first.row.server).screens(ids).unwrap_or_default();
    let shown = |(pane, screen): (&ListedPane, Option<String>)| Some((pane.clone(), screen?));
    panes.iter().zip(screens).filter_map(shown).collect()
}
