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
    #[arg(
        short = 'L',
        value_name = "NAME",
        conflicts_with = "socket_path",
        help_heading = SERVER
    )]
    pub socket_name: Option<String>,
    /// Path of the server's socket, as in `tmux -S`
    #[arg(short = 'S', value_name = "PATH", help_heading = SERVER)]
    pub socket_path: Option<PathBuf>,
}

/// `madohub list`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  madohub list
  madohub list --json | jq -r '.[] | select(.state == \"waiting\") | .pane'
  madohub list --history                   what was told of each pane, the last events

Panes that need a person come first. Without a daemon it looks once; then it is not known since when
a state holds.")]
pub struct ListArgs {
    /// Print a JSON array instead of the table
    #[arg(long)]
    pub json: bool,
    /// Show the last events of each pane
    #[arg(long)]
    pub history: bool,
    /// Which server.
    #[command(flatten)]
    pub server: ServerArgs,
}

/// `madohub watch`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  madohub watch
  madohub watch --json | jq -c 'select(.to == \"waiting\")'
  madohub watch --json --since 17          go on after the event whose seq is 17
  madohub watch --json --detail            with model, context left, duration of the turn, …

It runs until it is interrupted, or until the daemon stops (exit code 3). The end of a turn is one
event: at once where the agent's own record says how it ended, else after it has lasted for two
seconds. The last thousand events are kept, also over a restart of the daemon. Where some are
missing, a line says so: {\"v\":1,\"gap\":{\"after\":17,\"next\":203}}.")]
pub struct WatchArgs {
    /// Print JSON Lines, one event a line
    #[arg(long)]
    pub json: bool,
    /// Begin with what followed the event of this number
    #[arg(long, value_name = "SEQ")]
    pub since: Option<u64>,
    /// Add what the session log tells beside the state: model, context left, duration of the turn,
    /// retry, end of a usage limit
    #[arg(long, requires = "json")]
    pub detail: bool,
    /// Add the first line of the agent's last message
    #[arg(long, requires = "json")]
    pub message: bool,
    /// Which server.
    #[command(flatten)]
    pub server: ServerArgs,
}

/// `madohub status`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  madohub status                                         ?1 ●2 ✓1
  madohub status --format minimal                        ?1, and nothing when nobody needs you
  madohub status --format 'agents: {working}/{total}'
  PS1='$(madohub status) \\$ '                            a shell prompt

In tmux no process is needed: the daemon keeps the same text in an option,
  set -g status-right '#{@madohub_status}'

Fields of a text of your own: {minimal} {counts} {names} {total}, and the number of panes in a
state: {waiting} {failed} {stopped} {working} {completed} {exited} {idle}.")]
pub struct StatusArgs {
    /// `minimal`, `counts`, `names`, or a text of your own with {…} fields
    #[arg(long, value_name = "F")]
    pub format: Option<String>,
    /// How the text is coloured
    #[arg(long, value_enum, default_value_t)]
    pub style: SegmentStyle,
    /// Which server.
    #[command(flatten)]
    pub server: ServerArgs,
}

/// `madohub tmux`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  madohub tmux start                       watch the tmux server that this runs in
  madohub tmux start -L work               watch the server of `tmux -L work`
  madohub tmux stop                        stop, and leave tmux as it was

In ~/.tmux.conf, to have it in every session:
  run-shell -b 'madohub tmux start'")]
pub struct TmuxArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: TmuxCommand,
}

/// What to do with the daemon of a tmux server.
#[derive(Debug, Clone, Subcommand)]
pub enum TmuxCommand {
    /// Start the daemon in the background
    ///
    /// One daemon watches one tmux server; when one runs already, this does nothing and succeeds.
    Start {
        /// Stay in the foreground and log to the terminal
        #[arg(long)]
        foreground: bool,
        /// Be the daemon in the background; `start` runs itself with this
        #[arg(long, hide = true, conflicts_with = "foreground")]
        detached: bool,
        /// Which server.
        #[command(flatten)]
        server: ServerArgs,
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
    ///
    /// The exit code is 0 when it runs, and 3 when it does not.
    Status {
        /// Print a JSON object
        #[arg(long)]
        json: bool,
        /// Which server.
        #[command(flatten)]
        server: ServerArgs,
    },
}
