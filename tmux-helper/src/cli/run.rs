//! Arguments of `madohub run`.

use clap::{Args, ValueEnum};
use std::ffi::OsString;

/// `madohub run`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  madohub run -- claude
  madohub run -- codex resume --last
  alias claude='madohub run -- claude'

tmux and zellij let no program status report (OSC 7501) through. Claude Code reports its state where
the terminal says that it takes reports, and this says so; Codex reports anyway. Everything else goes
through untouched: keys, pastes, mouse, colours, the size, signals, Ctrl-Z and `fg`, the exit code.
In a pipe there is nothing to stand between, and the agent is started in this program's place.")]
pub struct RunArgs {
    /// What this process is for; the program passes it to itself
    #[arg(long, hide = true, value_enum)]
    pub stage: Option<RunStage>,
    /// The agent and its arguments
    #[arg(
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "COMMAND"
    )]
    pub command: Vec<OsString>,
}

/// A process between `madohub run` and the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RunStage {
    /// Leads the session of the new terminal
    Leader,
    /// Becomes the agent
    Agent,
}
