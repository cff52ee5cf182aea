//! `madohub detect`: the engine on recorded input, without a multiplexer.

mod answer;
mod single;
mod stream;

use crate::cli::DetectArgs;
use crate::input;
use crate::{Context, Error, Exit};
use answer::Engine;
use madohub_detect::Tracker;
use std::io::{self, Write as _};

/// Runs the command.
pub(crate) fn run(args: &DetectArgs, ctx: &Context) -> Result<Exit, Error> {
    let rules = super::rules_in_force(ctx)?;
    let Some(observations) = &args.observations else {
        return single::run(args, &rules);
    };
    let tracker =
        if args.track { Some(Tracker::new(ctx.config()?.tracking.settings)) } else { None };
    let mut engine = Engine::new(&rules, args.agent.as_deref(), tracker);
    // Locked and buffered: a line of its own per write would cost more than the detection.
    let mut out = io::BufWriter::with_capacity(64 * 1024, io::stdout().lock());
    let counts = stream::run(input::open(observations)?, &mut out, |seen| engine.answer(seen))?;
    out.flush()?;
    let name = input::name(observations);
    if counts.replaced > 0 {
        super::note(&format!(
            "{name}: {} line(s) held bytes that are no UTF-8; they were read as �",
            counts.replaced
        ));
    }
    if counts.malformed == 0 {
        return Ok(Exit::Ok);
    }
    Err(Error::usage(format!(
        "{name}: {} of {} line(s) could not be read",
        counts.malformed,
        counts.malformed + counts.answered
    ))
    .remedy("Their answers have the id null and say what is wrong."))
}
