//! `madohub tmux`: The daemon of a tmux server.

use crate::cli::{TmuxArgs, TmuxCommand};
use crate::client::Client;
use crate::daemon::{self, Files, Lock, Started};
use crate::output::{Agents, Script, clean, segment_with, since};
use crate::protocol::Hello;
use crate::tmux::{Restored, Server, TmuxError, restore};
use crate::{Context, Error, Exit, time};
use rustix::process::{Signal, kill_process};
use std::io::{Write as _, stdout};
use std::path::Path;
use std::time::{Duration, Instant};

/// How long a daemon that said that it ends may take to be gone.
const END: Duration = Duration::from_secs(5);

/// Runs the command.
pub(crate) fn run(args: &TmuxArgs, ctx: &Context) -> Result<Exit, Error> {
    match &args.command {
        TmuxCommand::Start { server, foreground: true, .. } => {
            let setup = daemon::setup(Server::resolve(server), ctx, true)?;
            daemon::run(setup, |_| {}).map(|()| Exit::Ok)
        }
        TmuxCommand::Start { server, detached: true, .. } => {
            daemon::background(Server::resolve(server), ctx).map(|()| Exit::Ok)
        }
        TmuxCommand::Start { server, .. } => start(&Server::resolve(server), ctx),
        TmuxCommand::Stop { server } => stop(&Server::resolve(server), ctx),
        TmuxCommand::Restart { server } => {
            let server = Server::resolve(server);
            end(&server, ctx)?;
            start(&server, ctx)
        }
        TmuxCommand::Restore { server } => put_back(&Server::resolve(server), ctx),
        TmuxCommand::Status { server, json } => status(&Server::resolve(server), *json, ctx),
    }
}

/// There is no daemon to talk to.
pub(super) fn no_daemon(server: &Server) -> Error {
    Error::no_server(format!("no daemon watches the tmux server on {}", clean(&server.name())))
        .remedy("Run `madohub tmux start`.")
}

fn start(server: &Server, ctx: &Context) -> Result<Exit, Error> {
    let (word, hello) = match daemon::start(server, ctx)? {
        Started::New(hello) => ("Watching", hello),
        Started::Already(hello) => ("Already watching", hello),
    };
    for warning in &hello.warnings {
        super::note(warning);
    }
    if !is_run_by_tmux() {
        writeln!(stdout().lock(), "{word} {}", describe(&hello))?;
    }
    Ok(Exit::Ok)
}

/// `run-shell` of tmux shows what a command prints in place of the pane: from a configuration
/// file nothing should pop up. Only there `$TMUX` comes without `$TMUX_PANE`.
fn is_run_by_tmux() -> bool {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    set("TMUX") && !set("TMUX_PANE")
}

fn stop(server: &Server, ctx: &Context) -> Result<Exit, Error> {
    let mut out = stdout().lock();
    if end(server, ctx)? {
        writeln!(out, "Stopped; tmux's options are as they were.")?;
        return Ok(Exit::Ok);
    }
    // A daemon that was killed left its marks.
    let restored = match restore(&addressed(server, ctx)?) {
        Ok(restored) => restored,
        Err(TmuxError::NoServer(_)) => Restored::default(),
        Err(error) => return Err(error.into()),
    };
    writeln!(out, "No daemon was running.")?;
    say_restored(&mut out, restored)?;
    Ok(Exit::No)
}

/// Ends the daemon, if there is one; whether there was.
fn end(server: &Server, ctx: &Context) -> Result<bool, Error> {
    let lock = Files::of(server, ctx.paths()).lock;
    match Client::of(server, ctx.paths()).stop() {
        // It does not answer, or speaks another version: a signal it understands in any case.
        Ok(None) | Err(_) if Lock::is_held(&lock) => end_by_signal(&lock).map(|()| true),
        Ok(None) => Ok(false),
        Err(error) => Err(error),
        Ok(Some(Some(left))) => Err(Error::failed(format!(
            "the daemon ended, but could not put everything back: {}",
            clean(&left)
        ))
        .remedy("Run `madohub tmux restore`.")),
        // A start that follows must not meet the old one.
        Ok(Some(None)) => Ok(until_free(&lock)),
    }
}

