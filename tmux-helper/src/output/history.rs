//! What was told of each pane, for `madohub list --history`.

use super::{ListedPane, PaneRow, Terminal, clean, since};
use crate::config::Looks;
use crate::protocol::{Event, PaneHistory};
use serde::Serialize;
use std::fmt::Write as _;

/// A row of `madohub list --json` with its events; a contract like both.
#[derive(Serialize)]
struct Row<'a> {
    #[serde(flatten)]
    row: &'a PaneRow,
    history: &'a [Event],
}

/// An array, one pane a line: its row, and under `history` its events, oldest first.
pub fn history_json(panes: &[PaneHistory]) -> serde_json::Result<String> {
    let row = |pane: &PaneHistory| {
        serde_json::to_string(&Row { row: &pane.pane.row, history: &pane.events })
    };
    let rows: Vec<String> = panes.iter().map(row).collect::<Result<_, _>>()?;
    Ok(format!("[{}]\n", rows.join(",\n ")))
}

/// A line for each pane and one for each event, the newest first.
pub fn history_text(panes: &[PaneHistory], looks: &Looks, terminal: Terminal, now: f64) -> String {
    let mut out = String::new();
    for PaneHistory { pane, events } in panes {
        let _ = writeln!(out, "{}", heading(pane));
        if events.is_empty() {
            out.push_str("  nothing was told yet\n");
        }
        for event in events.iter().rev() {
            let look = looks.of(event.to);
            let start = terminal.colours.map(|depth| look.ansi(depth)).unwrap_or_default();
            let end = if start.is_empty() { "" } else { "\x1b[0m" };
            let reason = event.reason.as_deref().map(|r| format!(" ({})", clean(r)));
            let _ = writeln!(
                out,
                "  {:>6} ago  {} → {start}{} {}{end}{}",
                since(now - event.since),
                event.from,
                look.glyph,
                event.to,
                reason.unwrap_or_default()
            );
        }
    }
    out
}

fn heading(pane: &ListedPane) -> String {
    let row = &pane.row;
    format!("{} {} {}", clean(&row.pane), clean(&pane.place()), clean(row.agent.as_str()))
}

#[cfg(test)]
mod tests {
    #![allow(
        clippy::indexing_slicing,
        clippy::panic,
        clippy::unwrap_used,
        reason = "a failing test may panic"
    )]

    use super::super::row::tests::pane;
    use super::*;
    use madohub_detect::{AgentId, State, StateSource};

    fn event(from: State, to: State, since: f64) -> Event {
        Event {
            v: 1,
            seq: 1,
            time: since,
            host: String::new(),
            mux: "tmux".to_owned(),
            server: String::new(),
            pane: "%3".to_owned(),
            agent: AgentId::new("codex"),
            from,
            to,
            state_source: StateSource::PtyScrape,
            reason: (to == State::Waiting).then(|| "approval\u{1b}".to_owned()),
            since,
            turn: "1".to_owned(),
            evidence: Vec::new(),
        }
    }

    fn panes() -> Vec<PaneHistory> {
        let events = vec![
            event(State::Idle, State::Working, 100.0),
            event(State::Working, State::Waiting, 160.0),
        ];
        vec![
            PaneHistory { pane: pane("api", "codex", State::Waiting), events },
            PaneHistory { pane: pane("web", "claude", State::Idle), events: Vec::new() },
        ]
    }

    #[test]
    fn the_newest_event_comes_first() {
        let plain = Terminal { width: None, colours: None };
        let text = history_text(&panes(), &Looks::default(), plain, 200.0);
        let expected = "\
%3 api:1.0 codex
     40s ago  working → ? waiting (approval␛)
   1m40s ago  idle → ● working
%3 web:1.0 claude
  nothing was told yet
";
        assert_eq!(text, expected);
    }

    #[test]
    fn programs_get_the_row_and_its_events() {
        let rows: Vec<serde_json::Value> =
            serde_json::from_str(&history_json(&panes()).unwrap()).unwrap();
        assert_eq!(rows[0]["pane"], "%3");
        assert_eq!(rows[0]["history"][1]["to"], "waiting");
        assert_eq!(rows[1]["history"].as_array().unwrap().len(), 0);
    }
}
