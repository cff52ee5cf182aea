//! `madohub fleet`: agents of several machines.

mod status;
mod watch;

use crate::cli::{FleetArgs, FleetCommand, Input, Span};
use crate::fleet::ear::Wants;
use crate::fleet::{self, Sending, publish, read};
use crate::output::{ListedPane, TableOptions, Terminal, clean, list_table};
use crate::{Context, Error, Exit, input, time};
use std::io::{Write as _, stdout};

/// Runs the command.
pub(crate) fn run(args: &FleetArgs, ctx: &Context) -> Result<Exit, Error> {
    match &args.command {
        FleetCommand::Publish => publish::run(&fleet::settings(ctx)?, ctx).map(|()| Exit::Ok),
        FleetCommand::List { json } => list(*json, ctx),
        FleetCommand::Watch { json } => watch::run(*json, ctx),
        FleetCommand::Status { json } => status::run(*json, ctx),
        FleetCommand::Send { to, text, wait, json } => send(to, text, *wait, *json, ctx),
    }
}

/// What `list` and `status` ask for.
const PANES: Wants = Wants { panes: true, events: false, screens: false };

fn list(json: bool, ctx: &Context) -> Result<Exit, Error> {
    let config = ctx.config()?;
    let (ear, now) = read::once(&fleet::settings(ctx)?, PANES)?;
    let rows = ear.book.rows();
    let mut out = stdout().lock();
    if json {
        let lines: Vec<String> = rows.iter().filter_map(with_host).collect();
        writeln!(out, "[{}]", lines.join(",\n "))?;
        return Ok(Exit::Ok);
    }
    if rows.is_empty() {
        writeln!(out, "No machine tells of an agent. `madohub fleet status` shows the machines.")?;
    } else {
        // The home folder of another machine is none of ours.
        let options =
            TableOptions { looks: &config.looks, home: None, terminal: Terminal::of_stdout() };
        out.write_all(list_table(&rows, &options, time::now()).as_bytes())?;
    }
    for (name, host) in ear.book.hosts().filter(|(_, host)| !host.is_online()) {
        let age = host.gone_for(now).filter(|_| host.is_known());
        writeln!(out, "{}", status::gone(name, host.count(), age))?;
    }
    Ok(Exit::Ok)
}

/// A row with its host before it.
fn with_host(pane: &ListedPane) -> Option<String> {
    let host = serde_json::to_string(&pane.host).ok()?;
    let row = serde_json::to_string(&pane.row).ok()?;
    Some(format!("{{\"host\":{host},{}", row.strip_prefix('{')?))
}

fn send(
    to: &str,
    text: &str,
    wait: Option<Span>,
    json: bool,
    ctx: &Context,
) -> Result<Exit, Error> {
    let named = to
        .split_once(':')
        .filter(|(host, pane)| crate::config::Fleet::is_name(host) && !pane.is_empty());
    let Some((host, pane)) = named else {
        return Err(Error::usage(format!("`{to}` names no machine and pane"))
            .remedy("They are written as zeus:%3 or zeus:session:window.pane."));
    };
    let text = if text == "-" {
        input::read_text(&Input::Stdin)?.trim_end().to_owned()
    } else {
        text.to_owned()
    };
    let sending = Sending {
        host: host.to_owned(),
        pane: pane.to_owned(),
        text,
        wait: wait.map(|Span(seconds)| seconds),
    };
    let answer = fleet::send(&fleet::settings(ctx)?, &sending)?;
    let (to, why) = (clean(to), answer.why.as_deref().map(clean).unwrap_or_default());
    let said = match answer.outcome.as_str() {
        "delivered" => Ok(()),
        "unproved" => {
            Err(Error::failed(format!("the text went to {to}, but no turn was seen to start")))
        }
        "refused" => Err(Error::refused(format!("nothing was typed in {to}: {why}"))),
        "stopped" => Err(Error::refused(format!("stopped halfway in {to}: {why}"))),
        _ => Err(Error::failed(format!("nothing was typed in {to}: {why}"))),
    };
    if json {
        let line = serde_json::to_string(&answer).map_err(|e| Error::failed(e.to_string()))?;
        writeln!(stdout(), "{line}")?;
        return Ok(said.map_or_else(|error| error.exit(), |()| Exit::Ok));
    }
    said?;
    writeln!(stdout(), "Delivered to {to}.")?;
    Ok(Exit::Ok)
}
