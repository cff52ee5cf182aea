//! A captured screen with its colours, as lines to draw. Of its escape sequences nothing else is
//! left: links, titles and movements of the cursor are dropped.

use crate::output::clean;
use anstyle_parse::{DefaultCharAccumulator, Params, Parser, Perform};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};

/// Reads a screen as `capture-pane -e -p` of tmux and `dump-screen --ansi` of zellij print it.
pub(super) fn lines(captured: &str) -> Vec<Line<'static>> {
    let mut parser = Parser::<DefaultCharAccumulator>::new();
    let mut reader = Reader::default();
    for byte in captured.bytes() {
        parser.advance(&mut reader, byte);
    }
    reader.end_line();
    // Blank rows at the end say nothing, and what matters would be above them.
    while reader.lines.last().is_some_and(is_blank) {
        reader.lines.pop();
    }
    reader.lines
}

fn is_blank(line: &Line<'_>) -> bool {
    line.spans.iter().all(|span| span.content.trim().is_empty())
}

#[derive(Default)]
struct Reader {
    lines: Vec<Line<'static>>,
    spans: Vec<Span<'static>>,
    text: String,
    style: Style,
}

impl Perform for Reader {
    fn print(&mut self, c: char) {
        self.text.push(c);
    }

    fn execute(&mut self, byte: u8) {
        match byte {
            b'\n' => self.end_line(),
            b'\t' => self.text.push(' '),
            _ => {}
        }
    }

    fn csi_dispatch(&mut self, params: &Params, _: &[u8], _: bool, action: u8) {
        if action == b'm' {
            self.end_span();
            let groups: Vec<&[u16]> = params.iter().collect();
            self.set(&groups);
        }
    }
}

impl Reader {
    fn end_span(&mut self) {
        if !self.text.is_empty() {
            self.spans.push(Span::styled(clean(&std::mem::take(&mut self.text)), self.style));
        }
    }

    fn end_line(&mut self) {
        self.end_span();
        self.lines.push(Line::from(std::mem::take(&mut self.spans)));
    }

    /// Takes over the parameters of an SGR sequence; one without any resets everything.
    fn set(&mut self, mut groups: &[&[u16]]) {
        if groups.is_empty() {
            self.style = Style::new();
        }
        while let Some((group, rest)) = groups.split_first() {
            groups = rest;
            match group {
                [what @ (38 | 48), sub @ ..] => {
                    // `38:5:8` is one group, `38;5;8` are three.
                    let later: Vec<u16> =
                        rest.iter().take(4).flat_map(|g| g.iter().copied()).collect();
                    let is_one = !sub.is_empty();
                    let (colour, used) = extended(if is_one { sub } else { &later });
                    groups = rest.get(if is_one { 0 } else { used }..).unwrap_or_default();
                    let Some(colour) = colour else { continue };
                    self.style =
                        if *what == 38 { self.style.fg(colour) } else { self.style.bg(colour) };
                }
                [code, ..] => self.style = basic(self.style, *code),
                [] => {}
            }
        }
    }
}

/// The colour behind 38 or 48, and how many parameters it takes.
fn extended(params: &[u16]) -> (Option<Color>, usize) {
    let byte = |n: u16| u8::try_from(n).unwrap_or(u8::MAX);
    match *params {
        [5, n, ..] => (Some(Color::Indexed(byte(n))), 2),
        // With colons there may be a colour space before the three.
        [2, _, r, g, b] | [2, r, g, b, ..] => (Some(Color::Rgb(byte(r), byte(g), byte(b))), 4),
        _ => (None, params.len()),
    }
}

fn basic(style: Style, code: u16) -> Style {
    let n = |from: u16| Color::Indexed(u8::try_from(code - from).unwrap_or(0));
    let on = |weight| style.add_modifier(weight);
    match code {
        0 => Style::new(),
        1 => on(Modifier::BOLD),
        2 => on(Modifier::DIM),
        3 => on(Modifier::ITALIC),
        4 => on(Modifier::UNDERLINED),
        7 => on(Modifier::REVERSED),
        9 => on(Modifier::CROSSED_OUT),
        22 => style.remove_modifier(Modifier::BOLD | Modifier::DIM),
        23 => style.remove_modifier(Modifier::ITALIC),
        24 => style.remove_modifier(Modifier::UNDERLINED),
        27 => style.remove_modifier(Modifier::REVERSED),
        29 => style.remove_modifier(Modifier::CROSSED_OUT),
        30..=37 => style.fg(n(30)),
        39 => style.fg(Color::Reset),
        40..=47 => style.bg(n(40)),
        49 => style.bg(Color::Reset),
        90..=97 => style.fg(n(82)),
        100..=107 => style.bg(n(92)),
        _ => style,
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::indexing_slicing, reason = "a failing test may panic")]

    use super::*;

    fn span(text: &str) -> (String, Style) {
        let lines = lines(text);
        let last = lines[0].spans.last().cloned().unwrap_or_default();
        (last.content.into_owned(), last.style)
    }

    #[test]
    fn colours_and_weights_are_kept() {
        let new = Style::new();
        for (text, style) in [
            ("\x1b[31mx", new.fg(Color::Indexed(1))),
            ("\x1b[91;104mx", new.fg(Color::Indexed(9)).bg(Color::Indexed(12))),
            ("\x1b[38;5;208mx", new.fg(Color::Indexed(208))),
            ("\x1b[38:5:208mx", new.fg(Color::Indexed(208))),
            ("\x1b[38;2;1;2;3;48;2;4;5;6mx", new.fg(Color::Rgb(1, 2, 3)).bg(Color::Rgb(4, 5, 6))),
            ("\x1b[38:2::1:2:3mx", new.fg(Color::Rgb(1, 2, 3))),
            ("\x1b[1;38;5;7;3mx", new.fg(Color::Indexed(7)).bold().italic()),
            ("\x1b[7m\x1b[0mx", new),
            ("\x1b[7m\x1b[mx", new),
            ("\x1b[38;9;1mx", new),
            ("\x1b[38mx", new),
        ] {
            assert_eq!(span(text), ("x".to_owned(), style), "{text:?}");
        }
        let (_, style) = span("\x1b[1;2m\x1b[22mx");
        assert!(!style.add_modifier.intersects(Modifier::BOLD | Modifier::DIM));
    }

    #[test]
    fn nothing_else_of_a_screen_is_left() {
        let hostile = "a\x1b]8;;http://x\x1b\\b\x1b]8;;\x1b\\\x1b]0;title\x07\x1b[2J\x1b[5;5H\u{202e}c\x08\n\n \n";
        let lines = lines(hostile);
        let texts: Vec<String> = lines.iter().map(ToString::to_string).collect();
        assert_eq!(texts, ["ab�c"]);
    }
}
