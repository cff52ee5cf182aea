//! Arguments of `madohub hook`.

use clap::{Args, Subcommand};

/// `madohub hook`.
#[derive(Debug, Clone, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    override_usage = "madohub hook install <AGENT> [--print | --yes]\n       \
        madohub hook uninstall <AGENT>\n       \
        madohub hook <EVENT> --agent <AGENT>",
    after_help = "\
Examples:
  madohub hook install claude --print      show what would be written
  madohub hook install claude --yes        write it; the file as it was is kept
  madohub hook uninstall claude            take it out again

Hooks are one more source, and nothing needs them. Agents: claude, codex, copilot, gemini, opencode.
With an event it is what their hooks call: it takes note of what the agent hands over on its standard
input, says nothing, and always succeeds."
)]
pub struct HookArgs {
    /// Event of the agent, by the agent's own name for it
    #[arg(required = true)]
    pub event: Option<String>,
    /// Id of the agent that calls
    #[arg(long, value_name = "AGENT", default_value = "")]
    pub agent: String,
    /// What to do with the hooks of an agent.
    #[command(subcommand)]
    pub command: Option<HookCommand>,
}

/// What to do with the hooks of an agent.
#[derive(Debug, Clone, Subcommand)]
pub enum HookCommand {
    /// Put hooks into an agent's settings
    ///
    /// Without --yes nothing is written, and the exit code is 1.
    Install {
        /// Id of the agent
        agent: String,
        /// Show what would be written, and stop
        #[arg(long, conflicts_with = "yes")]
        print: bool,
        /// Write it
        #[arg(long)]
        yes: bool,
    },
    /// Take the hooks out of an agent's settings
    Uninstall {
        /// Id of the agent
        agent: String,
    },
}
