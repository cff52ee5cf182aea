//! `madohub status`: The segment.

use crate::cli::StatusArgs;
use crate::{Context, Error, Exit};

/// Runs the command.
pub(crate) fn run(_args: &StatusArgs, _ctx: &Context) -> Result<Exit, Error> {
    Err(Error::no_server("no daemon answers"))
}
