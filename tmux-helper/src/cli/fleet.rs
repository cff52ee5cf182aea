//! Arguments of `madohub fleet`.

use super::Span;
use clap::{Args, Subcommand};

/// `madohub fleet`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  madohub fleet publish                    tell the broker of this machine's agents, until it is ended
  madohub fleet list                       the agents of all machines
  madohub fleet watch --json               changes of state on all machines
  madohub fleet send zeus:%3 'Go on.'      a text for an agent of another machine, if that allows it

The broker is named in the settings: [fleet], broker = \"mqtt.example.org\". Any broker that speaks
MQTT 5 will do. States are told, and nothing of screens, titles and messages unless the settings say so.

Exit codes: 0 ok, 1 no, 2 settings or password are wrong, 3 no broker, 4 refused for safety.")]
pub struct FleetArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: FleetCommand,
}

/// What to do with agents of several machines.
#[derive(Debug, Clone, Subcommand)]
pub enum FleetCommand {
    /// Tell the broker of this machine's agents, until it is ended
    ///
    /// It follows the daemons of all tmux servers of yours, and zellij sessions. A broker that is away
    /// is tried again; what changed meanwhile is told then. When it is ended, it takes back what it told.
    Publish,
    /// Show one row per pane that holds an agent, on all machines
    List {
        /// Print a JSON array instead of the table
        #[arg(long)]
        json: bool,
    },
    /// Show changes of state on all machines as they happen
    Watch {
        /// Print JSON Lines, one event a line
        #[arg(long)]
        json: bool,
    },
    /// Say which machines are there, and how this one's publisher is
    Status {
        /// Print a JSON object
        #[arg(long)]
        json: bool,
    },
    /// Deliver a text to an agent of another machine that is ready for it
    ///
    /// The other machine decides: it must name this one in its own settings (`allow_routes_from`), and
    /// delivers as `madohub send` does there.
    Send {
        /// The machine and the pane: `zeus:%3` or `zeus:session:window.pane`
        #[arg(value_name = "HOST:PANE")]
        to: String,
        /// The text; `-` reads the standard input
        #[arg(value_name = "TEXT", allow_hyphen_values = true)]
        text: String,
        /// Wait so long for an agent that is not ready: 90, 90s, 10m
        #[arg(long, value_name = "TIME")]
        wait: Option<Span>,
        /// Print a JSON object
        #[arg(long)]
        json: bool,
    },
}
