//! `madohub jump`: To the pane that needs a person most.

use crate::cli::JumpArgs;
use crate::client::Client;
use crate::output::{ListedPane, Terminal, by_need, clean};
use crate::tmux::{PaneId, Server, Viewer};
use crate::zellij::Session;
use crate::{Context, Error, Exit};
use madohub_detect::State;
use std::io::{IsTerminal as _, Write as _, stdout};
use std::os::unix::process::CommandExt as _;
use std::process::Command;

/// Runs the command.
pub(crate) fn run(args: &JumpArgs, ctx: &Context) -> Result<Exit, Error> {
    let here = Server::resolve(&args.server);
    let rows = Client::of(&here, ctx.paths()).list()?;
    let is_chosen = args.server.socket_name.is_some() || args.server.socket_path.is_some();
    let viewer = if rows.is_some() { viewer(&here)? } else { None };
    let in_front = viewer.as_ref().map(|viewer| viewer.pane.to_string());
    let mine = pick(rows.as_deref().unwrap_or_default(), &args.states.0, in_front.as_deref());
    if let Some(row) = mine {
        return go(&here, row, viewer.as_ref());
    }
    let others = if is_chosen { Vec::new() } else { elsewhere(&here, ctx) };
    if rows.is_none() && others.is_empty() {
        return Err(super::tmux::no_daemon(&here));
    }
    let mut all: Vec<ListedPane> = others.into_iter().flat_map(|(_, rows)| rows).collect();
    by_need(&mut all);
    let Some(row) = pick(&all, &args.states.0, None) else {
        return Err(Error::failed("no pane needs you"));
    };
    let there = Server::at(&row.row.server);
    let viewer = there.viewers()?.into_iter().next();
    go(&there, row, viewer.as_ref())
}

/// The terminal that is meant: the one in front of which this runs, else the one that was used
/// last; a key that was pressed there may have started this.
fn viewer(server: &Server) -> Result<Option<Viewer>, Error> {
    let pane = std::env::var("TMUX_PANE").ok().and_then(|pane| pane.parse::<PaneId>().ok());
    let mut viewers = server.viewers()?;
    let own = viewers.iter().position(|viewer| Some(viewer.pane) == pane).unwrap_or(0);
    Ok((own < viewers.len()).then(|| viewers.swap_remove(own)))
}

/// What daemons of other servers list. One that cannot be asked has nothing to offer.
fn elsewhere(here: &Server, ctx: &Context) -> Vec<(String, Vec<ListedPane>)> {
    let ask = |client: Client| {
        let server = client.hello().ok()??.server;
        let rows = client.list().ok()??;
        (server != here.name()).then_some((server, rows))
    };
    Client::all(ctx.paths()).into_iter().filter_map(ask).collect()
}

/// The first pane in one of these states, sorted by need; where the person is already, the next.
fn pick<'a>(
    rows: &'a [ListedPane],
    states: &[State],
    in_front: Option<&str>,
) -> Option<&'a ListedPane> {
    let mut wanted = rows.iter().filter(|row| states.contains(&row.row.state));
    let first = wanted.next()?;
    if in_front == Some(first.row.pane.as_str()) {
        return wanted.next().or(Some(first));
    }
    Some(first)
}

fn go(server: &Server, row: &ListedPane, viewer: Option<&Viewer>) -> Result<Exit, Error> {
    if let Some(viewer) = viewer {
        let place = show(server, row, viewer)?;
        // From a key binding nothing should pop up over the pane.
        if Terminal::of_stdout().width.is_some() {
            writeln!(stdout(), "{place}")?;
        }
        return Ok(Exit::Ok);
    }
    let (place, pane) = (told(row), &row.row.pane);
    let socket = server.socket();
    let is_inside = std::env::var_os("TMUX").is_some_and(|value| !value.is_empty());
    if is_inside || !std::io::stdin().is_terminal() || !stdout().is_terminal() {
        return Err(Error::failed(format!("no terminal is attached to the server of {place}"))
            .remedy(format!("Run `tmux -S {} attach -t {pane}`.", clean(&server.name()))));
    }
    let error =
        Command::new("tmux").arg("-S").arg(socket).args(["attach-session", "-t", pane]).exec();
    Err(Error::failed(format!("cannot start tmux: {error}")))
}

