//! `madohub hook`: the agents' own hooks as a source.

use crate::cli::{HookArgs, HookCommand};
use crate::hooks::{Plan, report, uninstall};
use crate::{Context, Error, Exit};
use std::env;
use std::io::{Write as _, stdout};
use std::path::PathBuf;

/// Runs the command. As a hook it succeeds whatever happens.
pub(super) fn run(args: &HookArgs, ctx: &Context) -> Result<Exit, Error> {
    match &args.command {
        None => {
            let event = args.event.as_deref().unwrap_or_default();
            report(&args.agent, event, ctx.paths());
            Ok(Exit::Ok)
        }
        Some(HookCommand::Install { agent, print, yes }) => {
            let program = env::current_exe()
                .map_err(|error| Error::failed(format!("cannot find this program: {error}")))?;
            let rules = super::rules_in_force(ctx)?;
            let plan = Plan::new(agent, &rules, &program, ctx.paths(), variable)?;
            install(&plan, *print, *yes)
        }
        Some(HookCommand::Uninstall { agent }) => {
            let mut out = stdout().lock();
            match uninstall(agent, ctx.paths(), variable)? {
                Some(path) => writeln!(out, "taken out of {}", path.display())?,
                None => writeln!(out, "there are no hooks of MadoHub in {agent}'s settings")?,
            }
            Ok(Exit::Ok)
        }
    }
}

fn variable(name: &str) -> Option<PathBuf> {
    env::var_os(name).map(PathBuf::from)
}

fn install(plan: &Plan, print: bool, yes: bool) -> Result<Exit, Error> {
    let mut out = stdout().lock();
    let path = plan.path().display();
    if plan.is_in_place() && !print {
        writeln!(out, "already in {path}")?;
        return Ok(Exit::Ok);
    }
    if yes {
        plan.apply()?;
        writeln!(out, "written to {path}")?;
        writeln!(out, "the file as it was is kept in {}", plan.backup().display())?;
        writeln!(out, "sessions that run already use it when they are started again")?;
        return Ok(Exit::Ok);
    }
    writeln!(out, "This goes into {path}:\n\n{}", plan.shown().trim_end())?;
    if print {
        return Ok(Exit::Ok);
    }
    writeln!(out, "\nNothing is written yet; --yes writes it.")?;
    Ok(Exit::No)
}
