//! Colours as settings write them and zellij takes them.

use madohub_detect::{WrittenColour, xterm_rgb};
use std::fmt;
use std::str::FromStr;

/// A colour that a theme of zellij can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Colour {
    /// Red, green, blue.
    Rgb(u8, u8, u8),
    /// One of the 256 of xterm; the first sixteen are the terminal's own.
    Indexed(u8),
}

/// What xterm shows for the sixteen basic colours.
const BASIC: [(u8, u8, u8); 16] = [
    (0, 0, 0),
    (205, 0, 0),
    (0, 205, 0),
    (205, 205, 0),
    (0, 0, 238),
    (205, 0, 205),
    (0, 205, 205),
    (229, 229, 229),
    (127, 127, 127),
    (255, 0, 0),
    (0, 255, 0),
    (255, 255, 0),
    (92, 92, 255),
    (255, 0, 255),
    (0, 255, 255),
    (255, 255, 255),
];

impl Colour {
    /// Red, green and blue; for the first 16 of the 256 what xterm shows.
    pub fn rgb(self) -> (u8, u8, u8) {
        match self {
            Self::Rgb(r, g, b) => (r, g, b),
            Self::Indexed(n) => xterm_rgb(n)
                .or_else(|| BASIC.get(usize::from(n)).copied())
                .unwrap_or((229, 229, 229)),
        }
    }

    /// Brightness as the eye weighs it, 0 to 255.
    pub fn luma(self) -> u8 {
        let (r, g, b) = self.rgb();
        let sum = 299 * u32::from(r) + 587 * u32::from(g) + 114 * u32::from(b);
        u8::try_from(sum / 1000).unwrap_or(u8::MAX)
    }

    /// This colour, mixed with `percent` of another one.
    #[must_use]
    pub fn mixed(self, other: Self, percent: u8) -> Self {
        let share = u16::from(percent.min(100));
        let mix = |a: u8, b: u8| {
            let sum = u16::from(a) * (100 - share) + u16::from(b) * share;
            u8::try_from(sum / 100).unwrap_or(u8::MAX)
        };
        let ((r, g, b), (r2, g2, b2)) = (self.rgb(), other.rgb());
        Self::Rgb(mix(r, r2), mix(g, g2), mix(b, b2))
    }

    /// The parameters of an SGR sequence that sets it as foreground.
    pub fn sgr(self) -> String {
        match self {
            Self::Rgb(r, g, b) => format!("38;2;{r};{g};{b}"),
            Self::Indexed(n) => format!("38;5;{n}"),
        }
    }

    /// The parameters of an SGR sequence that sets it as background.
    pub fn sgr_background(self) -> String {
        match self {
            Self::Rgb(r, g, b) => format!("48;2;{r};{g};{b}"),
            Self::Indexed(n) => format!("48;5;{n}"),
        }
    }

    /// As a theme of zellij writes it: `r g b` or one number.
    pub fn kdl(self) -> String {
        match self {
            Self::Rgb(r, g, b) => format!("{r} {g} {b}"),
            Self::Indexed(n) => n.to_string(),
        }
    }
}

impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (r, g, b) = self.rgb();
        write!(f, "#{r:02x}{g:02x}{b:02x}")
    }
}

impl FromStr for Colour {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match WrittenColour::parse(text.trim(), &["none"])? {
            WrittenColour::Basic(n) | WrittenColour::Indexed(n) => Self::Indexed(n),
            WrittenColour::Rgb(r, g, b) => Self::Rgb(r, g, b),
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn reads_every_spelling() {
        assert_eq!("#ffa000".parse(), Ok(Colour::Rgb(255, 160, 0)));
        assert_eq!("Orange".parse(), Ok(Colour::Rgb(255, 160, 0)));
        assert_eq!("brightred".parse(), Ok(Colour::Indexed(9)));
        assert_eq!("colour214".parse(), Ok(Colour::Indexed(214)));
        for wrong in ["", "#fff", "colour256", "#gggggg", "colour", "#ffa00é"] {
            assert!(wrong.parse::<Colour>().unwrap_err().contains("is no colour"), "{wrong}");
        }
    }

    #[test]
    fn mixes_towards_the_other_colour() {
        let green = Colour::Rgb(80, 200, 120);
        let white = Colour::Rgb(255, 255, 255);
        assert_eq!(green.mixed(white, 0), green);
        assert_eq!(green.mixed(white, 100), white);
        assert!(green.mixed(white, 45).luma() > green.luma());
        assert_eq!(Colour::Indexed(214).rgb(), (255, 175, 0));
    }
}
