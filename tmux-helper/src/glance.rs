//! One look at a server, without a daemon.

use crate::logs::SessionLogs;
use crate::output::{ListedPane, by_need};
use crate::registry::RegistryReader;
use crate::reports::Reports;
use crate::scan::{Reach, Scanner};
use crate::tmux::{Batch, Server};
use crate::verdict::{Verdicts, listed};
use crate::{Context, Error, processes, time};
use madohub_detect::RuleSet;
use std::sync::Arc;

/// The panes with an agent, sorted by need. What only shows over time (since when, holds) is not
/// known.
pub fn list(server: &Server, ctx: &Context) -> Result<Vec<ListedPane>, Error> {
    let rules = Arc::new(ctx.rules()?.0);
    let (mut scanner, now) = look(server, Arc::clone(&rules), ctx)?;
    let mut verdicts = Verdicts::new(rules, ctx.config()?.tracking);
    verdicts.judge(&mut scanner, &|_, _| None, now);
    let mut panes: Vec<ListedPane> = scanner
        .panes()
        .filter_map(|seen| {
            let tracked = verdicts.tracked(seen.pane.id)?;
            verdicts.is_shown(tracked).then(|| listed(&server.name(), seen, tracked))
        })
        .collect();
    by_need(&mut panes);
    Ok(panes)
}

/// The panes of a server as they are now.
pub fn look(server: &Server, rules: Arc<RuleSet>, ctx: &Context) -> Result<(Scanner, f64), Error> {
    let identity = server.identity()?;
    let scratch = ctx.paths().ensure_runtime_dir()?;
    let server = server.clone().for_version(identity.version, scratch);
    let logs = SessionLogs::from_env(rules);
    let registry = RegistryReader::from_env();
    let mut scanner = Scanner::new(
        server,
        identity,
        processes::source(),
        registry,
        logs,
        Reports::new(ctx.paths()),
    );
    let now = time::now();
    scanner.look(Reach::All, Batch::new(), now)?;
    Ok((scanner, now))
}
