//! Asks daemons, tmux and zellij what there is, in threads of their own.

use super::fleet::{HostNews, Remote, ask_fleet};
use super::model::{Focus, PaneKey, Side};
use crate::client::Client;
use crate::commands;
use crate::daemon::Files;
use crate::output::{ListedPane, clean};
use crate::protocol::{Event, SendAsk};
use crate::routes::{LogEntry, RouteLog};
use crate::tmux::Server;
use crate::zellij::Session;
use crate::{Context, Error};
use ratatui::crossterm::event::Event as Input;
use std::collections::BTreeSet;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

/// Between two questions to the daemons, which answer from memory.
const TMUX_PAUSE: Duration = Duration::from_millis(500);
/// Between two questions to zellij, which starts a program for each.
const ZELLIJ_PAUSE: Duration = Duration::from_secs(5);
/// Between two looks at what a chosen pane shows.
const SCREEN_PAUSE: Duration = Duration::from_millis(500);
/// Between two explanations, which look at the whole server.
const EXPLAIN_PAUSE: Duration = Duration::from_secs(3);
/// Seconds for which a text waits until its pane is ready.
const SEND_WAIT: f64 = 600.0;
/// Entries of a route log that are shown.
const LOG_MAX: usize = 500;

/// Where panes come from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Source {
    /// The daemon of a tmux server, by the path of its socket.
    Tmux(String),
    /// A zellij session.
    Zellij(String),
    /// The broker, which has no panes itself.
    Fleet,
    /// Another machine.
    Host(String),
}

/// What is beside the list.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Beside {
    /// A screen with its escape sequences.
    Screen(String),
    /// Events, the newest first.
    History(Vec<Event>),
    /// Lines of text.
    Text(Vec<String>),
    /// Entries of the route log, the newest first.
    Routes(Vec<LogEntry>),
    /// It cannot be shown, and why.
    Missing(String),
}

/// What happened.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum News {
    /// The person did something.
    Input(Input),
    /// The terminal is gone.
    HungUp,
    /// The panes of a source, or why they are not known.
    Panes(Source, Result<Vec<ListedPane>, String>),
    /// Other machines.
    Hosts(Vec<HostNews>),
    /// A source is no more.
    Gone(Source),
    /// All sources were asked once.
    Complete,
    /// What is beside the list.
    Beside(Focus, Beside),
    /// How an action ended.
    Said(String),
}

/// The threads that ask.
pub(super) struct Feed {
    wishes: Sender<Option<Focus>>,
    tell: Sender<News>,
    has_source: bool,
}

impl Feed {
    /// Begins to ask: `only` this tmux server, or whatever there is.
    pub(super) fn start(only: Option<Server>, ctx: &Context, tell: &Sender<News>) -> Self {
        let sessions = if only.is_some() { Vec::new() } else { Session::all() };
        // Settings that cannot be read were told of before.
        let has_fleet = only.is_none() && ctx.config().is_ok_and(|config| config.fleet.is_some());
        let has_source =
            has_fleet || !sessions.is_empty() || clients(only.as_ref(), ctx).any(|c| lives(&c));
        let (wishes, hear) = channel();
        if has_source {
            let is_all = only.is_none();
            spawn("tmux", tell, ctx, move |tell, ctx| ask_tmux(only.as_ref(), tell, ctx));
            if is_all {
                spawn("zellij", tell, ctx, move |tell, _| ask_zellij(sessions, tell));
            } else {
                let _ = tell.send(News::Complete);
            }
            let remote = match Remote::new() {
                Ok((remote, bell)) if has_fleet => {
                    let theirs = remote.clone();
                    spawn("fleet", tell, ctx, move |tell, ctx| ask_fleet(&theirs, bell, tell, ctx));
                    Some(remote)
                }
                _ => None,
            };
            spawn("beside", tell, ctx, move |tell, ctx| {
                ask_beside(&hear, remote.as_ref(), tell, ctx);
            });
        }
        Self { wishes, tell: tell.clone(), has_source }
    }

    /// Whether there is anything to ask.
    pub(super) fn has_source(&self) -> bool {
        self.has_source
    }

    /// Asks for this beside the list from now on.
    pub(super) fn look(&self, focus: Option<Focus>) {
        let _ = self.wishes.send(focus);
    }

    /// Delivers a text, and tells how that ended.
    pub(super) fn send(&self, pane: ListedPane, text: String, ctx: &Context) {
        let (tell, ctx) = (self.tell.clone(), ctx.clone());
        let deliver = move || {
            let place = clean(&pane.place());
            let ask = SendAsk {
                pane: pane.row.pane.clone(),
                text,
                wait: true,
                timeout: SEND_WAIT,
                shell: false,
            };
            let client = Client::of(&Server::at(&pane.row.server), ctx.paths());
            let said = match client.send(ask) {
                Ok(Some(outcome)) => commands::outcome(&place, &outcome),
                Ok(None) => Err(Error::no_server("the daemon is gone")),
                Err(error) => Err(error),
            };
            let said = said.map_or_else(
                |error| error.message().to_owned(),
                |()| format!("Delivered to {place}."),
            );
            let _ = tell.send(News::Said(said));
        };
        if let Err(error) = thread::Builder::new().name("send".to_owned()).spawn(deliver) {
            let _ = self.tell.send(News::Said(format!("nothing was sent: {error}")));
        }
    }
}

fn spawn(
    name: &str,
    tell: &Sender<News>,
    ctx: &Context,
    body: impl FnOnce(&Sender<News>, &Context) + Send + 'static,
) {
    let (tell, ctx) = (tell.clone(), ctx.clone());
    let said = tell.clone();
    let started = thread::Builder::new().name(name.to_owned()).spawn(move || body(&tell, &ctx));
    if let Err(error) = started {
        let _ = said.send(News::Said(format!("{name} cannot be asked: {error}")));
    }
}

