//! `madohub detect`.

use crate::cli::DetectArgs;
use crate::{Context, Error, Exit};

/// Runs the command.
pub(crate) fn run(_args: &DetectArgs, _ctx: &Context) -> Result<Exit, Error> {
    Err(Error::failed("not available in this build"))
}
