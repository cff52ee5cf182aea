//! `madohub explain`.

use crate::cli::ExplainArgs;
use crate::{Context, Error, Exit};

/// Runs the command.
pub(crate) fn run(_args: &ExplainArgs, _ctx: &Context) -> Result<Exit, Error> {
    Err(Error::failed("not available in this build"))
}
