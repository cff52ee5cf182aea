//! `madohub rules`.

use crate::cli::RulesArgs;
use crate::{Context, Error, Exit};

/// Runs the command.
pub(crate) fn run(_args: &RulesArgs, _ctx: &Context) -> Result<Exit, Error> {
    Err(Error::failed("not available in this build"))
}
