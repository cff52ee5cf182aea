//! Text for people, the same in every host. What a pane, a log or a title says is untrusted: it must
//! not move the cursor, set colours, or lie about the order of letters.

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

/// The first line that says anything, without the blanks around it. The line is not [`clean`].
pub fn first_line(text: &str) -> Option<&str> {
    text.lines().map(str::trim).find(|line| !line.is_empty())
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

/// Seconds as one unit, or two where the second one matters: `38s`, `2m14s`, `25m`, `3h`, `4d`.
pub fn since(seconds: f64) -> String {
    // Clocks of two machines, or one that was set back, make it negative.
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

    #[test]
    fn times_are_one_unit_and_a_half() {
        for (seconds, text) in [
            (0.0, "0s"),
            (38.9, "38s"),
            (60.0, "1m"),
            (134.0, "2m14s"),
            (599.0, "9m59s"),
            (600.0, "10m"),
            (3599.0, "59m"),
            (3600.0, "1h"),
            (5400.0, "1h30m"),
            (10.0 * 3600.0, "10h"),
            (47.0 * 3600.0, "47h"),
            (48.0 * 3600.0, "2d"),
            (-5.0, "0s"),
            (f64::NAN, "0s"),
            (f64::INFINITY, "0s"),
        ] {
            assert_eq!(since(seconds), text, "{seconds}");
        }
    }

    #[test]
    fn nothing_that_steers_a_terminal_survives() {
        let hostile = "a\u{1b}[31mb\r\n\u{7}c\u{202e}d\u{9b}0m\0";
        let shown = clean(hostile);
        assert!(shown.chars().all(|c| !c.is_control()), "{shown:?}");
        assert!(!shown.contains('\u{202e}'));
        assert!(shown.starts_with("a␛[31mb"));
    }

    #[test]
    fn wide_letters_are_cut_whole() {
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
