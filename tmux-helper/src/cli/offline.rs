//! Arguments of the commands that need no multiplexer.

use super::{Input, PaneRef, ServerArgs, Shell};
use clap::{ArgGroup, Args, Subcommand};
use std::path::PathBuf;

/// `madohub detect`.
#[derive(Debug, Clone, Args)]
#[command(group = ArgGroup::new("what").required(true).multiple(true)
    .args(["observations", "screen", "title", "processes", "log"]))]
pub struct DetectArgs {
    /// Observations, one JSON object a line; `-` is the standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["screen", "title", "processes", "log"])]
    pub observations: Option<Input>,
    /// Lines with the same `pane` are one pane over time, `now` is the clock
    #[arg(long, requires = "observations")]
    pub track: bool,
    /// Text of the screen, top row first; `-` is the standard input
    #[arg(long, value_name = "FILE")]
    pub screen: Option<Input>,
    /// Title that the program set
    #[arg(long, value_name = "T")]
    pub title: Option<String>,
    /// Processes: a JSON array, or what `ps -o pid,ppid,pgid,tpgid,tty,stat,comm,args` prints
    #[arg(long, value_name = "FILE")]
    pub processes: Option<Input>,
    /// Session log of the agent, JSON Lines; read from its end
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
    /// The agent is known to be this one
    #[arg(long, value_name = "ID")]
    pub agent: Option<String>,
    /// Print JSON also for the forms that describe one screen
    #[arg(long)]
    pub json: bool,
}

/// `madohub explain`.
#[derive(Debug, Clone, Args)]
#[command(group = ArgGroup::new("what").required(true).args(["pane", "observations"]))]
pub struct ExplainArgs {
    /// Pane of a running tmux: `%3`, or `session:window.pane`
    #[arg(value_name = "PANE")]
    pub pane: Option<PaneRef>,
    /// Observations, one JSON object a line; `-` is the standard input
    #[arg(long, value_name = "FILE")]
    pub observations: Option<Input>,
    /// Which server the pane is on.
    #[command(flatten)]
    pub server: ServerArgs,
    /// Show the text of the screen, which may hold what you do not want to pass on
    #[arg(long)]
    pub text: bool,
    /// Print JSON, one object a line
    #[arg(long)]
    pub json: bool,
}

/// `madohub rules`.
#[derive(Debug, Clone, Args)]
pub struct RulesArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: RulesCommand,
}

/// What to do with the rule files.
#[derive(Debug, Clone, Subcommand)]
pub enum RulesCommand {
    /// List the agents that are known, and where their rules come from
    List {
        /// Print a JSON array
        #[arg(long)]
        json: bool,
    },
    /// Print the rules of one agent as they are in force
    Show {
        /// Id of the agent, as in `madohub rules list`
        agent: String,
    },
    /// Test a rule file with its own examples
    Check {
        /// The file
        file: PathBuf,
    },
}

/// `madohub doctor`.
#[derive(Debug, Clone, Args)]
pub struct DoctorArgs {
    /// Which server to look at.
    #[command(flatten)]
    pub server: ServerArgs,
    /// Print a JSON object
    #[arg(long)]
    pub json: bool,
}

/// `madohub completions`.
#[derive(Debug, Clone, Args)]
pub struct CompletionsArgs {
    /// Which shell
    #[arg(value_enum)]
    pub shell: Shell,
}

/// `madohub man`.
#[derive(Debug, Clone, Args)]
pub struct ManArgs {
    /// Folder to write one page per command to; without it the main page is printed
    #[arg(long, value_name = "FOLDER")]
    pub dir: Option<PathBuf>,
}
