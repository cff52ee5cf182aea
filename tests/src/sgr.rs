//! Reads text with colour codes, as `tmux capture-pane -e` prints it, into cells.

use crate::screen::{Cell, Colour, Screen, Style};
use unicode_width::UnicodeWidthChar;

impl Screen {
    /// Reads rows separated by line feeds. A style holds until it is changed, across rows too.
    pub fn parse(ansi: &str) -> Self {
        let mut reader = Reader::default();
        let mut screen = Self { rows: vec![Vec::new()] };
        let mut chars = ansi.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '\n' => screen.rows.push(Vec::new()),
                '\x1b' => reader.escape(&mut chars),
                '\x0e' => reader.line_drawing = true,
                '\x0f' => reader.line_drawing = false,
                c if c.is_control() => {}
                c => reader.put(c, screen.rows.last_mut().expect("at least one row")),
            }
        }
        if screen.rows.last().is_some_and(Vec::is_empty) {
            screen.rows.pop();
        }
        screen
    }
}

type Chars<'a> = std::iter::Peekable<std::str::Chars<'a>>;

#[derive(Default)]
struct Reader {
    style: Style,
    line_drawing: bool,
}

impl Reader {
    fn put(&self, c: char, row: &mut Vec<Cell>) {
        let c = if self.line_drawing { line_drawing(c) } else { c };
        match c.width().unwrap_or(0) {
            0 => {
                if let Some(last) = row.iter_mut().rev().find(|cell| !cell.text.is_empty()) {
                    last.text.push(c);
                }
            }
            width => {
                row.push(Cell { text: c.to_string(), style: self.style });
                for _ in 1..width {
                    row.push(Cell { text: String::new(), style: self.style });
                }
            }
        }
    }

    /// Takes the rest of an escape sequence; only SGR changes anything.
    fn escape(&mut self, chars: &mut Chars<'_>) {
        match chars.next() {
            Some('[') => {
                let mut params = String::new();
                for c in chars.by_ref() {
                    if ('@'..='~').contains(&c) {
                        if c == 'm' {
                            self.select(&params);
                        }
                        break;
                    }
                    params.push(c);
                }
            }
            Some(']' | 'P') => skip_string(chars),
            Some('(' | ')') => self.line_drawing = chars.next() == Some('0'),
            _ => {}
        }
    }

    fn select(&mut self, params: &str) {
        let mut params = params.split(';');
        while let Some(param) = params.next() {
            let mut parts = param.split(':');
            let style = &mut self.style;
            match parts.next().unwrap_or_default().parse::<u8>().unwrap_or(0) {
                0 => *style = Style::default(),
                1 => style.bold = true,
                2 => style.dim = true,
                3 => style.italic = true,
                4 => style.underline = parts.next() != Some("0"),
                7 => style.reverse = true,
                9 => style.strike = true,
                22 => (style.bold, style.dim) = (false, false),
                23 => style.italic = false,
                24 => style.underline = false,
                27 => style.reverse = false,
                29 => style.strike = false,
                n @ 30..38 => style.fg = Colour::Indexed(n - 30),
                39 => style.fg = Colour::Default,
                n @ 40..48 => style.bg = Colour::Indexed(n - 40),
                49 => style.bg = Colour::Default,
                n @ 90..98 => style.fg = Colour::Indexed(n - 82),
                n @ 100..108 => style.bg = Colour::Indexed(n - 92),
                n @ (38 | 48 | 58) => {
                    let inside: Vec<&str> = parts.collect();
                    let colour = if inside.is_empty() {
                        extended(&mut params)
                    } else {
                        extended_with_colons(&inside)
                    };
                    match (n, colour) {
                        (38, Some(colour)) => style.fg = colour,
                        (48, Some(colour)) => style.bg = colour,
                        _ => {}
                    }
                }
                _ => {}
            }
        }
    }
}

