//! One look at a server, without a daemon.

use crate::logs::SessionLogs;
use crate::output::{ListedPane, by_need};
use crate::registry::RegistryReader;
use crate::reports::Reports;
use crate::routes::PaneView;
use crate::scan::{Reach, Scanner, Seen};
use crate::tmux::{Batch, Place, Server};
use crate::verdict::{Verdicts, agent_process, listed};
use crate::{Context, Error, processes, time};
use madohub_detect::{RuleSet, Tracked};
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

/// A pane as routes see it.
pub fn view(seen: &Seen, tracked: Option<&Tracked>, listed: Option<&ListedPane>) -> PaneView {
    let pane = &seen.pane;
    let place =
        |place: &Place| format!("{}:{}.{}", place.session_name, place.window_index, pane.index);
    let process = agent_process(&seen.observation);
    PaneView {
        id: pane.id.to_string(),
        places: pane.places.iter().map(place).collect(),
        role: pane.role.clone(),
        session: pane.places.first().map(|p| p.session_name.clone()).unwrap_or_default(),
        window: pane.window_name.clone(),
        title: pane.title.clone(),
        cwd: process.and_then(|process| process.cwd.clone()),
        occupant: process.map_or(pane.pid, |process| process.pid),
        tracked: tracked.cloned(),
        listed: listed.cloned(),
    }
}

/// All panes of a server as routes see them, by one look. What `listed` says of their states goes
/// before what the look shows.
pub fn views(
    server: &Server,
    ctx: &Context,
    listed: &[ListedPane],
) -> Result<Vec<PaneView>, Error> {
    let rules = Arc::new(ctx.rules()?.0);
    let (mut scanner, now) = look(server, Arc::clone(&rules), ctx)?;
    let mut verdicts = Verdicts::new(rules, ctx.config()?.tracking);
    verdicts.judge(&mut scanner, &|_, _| None, now);
    let view = |seen: &Seen| {
        let row = listed.iter().find(|row| row.row.pane == seen.pane.id.to_string());
        let mut tracked = verdicts.tracked(seen.pane.id).cloned();
        if let (Some(tracked), Some(row)) = (&mut tracked, row) {
            tracked.detection.state = row.row.state;
            tracked.detection.reason.clone_from(&row.row.reason);
        }
        view(seen, tracked.as_ref(), row)
    };
    Ok(scanner.panes().map(view).collect())
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
