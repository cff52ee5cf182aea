//! `madohub watch`: Changes of state as they happen.

use crate::cli::WatchArgs;
use crate::{Context, Error, Exit};

/// Runs the command.
pub(crate) fn run(_args: &WatchArgs, _ctx: &Context) -> Result<Exit, Error> {
    Err(Error::no_server("no daemon answers"))
}
