//! `madohub detect`: the engine on recorded input, without a multiplexer.

mod lines;
mod single;

use super::stream;
use crate::cli::DetectArgs;
use crate::{Context, Error, Exit};
use lines::Engine;
use madohub_detect::Tracker;

/// Runs the command.
pub(super) fn run(args: &DetectArgs, ctx: &Context) -> Result<Exit, Error> {
    let rules = super::rules_in_force(ctx)?;
    let Some(observations) = &args.observations else {
        return single::run(args, &rules);
    };
    let tracker =
        if args.track { Some(Tracker::new(ctx.config()?.tracking.settings)) } else { None };
    stream::run(observations, Engine::new(&rules, args.agent.as_deref(), tracker))
}
