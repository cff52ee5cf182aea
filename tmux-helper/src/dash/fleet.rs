//! Other machines on the dashboard, as the fleet's broker tells of them.

use super::feed::{Beside, News, Source};
use super::model::{PaneKey, Side};
use crate::fleet::bell::{Bell, Rope};
use crate::fleet::ear::{Ear, Wants};
use crate::fleet::link::Why;
use crate::fleet::read::{Listener, listen};
use crate::output::ListedPane;
use crate::protocol::Event;
use crate::{Context, Error, fleet};
use std::collections::BTreeSet;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};

/// Seconds between two times that the list is told of changes.
const PAUSE: f64 = 0.5;

/// A machine and its panes; nothing where it is gone or took itself away.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct HostNews {
    /// The machine.
    pub(super) host: String,
    /// Its panes, while it is there.
    pub(super) panes: Option<Vec<ListedPane>>,
    /// It vanished.
    pub(super) is_gone: bool,
}

/// What is asked about a pane of another machine.
#[derive(Debug, Clone)]
pub(super) struct Remote {
    wish: Arc<Mutex<Wish>>,
    rope: Rope,
}

#[derive(Debug, Default)]
struct Wish {
    key: Option<PaneKey>,
    found: Option<Found>,
}

/// What the broker told of the pane.
#[derive(Debug)]
struct Found {
    screen: Option<String>,
    screens_are_told: bool,
    events: Vec<Event>,
}

impl Remote {
    /// A way to ask, and what wakes who answers.
    pub(super) fn new() -> std::io::Result<(Self, Bell)> {
        let bell = Bell::new()?;
        let remote = Self { wish: Arc::default(), rope: bell.rope() };
        Ok((remote, bell))
    }

    /// What is beside the list of a pane of another machine: what was told of it until now.
    pub(super) fn beside(&self, key: &PaneKey, side: Side) -> Beside {
        let host = key.host.as_deref().unwrap_or_default();
        let mut wish = self.wish.lock().unwrap_or_else(PoisonError::into_inner);
        if wish.key.as_ref() != Some(key) {
            *wish = Wish { key: Some(key.clone()), found: None };
        }
        // It is told anew until the next question.
        self.rope.ring();
        match (side, &wish.found) {
            (_, None) => Beside::Missing("Looking …".to_owned()),
            (Side::Screen, Some(Found { screen: Some(screen), .. })) => {
                Beside::Screen(screen.clone())
            }
            (Side::Screen, Some(found)) if found.screens_are_told => {
                Beside::Missing(format!("{host} has not told this pane's screen."))
            }
            (Side::Screen, Some(_)) => Beside::Missing(format!(
                "{host} tells no screens. Its settings decide that: [fleet], publish."
            )),
            (Side::History, Some(found)) => Beside::History(found.events.clone()),
            (Side::Explanation, Some(_)) => Beside::Missing(format!(
                "Only {host} knows why: run `madohub explain {}` there.",
                key.pane
            )),
            (Side::Routes, Some(_)) => {
                Beside::Missing(format!("Run `madohub route log` on {host}."))
            }
        }
    }

    fn answer(&self, ear: &Ear) {
        let mut wish = self.wish.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(key) = &wish.key else { return };
        let host = key.host.as_deref().and_then(|host| ear.book.host_named(host));
        wish.found = host.map(|host| Found {
            screen: host.screen(&key.server, &key.pane).map(str::to_owned),
            screens_are_told: host.presence().is_some_and(|presence| presence.screens),
            events: host.events(&key.server, &key.pane),
        });
    }
}

/// Tells of other machines until nobody listens.
pub(super) fn ask_fleet(remote: &Remote, bell: Bell, tell: &Sender<News>, ctx: &Context) {
    let mut teller = Teller {
        tell: tell.clone(),
        remote: remote.clone(),
        due: BTreeSet::new(),
        told: f64::NEG_INFINITY,
        is_over: false,
        broker: String::new(),
    };
    let listened = (|| {
        let settings = fleet::settings(ctx)?;
        teller.broker = format!("{}:{}", settings.broker, settings.port);
        let own = fleet::host_name(&settings).ok();
        let wants = Wants { panes: true, events: true, screens: true };
        listen(&settings, wants, own, &mut teller, bell)
    })();
    if let Err(error) = listened {
        let _ = tell.send(News::Panes(Source::Fleet, Err(Error::message(&error).to_owned())));
    }
}

struct Teller {
    tell: Sender<News>,
    remote: Remote,
    /// Machines of which there is something new.
    due: BTreeSet<String>,
    told: f64,
    is_over: bool,
    broker: String,
}

impl Teller {
    fn news(&mut self, news: News) {
        self.is_over |= self.tell.send(news).is_err();
    }
}

impl Listener for Teller {
    fn heard(&mut self, ear: &mut Ear, now: f64) -> bool {
        self.remote.answer(ear);
        self.due.append(&mut ear.book.changed());
        if !self.due.is_empty() && now - self.told >= PAUSE {
            self.told = now;
            let told = |host: String| {
                let known = ear.book.host_named(&host).filter(|known| known.is_known());
                let online = known.filter(|known| known.is_online());
                HostNews {
                    panes: online.map(|online| online.rows().cloned().collect()),
                    is_gone: known.is_some() && online.is_none(),
                    host,
                }
            };
            let news = std::mem::take(&mut self.due).into_iter().map(told).collect();
            self.news(News::Hosts(news));
        }
        !self.is_over
    }

    fn again(&self) -> Option<f64> {
        (!self.due.is_empty()).then_some(self.told + PAUSE)
    }

    fn connection(&mut self, trouble: Option<&Why>) {
        let news = match trouble {
            None => News::Gone(Source::Fleet),
            Some(why) => News::Panes(Source::Fleet, Err(fleet::describe(why, &self.broker))),
        };
        self.news(news);
    }
}
