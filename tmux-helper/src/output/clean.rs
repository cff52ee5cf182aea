//! Text that came from a pane, a log or a title, where [`clean`] alone is not enough: it must not run
//! a tmux format, and of a message one line will do.

use madohub_detect::text::{self, clean};

/// Characters of a message that a list shows.
const MESSAGE_MAX: usize = 160;

/// The first line of a message that says anything, cut and [`clean`].
pub fn first_line(message: &str) -> Option<String> {
    let line = text::first_line(message)?;
    let cut: String = line.chars().take(MESSAGE_MAX).collect();
    Some(clean(&cut) + if cut.len() < line.len() { "…" } else { "" })
}

/// [`clean`], with `#` doubled: tmux reads `#(…)`, `#[…]` and `#{…}` in formats and runs them.
pub fn for_tmux(text: &str) -> String {
    clean(text).replace('#', "##")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_untrusted_moves_the_cursor_or_runs_a_format() {
        assert_eq!(clean("a\x1b[31mb\r\n\x07\x7f\u{9b}1m"), "a␛[31mb␍␊␇␡�1m");
        assert_eq!(clean("user\u{202e}gpj\u{200b}"), "user�gpj�");
        assert_eq!(for_tmux("#(rm -rf ~) #{x} #[fg=red]\n"), "##(rm -rf ~) ##{x} ##[fg=red]␊");
    }

    #[test]
    fn a_message_is_told_by_its_first_line() {
        assert_eq!(first_line("\n  Done.\x1b[0m\nMore.").as_deref(), Some("Done.␛[0m"));
        assert_eq!(first_line(" \n"), None);
        let long = first_line(&"é".repeat(500)).unwrap_or_default();
        assert_eq!(long.chars().count(), MESSAGE_MAX + 1);
    }
}
