//! The plugin as zellij loads it: hands what zellij says to the library, and does what it answers.

mod host;
mod perform;

use madohub_zellij::{App, Effect, Event, Instance, Pipe, Role, Settings, wire};
use std::collections::{BTreeMap, VecDeque};
use std::time::{SystemTime, UNIX_EPOCH};

/// zellij starts it before it calls the functions of [`host`].
fn main() {}

/// State of the plugin; empty until zellij loads it.
#[derive(Default)]
struct Shell {
    app: Option<App>,
    me: Instance,
    bar: bool,
    /// zellij answers questions; before the user granted them, it refuses some.
    granted: bool,
    columns: usize,
}

impl Shell {
    fn load(&mut self, block: &BTreeMap<String, String>) {
        let settings = Settings::from_block(block);
        self.me = perform::instance();
        self.bar = settings.role == Role::Bar;
        host::tell(&wire::subscribe_call(self.bar));
        let saved = if self.bar { None } else { perform::saved(&self.me) };
        self.app = Some(App::new(self.me.clone(), settings, now()));
        self.drive(Event::Loaded(saved));
    }

    fn update(&mut self, event: Event) -> bool {
        // The last two are told only to who may know.
        self.granted |=
            matches!(event, Event::Permissions(true) | Event::Session(_) | Event::Mode(_));
        self.drive(event)
    }

    fn pipe(&mut self, message: Pipe) -> bool {
        self.drive(Event::Pipe(message))
    }

    /// The row of the bar.
    fn render(&mut self, columns: usize) -> String {
        if self.columns != columns {
            self.columns = columns;
            self.drive(Event::Resized(columns));
        }
        self.app.as_ref().map(App::render).unwrap_or_default()
    }

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
                    events.extend(perform::perform(effect, &self.me, self.granted));
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
