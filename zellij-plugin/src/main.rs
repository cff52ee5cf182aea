//! The plugin as zellij loads it: maps zellij's events and calls to the library and back.

#![allow(missing_docs, reason = "zellij's macro writes the functions that it calls")]

mod from_zellij;
mod to_zellij;

use madohub_zellij::{App, Effect, Event, Instance, Role, Settings};
use std::collections::{BTreeMap, VecDeque};
use std::time::{SystemTime, UNIX_EPOCH};
use zellij_tile::prelude as zellij;
use zellij_tile::prelude::{ZellijPlugin, report_panic};

/// State of the plugin; empty until zellij loads it.
#[derive(Default)]
struct Shell {
    app: Option<App>,
    me: Instance,
    bar: bool,
    /// zellij answers questions; before the user granted them, some of its calls cannot be made.
    granted: bool,
    columns: usize,
}

zellij_tile::register_plugin!(Shell);

impl ZellijPlugin for Shell {
    fn load(&mut self, configuration: BTreeMap<String, String>) {
        let settings = Settings::from_block(&configuration);
        let ids = zellij::get_plugin_ids();
        self.me = Instance {
            plugin: ids.plugin_id,
            client: ids.client_id,
            server_pid: ids.zellij_pid,
            version: zellij::get_zellij_version(),
        };
        self.bar = settings.role == Role::Bar;
        to_zellij::subscribe(self.bar, &self.me.version);
        let saved = if self.bar { None } else { to_zellij::saved(&self.me) };
        self.app = Some(App::new(self.me.clone(), settings, now()));
        self.drive(Event::Loaded(saved));
    }

    fn update(&mut self, event: zellij::Event) -> bool {
        let granted = matches!(
            event,
            zellij::Event::PermissionRequestResult(zellij::PermissionStatus::Granted)
                | zellij::Event::SessionUpdate(..)
                | zellij::Event::ModeUpdate(..)
        );
        self.granted |= granted;
        match from_zellij::event(event) {
            Some(event) => self.drive(event),
            None => false,
        }
    }

    fn pipe(&mut self, message: zellij::PipeMessage) -> bool {
        self.drive(Event::Pipe(from_zellij::pipe(message)))
    }

    fn render(&mut self, _rows: usize, columns: usize) {
        if self.columns != columns {
            self.columns = columns;
            self.drive(Event::Resized(columns));
        }
        if let Some(app) = &self.app {
            print!("{}", app.render());
        }
    }
}

impl Shell {
    /// Hands an event to the library and does what it answers, until it has nothing more to do.
    /// True when the bar has to be drawn.
    fn drive(&mut self, event: Event) -> bool {
        let Some(app) = &mut self.app else { return false };
        let mut draw = false;
        let mut events = VecDeque::from([event]);
        while let Some(event) = events.pop_front() {
            for effect in app.update(event, now()) {
                if effect == Effect::Render {
                    draw = true;
                } else {
                    events.extend(to_zellij::perform(effect, &self.me, self.granted));
                }
            }
        }
        draw && self.bar
    }
}

/// Seconds since the epoch.
fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64())
}
