//! One instance of the plugin, whatever its role.

use crate::bar::Bar;
use crate::controller::Controller;
use crate::effect::Effect;
use crate::event::{Event, Instance};
use crate::settings::{Role, Settings};
use madohub_detect::RuleSet;
use std::sync::Arc;

/// One instance of the plugin.
#[derive(Debug)]
pub struct App(Inner);

#[derive(Debug)]
enum Inner {
    Controller(Box<Controller>),
    Bar(Box<Bar>),
}

impl App {
    /// A new instance at `now` (seconds since the epoch). [`Event::Loaded`] has to come first.
    pub fn new(me: Instance, settings: Settings, now: f64) -> Self {
        Self(match settings.role {
            Role::Controller => Inner::Controller(Box::new(Controller::new(me, settings, now))),
            Role::Bar => Inner::Bar(Box::new(Bar::new(settings, now))),
        })
    }

    /// The same with rules that were compiled before, for hosts with many instances; others compile
    /// them when they need them first.
    #[must_use]
    pub fn with_rules(mut self, rules: Arc<RuleSet>) -> Self {
        if let Inner::Controller(controller) = &mut self.0 {
            controller.set_rules(rules);
        }
        self
    }

    /// Takes what happened at `now` (seconds since the epoch) and answers what to do.
    pub fn update(&mut self, event: Event, now: f64) -> Vec<Effect> {
        match &mut self.0 {
            Inner::Controller(controller) => controller.update(event, now),
            Inner::Bar(bar) => bar.update(event, now),
        }
    }

    /// The bar's row; empty for a controller.
    pub fn render(&self) -> String {
        match &self.0 {
            Inner::Controller(_) => String::new(),
            Inner::Bar(bar) => bar.render(),
        }
    }
}
