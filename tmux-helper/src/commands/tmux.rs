//! `madohub tmux`: The daemon of a tmux server.

use crate::cli::TmuxArgs;
use crate::{Context, Error, Exit};

/// Runs the command.
pub(crate) fn run(_args: &TmuxArgs, _ctx: &Context) -> Result<Exit, Error> {
    Err(Error::no_server("no daemon answers"))
}
