//! One look at a tmux server without a daemon.

use crate::registry::RegistryReader;
use crate::scan::{Reach, Scanner};
use crate::tmux::{Batch, Server};
use crate::{Context, Error, processes, time};

/// The panes of a server as they are now.
pub(super) fn look(server: &Server, ctx: &Context) -> Result<Scanner, Error> {
    let identity = server.identity()?;
    let server = server.clone().for_version(identity.version, ctx.paths().ensure_runtime_dir()?);
    let mut scanner =
        Scanner::new(server, identity, processes::source(), RegistryReader::from_env());
    scanner.look(Reach::All, Batch::new(), time::now())?;
    Ok(scanner)
}
