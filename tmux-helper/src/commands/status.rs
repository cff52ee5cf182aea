//! `madohub status`: The segment.

use crate::cli::StatusArgs;
use crate::fleet::snapshot;
use crate::output::{Agents, segment_with};
use crate::tmux::Server;
use crate::{Context, Error, Exit, time};
use std::collections::BTreeMap;
use std::io::{Write as _, stdout};

/// Runs the command.
pub(crate) fn run(args: &StatusArgs, ctx: &Context) -> Result<Exit, Error> {
    let config = ctx.config()?;
    let segment = match &args.format {
        None => config.segment.clone(),
        Some(text) => config.segment.with_format(text)?,
    };
    let panes = super::list::panes(&Server::resolve(&args.server), ctx)?;
    let now = time::now();
    let remote = if segment.tells_of_others() {
        snapshot::remote(ctx.paths(), now)
    } else {
        BTreeMap::new()
    };
    let agents = Agents { panes: &panes, remote: &remote };
    let text = segment_with(agents, &config, &segment, args.style.into(), now);
    writeln!(stdout().lock(), "{text}")?;
    Ok(Exit::Ok)
}
