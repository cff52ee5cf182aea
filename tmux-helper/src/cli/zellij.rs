//! Arguments of the commands for zellij.

use clap::{Args, Subcommand};
use std::path::PathBuf;

/// `madohub zellij`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  madohub zellij install               show what will be written, ask, and put the plugin in place
  madohub zellij install --yes --grant the same without asking, permissions included
  zellij --layout madohub              a session with the bar
  madohub zellij uninstall             take it away; config.kdl is as it was, byte for byte

In a session:
  zellij pipe --name madohub -- list   one row per agent; `help` tells the other commands")]
pub struct ZellijArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: ZellijCommand,
}

/// What to do with the zellij plugin.
#[derive(Debug, Clone, Subcommand)]
pub enum ZellijCommand {
    /// Put the plugin, its entry in config.kdl and a layout with the bar in place
    ///
    /// Shows first what will be written. Without a terminal to ask on and without --yes, nothing
    /// is written and the exit code is 1.
    Install {
        /// Write without asking
        #[arg(long)]
        yes: bool,
        /// Grant the plugin its permissions, so that zellij does not ask; each is explained
        #[arg(long)]
        grant: bool,
        /// The plugin's file (default: the one beside this program)
        #[arg(long, value_name = "FILE")]
        plugin: Option<PathBuf>,
        /// Show what would be written, and stop
        #[arg(long, conflicts_with = "yes")]
        dry_run: bool,
    },
    /// Take everything away that `install` put in place
    Uninstall,
    /// Say what is in place
    ///
    /// The exit code is 0 when zellij loads the plugin, and 1 when it does not.
    Status {
        /// Print a JSON object
        #[arg(long)]
        json: bool,
    },
}

/// `madohub probe`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
The zellij plugin runs this when something changed; zellij shows a plugin no processes.

Example:
  madohub probe --json --pids 4711,4712")]
pub struct ProbeArgs {
    /// Processes that panes were opened with
    #[arg(long, value_name = "PID,…", value_delimiter = ',')]
    pub pids: Vec<i64>,
    /// Also tell the theme options of zellij's configuration
    #[arg(long)]
    pub zellij: bool,
    /// Print JSON (the only form there is)
    #[arg(long)]
    pub json: bool,
}
