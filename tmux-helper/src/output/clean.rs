//! Text that came from a pane, a log or a title is untrusted: it must not move the cursor, set
//! colours, run a tmux format or lie about the order of letters.

use unicode_width::UnicodeWidthStr as _;

/// The text with every control character shown as a symbol (`␛`, `␊`) and every invisible or
/// direction-changing character as `�`; on one line, and harmless in a terminal.
pub fn clean(text: &str) -> String {
    text.chars().map(symbol).collect()
}

fn symbol(c: char) -> char {
    match c {
        '\t' => ' ',
        '\0'..='\x1f' => char::from_u32(0x2400 + u32::from(c)).unwrap_or('�'),
        '\x7f' => '␡',
        '\u{80}'..='\u{9f}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}' => '�',
        c => c,
    }
}

/// Characters of a message that a list shows.
const MESSAGE_MAX: usize = 160;

/// The first line of a message that says anything, cut and [`clean`].
pub fn first_line(message: &str) -> Option<String> {
    let line = message.lines().map(str::trim).find(|line| !line.is_empty())?;
    let cut: String = line.chars().take(MESSAGE_MAX).collect();
    Some(clean(&cut) + if cut.len() < line.len() { "…" } else { "" })
}

/// [`clean`], with `#` doubled: tmux reads `#(…)`, `#[…]` and `#{…}` in formats and runs them.
pub fn for_tmux(text: &str) -> String {
    clean(text).replace('#', "##")
}

/// Cells that the text takes in a terminal.
pub fn width(text: &str) -> usize {
    text.width()
}

/// The text cut to so many cells, with `…` where something is missing.
pub fn fit(text: &str, cells: usize) -> String {
    if cells == 0 {
        return String::new();
    }
    if width(text) <= cells && text.chars().nth(cells * MARKS_MAX).is_none() {
        return text.to_owned();
    }
    // The width of a text is not the sum of its characters': some change the one before.
    let mut out = String::new();
    for c in text.chars().take(cells * MARKS_MAX) {
        out.push(c);
        if width(&out) >= cells {
            out.pop();
            break;
        }
    }
    // What was taken off may have made the rest narrower.
    while width(&out) >= cells && out.pop().is_some() {}
    out.push('…');
    out
}

/// Characters that one cell may be made of; more is no writing system but an attack.
const MARKS_MAX: usize = 8;

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

    #[test]
    fn text_is_cut_by_cells_not_by_characters() {
        assert_eq!(fit("日本語", 6), "日本語");
        assert_eq!(fit("日本語", 5), "日本…");
        assert_eq!(fit("日本語", 4), "日…");
        assert_eq!(fit("abc", 2), "a…");
        assert_eq!(fit("abc", 1), "…");
        assert_eq!(fit("abc", 0), "");
        assert_eq!(fit("e\u{301}e\u{301}e\u{301}", 2), "e\u{301}…");
        // A variation selector makes the character before it two cells wide.
        assert_eq!(fit("\u{260e}\u{fe0f}ab", 3), "\u{260e}\u{fe0f}…");
        assert_eq!(fit("\u{260e}\u{fe0f}ab", 2), "\u{260e}…");
        assert!(fit(&"\u{301}".repeat(1_000_000), 5).chars().count() < 50);
    }
}
