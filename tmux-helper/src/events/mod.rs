//! Change events: what is told, kept, and handed to whoever reads.
//!
//! The daemon's loop alone tells events; it writes them to a file first and never waits for a
//! reader. Readers follow a bounded ring at their own pace, and are told what they missed.

mod entry;
mod journal;
mod ring;
mod teller;

pub use entry::{Entry, Gap, Line};
pub use ring::{Batch, Ring};
pub use teller::{Source, Teller, Telling};
