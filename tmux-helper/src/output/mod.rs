//! What people and programs read: the list, the segment, the label, times, and untrusted text.

mod clean;
mod history;
mod label;
mod row;
mod segment;
mod table;
mod terminal;
mod verdict;

pub use clean::{first_line, for_tmux};
pub use history::{history_json, history_text};
pub use label::label;
pub use madohub_detect::text::{clean, fit, since, width};
#[cfg(test)]
pub(crate) use row::tests::pane as example_pane;
pub use row::{ListedPane, PaneRow, by_need, list_json};
pub use segment::{Agents, Script, segment_with};
pub use table::{TableOptions, list_table};
pub use terminal::Terminal;
pub use verdict::verdict;
