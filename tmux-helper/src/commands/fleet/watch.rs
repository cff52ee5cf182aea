//! `madohub fleet watch`: changes of state on all machines.

use crate::commands::{note, watch};
use crate::config::Looks;
use crate::fleet::bell::Bell;
use crate::fleet::ear::{Ear, Wants};
use crate::fleet::link::Why;
use crate::fleet::read::{Listener, listen};
use crate::fleet::wire::Dial;
use crate::fleet::{self};
use crate::output::Terminal;
use crate::protocol::Event;
use crate::{Context, Error, Exit};
use std::collections::BTreeSet;
use std::io::{Write as _, stdout};

/// Runs the command.
pub(super) fn run(json: bool, ctx: &Context) -> Result<Exit, Error> {
    let settings = fleet::settings(ctx)?;
    let mut watcher = Watcher {
        json,
        looks: ctx.config()?.looks,
        terminal: Terminal::of_stdout(),
        broker: Dial::new(&settings)?.name(),
        online: BTreeSet::new(),
        trouble: None,
        was_up: false,
        failed: None,
    };
    let wants = Wants { panes: false, events: true, screens: false };
    listen(&settings, wants, None, &mut watcher, Bell::new()?)?;
    match watcher.failed {
        Some(error) => Err(error),
        None => Ok(Exit::Ok),
    }
}

struct Watcher {
    json: bool,
    looks: Looks,
    terminal: Terminal,
    broker: String,
    online: BTreeSet<String>,
    trouble: Option<String>,
    was_up: bool,
    failed: Option<Error>,
}

impl Watcher {
    fn write(&mut self, line: &str) {
        let mut out = stdout().lock();
        if let Err(error) = writeln!(out, "{line}").and_then(|()| out.flush()) {
            self.failed = Some(error.into());
        }
    }
}

impl Listener for Watcher {
    fn heard(&mut self, ear: &mut Ear, _now: f64) -> bool {
        if !ear.book.changed().is_empty() && !self.json {
            let online = ear.book.hosts().filter(|(_, host)| host.is_online());
            let online: BTreeSet<String> = online.map(|(name, _)| name.to_owned()).collect();
            for gone in self.online.difference(&online) {
                note(&format!("{gone} is gone"));
            }
            self.online = online;
        }
        self.failed.is_none()
    }

    fn event(&mut self, event: Event) {
        let line = if self.json {
            match serde_json::to_string(&event) {
                Ok(line) => line,
                Err(_) => return,
            }
        } else {
            format!("{}:{}", event.host, watch::describe(&event, &self.looks, self.terminal))
        };
        self.write(&line);
    }

    fn connection(&mut self, why: Option<&Why>) {
        let Some(why) = why else {
            if self.trouble.take().is_some() {
                note("the broker is back");
            }
            self.was_up = true;
            return;
        };
        let is_final = matches!(why, Why::Refused(_) | Why::Untrusted(_) | Why::Unable(_));
        if !self.was_up || is_final {
            self.failed = Some(fleet::error(why, &self.broker));
            return;
        }
        let what = fleet::describe(why, &self.broker);
        if self.trouble.as_ref() != Some(&what) {
            note(&format!("{what}; it is tried again"));
            self.trouble = Some(what);
        }
    }
}
