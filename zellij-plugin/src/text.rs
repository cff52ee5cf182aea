//! Text for people. What a pane, a log or a title says is untrusted: it must not move the cursor,
//! set colours, or lie about the order of letters.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// The text with every control character shown as a symbol (`␛`, `␊`) and every invisible or
/// direction-changing character as `�`; on one line, and harmless in a terminal.
pub(crate) fn clean(text: &str) -> String {
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

/// Cells that the text takes in a terminal.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// The text cut to so many cells, with `…` where something is missing.
pub(crate) fn fit(text: &str, cells: usize) -> String {
    if width(text) <= cells {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut used = 0;
    for c in text.chars() {
        let next = used + c.width().unwrap_or(0);
        if next + 1 > cells {
            break;
        }
        used = next;
        out.push(c);
    }
    if cells > 0 {
        out.push('…');
    }
    out
}

/// Seconds as one unit, or two where the second one matters: `38s`, `2m14s`, `25m`, `3h`, `4d`.
pub(crate) fn since(seconds: f64) -> String {
    // A clock that was set back makes it negative.
    let seconds = if seconds.is_finite() { seconds.max(0.0) } else { 0.0 };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
    let s = seconds as u64;
    let (minutes, hours, days) = (s / 60, s / 3600, s / 86_400);
    match s {
        0..60 => format!("{s}s"),
        60..600 if s.is_multiple_of(60) => format!("{minutes}m"),
        60..600 => format!("{minutes}m{}s", s % 60),
        600..3600 => format!("{minutes}m"),
        3600..36_000 if minutes.is_multiple_of(60) => format!("{hours}h"),
        3600..36_000 => format!("{hours}h{}m", minutes % 60),
        36_000..172_800 => format!("{hours}h"),
        _ => format!("{days}d"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_steers_a_terminal_survives() {
        let hostile = "a\u{1b}[31mb\r\n\u{7}c\u{202e}d\u{9b}0m\0";
        let shown = clean(hostile);
        assert!(shown.chars().all(|c| !c.is_control()), "{shown:?}");
        assert!(!shown.contains('\u{202e}'));
        assert!(shown.starts_with("a␛[31mb"));
    }

    #[test]
    fn cuts_by_cells_not_letters() {
        assert_eq!(fit("abc", 3), "abc");
        assert_eq!(fit("abcd", 3), "ab…");
        assert_eq!(fit("窓窓窓", 4), "窓…");
        assert_eq!(fit("abc", 0), "");
    }

    #[test]
    fn ages_have_at_most_two_units() {
        let cases =
            [(-5.0, "0s"), (38.9, "38s"), (134.0, "2m14s"), (1500.0, "25m"), (10_800.0, "3h")];
        for (seconds, text) in cases {
            assert_eq!(since(seconds), text);
        }
        assert_eq!(since(f64::NAN), "0s");
    }
}
