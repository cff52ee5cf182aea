//! What a terminal shows: cells with their colours.

use std::fmt::{self, Write as _};

/// A colour as a program asked for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Colour {
    /// The terminal's own.
    #[default]
    Default,
    /// One of the 256 palette colours; the first 16 are the terminal theme's.
    Indexed(u8),
    /// Red, green, blue.
    Rgb(u8, u8, u8),
}

/// What a person would call a colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Hue {
    /// The terminal's own colour.
    Default,
    /// Green of any brightness.
    Green,
    /// Orange or yellow.
    Orange,
    /// Red of any brightness.
    Red,
    /// Gray, black, white.
    Gray,
    /// Blue, cyan or magenta.
    Other,
}

impl Colour {
    /// Usual values of the first 16 colours.
    const BASIC: [(u8, u8, u8); 16] = [
        (0, 0, 0),
        (205, 49, 49),
        (60, 180, 90),
        (215, 175, 40),
        (60, 110, 210),
        (175, 80, 190),
        (50, 170, 190),
        (204, 204, 204),
        (118, 118, 118),
        (241, 76, 76),
        (80, 220, 130),
        (245, 220, 90),
        (95, 150, 245),
        (215, 120, 225),
        (90, 205, 220),
        (242, 242, 242),
    ];

    /// Red, green, blue; `None` for the terminal's own.
    pub fn rgb(self) -> Option<(u8, u8, u8)> {
        match self {
            Self::Default => None,
            Self::Rgb(r, g, b) => Some((r, g, b)),
            Self::Indexed(i @ 0..16) => Some(Self::BASIC[usize::from(i)]),
            Self::Indexed(i @ 16..232) => {
                let level = |n: u8| if n == 0 { 0 } else { 55 + 40 * n };
                let i = i - 16;
                Some((level(i / 36), level(i / 6 % 6), level(i % 6)))
            }
            Self::Indexed(i) => {
                let gray = 8 + 10 * (i - 232);
                Some((gray, gray, gray))
            }
        }
    }

    /// What a person would call it.
    pub fn hue(self) -> Hue {
        let Some((r, g, b)) = self.rgb() else { return Hue::Default };
        let (r, g, b) = (i32::from(r), i32::from(g), i32::from(b));
        let (max, min) = (r.max(g).max(b), r.min(g).min(b));
        let span = max - min;
        if span * 5 < max.max(60) {
            return Hue::Gray;
        }
        let degrees = if max == r {
            (60 * (g - b) / span).rem_euclid(360)
        } else if max == g {
            120 + 60 * (b - r) / span
        } else {
            240 + 60 * (r - g) / span
        };
        match degrees {
            0..20 | 340.. => Hue::Red,
            20..72 => Hue::Orange,
            72..170 => Hue::Green,
            _ => Hue::Other,
        }
    }
}

/// One cell. The second half of a wide character has empty `text`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    /// Character with what combines with it.
    pub text: String,
    /// Style.
    pub style: Style,
}

/// How a cell is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "terminal attributes are independent switches")]
pub struct Style {
    /// Foreground.
    pub fg: Colour,
    /// Background.
    pub bg: Colour,
    /// Bold.
    pub bold: bool,
    /// Dim.
    pub dim: bool,
    /// Italic.
    pub italic: bool,
    /// Underlined in any way.
    pub underline: bool,
    /// Foreground and background exchanged.
    pub reverse: bool,
    /// Struck out.
    pub strike: bool,
}

impl Style {
    /// The terminal's own colours, nothing else.
    pub const PLAIN: Self = Self {
        fg: Colour::Default,
        bg: Colour::Default,
        bold: false,
        dim: false,
        italic: false,
        underline: false,
        reverse: false,
        strike: false,
    };
}

impl Default for Cell {
    fn default() -> Self {
        Self { text: " ".to_owned(), style: Style::default() }
    }
}

impl Cell {
    /// Whether the cell is a piece of a line between panes.
    pub fn is_line(&self) -> bool {
        self.text.chars().all(|c| ('\u{2500}'..='\u{257f}').contains(&c)) && !self.text.is_empty()
    }
}

/// The rows of a terminal.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Screen {
    /// Rows from the top; all of them as long as the terminal is wide, if that is known.
    pub rows: Vec<Vec<Cell>>,
}

