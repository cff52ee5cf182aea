//! Notifications: what a person hears of without looking.
//!
//! [`Policy`] decides what is told, and when; it is told the time and does nothing itself.
//! [`Notifier`] tells it, on a thread of its own: no desktop and no terminal holds the daemon up.

mod desktop;
mod notice;
mod policy;
mod send;
mod terminal;

pub use notice::Notice;
pub use policy::{Policy, Settings};
pub use send::{Notifier, Via};
pub use terminal::Screen;
