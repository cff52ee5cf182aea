//! `madohub watch`: Changes of state as they happen.

use crate::cli::WatchArgs;
use crate::client::Client;
use crate::config::Looks;
use crate::events::{Gap, Line};
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
    let Some(events) = Client::of(&server, ctx.paths()).watch(args.since)? else {
        return Err(super::tmux::no_daemon(&server));
    };
    let mut out = stdout();
    for event in events {
        let (line, said) = event?;
        match said {
            _ if args.json => writeln!(out, "{line}")?,
            Line::Event(event) => writeln!(out, "{}", describe(&event, &looks, terminal))?,
            Line::Gap { gap, .. } => writeln!(out, "{}", describe_gap(gap))?,
        }
        out.flush()?;
    }
    Err(Error::no_server(format!("the daemon of {} ended", clean(&server.name()))))
}

/// What is missing, for people.
fn describe_gap(Gap { after, next }: Gap) -> String {
    if next > after + 1 {
        format!("… {} events are missing …", next - after - 1)
    } else {
        "… the numbers of events began anew …".to_owned()
    }
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
