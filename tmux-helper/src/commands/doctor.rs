//! `madohub doctor`.

use crate::cli::DoctorArgs;
use crate::{Context, Error, Exit};

/// Runs the command.
pub(crate) fn run(_args: &DoctorArgs, _ctx: &Context) -> Result<Exit, Error> {
    Err(Error::failed("not available in this build"))
}