fn extended<'a>(params: &mut impl Iterator<Item = &'a str>) -> Option<Colour> {
    let mut number = || params.next()?.parse::<u8>().ok();
    match number()? {
        5 => Some(Colour::Indexed(number()?)),
        2 => Some(Colour::Rgb(number()?, number()?, number()?)),
        _ => None,
    }
}

/// `5:n`, `2:r:g:b` or, with a colour space, `2::r:g:b`.
fn extended_with_colons(parts: &[&str]) -> Option<Colour> {
    match parts {
        ["5", n] => Some(Colour::Indexed(n.parse().ok()?)),
        ["2", .., r, g, b] => Some(Colour::Rgb(r.parse().ok()?, g.parse().ok()?, b.parse().ok()?)),
        _ => None,
    }
}

fn skip_string(chars: &mut Chars<'_>) {
    while let Some(c) = chars.next() {
        if c == '\x07' || c == '\x1b' && chars.next_if_eq(&'\\').is_some() {
            return;
        }
    }
}

/// The VT100 line drawing set, as far as multiplexers use it.
fn line_drawing(c: char) -> char {
    match c {
        'j' => '┘',
        'k' => '┐',
        'l' => '┌',
        'm' => '└',
        'n' => '┼',
        'q' => '─',
        't' => '├',
        'u' => '┤',
        'v' => '┴',
        'w' => '┬',
        'x' => '│',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn style(ansi: &str) -> Style {
        Screen::parse(ansi).cell(0, 0).style
    }

    #[test]
    fn reads_every_form_of_colour() {
        let fg = |colour| Style { fg: colour, ..Style::default() };
        assert_eq!(style("\x1b[32mx"), fg(Colour::Indexed(2)));
        assert_eq!(style("\x1b[92mx"), fg(Colour::Indexed(10)));
        assert_eq!(style("\x1b[38;5;214mx"), fg(Colour::Indexed(214)));
        assert_eq!(style("\x1b[38;2;1;2;3mx"), fg(Colour::Rgb(1, 2, 3)));
        assert_eq!(style("\x1b[38:2::1:2:3mx"), fg(Colour::Rgb(1, 2, 3)));
        assert_eq!(style("\x1b[38:5:9mx"), fg(Colour::Indexed(9)));
        assert_eq!(style("\x1b[38;5;9;1;39mx"), Style { bold: true, ..Style::default() });
        assert_eq!(style("\x1b[1;2;7m\x1b[22mx"), Style { reverse: true, ..Style::default() });
    }

    #[test]
    fn a_style_holds_across_rows_until_reset() {
        let screen = Screen::parse("\x1b[31ma\nb\x1b[mc\n");
        assert_eq!(screen.rows.len(), 2);
        assert_eq!(screen.cell(0, 1).style.fg, Colour::Indexed(1));
        assert_eq!(screen.cell(1, 1).style.fg, Colour::Default);
    }

    #[test]
    fn wide_and_combining_characters_keep_the_columns() {
        let screen = Screen::parse("日e\u{301}x");
        assert_eq!(screen.cell(0, 0).text, "日");
        assert_eq!(screen.cell(1, 0).text, "");
        assert_eq!(screen.cell(2, 0).text, "e\u{301}");
        assert_eq!(screen.cell(3, 0).text, "x");
        assert_eq!(screen.row_text(0), "日e\u{301}x");
    }

    #[test]
    fn what_is_written_reads_the_same() {
        let read = Screen::parse("\x1b[1;38;5;9;48;2;1;2;3ma\x1b[22;3;39mb\n日 \x1b[7mx\x1b[m  \n");
        let again = Screen::parse(&read.ansi_rows().join("\n"));
        for (x, y) in [(0, 0), (1, 0), (0, 1), (3, 1), (4, 1)] {
            assert_eq!(read.cell(x, y), again.cell(x, y), "{x},{y}");
        }
    }

    #[test]
    fn strings_and_other_sequences_leave_no_trace() {
        let screen = Screen::parse("\x1b]8;;http://x\x1b\\a\x1b]0;t\x07b\x1b[2Kc\x0ex\x0f");
        assert_eq!(screen.row_text(0), "abc│");
    }
}
