//! Talking to a tmux server: running commands in it, reading its panes and clients, and setting
//! options so that they can be put back.

mod batch;
mod clients;
mod decor;
mod formats;
mod ids;
mod listing;
pub mod names;
mod panes;
mod quote;
mod restore;
mod screens;
mod server;
pub mod typing;
mod version;
mod viewers;

pub use batch::{Batch, Replies, Slot};
pub use clients::{Client, ClientList, Clients};
pub use decor::{OwnValues, Taken, give_back};
pub use formats::Formats;
pub use ids::{PaneId, SessionId, WindowId};
pub use panes::{Ours, Pane, PaneList, Place};
pub use quote::quote;
pub(crate) use restore::unset_pane;
pub use restore::{LeftWindow, Leftovers, PaneValues, Restored, restore};
pub use server::{Identity, Server, TmuxError};
pub use version::{Support, Version};
pub use viewers::Viewer;
