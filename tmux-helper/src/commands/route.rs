//! `madohub route`: What follows from changes of state.

use crate::cli::{OnceArgs, PaneRef, RouteArgs, RouteCommand};
use crate::client::Client;
use crate::daemon::Files;
use crate::output::{clean, since};
use crate::protocol::{Event, OnceAsk, RouteAnswer, RouteAsk, RouteState};
use crate::routes::{Item, Job, LogEntry, PaneView, Route, RouteLog, Target, preview};
use crate::tmux::Server;
use crate::{Context, Error, Exit, glance, time};
use madohub_detect::delivery::{Gate, gate};
use madohub_detect::{AgentId, State, StateSource};
use std::io::{Write as _, stdout};

/// Runs the command.
pub(crate) fn run(args: &RouteArgs, ctx: &Context) -> Result<Exit, Error> {
    match &args.command {
        RouteCommand::List { json, server } => list(&Server::resolve(server), *json, ctx),
        RouteCommand::Once(args) => once(args, ctx),
        RouteCommand::Cancel { id, server } => {
            ask(&Server::resolve(server), RouteAsk::Cancel(*id), ctx)?;
            say(&format!("Called off {id}."))
        }
        RouteCommand::Test { route, from, states, server } => {
            test(&Server::resolve(server), route.as_deref(), from, &states.0, ctx)
        }
        RouteCommand::Log { json, route, lines, server } => {
            let entries = entries(&Server::resolve(server), route.as_deref(), *lines, ctx)?;
            log(&entries, *json)
        }
        RouteCommand::Pause { server } => {
            ask(&Server::resolve(server), RouteAsk::Pause(true), ctx)?;
            say("Routes are paused; `madohub route resume` lets them fire again.")
        }
        RouteCommand::Resume { server } => {
            ask(&Server::resolve(server), RouteAsk::Pause(false), ctx)?;
            say("Routes fire.")
        }
    }
}

fn say(text: &str) -> Result<Exit, Error> {
    writeln!(stdout(), "{text}")?;
    Ok(Exit::Ok)
}

/// Asks the daemon; a refusal is an error.
fn ask(server: &Server, ask: RouteAsk, ctx: &Context) -> Result<RouteAnswer, Error> {
    match Client::of(server, ctx.paths()).route(ask)? {
        None => Err(super::tmux::no_daemon(server)),
        Some(RouteAnswer::Refused(why)) => Err(Error::failed(why)),
        Some(answer) => Ok(answer),
    }
}

fn once(args: &OnceArgs, ctx: &Context) -> Result<Exit, Error> {
    let asked = OnceAsk {
        from: args.from.clone(),
        on: args.on.0.clone(),
        to: args.to.clone(),
        text: args.text.clone(),
        expire: args.expire.0,
        shell: args.shell,
    };
    if args.text.trim().is_empty() {
        return Err(Error::usage("there is no text to deliver"));
    }
    match ask(&Server::resolve(&args.server), RouteAsk::Once(asked), ctx)? {
        RouteAnswer::Once(id) => say(&format!(
            "Waiting for {}; `madohub route cancel {id}` calls it off.",
            clean(&args.from)
        )),
        other => Err(Error::failed(format!("the daemon answered something else: {other:?}"))),
    }
}

fn list(server: &Server, json: bool, ctx: &Context) -> Result<Exit, Error> {
    let config = ctx.config()?;
    let state = match Client::of(server, ctx.paths()).route(RouteAsk::List)? {
        Some(RouteAnswer::State(state)) => Some(*state),
        _ => None,
    };
    let mut out = stdout().lock();
    if json {
        let routes: Vec<_> = config.routes.iter().map(as_json).collect();
        let (once, queue) = state.as_ref().map(|s| (&s.once[..], &s.queue[..])).unwrap_or_default();
        let answer = serde_json::json!({
            "v": 1,
            "paused": state.as_ref().map(|state| state.paused),
            "routes": routes,
            "once": once,
            "queue": queue,
        });
        writeln!(out, "{answer}")?;
        return Ok(Exit::Ok);
    }
    if config.routes.is_empty() {
        writeln!(out, "There are no routes in {}.", ctx.paths().config_file().display())?;
    }
    for route in &config.routes {
        writeln!(out, "{}", describe(route))?;
    }
    for warning in config.warnings() {
        super::note(&warning);
    }
    match state {
        None => super::note("no daemon watches this server: nothing fires"),
        Some(state) => {
            waiting(&mut out, &state, &config.routes)?;
        }
    }
    Ok(Exit::Ok)
}

fn as_json(route: &Route) -> serde_json::Value {
    serde_json::json!({
        "name": route.name,
        "from": route.from.describe(),
        "on": route.on,
        "to": route.to.describe(),
    })
}

/// `review: agent=claude, completed → pane reviewer`
fn describe(route: &Route) -> String {
    let on: Vec<&str> = route.on.iter().map(|state| state.as_str()).collect();
    let (from, to) = (clean(&route.from.describe()), clean(&route.to.describe()));
    format!("{}: {from}, {} → {to}", route.name, on.join(" or "))
}

