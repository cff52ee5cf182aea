//! Many tmux commands in one run of tmux.
//!
//! The commands go to `tmux source-file -` on the standard input, one a line: there is no limit
//! on their length, and a command that fails (its pane is gone) does not keep the others from
//! running, both unlike commands joined with `;` on the command line (tmux 3.0 to 3.8).

use super::quote::quote;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::hash::{BuildHasher as _, RandomState};
use tmux_interface::{DisplayMessage, TmuxCommand};

/// Commands to run together, in order.
#[derive(Debug)]
pub struct Batch {
    script: String,
    asked: usize,
    marker: String,
}

/// Which answer of a batch is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Slot(usize);

/// What the commands of one batch answered.
#[derive(Debug, Default)]
pub struct Replies {
    answers: HashMap<usize, String>,
    complete: bool,
}

impl Default for Batch {
    fn default() -> Self {
        Self::new()
    }
}

impl Batch {
    /// A batch without commands.
    pub fn new() -> Self {
        // What a pane shows cannot hold a word that nobody could foresee.
        let word = RandomState::new().hash_one(0_u8);
        Self { script: String::new(), asked: 0, marker: format!("madohub-{word:016x}") }
    }

    /// Adds a command whose output, if any, is of no interest.
    pub fn tell<'a>(&mut self, command: impl Into<TmuxCommand<'a>>) {
        push(&mut self.script, &command.into());
    }

    /// Adds a command whose output is wanted.
    pub fn ask<'a>(&mut self, command: impl Into<TmuxCommand<'a>>) -> Slot {
        let slot = Slot(self.asked);
        self.asked += 1;
        mark(&mut self.script, &self.marker, slot.0);
        push(&mut self.script, &command.into());
        slot
    }

    /// Whether there is anything to run.
    pub fn is_empty(&self) -> bool {
        self.script.is_empty()
    }

    /// Whether any answer is wanted.
    pub(super) fn asks(&self) -> bool {
        self.asked > 0
    }

    /// The commands as tmux reads them.
    pub(super) fn script(&self) -> String {
        let mut script = self.script.clone();
        if self.asks() {
            mark(&mut script, &self.marker, self.asked);
        }
        script
    }

    /// Cuts the output into answers.
    pub(super) fn replies(&self, stdout: &[u8]) -> Replies {
        let text = String::from_utf8_lossy(stdout);
        let mut replies = Replies { answers: HashMap::new(), complete: !self.asks() };
        let mut current: Option<(usize, String)> = None;
        for line in text.split_inclusive('\n') {
            let number = line
                .strip_prefix(self.marker.as_str())
                .and_then(|rest| rest.trim_ascii().parse::<usize>().ok());
            match (number, &mut current) {
                (Some(number), _) => {
                    replies.answers.extend(current.take());
                    replies.complete |= number == self.asked;
                    current = Some((number, String::new()));
                }
                (None, Some((_, answer))) => answer.push_str(line),
                (None, None) => {}
            }
        }
        replies.answers.extend(current);
        replies
    }
}

impl Replies {
    /// The answer to a command, every line with its newline. Nothing when the command did not run
    /// or failed without a word, empty when it had nothing to say: tmux does not tell these apart.
    pub fn get(&self, slot: Slot) -> Option<&str> {
        self.answers.get(&slot.0).map(String::as_str)
    }

    /// Whether tmux came to the end of the batch.
    pub fn is_complete(&self) -> bool {
        self.complete
    }
}

fn push(script: &mut String, command: &TmuxCommand<'_>) {
    for (n, word) in command.to_vec().iter().enumerate() {
        let _ = write!(script, "{}{}", if n == 0 { "" } else { " " }, quote(word));
    }
    script.push('\n');
}

fn mark(script: &mut String, marker: &str, number: usize) {
    let message = format!("{marker} {number}");
    push(script, &DisplayMessage::new().print().message(message).build());
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use tmux_interface::{CapturePane, SetOption};

    #[test]
    fn every_value_is_quoted() {
        let mut batch = Batch::new();
        batch.tell(SetOption::new().pane().target_pane("%1").option("@x").value("a b;"));
        assert_eq!(batch.script(), "set-option -p -t %1 @x 'a b;'\n");
    }

    #[test]
    fn answers_are_cut_at_the_markers() {
        let mut batch = Batch::new();
        let slots: Vec<Slot> = ["%1", "%2", "%3"]
            .map(|pane| batch.ask(CapturePane::new().stdout().target_pane(pane)))
            .to_vec();
        let marker = batch.marker.clone();
        // The second pane is gone, the third shows what looks like a marker.
        let output =
            format!("{marker} 0\none\n\n{marker} 1\n{marker} 2\nmadohub-0 7\nlast\n{marker} 3\n");
        let replies = batch.replies(output.as_bytes());
        let answers: Vec<_> = slots.iter().map(|slot| replies.get(*slot).unwrap()).collect();
        assert_eq!(answers, ["one\n\n", "", "madohub-0 7\nlast\n"]);
        assert!(replies.is_complete());
    }

    #[test]
    fn an_output_that_breaks_off_is_not_complete() {
        let mut batch = Batch::new();
        let slot = batch.ask(CapturePane::new().stdout());
        let replies = batch.replies(format!("{} 0\none", batch.marker).as_bytes());
        assert_eq!(replies.get(slot), Some("one"));
        assert!(!replies.is_complete());
        assert!(!batch.replies(b"no server running on /x\n").is_complete());
    }
}
