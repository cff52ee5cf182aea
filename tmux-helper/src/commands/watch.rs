//! `madohub watch`: Changes of state as they happen.

use crate::cli::WatchArgs;
use crate::client::Client;
use crate::config::Looks;
use crate::output::{Terminal, clean};
use crate::protocol::Event;
use crate::tmux::Server;
use crate::{Context, Error, Exit};
use std::io::{Write as _, stdout};

/// Runs the command.
pub(crate) fn run(args: &WatchArgs, ctx: &Context) -> Result<Exit, Error> {
    let server = Server::resolve(&args.server);
    let looks = ctx.config()?.looks;
    let terminal = Terminal::of_stdout();
    let Some(events) = Client::of(&server, ctx.paths()).watch()? else {
        return Err(super::tmux::no_daemon(&server));
    };
    let mut out = stdout();
    for event in events {
        let (line, event) = event?;
        if args.json {
            writeln!(out, "{line}")?;
        } else {
            writeln!(out, "{}", describe(&event, &looks, terminal))?;
        }
        out.flush()?;
    }
    Err(Error::no_server(format!("the daemon of {} ended", clean(&server.name()))))
}

/// One event for people: `%3 claude: working → ? waiting (approval)`.
fn describe(event: &Event, looks: &Looks, terminal: Terminal) -> String {
    let look = looks.of(event.to);
    let start = terminal.colours.map(|depth| look.ansi(depth)).unwrap_or_default();
    let end = if start.is_empty() { "" } else { "\x1b[0m" };
    let reason = event.reason.as_deref().map(|reason| format!(" ({})", clean(reason)));
    format!(
        "{} {}: {} → {start}{} {}{end}{}",
        clean(&event.pane),
        clean(event.agent.as_str()),
        event.from,
        look.glyph,
        event.to,
        reason.unwrap_or_default()
    )
}
