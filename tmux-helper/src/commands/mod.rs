//! The subcommands, one file each.

mod completions;
mod detect;
mod doctor;
mod explain;
mod fleet;
mod hook;
mod jump;
mod list;
mod man;
mod probe;
mod record;
mod route;
mod rules;
mod run;
mod send;
mod status;
mod stream;
mod tmux;
mod wait;
mod watch;
mod zellij;

pub(crate) use explain::pane_text as explain_pane;
pub(crate) use jump::{go_behind, go_to};
pub(crate) use send::told as outcome;

use crate::cli::Command;
use crate::output::clean;
use crate::{Context, Error, Exit};
use madohub_detect::RuleSet;
use std::io::{self, BufRead as _, IsTerminal as _, Write as _};

/// Runs one subcommand.
pub fn run(command: &Command, ctx: &Context) -> Result<Exit, Error> {
    match command {
        Command::List(args) => list::run(args, ctx),
        Command::Dash(args) => crate::dash::run(args, ctx),
        Command::Watch(args) => watch::run(args, ctx),
        Command::Status(args) => status::run(args, ctx),
        Command::Send(args) => send::run(args, ctx),
        Command::Wait(args) => wait::run(args, ctx),
        Command::Jump(args) => jump::run(args, ctx),
        Command::Route(args) => route::run(args, ctx),
        Command::Fleet(args) => fleet::run(args, ctx),
        Command::Tmux(args) => tmux::run(args, ctx),
        Command::Detect(args) => detect::run(args, ctx),
        Command::Explain(args) => explain::run(args, ctx),
        Command::Record(args) => record::run(args, ctx),
        Command::Rules(args) => rules::run(args, ctx),
        Command::Doctor(args) => doctor::run(args, ctx),
        Command::Hook(args) => hook::run(args, ctx),
        Command::Run(args) => run::run(args, ctx),
        Command::Zellij(args) => zellij::run(args, ctx),
        Command::Probe(args) => probe::run(args, ctx),
        Command::Completions(args) => completions::run(args),
        Command::Man(args) => man::run(args),
    }
}

/// The rules in force. What is wrong with the user's files is said and does not stop the command.
fn rules_in_force(ctx: &Context) -> Result<RuleSet, Error> {
    let (rules, problems) = ctx.rules()?;
    for problem in problems {
        note(&format!("{problem}\nThe file is left out; all other rules stay in force."));
    }
    Ok(rules)
}

/// Says something beside the output.
fn note(text: &str) {
    // Where stderr is closed nobody wants to know.
    let lines: Vec<String> = text.lines().map(clean).collect();
    let _ = writeln!(std::io::stderr().lock(), "madohub: {}", lines.join("\n  "));
}

/// Asks on the terminal; no where there is none.
fn asked(question: &str) -> Result<bool, Error> {
    if !io::stdin().is_terminal() {
        return Ok(false);
    }
    let mut out = io::stdout().lock();
    write!(out, "{question} [y/N] ")?;
    out.flush()?;
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    Ok(matches!(line.trim().to_lowercase().as_str(), "y" | "yes"))
}