impl Screen {
    /// The cell at column `x` of row `y`; a blank where nothing is.
    pub fn cell(&self, x: usize, y: usize) -> Cell {
        self.rows.get(y).and_then(|row| row.get(x)).cloned().unwrap_or_default()
    }

    /// Text of row `y` without trailing blanks.
    pub fn row_text(&self, y: usize) -> String {
        let row: String =
            self.rows.get(y).into_iter().flatten().map(|cell| cell.text.as_str()).collect();
        row.trim_end().to_owned()
    }

    /// The rows with colour codes, each complete in itself, without trailing blanks.
    pub fn ansi_rows(&self) -> Vec<String> {
        self.rows.iter().map(|row| ansi_row(row)).collect()
    }

    /// Text of all rows.
    pub fn text(&self) -> String {
        (0..self.rows.len()).map(|y| self.row_text(y)).collect::<Vec<_>>().join("\n")
    }
}

fn ansi_row(row: &[Cell]) -> String {
    let end = row.iter().rposition(|cell| *cell != Cell::default()).map_or(0, |last| last + 1);
    let mut out = String::new();
    let mut now = Style::default();
    for cell in &row[..end] {
        if cell.style != now {
            out.push_str(&cell.style.sgr());
            now = cell.style;
        }
        out.push_str(&cell.text);
    }
    if now != Style::default() {
        out.push_str("\x1b[m");
    }
    out
}

impl Style {
    /// The escape sequence that selects this style whatever was selected before.
    fn sgr(self) -> String {
        let mut codes = String::from("\x1b[0");
        let switches = [
            (self.bold, 1),
            (self.dim, 2),
            (self.italic, 3),
            (self.underline, 4),
            (self.reverse, 7),
            (self.strike, 9),
        ];
        for (_, code) in switches.into_iter().filter(|(on, _)| *on) {
            write!(codes, ";{code}").expect("a string");
        }
        for (colour, base) in [(self.fg, 30), (self.bg, 40)] {
            match colour {
                Colour::Default => Ok(()),
                Colour::Indexed(n @ 0..8) => write!(codes, ";{}", base + u32::from(n)),
                Colour::Indexed(n) => write!(codes, ";{};5;{n}", base + 8),
                Colour::Rgb(r, g, b) => write!(codes, ";{};2;{r};{g};{b}", base + 8),
            }
            .expect("a string");
        }
        codes + "m"
    }
}

/// The text, then for every row that has lines between panes the colours of those cells, one
/// letter each: what one wants to read when a border test fails.
impl fmt::Display for Screen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (y, row) in self.rows.iter().enumerate() {
            writeln!(f, "{y:3} {}", self.row_text(y))?;
            if row.iter().filter(|cell| cell.is_line()).count() > 2 {
                let letters: String = row.iter().map(letter).collect();
                writeln!(f, "    {}", letters.trim_end())?;
            }
        }
        Ok(())
    }
}

fn letter(cell: &Cell) -> char {
    if !cell.is_line() {
        return ' ';
    }
    let letter = match cell.style.fg.hue() {
        Hue::Default => '.',
        Hue::Green => 'g',
        Hue::Orange => 'o',
        Hue::Red => 'r',
        Hue::Gray => 'a',
        Hue::Other => 'x',
    };
    if cell.style.bold { letter.to_ascii_uppercase() } else { letter }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_colours_as_a_person_would() {
        for (colour, hue) in [
            (Colour::Default, Hue::Default),
            (Colour::Indexed(78), Hue::Green),
            (Colour::Indexed(2), Hue::Green),
            (Colour::Rgb(80, 200, 120), Hue::Green),
            (Colour::Indexed(214), Hue::Orange),
            (Colour::Indexed(3), Hue::Orange),
            (Colour::Rgb(255, 160, 0), Hue::Orange),
            (Colour::Indexed(167), Hue::Red),
            (Colour::Indexed(203), Hue::Red),
            (Colour::Rgb(220, 80, 70), Hue::Red),
            (Colour::Indexed(243), Hue::Gray),
            (Colour::Indexed(8), Hue::Gray),
            (Colour::Indexed(6), Hue::Other),
        ] {
            assert_eq!(colour.hue(), hue, "{colour:?}");
        }
    }
}
