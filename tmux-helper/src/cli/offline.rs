//! Arguments of the commands that need no multiplexer.

use super::{Input, PaneRef, ServerArgs, Shell};
use clap::{ArgGroup, Args, Subcommand};
use std::path::PathBuf;

/// `madohub detect`.
#[derive(Debug, Clone, Args)]
#[command(
    group = ArgGroup::new("what").required(true).multiple(true)
        .args(["observations", "screen", "title", "processes", "log"]),
    override_usage = "madohub detect --observations <FILE> [--track] [--agent <ID>]\n       \
        madohub detect [--screen <FILE>] [--title <T>] [--processes <FILE>] [--log <FILE>] \
        [--agent <ID>] [--json]",
    after_help = "\
Examples:
  tmux capture-pane -p -t %3 | madohub detect --screen -
  madohub detect --screen screen.txt --agent claude --json
  ps -t pts/4 -o pid,ppid,pgid,tpgid,tty,stat,comm,args | madohub detect --processes -
  madohub detect --observations panes.jsonl

With --observations, every line that is not blank is answered by one line of JSON: in order, with
the same id, as soon as it is read. A line that cannot be read is answered by
{\"id\":null,\"error\":\"line 3: …\"}; the rest goes on, and the exit code is 2 at the end. A file that
is one observation, written over many lines, is one as well.

With --track, the answer is the state of the pane over time, with \"event\" where it changed. A line
without `pane` is the pane that its `id` names; one without `now` has the time of the line before."
)]
pub struct DetectArgs {
    /// Observations, one JSON object a line; `-` is the standard input
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["screen", "title", "processes", "log"]
    )]
    pub observations: Option<Input>,
    /// Lines with the same `pane` are one pane over time, and `now` is the clock
    #[arg(long, requires = "observations")]
    pub track: bool,
    /// Text of the screen, top row first, with or without escape sequences; `-` is the standard
    /// input
    #[arg(long, value_name = "FILE")]
    pub screen: Option<Input>,
    /// Title that the program set
    #[arg(long, value_name = "T")]
    pub title: Option<String>,
    /// Processes of the pane: a JSON array, or what
    /// `ps -o pid,ppid,pgid,tpgid,tty,stat,comm,args` prints; `-` is the standard input
    #[arg(long, value_name = "FILE")]
    pub processes: Option<Input>,
    /// Session log of the agent in JSON Lines; it is read from its end
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
    /// The agent is this one, as `madohub rules list` names it
    #[arg(long, value_name = "ID")]
    pub agent: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `madohub explain`.
#[derive(Debug, Clone, Args)]
#[command(
    group = ArgGroup::new("what").required(true).args(["pane", "observations"]),
    after_help = "\
Examples:
  madohub explain %3                       the pane with this id; `echo $TMUX_PANE` tells your own
  madohub explain api:1.2                  pane 2 of window 1 of session api
  madohub explain --observations moment.json

A state is wrong? Send the output of this command with your report. It holds names of rules and
numbers of rows, no text of your screen, unless you ask for that with --text."
)]
pub struct ExplainArgs {
    /// Pane of a running tmux: `%3`, or `session:window.pane`
    #[arg(value_name = "PANE")]
    pub pane: Option<PaneRef>,
    /// Observations, one JSON object a line; `-` is the standard input
    #[arg(long, value_name = "FILE")]
    pub observations: Option<Input>,
    /// Show the text of the screen, which may hold what you do not want to pass on
    #[arg(long)]
    pub text: bool,
    /// Print JSON, one object a line
    #[arg(long)]
    pub json: bool,
    /// Which server the pane is on.
    #[command(flatten)]
    pub server: ServerArgs,
}

/// `madohub rules`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Rule files say how an agent is recognised and what its screens mean. Yours are the *.toml files in
~/.config/madohub/agents: one with the id of a known agent extends or overrides its rules one by
one, one with a new id adds an agent. Restart the daemon to use them: `madohub tmux restart`.")]
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
    /// Print the rule files of one agent, the built-in one first
    #[command(after_help = "\
Example, a file of your own to start from:
  madohub rules show codex > ~/.config/madohub/agents/codex.toml")]
    Show {
        /// Id of the agent, as `madohub rules list` names it
        agent: String,
    },
    /// Test a rule file: its keys, its patterns, and every example that it carries
    #[command(after_help = "\
Example:
  madohub rules check ~/.config/madohub/agents/acme.toml

The exit code is 2 when the file cannot be used; what is wrong is said with rule and key.")]
    Check {
        /// The file
        file: PathBuf,
    },
}

/// `madohub doctor`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
The exit code is 1 when something is wrong. What is merely not running is said, and is not wrong.")]
pub struct DoctorArgs {
    /// Print a JSON object
    #[arg(long)]
    pub json: bool,
    /// Which server to look at.
    #[command(flatten)]
    pub server: ServerArgs,
}

/// `madohub completions`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  madohub completions bash > ~/.local/share/bash-completion/completions/madohub
  madohub completions zsh > ~/.local/share/zsh/site-functions/_madohub      a folder in $fpath
  madohub completions fish > ~/.config/fish/completions/madohub.fish")]
pub struct CompletionsArgs {
    /// Which shell
    #[arg(value_enum)]
    pub shell: Shell,
}

/// `madohub man`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  madohub man | man -l -
  madohub man --dir ~/.local/share/man/man1")]
pub struct ManArgs {
    /// Folder to write one page per command to; without it the main page is printed
    #[arg(long, value_name = "FOLDER")]
    pub dir: Option<PathBuf>,
}
