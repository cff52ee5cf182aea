//! Glyph and colour of each state: the same on frames, in the bar and in lists.

use crate::colour::Colour;
use madohub_detect::{BuiltInLook, Glyphs, PerState, State};

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
pub struct Looks(PerState<Look>);

impl Looks {
    /// The built-in looks with this set of glyphs.
    pub fn new(glyphs: Glyphs) -> Self {
        Self(PerState::new(|state| {
            let BuiltInLook { glyph, rgb, bold, .. } = BuiltInLook::of(state, glyphs);
            let colour = rgb.map(|(r, g, b)| Colour::Rgb(r, g, b));
            Look { glyph: glyph.to_owned(), colour, bold }
        }))
    }

    /// How a state looks.
    pub fn of(&self, state: State) -> &Look {
        self.0.of(state)
    }

    pub(crate) fn of_mut(&mut self, state: State) -> &mut Look {
        self.0.of_mut(state)
    }
}

impl Default for Looks {
    fn default() -> Self {
        Self::new(Glyphs::default())
    }
}
