//! Arguments of the commands that talk to a tmux server.

use super::SegmentStyle;
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// Heading of the options that choose a server.
const SERVER: &str = "tmux server (default: the one that this runs in)";

/// Which tmux server is meant, exactly as in tmux. Without either: `$TMUX`, else the default one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub struct ServerArgs {
    /// Name of the server's socket, as in `tmux -L`
    #[arg(short = 'L', value_name = "NAME", conflicts_with = "socket_path", help_heading = SERVER)]
    pub socket_name: Option<String>,
    /// Path of the server's socket, as in `tmux -S`
    #[arg(short = 'S', value_name = "PATH", help_heading = SERVER)]
    pub socket_path: Option<PathBuf>,
}

/// `madohub list`.
#[derive(Debug, Clone, Args)]
pub struct ListArgs {
    /// Which server.
    #[command(flatten)]
    pub server: ServerArgs,
    /// Print a JSON array instead of the table
    #[arg(long)]
    pub json: bool,
}

/// `madohub watch`.
#[derive(Debug, Clone, Args)]
pub struct WatchArgs {
    /// Which server.
    #[command(flatten)]
    pub server: ServerArgs,
    /// Print JSON Lines, one event a line
    #[arg(long)]
    pub json: bool,
}

/// `madohub status`.
#[derive(Debug, Clone, Args)]
pub struct StatusArgs {
    /// Which server.
    #[command(flatten)]
    pub server: ServerArgs,
    /// `minimal`, `counts`, `names`, or a text of your own with `{…}` fields
    #[arg(long, value_name = "F")]
    pub format: Option<String>,
    /// How the text is coloured
    #[arg(long, value_enum, default_value_t)]
    pub style: SegmentStyle,
}

/// `madohub tmux`.
#[derive(Debug, Clone, Args)]
pub struct TmuxArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: TmuxCommand,
}

/// What to do with the daemon of a tmux server.
#[derive(Debug, Clone, Subcommand)]
pub enum TmuxCommand {
    /// Start the daemon in the background
    Start {
        /// Which server.
        #[command(flatten)]
        server: ServerArgs,
        /// Stay in the foreground and log to the terminal
        #[arg(long)]
        foreground: bool,
    },
    /// Stop the daemon and put tmux's options back as they were
    Stop {
        /// Which server.
        #[command(flatten)]
        server: ServerArgs,
    },
    /// Stop the daemon and start it again, with the settings as they are now
    Restart {
        /// Which server.
        #[command(flatten)]
        server: ServerArgs,
    },
    /// Put tmux's options back as they were, also after the daemon was killed
    Restore {
        /// Which server.
        #[command(flatten)]
        server: ServerArgs,
    },
    /// Say whether the daemon runs, since when, and what it watches
    Status {
        /// Which server.
        #[command(flatten)]
        server: ServerArgs,
        /// Print a JSON object
        #[arg(long)]
        json: bool,
    },
}
