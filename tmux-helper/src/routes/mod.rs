//! Routes: what follows from a change of state.
//!
//! [`Engine`] decides: events and panes in, things to do and log entries out, all of its memory in
//! one value that is stored before anything is done. It has no clock and does no I/O, so that what
//! happens after a crash can be tried in a table.
//!
//! A new kind of target is an arm of [`Target`] and one of [`Job`].

mod cycles;
mod engine;
mod item;
mod log;
mod memory;
mod route;
mod text;
mod view;

pub use cycles::cycles;
pub use engine::{Ended, Engine, preview};
pub use item::{Item, Job, Letter, OneShot};
pub use log::{LogEntry, RouteLog};
pub use memory::Memory;
pub use route::{Filter, Limits, Route, Target};
pub use text::{FIELDS, Values};
pub use view::{PaneView, resolve};
