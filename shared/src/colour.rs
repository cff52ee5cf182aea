//! Colours as people write them in settings, the same in every host.

/// A colour as it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WrittenColour {
    /// One of the sixteen basic colours, 0–15.
    Basic(u8),
    /// One of the 256 of xterm.
    Indexed(u8),
    /// Red, green, blue.
    Rgb(u8, u8, u8),
}

/// Names of the sixteen basic colours, in order.
pub const BASIC_COLOURS: [&str; 16] = [
    "black",
    "red",
    "green",
    "yellow",
    "blue",
    "magenta",
    "cyan",
    "white",
    "brightblack",
    "brightred",
    "brightgreen",
    "brightyellow",
    "brightblue",
    "brightmagenta",
    "brightcyan",
    "brightwhite",
];

impl WrittenColour {
    /// Reads a name, `colour0` to `colour255` or `#rrggbb`, in either case. An error tells the user
    /// what may be written; `more` are words that the host knows besides.
    pub fn parse(text: &str, more: &[&str]) -> Result<Self, String> {
        let wrong = || {
            let names = [&BASIC_COLOURS[..], &["orange", "gray"], more].concat().join(", ");
            format!(
                "`{text}` is no colour; write a name ({names}), colour0 to colour255, or #rrggbb"
            )
        };
        let name = text.to_ascii_lowercase();
        match name.as_str() {
            "orange" => return Ok(Self::Rgb(255, 160, 0)),
            "gray" | "grey" => return Ok(Self::Rgb(120, 120, 120)),
            _ => {}
        }
        if let Some(n) = BASIC_COLOURS.iter().position(|known| *known == name) {
            return u8::try_from(n).map(Self::Basic).map_err(|_| wrong());
        }
        if let Some(n) = name.strip_prefix("colour").or_else(|| name.strip_prefix("color")) {
            let digits = n.bytes().all(|b| b.is_ascii_digit());
            return n.parse().ok().filter(|_| digits).map(Self::Indexed).ok_or_else(wrong);
        }
        let is_rgb =
            |digits: &&str| digits.len() == 6 && digits.bytes().all(|b| b.is_ascii_hexdigit());
        let digits = name.strip_prefix('#').filter(is_rgb).ok_or_else(wrong)?;
        let n = u32::from_str_radix(digits, 16).map_err(|_| wrong())?;
        let [_, r, g, b] = n.to_be_bytes();
        Ok(Self::Rgb(r, g, b))
    }
}

/// Red, green and blue of one of xterm's 256 colours; nothing of the first sixteen, which are the
/// terminal's own.
pub fn xterm_rgb(n: u8) -> Option<(u8, u8, u8)> {
    let level = |step: u8| if step == 0 { 0 } else { 55 + 40 * step };
    match n {
        0..16 => None,
        16..232 => {
            let n = n - 16;
            Some((level(n / 36), level(n / 6 % 6), level(n % 6)))
        }
        232.. => {
            let gray = 8 + (n - 232) * 10;
            Some((gray, gray, gray))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_every_spelling_and_nothing_else() {
        for (text, colour) in [
            ("#ffa000", WrittenColour::Rgb(255, 160, 0)),
            ("Orange", WrittenColour::Rgb(255, 160, 0)),
            ("grey", WrittenColour::Rgb(120, 120, 120)),
            ("brightred", WrittenColour::Basic(9)),
            ("colour214", WrittenColour::Indexed(214)),
            ("color0", WrittenColour::Indexed(0)),
        ] {
            assert_eq!(WrittenColour::parse(text, &[]), Ok(colour), "{text}");
        }
        for text in
            ["", "re", "#fff", "#12345g", "#+12345", "#ffa00é", "colour", "colour256", "colour+1"]
        {
            let wrong = WrittenColour::parse(text, &["none"]);
            assert!(wrong.is_err_and(|why| why.contains("gray, none)")), "{text}");
        }
    }

    #[test]
    fn the_cube_and_the_greys_are_xterms() {
        for (n, rgb) in [
            (15, None),
            (16, Some((0, 0, 0))),
            (214, Some((255, 175, 0))),
            (231, Some((255, 255, 255))),
            (232, Some((8, 8, 8))),
            (255, Some((238, 238, 238))),
        ] {
            assert_eq!(xterm_rgb(n), rgb, "{n}");
        }
    }
}
