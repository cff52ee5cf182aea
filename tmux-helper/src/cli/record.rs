//! Arguments of `madohub record`.

use super::{PaneRef, ServerArgs};
use clap::Args;
use std::path::PathBuf;

/// `madohub record`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  madohub record %3 wrong-state
  madohub record %3 wrong-state && madohub detect --observations wrong-state/observation.json

It writes what the engine saw of the pane (screen, title, size, processes) to observation.json, and its
answer to expected.json, which you correct to the truth. Your home folder, user and host name, mail and
network addresses and what looks like a key are replaced first; the session log is left out. What is
left is shown, and nothing is written before you have agreed: read it, it is what your screen says.

Exit codes: 0 written, 1 not written or no such pane, 2 bad arguments, 3 no tmux server.")]
pub struct RecordArgs {
    /// The pane: `%3` or `session:window.pane`
    #[arg(value_name = "PANE")]
    pub pane: PaneRef,
    /// Folder to write; its name is the name of the case
    #[arg(value_name = "DIR")]
    pub dir: PathBuf,
    /// Write without asking
    #[arg(long)]
    pub yes: bool,
    /// Which server.
    #[command(flatten)]
    pub server: ServerArgs,
}
