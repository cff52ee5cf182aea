//! What a route does about an event, by what the panes are like now.

use super::super::item::{Job, Letter};
use super::super::route::{Limits, Route, Target};
use super::super::text::Values;
use super::super::view::{PaneView, resolve};
use crate::protocol::Event;
use madohub_detect::State;
use madohub_detect::delivery::{Delivery, Gate, Terms, gate};

/// What a route would do about an event; else why it would do nothing.
pub fn preview(route: &Route, event: &Event, panes: &[PaneView], now: f64) -> Result<Job, String> {
    let pane = panes.iter().find(|pane| pane.id == event.pane);
    if !route.on.contains(&event.to) {
        let on: Vec<&str> = route.on.iter().map(|state| state.as_str()).collect();
        return Err(format!("state is `{}`, not {}", event.to, on.join(" or ")));
    }
    route.from.check(event, pane)?;
    job(route, None, event, panes, now)
}

/// What a route does about an event; else why it does nothing.
pub(super) fn job(
    route: &Route,
    pins: Option<(i64, i64)>,
    event: &Event,
    panes: &[PaneView],
    now: f64,
) -> Result<Job, String> {
    let source = panes.iter().find(|pane| pane.id == event.pane);
    if let (Some((from, _)), Some(source)) = (pins, source)
        && event.to != State::Exited
        && source.occupant != from
    {
        return Err(format!("{} holds another process than when this was set", event.pane));
    }
    let values = Values::new(event, source);
    let text = || {
        let text = route.text.as_ref().map(|text| values.fill(text)).unwrap_or_default();
        if text.trim().is_empty() { Err("the text is empty".to_owned()) } else { Ok(text) }
    };
    match &route.to {
        Target::Pane { pane, shell } => {
            let target = resolve(panes, pane)?;
            let shut = |why: &str| format!("{} {why}", target.id);
            let tracked = target.tracked.as_ref().ok_or_else(|| shut("holds no agent"))?;
            if let Gate::Shut(why) = gate(tracked, *shell) {
                return Err(shut(why));
            }
            let text = text()?;
            if *shell && text.contains('\n') {
                return Err(shut("holds a shell, which takes one line"));
            }
            let Limits { expire, tries, .. } = route.limits;
            let terms = Terms { wait: true, until: now + expire, shell: *shell, tries };
            Ok(Job::Letter(Letter {
                pane: target.id.clone(),
                occupant: pins.map_or(target.occupant, |(_, to)| to),
                text,
                delivery: Delivery::new(terms),
            }))
        }
        Target::Command(argv) => {
            let argv = argv.iter().map(|word| values.argument(word)).collect::<Result<_, _>>()?;
            Ok(Job::Command { argv, begun: false })
        }
        Target::File(path) => Ok(Job::File { path: path.clone(), text: text()?, begun: false }),
        Target::Notify => {
            let urgent = event.to == State::Waiting;
            Ok(Job::Notify { text: text()?, urgent, begun: false })
        }
    }
}
