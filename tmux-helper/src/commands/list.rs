//! `madohub list`: One row per pane that holds an agent.

use crate::cli::ListArgs;
use crate::{Context, Error, Exit};

/// Runs the command.
pub(crate) fn run(_args: &ListArgs, _ctx: &Context) -> Result<Exit, Error> {
    Err(Error::no_server("no daemon answers"))
}
