//! `madohub run`: an agent that is heard when it reports its state.

use crate::cli::{RunArgs, RunStage};
use crate::reports::StatusWriter;
use crate::run::{self as wrapper, Ended};
use crate::{Context, Error, Exit};

/// Runs the command. It ends as the agent ends: with its exit code, or by its signal.
pub(super) fn run(args: &RunArgs, ctx: &Context) -> Result<Exit, Error> {
    let ended = match args.stage {
        None => {
            let mut reports = StatusWriter::new(ctx.paths());
            wrapper::run(&args.command, &mut reports)
        }
        Some(RunStage::Leader) => wrapper::lead(&args.command),
        Some(RunStage::Agent) => Err(wrapper::become_agent(&args.command)),
    };
    let ended = ended.unwrap_or_else(|error| {
        super::note(&error.to_string());
        Ended::not_started(&error)
    });
    ended.leave()
}
