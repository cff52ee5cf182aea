//! Glyph and colour of each state: the same on frames, in the bar and in lists.

use crate::colour::Colour;
use madohub_detect::State;

/// Which set of glyphs is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Glyphs {
    /// `● · ? ■ ✓ ✗ ○`
    #[default]
    Unicode,
    /// `* . ? # v x o`, for fonts that lack the others.
    Ascii,
}

/// How one state looks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Look {
    /// Glyph.
    pub glyph: String,
    /// Colour; none leaves the user's own frame as it is.
    pub colour: Option<Colour>,
    /// Bold, in text.
    pub bold: bool,
}

/// How every state looks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Looks([Look; 8]);

/// Glyph, ASCII glyph, colour, bold; in the order of [`index`].
const DEFAULTS: [(&str, &str, Option<Colour>, bool); 8] = [
    ("●", "*", Some(Colour::Rgb(80, 200, 120)), false),
    ("·", ".", None, false),
    ("?", "?", Some(Colour::Rgb(255, 160, 0)), true),
    ("■", "#", Some(Colour::Rgb(220, 80, 70)), false),
    ("✓", "v", Some(Colour::Rgb(80, 200, 120)), false),
    ("✗", "x", Some(Colour::Rgb(255, 60, 60)), true),
    ("○", "o", Some(Colour::Rgb(120, 120, 120)), false),
    (" ", " ", None, false),
];

const fn index(state: State) -> usize {
    match state {
        State::Working => 0,
        State::Idle => 1,
        State::Waiting => 2,
        State::Stopped => 3,
        State::Completed => 4,
        State::Failed => 5,
        State::Exited => 6,
        State::Unknown => 7,
    }
}

impl Looks {
    /// The built-in looks with this set of glyphs.
    pub fn new(glyphs: Glyphs) -> Self {
        Self(DEFAULTS.map(|(unicode, ascii, colour, bold)| Look {
            glyph: if glyphs == Glyphs::Ascii { ascii } else { unicode }.to_owned(),
            colour,
            bold,
        }))
    }

    /// How a state looks.
    pub fn of(&self, state: State) -> &Look {
        let [working, idle, waiting, stopped, completed, failed, exited, unknown] = &self.0;
        match state {
            State::Working => working,
            State::Idle => idle,
            State::Waiting => waiting,
            State::Stopped => stopped,
            State::Completed => completed,
            State::Failed => failed,
            State::Exited => exited,
            State::Unknown => unknown,
        }
    }

    pub(crate) fn of_mut(&mut self, state: State) -> Option<&mut Look> {
        self.0.get_mut(index(state))
    }
}

impl Default for Looks {
    fn default() -> Self {
        Self::new(Glyphs::default())
    }
}
