//! `madohub watch`: Changes of state as they happen.

use crate::cli::WatchArgs;
use crate::client::Client;
use crate::config::Looks;
use crate::events::{Gap, Line};
use crate::output::{ListedPane, Terminal, clean};
use crate::protocol::Event;
use crate::tmux::Server;
use crate::{Context, Error, Exit};
use serde_json::{Map, Value, json};
use std::io::{Write as _, stdout};

/// Runs the command.
pub(crate) fn run(args: &WatchArgs, ctx: &Context) -> Result<Exit, Error> {
    let server = Server::resolve(&args.server);
    let looks = ctx.config()?.looks;
    let terminal = Terminal::of_stdout();
    let client = Client::of(&server, ctx.paths());
    let Some(events) = client.watch(args.since)? else {
        return Err(super::tmux::no_daemon(&server));
    };
    let mut out = stdout();
    for event in events {
        let (line, said) = event?;
        match said {
            Line::Event(event) if args.detail || args.message => {
                let rows = client.list()?.unwrap_or_default();
                let detail = detail(&event, &rows, args);
                writeln!(out, "{}", with_detail(&line, detail.as_ref()))?;
            }
            _ if args.json => writeln!(out, "{line}")?,
            Line::Event(event) => writeln!(out, "{}", describe(&event, &looks, terminal))?,
            Line::Gap { gap, .. } => writeln!(out, "{}", describe_gap(gap))?,
        }
        out.flush()?;
    }
    Err(Error::no_server(format!("the daemon of {} ended", clean(&server.name()))))
}

/// What the log tells of the pane of an event beside its state, as far as it is asked for. Nothing
/// when the pane has gone on since, or is gone.
fn detail(event: &Event, rows: &[ListedPane], args: &WatchArgs) -> Option<Map<String, Value>> {
    let mut rows = rows.iter().map(|listed| &listed.row);
    let row = rows.find(|row| row.pane == event.pane && row.state == event.to)?;
    let mut fields = Map::new();
    if args.detail {
        fields.insert("model".to_owned(), json!(row.model));
        fields.insert("context_left".to_owned(), json!(row.context_left));
        fields.insert("turn_ms".to_owned(), json!(row.turn_ms));
        fields.insert("retry".to_owned(), json!(row.retry));
        fields.insert("limit_resets".to_owned(), json!(row.limit_resets));
    }
    if args.message {
        fields.insert("last_message".to_owned(), json!(row.last_message));
    }
    Some(fields)
}

/// The line of an event with one more field; as it is where there is nothing to add.
fn with_detail(line: &str, detail: Option<&Map<String, Value>>) -> String {
    let added = detail.and_then(|detail| {
        let fields = serde_json::to_string(detail).ok()?;
        Some(format!("{},\"detail\":{fields}}}", line.trim_end().strip_suffix('}')?))
    });
    added.unwrap_or_else(|| line.to_owned())
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
pub(super) fn describe(event: &Event, looks: &Looks, terminal: Terminal) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_detail_is_one_more_field() {
        let detail = json!({"model": "m", "turn_ms": 7});
        for (line, detail, expected) in [
            (
                r#"{"v":1,"seq":3}"#,
                detail.as_object(),
                r#"{"v":1,"seq":3,"detail":{"model":"m","turn_ms":7}}"#,
            ),
            (r#"{"v":1,"seq":3}"#, None, r#"{"v":1,"seq":3}"#),
        ] {
            assert_eq!(with_detail(line, detail), expected);
        }
    }
}
