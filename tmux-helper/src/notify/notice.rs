//! The text of a notification: short, and nothing that acts on a terminal or a desktop.

use crate::output::PaneRow;
use madohub_detect::State;
use std::collections::BTreeMap;

/// Longest title and body, in characters.
const TITLE_MAX: usize = 60;
const BODY_MAX: usize = 160;

/// What a person is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// Who, and what.
    pub title: String,
    /// Where; may be empty.
    pub body: String,
    /// A person is needed.
    pub urgent: bool,
}

impl Notice {
    /// A notification of these texts, cleaned and cut.
    pub fn new(title: &str, body: &str, urgent: bool) -> Self {
        Self { title: short(title, TITLE_MAX), body: short(body, BODY_MAX), urgent }
    }

    /// One notification for panes that entered these states.
    pub(super) fn of(panes: &[(State, PaneRow, u32)]) -> Option<Self> {
        let urgent = panes.iter().any(|(state, ..)| *state == State::Waiting);
        match panes {
            [] => None,
            [(state, row, index)] => {
                let name = row.agent_name.as_deref().unwrap_or(row.agent.as_str());
                Some(Self::new(
                    &says(name, *state, row.reason.as_deref()),
                    &place(row, *index),
                    urgent,
                ))
            }
            many => {
                let mut counts: BTreeMap<usize, (State, usize)> = BTreeMap::new();
                for (state, ..) in many {
                    counts.entry(state.need_rank()).or_insert((*state, 0)).1 += 1;
                }
                let counts: Vec<String> =
                    counts.values().map(|(state, count)| format!("{count} {state}")).collect();
                let places: Vec<String> = many.iter().map(|(_, row, at)| pane(row, *at)).collect();
                Some(Self::new(
                    &format!("agents: {}", counts.join(", ")),
                    &places.join(" "),
                    urgent,
                ))
            }
        }
    }
}

fn says(name: &str, state: State, reason: Option<&str>) -> String {
    let what = match state {
        State::Waiting => "waits for you",
        State::Completed => "is done",
        State::Working => "works",
        State::Idle => "is idle",
        State::Failed | State::Stopped | State::Exited | State::Unknown => state.as_str(),
    };
    match reason {
        Some(reason) => format!("{name} {what}: {reason}"),
        None => format!("{name} {what}"),
    }
}

fn pane(row: &PaneRow, index: u32) -> String {
    format!("{}:{}.{index}", row.session, row.window)
}

fn place(row: &PaneRow, index: u32) -> String {
    match &row.cwd {
        Some(cwd) => format!("{} {cwd}", pane(row, index)),
        None => pane(row, index),
    }
}

/// One line without anything that is no plain text: control characters, marks of writing
/// direction, characters of no width.
fn short(text: &str, most: usize) -> String {
    let odd = |c: char| {
        matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}')
    };
    let blank = |c: char| if c.is_control() { ' ' } else { c };
    let text: String = text.chars().filter(|c| !odd(*c)).map(blank).collect();
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    if text.chars().count() <= most {
        return text;
    }
    let mut cut: String = text.chars().take(most.saturating_sub(1)).collect();
    cut.push('…');
    cut
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use madohub_detect::{AgentId, StateSource};

    pub(in crate::notify) fn row(pane: &str, state: State, reason: Option<&str>) -> PaneRow {
        PaneRow {
            mux: "tmux".into(),
            server: "/s".into(),
            session: "api".into(),
            window: 1,
            window_name: "w".into(),
            pane: pane.into(),
            agent: AgentId::new("claude"),
            agent_name: Some("Claude Code".into()),
            agent_version: None,
            state,
            state_source: StateSource::PtyScrape,
            reason: reason.map(str::to_owned),
            background: 0,
            since: 0.0,
            title: None,
            cwd: Some("/home/u/api".into()),
            pid: None,
            model: None,
            last_message: None,
            context_left: None,
            turn_ms: None,
            retry: None,
            limit_resets: None,
        }
    }

    #[test]
    fn one_pane_is_named_and_several_are_counted() {
        let waits = (State::Waiting, row("%1", State::Waiting, Some("approval")), 2);
        let done = (State::Completed, row("%2", State::Completed, None), 0);
        let told = |panes: &[_]| Notice::of(panes).map(|n| (n.title, n.body, n.urgent));
        let told_one = ("Claude Code waits for you: approval", "api:1.2 /home/u/api", true);
        let own = |(a, b, c): (&str, &str, bool)| Some((a.to_owned(), b.to_owned(), c));
        assert_eq!(told(std::slice::from_ref(&waits)), own(told_one));
        assert_eq!(
            told(std::slice::from_ref(&done)),
            own(("Claude Code is done", "api:1.0 /home/u/api", false))
        );
        assert_eq!(
            told(&[done.clone(), waits, done]),
            own(("agents: 1 waiting, 2 completed", "api:1.0 api:1.2 api:1.0", true))
        );
        assert_eq!(told(&[]), None);
    }

    #[test]
    fn the_text_is_plain_and_short() {
        for (text, clean) in [
            ("a\u{1b}]9;x\u{7}b", "a ]9;x b"),
            ("a\r\nb\t c", "a b c"),
            ("\u{202e}evil\u{200b}\u{2066}", "evil"),
            ("界", "界"),
        ] {
            assert_eq!(short(text, 60), clean);
        }
        let long = short(&"x".repeat(100), 60);
        assert_eq!((long.chars().count(), long.ends_with('…')), (60, true));
    }
}
