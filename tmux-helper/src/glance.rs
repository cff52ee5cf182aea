//! One look at a server, without a daemon.

use crate::cli::PaneRef;
use crate::output::{ListedPane, by_need};
use crate::registry::RegistryReader;
use crate::scan::{Reach, Scanner, Seen};
use crate::tmux::{Batch, Pane, Server};
use crate::verdict::{Verdicts, listed};
use crate::{Context, Error, processes, time};
use madohub_detect::Observation;
use std::sync::Arc;

/// The panes with an agent, sorted by need. What only shows over time (since when, holds) is not
/// known.
pub fn list(server: &Server, ctx: &Context) -> Result<Vec<ListedPane>, Error> {
    let (mut scanner, now) = look(server, ctx)?;
    let (rules, _) = ctx.rules()?;
    let mut verdicts = Verdicts::new(Arc::new(rules), ctx.config()?.tracking);
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

/// What the engine gets to see of one pane.
pub fn observe(server: &Server, ctx: &Context, wanted: &PaneRef) -> Result<Observation, Error> {
    let (scanner, now) = look(server, ctx)?;
    let seen = scanner.panes().find(|seen| is_meant(&seen.pane, wanted));
    let Some(Seen { observation, .. }) = seen else {
        let name = match wanted {
            PaneRef::Id(id) => id.clone(),
            PaneRef::Place { session, window, pane } => format!("{session}:{window}.{pane}"),
        };
        return Err(Error::failed(format!("there is no pane {name} on {}", server.name()))
            .remedy("`tmux list-panes -a` shows all panes."));
    };
    Ok(Observation { now: Some(now), ..observation.clone() })
}

fn look(server: &Server, ctx: &Context) -> Result<(Scanner, f64), Error> {
    let identity = server.identity()?;
    let scratch = ctx.paths().ensure_runtime_dir()?;
    let server = server.clone().for_version(identity.version, scratch);
    let mut scanner =
        Scanner::new(server, identity, processes::source(), RegistryReader::from_env());
    let now = time::now();
    scanner.look(Reach::All, Batch::new(), now)?;
    Ok((scanner, now))
}

fn is_meant(pane: &Pane, wanted: &PaneRef) -> bool {
    match wanted {
        PaneRef::Id(id) => pane.id.to_string() == *id,
        PaneRef::Place { session, window, pane: index } => {
            pane.index == *index
                && pane
                    .places
                    .iter()
                    .any(|place| place.session_name == *session && place.window_index == *window)
        }
    }
}