fn waiting(
    out: &mut impl std::io::Write,
    state: &RouteState,
    routes: &[Route],
) -> Result<(), Error> {
    let now = time::now();
    for shot in &state.once {
        let on: Vec<&str> = shot.on.iter().map(|state| state.as_str()).collect();
        let left = since(shot.until - now);
        let (from, to, on) = (clean(&shot.from), clean(&shot.to), on.join(" or "));
        writeln!(out, "{}: {from}, {on} → {to}, once, within {left}", shot.name())?;
    }
    for Item { id, route, from, job, .. } in &state.queue {
        let word = if matches!(job, Job::Letter(_)) { "waits for" } else { "runs" };
        let to = clean(&job.describe());
        writeln!(out, "  {id}: {} from {} {word} {to}", clean(route), clean(from))?;
    }
    if state.paused {
        writeln!(out, "Routes are paused; `madohub route resume` lets them fire again.")?;
    }
    let names = routes.iter().map(|route| &route.name);
    if !names.eq(state.routes.keys()) && routes.len() != state.routes.len() {
        super::note("the daemon has other routes: run `madohub tmux restart`");
    }
    Ok(())
}

fn test(
    server: &Server,
    only: Option<&str>,
    from: &PaneRef,
    states: &[State],
    ctx: &Context,
) -> Result<Exit, Error> {
    let config = ctx.config()?;
    let routes: Vec<&Route> =
        config.routes.iter().filter(|route| only.is_none_or(|only| route.name == only)).collect();
    if routes.is_empty() {
        let what = only.map_or_else(
            || "there are no routes".to_owned(),
            |n| format!("no route is called {n}"),
        );
        return Err(Error::usage(format!("{what} in {}", ctx.paths().config_file().display())));
    }
    let listed = super::list::panes(server, ctx)?;
    let panes = glance::views(server, ctx, &listed)?;
    let name = from.to_string();
    let pane = panes.iter().find(|pane| pane.id == name || pane.places.contains(&name));
    let pane = pane.ok_or_else(|| Error::failed(format!("there is no pane {name}")))?;
    let mut out = stdout().lock();
    let mut any = false;
    for (route, state) in routes.iter().flat_map(|r| states.iter().map(move |s| (r, *s))) {
        let now = time::now();
        let event = event(pane, server, state, now);
        match preview(route, &event, &panes, now) {
            Ok(job) => {
                any = true;
                writeln!(out, "{}: {}", route.name, would(route, &job, &panes))?;
            }
            Err(why) => writeln!(out, "{}: nothing, {}", route.name, clean(&why))?,
        }
    }
    Ok(if any { Exit::Ok } else { Exit::No })
}

/// The event of a turn that ends now.
fn event(pane: &PaneView, server: &Server, to: State, now: f64) -> Event {
    let detection = pane.tracked.as_ref().map(|tracked| &tracked.detection);
    Event {
        v: 1,
        seq: 0,
        time: now,
        host: rustix::system::uname().nodename().to_string_lossy().into_owned(),
        mux: "tmux".to_owned(),
        server: server.name(),
        pane: pane.id.clone(),
        agent: detection.map_or_else(AgentId::unknown, |d| d.agent.clone()),
        from: State::Working,
        to,
        state_source: StateSource::JsonlWatcher,
        reason: detection.and_then(|d| d.reason.clone()),
        since: now,
        turn: pane.tracked.as_ref().map_or(0, |tracked| tracked.turn).to_string(),
        evidence: Vec::new(),
    }
}

/// What would be done, for people.
fn would(route: &Route, job: &Job, panes: &[PaneView]) -> String {
    match job {
        Job::Letter(letter) => {
            let shell = matches!(route.to, Target::Pane { shell: true, .. });
            let target = panes.iter().find(|pane| pane.id == letter.pane);
            let gate = target.and_then(|p| p.tracked.as_ref()).map(|t| gate(t, shell));
            let when = match gate {
                Some(Gate::Later(why)) => format!("once it can take it: now it {why}"),
                _ => "at once".to_owned(),
            };
            format!("would send to {}, {when}: {}", letter.pane, clean(&letter.text))
        }
        Job::Command { argv, .. } => format!("would run {}", clean(&format!("{argv:?}"))),
        Job::File { path, text, .. } => {
            format!("would write to {}: {}", path.display(), clean(text))
        }
        Job::Notify { text, .. } => format!("would notify: {}", clean(text)),
    }
}

/// The last entries of the log. It can be read without a daemon.
fn entries(
    server: &Server,
    route: Option<&str>,
    lines: usize,
    ctx: &Context,
) -> Result<Vec<LogEntry>, Error> {
    let path = Files::of(server, ctx.paths()).route_log;
    let all = RouteLog::at(&path)
        .read()
        .map_err(|error| Error::file("cannot read the log of the routes in", &path, &error))?;
    let wanted = all.into_iter().filter(|entry| route.is_none_or(|route| entry.route == route));
    let mut wanted: Vec<LogEntry> = wanted.collect();
    let older = wanted.len().saturating_sub(lines);
    wanted.drain(..older);
    Ok(wanted)
}

fn log(entries: &[LogEntry], json: bool) -> Result<Exit, Error> {
    let mut out = stdout().lock();
    let now = time::now();
    for entry in entries {
        if json {
            let line =
                serde_json::to_string(entry).map_err(|error| Error::failed(error.to_string()))?;
            writeln!(out, "{line}")?;
            continue;
        }
        let why = entry.why.as_deref().map(|why| format!(": {}", clean(why))).unwrap_or_default();
        let to = if entry.to.is_empty() { String::new() } else { format!(" → {}", entry.to) };
        writeln!(
            out,
            "{:>6} ago  {}  {}{}  {}{why}",
            since(now - entry.time),
            clean(&entry.route),
            clean(&entry.from),
            clean(&to),
            clean(&entry.outcome)
        )?;
    }
    if entries.is_empty() && !json {
        writeln!(out, "No route has fired yet.")?;
    }
    Ok(Exit::Ok)
}
