//! A screen as a text file.

/// The rows of a screen, top first. Escape sequences are taken out, so that what
/// `tmux capture-pane -pe` prints can be used as it is.
pub fn screen_rows(text: &str) -> Vec<String> {
    text.lines().map(plain).collect()
}

fn plain(row: &str) -> String {
    let mut out = String::with_capacity(row.len());
    let mut chars = row.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\x1b' {
            // A carriage return or a shift of the character set paints nothing.
            if !matches!(c, '\r' | '\x0e' | '\x0f') {
                out.push(c);
            }
            continue;
        }
        match chars.next() {
            // CSI: up to its final byte.
            Some('[') => while chars.next().is_some_and(|c| !('@'..='~').contains(&c)) {},
            // OSC, DCS, SOS, PM, APC: up to BEL or ST.
            Some(']' | 'P' | 'X' | '^' | '_') => {
                while let Some(c) = chars.next() {
                    if c == '\x07' || c == '\x1b' && chars.next_if_eq(&'\\').is_some() {
                        break;
                    }
                }
            }
            // A character set: intermediate bytes, then one more.
            Some(' '..='/') => while chars.next().is_some_and(|c| (' '..='/').contains(&c)) {},
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_leave_no_trace() {
        let rows = screen_rows(
            "\x1b[1;38;5;208m✻ Brewed\x1b[0m for 3s\r\n\x1b]8;;file:///a\x1b\\link\x1b]8;;\x07\n\x1b(Bok\x1b[?25l",
        );
        assert_eq!(rows, ["✻ Brewed for 3s", "link", "ok"]);
    }

    #[test]
    fn a_sequence_that_is_cut_off_ends_with_the_row() {
        assert_eq!(screen_rows("a\x1b[12\nb\x1b\nc\x1b]0;t"), ["a", "b", "c"]);
    }
}