fn clients(only: Option<&Server>, ctx: &Context) -> impl Iterator<Item = Client> + use<> {
    let one = only.map(|server| Client::of(server, ctx.paths()));
    let all = if one.is_none() { Client::all(ctx.paths()) } else { Vec::new() };
    one.into_iter().chain(all)
}

fn lives(client: &Client) -> bool {
    matches!(client.hello(), Ok(Some(_)))
}

/// Tells the panes of every daemon, again and again, until nobody listens.
fn ask_tmux(only: Option<&Server>, tell: &Sender<News>, ctx: &Context) {
    let mut known = BTreeSet::new();
    loop {
        let mut there = BTreeSet::new();
        for client in clients(only, ctx) {
            let source = Source::Tmux(client.socket().to_string_lossy().into_owned());
            let panes = match client.list() {
                Ok(Some(panes)) => Ok(panes),
                Ok(None) => continue,
                Err(error) => Err(error.message().to_owned()),
            };
            there.insert(source.clone());
            if tell.send(News::Panes(source, panes)).is_err() {
                return;
            }
        }
        if !told_gone(&known, &there, tell) {
            return;
        }
        known = there;
        thread::sleep(TMUX_PAUSE);
    }
}

/// Tells the panes of every zellij session, again and again, until nobody listens.
fn ask_zellij(first: Vec<Session>, tell: &Sender<News>) {
    let (mut sessions, mut known, mut is_first) = (first, BTreeSet::new(), true);
    loop {
        let mut there = BTreeSet::new();
        for session in &sessions {
            let source = Source::Zellij(session.name().to_owned());
            let panes = session.list().map_err(|error| error.message().to_owned());
            there.insert(source.clone());
            if tell.send(News::Panes(source, panes)).is_err() {
                return;
            }
        }
        if !told_gone(&known, &there, tell)
            || (std::mem::take(&mut is_first) && tell.send(News::Complete).is_err())
        {
            return;
        }
        known = there;
        thread::sleep(ZELLIJ_PAUSE);
        sessions = Session::all();
    }
}

/// Tells which sources are no more; false when nobody listens.
fn told_gone(before: &BTreeSet<Source>, now: &BTreeSet<Source>, tell: &Sender<News>) -> bool {
    before.difference(now).all(|gone| tell.send(News::Gone(gone.clone())).is_ok())
}

/// Tells what is beside the list, anew while it is wanted, until nobody listens.
fn ask_beside(
    hear: &Receiver<Option<Focus>>,
    remote: Option<&Remote>,
    tell: &Sender<News>,
    ctx: &Context,
) {
    let mut focus: Option<Focus> = None;
    loop {
        let pause = match focus.as_ref().map(|focus| focus.side) {
            Some(Side::Explanation) => EXPLAIN_PAUSE,
            _ => SCREEN_PAUSE,
        };
        match hear.recv_timeout(pause) {
            // Of several wishes the last one counts.
            Ok(wish) => focus = hear.try_iter().last().unwrap_or(wish),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        let Some(focus) = &focus else { continue };
        let told = match (&focus.key.host, remote) {
            (Some(_), Some(remote)) => Ok(remote.beside(&focus.key, focus.side)),
            _ => beside(focus, ctx),
        };
        let beside = told.unwrap_or_else(|error| {
            Beside::Missing(match error.hint() {
                Some(remedy) => format!("{}. {remedy}", error.message()),
                None => error.message().to_owned(),
            })
        });
        if tell.send(News::Beside(focus.clone(), beside)).is_err() {
            return;
        }
    }
}

fn beside(Focus { key, side }: &Focus, ctx: &Context) -> Result<Beside, Error> {
    if key.mux == "zellij" {
        return of_zellij(&Session::named(&key.server), key, *side);
    }
    let server = Server::at(&key.server);
    match side {
        Side::Screen => {
            let screen = server.screens([key.pane.as_str()])?.pop().flatten();
            Ok(Beside::Screen(screen.unwrap_or_default()))
        }
        Side::History => {
            let panes = Client::of(&server, ctx.paths()).history()?.unwrap_or_default();
            let pane = panes.into_iter().find(|pane| pane.pane.row.pane == key.pane);
            let mut events = pane.map(|pane| pane.events).unwrap_or_default();
            events.reverse();
            Ok(Beside::History(events))
        }
        Side::Explanation => {
            let text = commands::explain_pane(&key.pane, &key.server, ctx)?;
            Ok(Beside::Text(text.lines().map(str::to_owned).collect()))
        }
        Side::Routes => {
            let mut entries = RouteLog::at(&Files::of(&server, ctx.paths()).route_log).read()?;
            entries.reverse();
            entries.truncate(LOG_MAX);
            Ok(Beside::Routes(entries))
        }
    }
}

fn of_zellij(session: &Session, key: &PaneKey, side: Side) -> Result<Beside, Error> {
    match side {
        Side::Screen => Ok(Beside::Screen(session.screen(&key.pane)?)),
        Side::Explanation => {
            let text = session.explain(&key.pane)?;
            Ok(Beside::Text(text.lines().map(str::to_owned).collect()))
        }
        Side::History => Ok(Beside::Missing(
            "The plugin keeps no history. Events as they happen: zellij pipe --name madohub -- events"
                .to_owned(),
        )),
        Side::Routes => Ok(Beside::Missing("Routes belong to the daemons of tmux.".to_owned())),
    }
}
