//! Arguments of `madohub route`.

use super::{PaneRef, ServerArgs, Span, States};
use clap::{Args, Subcommand};

/// `madohub route`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  madohub route list
  madohub route once --from %3 --to %5 'Review what %3 did.'
  madohub route test --from %3              what would follow if the turn in %3 completed now
  madohub route log

Routes that stay are in the settings; docs/routes.md has recipes.")]
pub struct RouteArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: RouteCommand,
}

/// What to do about routes.
#[derive(Debug, Clone, Subcommand)]
pub enum RouteCommand {
    /// Show the routes, and what waits
    List {
        /// Print a JSON object
        #[arg(long)]
        json: bool,
        /// Which server.
        #[command(flatten)]
        server: ServerArgs,
    },
    /// Send a text to a pane once another one enters a state
    ///
    /// It fires once, and is forgotten when either pane holds another process by then.
    Once(OnceArgs),
    /// Call off a one-shot, or a text that waits, by the number that `list` shows
    Cancel {
        /// The number
        #[arg(value_name = "N")]
        id: u64,
        /// Which server.
        #[command(flatten)]
        server: ServerArgs,
    },
    /// Say what would follow from a change of state, and do nothing
    ///
    /// The settings are read as they are now, also where the daemon has older ones. The exit code is
    /// 0 when anything would be done, else 1.
    Test {
        /// Only this route
        #[arg(value_name = "ROUTE")]
        route: Option<String>,
        /// The pane that would enter the state
        #[arg(long, value_name = "PANE")]
        from: PaneRef,
        /// The state that it would enter
        #[arg(long = "state", value_name = "STATE", default_value = "completed")]
        states: States,
        /// Which server.
        #[command(flatten)]
        server: ServerArgs,
    },
    /// Show what routes did and did not do, and why, the newest last
    Log {
        /// Print JSON Lines
        #[arg(long)]
        json: bool,
        /// Only this route
        #[arg(long, value_name = "ROUTE")]
        route: Option<String>,
        /// Entries at most
        #[arg(short = 'n', long, value_name = "N", default_value_t = 50)]
        lines: usize,
        /// Which server.
        #[command(flatten)]
        server: ServerArgs,
    },
    /// Fire nothing until `resume`, also over a restart
    Pause {
        /// Which server.
        #[command(flatten)]
        server: ServerArgs,
    },
    /// Fire again
    Resume {
        /// Which server.
        #[command(flatten)]
        server: ServerArgs,
    },
}

/// `madohub route once`.
#[derive(Debug, Clone, Args)]
pub struct OnceArgs {
    /// The pane that is waited for: id, place, role, title or window
    #[arg(long, value_name = "PANE")]
    pub from: String,
    /// The pane that gets the text
    #[arg(long, value_name = "PANE")]
    pub to: String,
    /// The states that fire it, with commas between them
    #[arg(long = "on", value_name = "STATES", default_value = "completed")]
    pub on: States,
    /// How long it waits for the state: 90, 90s, 10m, 2h
    #[arg(long, value_name = "TIME", default_value = "1d")]
    pub expire: Span,
    /// A shell at its prompt is meant, no agent; it gets one line
    #[arg(long)]
    pub shell: bool,
    /// The text, with {…} places as in the settings
    #[arg(value_name = "TEXT", allow_hyphen_values = true)]
    pub text: String,
    /// Which server.
    #[command(flatten)]
    pub server: ServerArgs,
}