fn end_by_signal(lock: &Path) -> Result<(), Error> {
    let holder = Lock::holder(lock);
    let sent = holder
        .and_then(rustix::process::Pid::from_raw)
        .is_some_and(|pid| kill_process(pid, Signal::TERM).is_ok());
    if sent && until_free(lock) {
        return Ok(());
    }
    let process = holder.map(|pid| format!(" (process {pid})")).unwrap_or_default();
    Err(Error::failed(format!("the daemon{process} does not end"))
        .remedy("End it with `kill -9`, then run `madohub tmux restore`."))
}

/// Waits until the daemon is gone; whether it is.
fn until_free(lock: &Path) -> bool {
    let deadline = Instant::now() + END;
    while Lock::is_held(lock) && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(5));
    }
    !Lock::is_held(lock)
}

fn put_back(server: &Server, ctx: &Context) -> Result<Exit, Error> {
    let ended = end(server, ctx)?;
    let restored = restore(&addressed(server, ctx)?)?;
    let mut out = stdout().lock();
    if ended {
        writeln!(out, "Stopped the daemon.")?;
    }
    say_restored(&mut out, restored)?;
    Ok(Exit::Ok)
}

/// The server, talked to as its version wants it.
fn addressed(server: &Server, ctx: &Context) -> Result<Server, Error> {
    match server.identity() {
        Ok(identity) => {
            let scratch = ctx.paths().ensure_runtime_dir()?;
            Ok(server.clone().for_version(identity.version, scratch))
        }
        Err(TmuxError::NoServer(_)) => Ok(server.clone()),
        Err(error) => Err(error.into()),
    }
}

fn say_restored(out: &mut impl std::io::Write, restored: Restored) -> Result<(), Error> {
    match restored {
        Restored { panes: 0, windows: 0 } => {
            writeln!(out, "tmux's options are as they were.")?;
        }
        Restored { panes, windows } => writeln!(
            out,
            "Put back the options of {} and {}.",
            count(panes, "pane"),
            count(windows, "window")
        )?,
    }
    Ok(())
}

fn status(server: &Server, json: bool, ctx: &Context) -> Result<Exit, Error> {
    let client = Client::of(server, ctx.paths());
    let Some(hello) = client.hello()? else { return Err(no_daemon(server)) };
    let mut out = stdout().lock();
    if json {
        let text =
            serde_json::to_string(&hello).map_err(|error| Error::failed(error.to_string()))?;
        writeln!(out, "{text}")?;
        return Ok(Exit::Ok);
    }
    let now = time::now();
    let config = ctx.config()?;
    let panes = client.list()?.unwrap_or_default();
    let states = segment_with(Agents::here(&panes), &config, &config.segment, Script::Plain, now);
    writeln!(out, "Watching {}", describe(&hello))?;
    if !states.is_empty() {
        writeln!(out, "  states   {states}")?;
    }
    writeln!(
        out,
        "  daemon   {} of version {}, for {}",
        hello.pid,
        clean(&hello.version),
        since(now - hello.started)
    )?;
    writeln!(out, "  looked   {} ago, {} times", since(now - hello.looked), hello.looks)?;
    writeln!(out, "  log      {}", Files::of(server, ctx.paths()).log.display())?;
    for warning in &hello.warnings {
        writeln!(out, "  rules    {}", clean(warning))?;
    }
    if let Some(trouble) = &hello.trouble {
        writeln!(out, "  trouble  {}", clean(trouble))?;
    }
    Ok(Exit::Ok)
}

/// `tmux 3.3a on /tmp/tmux-1000/default: 2 agents in 5 panes`
fn describe(hello: &Hello) -> String {
    let server = clean(&hello.server);
    match &hello.tmux {
        Some(version) => format!(
            "tmux {} on {server}: {} in {}",
            clean(version),
            count(hello.agents, "agent"),
            count(hello.panes, "pane")
        ),
        None => format!("for a tmux server on {server}: the last one ended"),
    }
}

fn count(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}
