//! A pane of a running tmux, as an observation.

use crate::cli::{PaneRef, ServerArgs};
use crate::client::Client;
use crate::output::{ListedPane, clean};
use crate::tmux::Server;
use crate::{Context, Error, glance};
use madohub_detect::{Observation, Previous, RuleSet};
use std::sync::Arc;

/// What is seen of the pane now, and what the daemon shows of it, if there is one.
pub(in crate::commands) fn observe(
    wanted: &PaneRef,
    args: &ServerArgs,
    rules: Arc<RuleSet>,
    ctx: &Context,
) -> Result<(Observation, Option<ListedPane>), Error> {
    let server = Server::resolve(args);
    let (scanner, now) = glance::look(&server, rules, ctx)?;
    let seen = scanner.panes().find(|seen| wanted.means(&seen.pane)).ok_or_else(|| {
        Error::failed(format!("there is no pane {wanted} in {}", clean(&server.name())))
            .remedy("`tmux list-panes -a` shows the panes; with -L or -S, those of another server.")
    })?;
    let id = seen.pane.id.to_string();
    let listed = Client::of(&server, ctx.paths()).list()?.unwrap_or_default();
    let shown = listed.into_iter().find(|pane| pane.row.pane == id);
    let mut observation = seen.observation.clone();
    observation.now = Some(now);
    // As the daemon asks the engine: a view over the live region keeps the state before.
    observation.previous = shown.as_ref().map(|shown| Previous {
        agent: Some(shown.row.agent.to_string()),
        state: Some(shown.row.state),
    });
    Ok((observation, shown))
}
