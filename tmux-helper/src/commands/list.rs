//! `madohub list`: One row per pane that holds an agent.

use crate::cli::ListArgs;
use crate::output::{
    ListedPane, TableOptions, Terminal, clean, history_json, history_text, list_json, list_table,
};
use crate::tmux::Server;
use crate::{Context, Error, Exit, client::Client, glance, time};
use std::io::{Write as _, stdout};
use std::path::PathBuf;

/// Runs the command.
pub(crate) fn run(args: &ListArgs, ctx: &Context) -> Result<Exit, Error> {
    let server = Server::resolve(&args.server);
    if args.history {
        return history(args, &server, ctx);
    }
    let panes = panes(&server, ctx)?;
    let mut out = stdout().lock();
    if args.json {
        let json = list_json(&panes).map_err(|error| Error::failed(error.to_string()))?;
        out.write_all(json.as_bytes())?;
        return Ok(Exit::Ok);
    }
    if panes.is_empty() {
        out.write_all(nobody(&server).as_bytes())?;
        return Ok(Exit::Ok);
    }
    let config = ctx.config()?;
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let options = TableOptions {
        looks: &config.looks,
        home: home.as_deref(),
        terminal: Terminal::of_stdout(),
    };
    out.write_all(list_table(&panes, &options, time::now()).as_bytes())?;
    Ok(Exit::Ok)
}

fn nobody(server: &Server) -> String {
    let server = clean(&server.name());
    format!(
        "No agent runs in the tmux server on {server}. Start one in a pane: it shows up by itself.\n"
    )
}

/// The panes with what was told of them. Only a daemon knows that.
fn history(args: &ListArgs, server: &Server, ctx: &Context) -> Result<Exit, Error> {
    let Some(panes) = Client::of(server, ctx.paths()).history()? else {
        return Err(super::tmux::no_daemon(server));
    };
    let mut out = stdout().lock();
    if args.json {
        let json = history_json(&panes).map_err(|error| Error::failed(error.to_string()))?;
        out.write_all(json.as_bytes())?;
    } else if panes.is_empty() {
        out.write_all(nobody(server).as_bytes())?;
    } else {
        let (looks, terminal) = (ctx.config()?.looks, Terminal::of_stdout());
        out.write_all(history_text(&panes, &looks, terminal, time::now()).as_bytes())?;
    }
    Ok(Exit::Ok)
}

/// The panes with an agent: from the daemon, else by looking once. What only shows over time
/// (since when, holds) is not known then.
pub(super) fn panes(server: &Server, ctx: &Context) -> Result<Vec<ListedPane>, Error> {
    match Client::of(server, ctx.paths()).list()? {
        Some(panes) => Ok(panes),
        None => glance::list(server, ctx),
    }
}
