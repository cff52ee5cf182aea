//! Arguments of the commands that act on panes.

use super::{PaneRef, ServerArgs, Span, States};
use clap::Args;

/// `madohub send`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  madohub send %3 'Run the tests again.'
  madohub send api:1.2 --when idle --timeout 10m 'Then commit.'
  git diff | madohub send %3 -                            the standard input

The text goes into the empty input box of an agent that is ready for it, as one paste, then Enter; it
is done when a turn starts. It is never typed into a dialog, over a text that you have begun, while you
type in that pane, into a shell, or into a pane that holds another process than when you asked.

Exit codes: 0 a turn started, 1 not now, not in time or not proved, 2 bad arguments, 3 no daemon,
4 refused for safety.")]
pub struct SendArgs {
    /// The pane: `%3` or `session:window.pane`
    #[arg(value_name = "PANE")]
    pub pane: PaneRef,
    /// The text; `-` reads the standard input
    #[arg(value_name = "TEXT", allow_hyphen_values = true)]
    pub text: String,
    /// `idle` waits for an agent that is not ready
    #[arg(long, value_enum)]
    pub when: Option<When>,
    /// How long to wait: 90, 90s, 10m, 2h
    #[arg(long, value_name = "TIME", default_value = "30m")]
    pub timeout: Span,
    /// A shell at its prompt is meant, no agent; it gets one line
    #[arg(long)]
    pub shell: bool,
    /// Print a JSON object
    #[arg(long)]
    pub json: bool,
    /// Which server.
    #[command(flatten)]
    pub server: ServerArgs,
}

/// When a text is delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum When {
    /// Once the agent is ready for it
    Idle,
}

/// `madohub wait`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  madohub wait %3                                       until its turn is over, or it asks something
  madohub wait %3 --state completed && git push
  madohub wait %3 %4 --all --state completed,failed --timeout 1h

A pane that is in such a state already is not waited for. Each pane is printed with its state as it
gets there. An agent may say how its turn ended when you have seen that already, and the pane is `idle`:
that counts.

Exit codes: 0 in such a state, 1 the time is up or the pane is gone, 2 bad arguments, 3 no daemon,
4 the pane holds another agent's process than at the start.")]
pub struct WaitArgs {
    /// The panes: `%3` or `session:window.pane`
    #[arg(value_name = "PANE", required = true)]
    pub panes: Vec<PaneRef>,
    /// The states, with commas between them
    #[arg(
        long = "state",
        value_name = "STATES",
        default_value = "waiting,failed,stopped,completed,exited,idle"
    )]
    pub states: States,
    /// How long to wait at most: 90, 90s, 10m, 2h
    #[arg(long, value_name = "TIME")]
    pub timeout: Option<Span>,
    /// Until all panes are in such a state; otherwise one is enough
    #[arg(long)]
    pub all: bool,
    /// Until one pane is in such a state; so it is without this, too
    #[arg(long, conflicts_with = "all")]
    pub any: bool,
    /// Print JSON Lines, the row of each pane as it gets there
    #[arg(long)]
    pub json: bool,
    /// Which server.
    #[command(flatten)]
    pub server: ServerArgs,
}

/// `madohub jump`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  madohub jump
  madohub jump --state waiting
  bind-key a run-shell 'madohub jump'       in ~/.tmux.conf: prefix + a

It goes to the pane that needs you most; of several, to the one that waits longest. Where you are
already, the next one is meant. Without -L or -S the tmux servers of all daemons are looked at, that of
this terminal first: it cannot be taken to another server, so of that one the command to type is told.

Exit codes: 0 gone there, 1 no pane needs you, 3 no daemon.")]
pub struct JumpArgs {
    /// Only panes in these states, with commas between them
    #[arg(
        long = "state",
        value_name = "STATES",
        default_value = "waiting,failed,stopped,completed"
    )]
    pub states: States,
    /// Which server.
    #[command(flatten)]
    pub server: ServerArgs,
}
