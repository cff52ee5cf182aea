//! `madohub send`: A text for an agent that is ready for it.

use crate::cli::{Input, SendArgs};
use crate::client::Client;
use crate::input;
use crate::protocol::{SendAsk, TEXT_MAX};
use crate::tmux::Server;
use crate::{Context, Error, Exit};
use madohub_detect::delivery::Outcome;
use serde::Serialize;
use std::io::{Write as _, stdout};

/// The answer with `--json`.
#[derive(Serialize)]
struct Answer<'a> {
    v: u32,
    pane: String,
    #[serde(flatten)]
    outcome: &'a Outcome,
}

/// Runs the command.
pub(crate) fn run(args: &SendArgs, ctx: &Context) -> Result<Exit, Error> {
    let text = if args.text == "-" {
        input::read_text(&Input::Stdin)?.trim_end().to_owned()
    } else {
        args.text.clone()
    };
    if text.trim().is_empty() {
        return Err(Error::usage("there is no text to deliver"));
    }
    if text.len() > TEXT_MAX {
        return Err(Error::usage(format!("the text is longer than {} KiB", TEXT_MAX >> 10))
            .remedy("Write it to a file, and send the agent its name."));
    }
    let server = Server::resolve(&args.server);
    let ask = SendAsk {
        pane: args.pane.to_string(),
        text,
        wait: args.when.is_some(),
        timeout: args.timeout.0,
        shell: args.shell,
    };
    let Some(outcome) = Client::of(&server, ctx.paths()).send(ask)? else {
        return Err(super::tmux::no_daemon(&server));
    };
    if args.json {
        let answer = Answer { v: 1, pane: args.pane.to_string(), outcome: &outcome };
        let line =
            serde_json::to_string(&answer).map_err(|error| Error::failed(error.to_string()))?;
        writeln!(stdout(), "{line}")?;
        return Ok(
            told(&args.pane.to_string(), &outcome).map_or_else(|error| error.exit(), |()| Exit::Ok)
        );
    }
    told(&args.pane.to_string(), &outcome)?;
    writeln!(stdout(), "Delivered to {}.", args.pane)?;
    Ok(Exit::Ok)
}

/// The outcome for people; an error where no turn was seen to start.
pub(crate) fn told(pane: &str, outcome: &Outcome) -> Result<(), Error> {
    match outcome {
        Outcome::Delivered => Ok(()),
        Outcome::Unproved => {
            Err(Error::failed(format!("the text went to {pane}, but no turn was seen to start")))
        }
        Outcome::Refused(why) => Err(Error::refused(format!("nothing was typed: {pane} {why}"))),
        Outcome::NotNow(why) => Err(Error::failed(format!("nothing was typed: {pane} {why}"))
            .remedy("With `--when idle` it waits until the agent is ready.")),
        Outcome::Expired(why) => {
            Err(Error::failed(format!("nothing was typed, the time is up: {pane} {why}")))
        }
        Outcome::Stopped(why) => Err(Error::refused(format!("stopped halfway: {pane} {why}"))),
    }
}
