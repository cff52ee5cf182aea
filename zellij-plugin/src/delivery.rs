//! Guarded delivery of text to an agent, as the engine decides it ([`madohub_detect::delivery`]):
//! what a screen without colours says of an input box, and what is said of the end.

use crate::command::Send;
use crate::event::Screen;
use madohub_detect::delivery::{Composer, Delivery, Outcome, Terms, harmless};
use std::ops::Range;

/// How often text and key are tried.
const TRIES: u32 = 3;
/// Seconds to wait for an idle agent where the user names none.
const PATIENCE: f64 = 1800.0;
/// Seconds between two looks at a pane that is being typed into, and at one that is waited for.
const LOOKS: (f64, f64) = (0.15, 1.0);
/// Characters of a text that are looked for in the input box.
const PROOF: usize = 12;

/// One delivery.
#[derive(Debug)]
pub(crate) struct Sending {
    /// The pipe that waits for the answer.
    pub(crate) pipe: Option<String>,
    /// What goes where.
    pub(crate) send: Send,
    /// Command line that was in the foreground when it was asked for; empty where zellij does not
    /// know it, and none until it was asked.
    pub(crate) occupant: Option<Vec<String>>,
    /// How often zellij was asked for it without an answer.
    pub(crate) unanswered: u32,
    /// How far it came.
    pub(crate) delivery: Delivery,
}

impl Sending {
    pub(crate) fn new(pipe: Option<String>, send: Send, now: f64) -> Self {
        let until = now + send.timeout.unwrap_or(PATIENCE);
        let terms = Terms { wait: send.wait, until, shell: false, tries: TRIES };
        Self { pipe, send, occupant: None, unanswered: 0, delivery: Delivery::new(terms) }
    }

    /// The text as a bracketed paste: nothing in it is taken for a key.
    pub(crate) fn paste(&self) -> Vec<u8> {
        format!("\u{1b}[200~{}\u{1b}[201~", harmless(&self.send.text)).into_bytes()
    }

    /// The end, for who asked.
    pub(crate) fn told(target: &str, outcome: &Outcome) -> String {
        match outcome {
            Outcome::Delivered => format!("delivered to {target}\n"),
            Outcome::Unproved => {
                format!("unproved: the text went to {target}, but no turn was seen to start\n")
            }
            Outcome::Refused(why) => format!("refused: {target} {why}\n"),
            Outcome::NotNow(why) => {
                format!("refused: {target} {why}; `--when idle` waits until it is ready\n")
            }
            Outcome::Expired(why) => format!("expired: {target} {why}\n"),
            Outcome::Stopped(why) => format!("stopped: {target} {why}\n"),
        }
    }

    /// When to step again without an event.
    pub(crate) fn deadline(&self, now: f64) -> f64 {
        let (typing, waiting) = LOOKS;
        if self.delivery.has_begun() {
            now + typing
        } else {
            (now + waiting).min(self.delivery.terms().until.max(now))
        }
    }
}

/// What the input box in the rows `boxed` holds, as far as text without colours tells: a hint in
/// an empty box looks like text that was typed, unless the cursor is in front of it. `text` was
/// put into it where that has `begun`.
pub(crate) fn composer(
    screen: &Screen,
    boxed: Option<Range<usize>>,
    text: &str,
    begun: bool,
) -> Option<Composer> {
    let Some(boxed) = boxed else { return Some(Composer::Missing) };
    let rows = screen.rows.get(boxed.clone()).unwrap_or_default();
    let content: String =
        rows.iter().flat_map(|row| row.chars()).filter(|c| is_typed(*c)).collect();
    // The mark of the prompt is no text, and is one character but for agents that write a word.
    if content.chars().count() <= 1 {
        return Some(Composer::Empty);
    }
    let head: String = harmless(text).chars().filter(|c| is_typed(*c)).take(PROOF).collect();
    if begun && !head.is_empty() && content.contains(&head) {
        return Some(Composer::Holds);
    }
    let (column, row) = screen.cursor.filter(|(_, row)| boxed.contains(row))?;
    let before = |n: usize, text: &str| -> usize {
        let cells = if n == row { column } else { usize::MAX };
        let mut used = 0;
        let mut typed = 0;
        for c in text.chars() {
            used += madohub_detect::text::width(c.encode_utf8(&mut [0; 4]));
            if used > cells {
                break;
            }
            typed += usize::from(is_typed(c));
        }
        typed
    };
    let typed: usize = screen
        .rows
        .iter()
        .enumerate()
        .take(row + 1)
        .skip(boxed.start)
        .map(|(n, text)| before(n, text))
        .sum();
    Some(if typed > 1 { Composer::Holds } else { Composer::Empty })
}

/// Neither blank nor a part of the box around the text.
fn is_typed(c: char) -> bool {
    !c.is_whitespace() && !matches!(c, '|' | '\u{2500}'..='\u{259f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn screen(rows: &[&str], cursor: Option<(usize, usize)>) -> Screen {
        Screen { rows: rows.iter().map(|row| (*row).to_owned()).collect(), cursor }
    }

    #[test]
    fn an_input_box_is_read_as_far_as_it_can_be() {
        let empty = Some(Composer::Empty);
        let holds = Some(Composer::Holds);
        for (what, rows, cursor, begun, expected) in [
            ("a prompt alone", &["❯ "][..], None, false, empty),
            ("in a frame", &["│ > │", "│   │"], None, false, empty),
            ("a hint or a text: nobody knows", &["❯ Try it"], None, false, None),
            (
                "a hint behind the cursor",
                &["› Ask Codex to do anything"],
                Some((2, 0)),
                false,
                empty,
            ),
            ("text before the cursor", &["› fix"], Some((5, 0)), false, holds),
            ("text on the row above the cursor", &["› fix", "  "], Some((2, 1)), false, holds),
            ("wide text", &["› 日本"], Some((4, 0)), false, holds),
            ("what was put in", &["❯ run the", "  tests"], None, true, holds),
            ("something else", &["❯ walk the dog"], None, true, None),
        ] {
            let boxed = Some(0..rows.len());
            let seen = composer(&screen(rows, cursor), boxed, "run the tests", begun);
            assert_eq!(seen, expected, "{what}");
        }
        assert_eq!(composer(&screen(&["x"], None), None, "a", false), Some(Composer::Missing));
    }

    #[test]
    fn a_paste_holds_no_key_and_every_end_names_its_pane() {
        let send =
            Send { pane: 3, text: "a\u{1b}[201~\rb\nc".to_owned(), wait: false, timeout: None };
        let sending = Sending::new(None, send, 0.0);
        assert_eq!(sending.paste(), b"\x1b[200~a[201~\nb\nc\x1b[201~");
        let why = || "is working".to_owned();
        for (outcome, start) in [
            (Outcome::Delivered, "delivered"),
            (Outcome::Unproved, "unproved"),
            (Outcome::Refused(why()), "refused"),
            (Outcome::NotNow(why()), "refused"),
            (Outcome::Expired(why()), "expired"),
            (Outcome::Stopped(why()), "stopped"),
        ] {
            let said = Sending::told("terminal_3", &outcome);
            assert!(said.starts_with(start) && said.contains("terminal_3"), "{said}");
        }
    }
}
