//! The looks of states as the terminal's.

use crate::config::{Colour, Depth, Looks};
use madohub_detect::State;
use ratatui::style::{Color, Modifier, Style};

/// How things look in this terminal.
#[derive(Debug)]
pub(super) struct Palette {
    looks: Looks,
    /// None: no colours, the glyphs and weights alone.
    depth: Option<Depth>,
}

impl Palette {
    /// These looks in a terminal with so many colours.
    pub(super) fn new(looks: Looks, depth: Option<Depth>) -> Self {
        Self { looks, depth }
    }

    /// Whether there are colours.
    pub(super) fn has_colours(&self) -> bool {
        self.depth.is_some()
    }

    /// Glyph of a state.
    pub(super) fn glyph(&self, state: State) -> &str {
        &self.looks.of(state).glyph
    }

    /// Style of a state.
    pub(super) fn state(&self, state: State) -> Style {
        let look = self.looks.of(state);
        let mut style = Style::new();
        if let (Some(palette), Some(depth)) = (&look.palette, self.depth) {
            style = style.fg(colour(palette.at(depth)));
        }
        for (on, weight) in [(look.bold, Modifier::BOLD), (look.dim, Modifier::DIM)] {
            if on {
                style = style.add_modifier(weight);
            }
        }
        style
    }
}

fn colour(colour: Colour) -> Color {
    match colour {
        Colour::Default => Color::Reset,
        Colour::Basic(n) | Colour::Indexed(n) => Color::Indexed(n),
        Colour::Rgb(r, g, b) => Color::Rgb(r, g, b),
    }
}
