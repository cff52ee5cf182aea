//! Session logs: which one is a pane's, and what stands at its end.
//!
//! # Adding a source
//!
//! 1. A module in `agents/` with a type that implements `source::Source`, and a line in
//!    `agents::sources`. It knows where the agent keeps its logs and by what one ties to a process.
//! 2. `[[log_rules]]` in the agent's rule file say what the records mean.
//! 3. What is no JSON Lines gets a `source::Reader` of its own that hands over its records as
//!    lines of JSON (rows of a database as objects), and says in its module what those look like.
//! 4. A test with a folder as the agent makes it, and a line in `docs/session-logs.md`.
//!
//! Which pane gets which log (`tie`), how a file is followed (`tail`), that only this user's
//! files below the agent's folder are opened (`file`), and what is kept of them (`kept`) is
//! the same for all.

mod agents;
mod condense;
mod database;
mod everyone;
mod file;
mod follow;
mod head;
mod kept;
mod messages;
mod rows;
mod shown;
mod source;
mod tail;
mod tie;
mod watcher;

pub use follow::{PaneQuery, SessionLogs};
