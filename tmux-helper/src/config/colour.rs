//! Colours, and what they become on terminals that have fewer.

use madohub_detect::{BASIC_COLOURS, WrittenColour, xterm_rgb};
use std::fmt;
use std::str::FromStr;

/// How many colours a terminal shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Depth {
    /// Eight: the basic ones.
    Eight,
    /// Sixteen: the basic ones and their bright twins.
    Sixteen,
    /// The 256 of xterm.
    TwoFiftySix,
    /// 24 bits.
    Rgb,
}

/// One colour as it is given to a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    /// The terminal's own foreground.
    Default,
    /// One of the sixteen basic colours, 0–15.
    Basic(u8),
    /// One of the 256 of xterm.
    Indexed(u8),
    /// Red, green, blue.
    Rgb(u8, u8, u8),
}

/// One colour at every depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Palette {
    /// Where 24 bits are there.
    pub rgb: Colour,
    /// With 256 colours.
    pub c256: Colour,
    /// With 16 colours.
    pub c16: Colour,
    /// With 8 colours.
    pub c8: Colour,
}

impl Colour {
    /// The parameters of an SGR sequence that sets it as foreground.
    pub fn sgr(self) -> String {
        match self {
            Self::Default => "39".to_owned(),
            Self::Basic(n) if n < 8 => format!("{}", 30 + n),
            Self::Basic(n) => format!("{}", 90 + (n & 7)),
            Self::Indexed(n) => format!("38;5;{n}"),
            Self::Rgb(r, g, b) => format!("38;2;{r};{g};{b}"),
        }
    }

    fn to_rgb(self) -> Option<(u8, u8, u8)> {
        match self {
            Self::Default | Self::Basic(_) => None,
            Self::Indexed(n) => xterm_rgb(n),
            Self::Rgb(r, g, b) => Some((r, g, b)),
        }
    }
}

impl fmt::Display for Colour {
    /// As tmux and the settings write it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Default => f.write_str("default"),
            Self::Basic(n) => f.write_str(BASIC_COLOURS.get(usize::from(n)).unwrap_or(&"default")),
            Self::Indexed(n) => write!(f, "colour{n}"),
            Self::Rgb(r, g, b) => write!(f, "#{r:02x}{g:02x}{b:02x}"),
        }
    }
}

impl FromStr for Colour {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.eq_ignore_ascii_case("default") {
            return Ok(Self::Default);
        }
        Ok(match WrittenColour::parse(text, &["default"])? {
            WrittenColour::Basic(n) => Self::Basic(n),
            WrittenColour::Indexed(n) => Self::Indexed(n),
            WrittenColour::Rgb(r, g, b) => Self::Rgb(r, g, b),
        })
    }
}

impl Palette {
    /// One colour with what it becomes where there are fewer.
    pub fn derive(colour: Colour) -> Self {
        let c256 = match colour {
            Colour::Rgb(r, g, b) => Colour::Indexed(nearest_256(r, g, b)),
            other => other,
        };
        let c16 = match (colour, colour.to_rgb()) {
            (_, Some((r, g, b))) => nearest_16(r, g, b),
            (Colour::Indexed(n), None) => Colour::Basic(n & 15),
            (other, None) => other,
        };
        let c8 = match c16 {
            // Black on black would be invisible; the weight has to tell it apart.
            Colour::Basic(8) => Colour::Default,
            Colour::Basic(n) => Colour::Basic(n & 7),
            other => other,
        };
        Self { rgb: colour, c256, c16, c8 }
    }

    /// The colour at this depth.
    pub fn at(&self, depth: Depth) -> Colour {
        match depth {
            Depth::Rgb => self.rgb,
            Depth::TwoFiftySix => self.c256,
            Depth::Sixteen => self.c16,
            Depth::Eight => self.c8,
        }
    }
}

fn nearest_256(r: u8, g: u8, b: u8) -> u8 {
    let distance = |n: u8| {
        let (red, green, blue) = Colour::Indexed(n).to_rgb().unwrap_or_default();
        let sides = [r.abs_diff(red), g.abs_diff(green), b.abs_diff(blue)];
        sides.map(|side| u32::from(side).pow(2)).iter().sum::<u32>()
    };
    (16..=255).min_by_key(|n| distance(*n)).unwrap_or(16)
}

/// By hue, because the nearest basic colour of an orange would be red, which means something else.
fn nearest_16(r: u8, g: u8, b: u8) -> Colour {
    let (r, g, b) = (i32::from(r), i32::from(g), i32::from(b));
    let (high, low) = (r.max(g).max(b), r.min(g).min(b));
    let spread = high - low;
    if spread * 5 < high.max(1) {
        return Colour::Basic(match i32::midpoint(high, low) {
            0..=50 => 0,
            51..=150 => 8,
            151..=220 => 7,
            _ => 15,
        });
    }
    let hue = if high == r {
        (60 * (g - b) / spread + 360) % 360
    } else if high == g {
        60 * (b - r) / spread + 120
    } else {
        60 * (r - g) / spread + 240
    };
    let basic = match hue {
        20..70 => 3,
        70..165 => 2,
        165..200 => 6,
        200..260 => 4,
        260..335 => 5,
        _ => 1,
    };
    let bright = (high + low) * 10 > 12 * 255;
    Colour::Basic(if bright { basic + 8 } else { basic })
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a failing test may panic")]
mod tests {
    use super::*;

    fn derived(text: &str) -> [String; 4] {
        let palette = Palette::derive(text.parse().unwrap());
        [Depth::Rgb, Depth::TwoFiftySix, Depth::Sixteen, Depth::Eight]
            .map(|depth| palette.at(depth).to_string())
    }

    #[test]
    fn fewer_colours_keep_the_meaning() {
        assert_eq!(derived("#50c878"), ["#50c878", "colour78", "green", "green"]);
        // An orange is nearest to red, which says something else; yellow is what it has to be.
        assert_eq!(derived("#ffa000"), ["#ffa000", "colour214", "yellow", "yellow"]);
        assert_eq!(derived("#dc5046"), ["#dc5046", "colour167", "red", "red"]);
        assert_eq!(derived("#ff3c3c"), ["#ff3c3c", "colour203", "brightred", "red"]);
        // Bright black is black with eight colours, and cannot be seen.
        assert_eq!(derived("#787878"), ["#787878", "colour243", "brightblack", "default"]);
        assert_eq!(derived("colour208"), ["colour208", "colour208", "yellow", "yellow"]);
        assert_eq!(derived("brightcyan"), ["brightcyan", "brightcyan", "brightcyan", "cyan"]);
        assert_eq!(derived("default"), ["default"; 4]);
    }

    #[test]
    fn a_colour_reads_as_it_is_written() {
        for text in BASIC_COLOURS.into_iter().chain(["default", "colour0", "colour255", "#00ff7f"])
        {
            assert_eq!(text.parse::<Colour>().unwrap().to_string(), text);
        }
        for text in ["", "re", "#12345", "#12345g", "colour256", "colour-1", "#1234567", "#+12345"]
        {
            assert!(text.parse::<Colour>().unwrap_err().contains("no colour"), "{text}");
        }
    }

    #[test]
    fn every_basic_colour_has_its_own_sequence() {
        assert_eq!(Colour::Basic(1).sgr(), "31");
        assert_eq!(Colour::Basic(9).sgr(), "91");
        assert_eq!(Colour::Indexed(9).sgr(), "38;5;9");
        assert_eq!(Colour::Rgb(1, 2, 3).sgr(), "38;2;1;2;3");
        assert_eq!(Colour::Default.sgr(), "39");
    }
}
