//! All decisions of the zellij plugin, without zellij.
//!
//! [`App::update`] takes what happened ([`Event`]) and the time, and answers with what to ask of
//! zellij ([`Effect`]). It calls nothing, so that `cargo test` runs it natively. [`wire`] reads and
//! writes these types as the bytes that zellij knows; the program beside it (`main.rs`) passes the
//! bytes on.
//!
//! One instance per attached client runs as *controller* (loaded in the background); the one of
//! the lowest attached client leads: it reads panes, tracks them and recolours their frames. Any
//! number of *bars* (one row each) show what the leader tells.

#![forbid(unsafe_code)]

mod app;
mod bar;
mod colour;
mod command;
mod controller;
mod delivery;
mod effect;
mod event;
mod helper;
mod leader;
mod looks;
mod marks;
mod observe;
mod painter;
mod pane;
mod report;
mod segment;
mod settings;
mod theme;
pub mod wire;

pub use app::App;
pub use colour::Colour;
pub use effect::{Effect, Permission};
pub use event::{
    ClientId, Event, FrameStyle, HelperAnswer, Instance, Mode, ModeInfo, PaneFacts, PaneId, Pipe,
    PipeSource, Screen, Session, TabFacts,
};
pub use settings::{Role, Settings};
pub use theme::{Ink, Palette, Players};
