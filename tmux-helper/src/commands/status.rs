//! `madohub status`: The segment.

use crate::cli::StatusArgs;
use crate::output::segment_with;
use crate::tmux::Server;
use crate::{Context, Error, Exit, time};
use std::io::{Write as _, stdout};

/// Runs the command.
pub(crate) fn run(args: &StatusArgs, ctx: &Context) -> Result<Exit, Error> {
    let config = ctx.config()?;
    let segment = match &args.format {
        None => config.segment.clone(),
        Some(text) => config.segment.with_format(text)?,
    };
    let panes = super::list::panes(&Server::resolve(&args.server), ctx)?;
    let text = segment_with(&panes, &config, &segment, args.style, time::now());
    writeln!(stdout().lock(), "{text}")?;
    Ok(Exit::Ok)
}