/// Brings the pane in front of that terminal; answers what it is called.
fn show(server: &Server, row: &ListedPane, viewer: &Viewer) -> Result<String, Error> {
    let place = told(row);
    let Ok(id) = row.row.pane.parse::<PaneId>() else {
        return Err(Error::failed(format!("{place} is no pane of tmux")));
    };
    if server.show(id, viewer)? {
        return Ok(place);
    }
    Err(Error::failed(format!("tmux does not show {place}"))
        .remedy("The pane may be closed by now; `madohub list` shows what there is."))
}

/// What a pane is called, harmless.
fn told(row: &ListedPane) -> String {
    format!("{} {}", clean(&row.row.pane), clean(&row.place()))
}

/// Takes the person to a pane of any host, in the terminal where this runs where nothing else is
/// attached there.
pub(crate) fn go_to(row: &ListedPane) -> Result<Exit, Error> {
    if row.row.mux == "zellij" {
        return go_to_zellij(row);
    }
    let there = Server::at(&row.row.server);
    go(&there, row, viewer(&there)?.as_ref())
}

/// Takes the person to a pane in a terminal that is attached to its host already; answers what
/// the pane is called.
pub(crate) fn go_behind(row: &ListedPane) -> Result<String, Error> {
    if row.row.mux == "zellij" {
        return Session::named(&row.row.server).focus(&row.row.pane).map(|()| told(row));
    }
    let there = Server::at(&row.row.server);
    match viewer(&there)? {
        Some(viewer) => show(&there, row, &viewer),
        None => {
            Err(Error::failed(format!("no terminal is attached to the server of {}", told(row))))
        }
    }
}

fn go_to_zellij(row: &ListedPane) -> Result<Exit, Error> {
    let (there, pane) = (Session::named(&row.row.server), &row.row.pane);
    let here = std::env::var("ZELLIJ_SESSION_NAME").ok().filter(|name| !name.is_empty());
    match here.map(|name| Session::named(&name)) {
        Some(here) if here != there => there.switch_from(&here, pane).map(|()| Exit::Ok),
        Some(_) => there.focus(pane).map(|()| Exit::Ok),
        // Which pane somebody sees who attaches is zellij's own decision (0.45.1).
        None => {
            let error = there.attach().exec();
            Err(Error::failed(format!("cannot start zellij: {error}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::example_pane;

    fn row(pane: &str, state: State, since: f64) -> ListedPane {
        let mut row = example_pane("api", "codex", state);
        pane.clone_into(&mut row.row.pane);
        row.row.since = since;
        row
    }

    #[test]
    fn what_waits_longest_comes_first_and_where_one_is_already_last() {
        let mut rows = vec![
            row("%1", State::Stopped, 1.0),
            row("%2", State::Waiting, 20.0),
            row("%3", State::Waiting, 10.0),
            row("%4", State::Idle, 0.0),
        ];
        by_need(&mut rows);
        let all = [State::Waiting, State::Stopped];
        for (states, in_front, expected) in [
            (&all[..], None, Some("%3")),
            (&all[..], Some("%3"), Some("%2")),
            (&all[..], Some("%2"), Some("%3")),
            (&[State::Stopped], Some("%1"), Some("%1")),
            (&[State::Stopped], None, Some("%1")),
            (&[State::Failed], None, None),
        ] {
            let picked = pick(&rows, states, in_front).map(|row| row.row.pane.as_str());
            assert_eq!(picked, expected, "{states:?} {in_front:?}");
        }
    }
}
