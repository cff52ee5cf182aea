//! The command line: what can be typed, what it means, and the help that people read.
//!
//! Completions and man pages are made from these same definitions.

mod act;
mod dash;
mod fleet;
mod hook;
mod offline;
mod record;
mod route;
mod run;
mod tmux;
mod values;
mod zellij;

pub use act::{JumpArgs, SendArgs, WaitArgs, When};
pub use dash::DashArgs;
pub use fleet::{FleetArgs, FleetCommand};
pub use hook::{HookArgs, HookCommand};
pub use offline::{
    CompletionsArgs, DetectArgs, DoctorArgs, ExplainArgs, ManArgs, RulesArgs, RulesCommand,
};
pub use record::RecordArgs;
pub use route::{OnceArgs, RouteArgs, RouteCommand};
pub use run::{RunArgs, RunStage};
pub use tmux::{ListArgs, ServerArgs, StatusArgs, TmuxArgs, TmuxCommand, WatchArgs};
pub use values::{Input, PaneRef, SegmentStyle, Shell, Span, States};
pub use zellij::{ProbeArgs, ZellijArgs, ZellijCommand};

use crate::Error;
use clap::{CommandFactory as _, Parser, Subcommand};
use std::ffi::OsString;

/// The whole command line.
#[derive(Debug, Parser)]
#[command(
    name = "madohub",
    version,
    about = "Tells which coding agent runs in each tmux pane, and what it is doing",
    max_term_width = 100,
    subcommand_required = true,
    after_help = "\
First steps, in a running tmux:
  madohub tmux start        watch this server: states on pane borders and in the status line
  madohub list              one row per agent, those that need you first
  madohub dash              all agents on one screen
  madohub doctor            what works here, what does not, and what to do

States: working, idle, waiting (for a person), stopped, completed, failed, exited.
Settings: ~/.config/madohub/config.toml. Undo everything: madohub tmux stop.
Exit codes: 0 ok, 1 no, 2 usage or bad input, 3 no tmux server or no daemon, 4 refused for safety."
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// One subcommand with its arguments.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show one row per pane that holds an agent
    List(ListArgs),
    /// Show all agents on one screen: their screens, history, and a key to each
    Dash(DashArgs),
    /// Show changes of state as they happen
    Watch(WatchArgs),
    /// Print the segment for a status line or a shell prompt
    Status(StatusArgs),
    /// Deliver a text to an agent that is ready for it
    Send(SendArgs),
    /// Wait until panes are in a state
    Wait(WaitArgs),
    /// Go to the pane that needs you most
    Jump(JumpArgs),
    /// What follows from changes of state: show, try, pause, once
    Route(RouteArgs),
    /// Agents of several machines: tell of this one's, see the others'
    Fleet(FleetArgs),
    /// Start, stop or undo the daemon that watches a tmux server
    Tmux(TmuxArgs),
    /// Put the zellij plugin in place, or take it away
    Zellij(ZellijArgs),
    /// Run an agent so that it can report its own state
    Run(RunArgs),
    /// Let agents report their state through their own hooks
    Hook(HookArgs),
    /// Say what a recorded pane shows: agent, state, evidence
    Detect(DetectArgs),
    /// Show every rule that was tried on a pane, and why it did or did not match
    Explain(ExplainArgs),
    /// Write a moment of a pane down as a case, for a report or a rule
    Record(RecordArgs),
    /// List, show and check the rule files
    Rules(RulesArgs),
    /// Say what works here, what does not, and what to do about it
    Doctor(DoctorArgs),
    /// Tell the zellij plugin what it cannot see for itself
    Probe(ProbeArgs),
    /// Print the completions of a shell
    Completions(CompletionsArgs),
    /// Print or write the man pages
    Man(ManArgs),
}

/// What a command line asks for.
#[derive(Debug)]
pub enum Parsed {
    /// Run this command.
    Run(Command),
    /// The help or the version was asked for, and shown.
    Shown,
}

/// Reads a command line; `args[0]` is the program's name.
pub fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Parsed, Error> {
    match Cli::try_parse_from(args) {
        Ok(cli) => Ok(Parsed::Run(cli.command)),
        Err(error) if error.use_stderr() => {
            let text = error.render().to_string();
            let text = text.trim_end();
            Err(Error::usage(text.strip_prefix("error: ").unwrap_or(text)))
        }
        Err(shown) => {
            shown.print()?;
            Ok(Parsed::Shown)
        }
    }
}

/// The definition itself, for completions and man pages.
pub fn definition() -> clap::Command {
    Cli::command()
}
