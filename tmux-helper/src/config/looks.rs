//! Glyph, colour and weight of each state: the same on borders, in the segment and in lists.

use super::{Colour, Depth, Palette};
use madohub_detect::{BuiltInLook, Glyphs, PerState, State};
use std::fmt::Write as _;

/// How one state looks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateLook {
    /// Glyph, one cell wide in the built-in sets.
    pub glyph: String,
    /// Colour; none leaves the user's own border as it is.
    pub palette: Option<Palette>,
    /// Bold.
    pub bold: bool,
    /// Dim.
    pub dim: bool,
}

/// How every state looks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Looks {
    /// The set that the glyphs come from where the user names none.
    pub glyphs: Glyphs,
    states: PerState<StateLook>,
}

impl Looks {
    /// The built-in looks with this set of glyphs.
    pub fn new(glyphs: Glyphs) -> Self {
        let states = PerState::new(|state| {
            let BuiltInLook { glyph, rgb, bold, dim } = BuiltInLook::of(state, glyphs);
            let palette = rgb.map(|(r, g, b)| Palette::derive(Colour::Rgb(r, g, b)));
            StateLook { glyph: glyph.to_owned(), palette, bold, dim }
        });
        Self { glyphs, states }
    }

    /// How a state looks.
    pub fn of(&self, state: State) -> &StateLook {
        self.states.of(state)
    }

    pub(super) fn of_mut(&mut self, state: State) -> &mut StateLook {
        self.states.of_mut(state)
    }
}

impl Default for Looks {
    fn default() -> Self {
        Self::new(Glyphs::default())
    }
}

impl StateLook {
    /// As a tmux style, `fg=#ffa000,bold`; empty where the user's own style stays.
    pub fn tmux_style(&self, depth: Depth) -> String {
        let Some(palette) = &self.palette else { return String::new() };
        let mut style = format!("fg={}", palette.at(depth));
        for (on, word) in [(self.bold, ",bold"), (self.dim, ",dim")] {
            if on {
                style.push_str(word);
            }
        }
        style
    }

    /// As the SGR sequence that starts it; empty where there is nothing to set.
    pub fn ansi(&self, depth: Depth) -> String {
        let Some(palette) = &self.palette else { return String::new() };
        let mut out = String::from("\x1b[");
        for (on, code) in [(self.bold, "1;"), (self.dim, "2;")] {
            if on {
                out.push_str(code);
            }
        }
        let _ = write!(out, "{}m", palette.at(depth).sgr());
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn no_two_states_look_the_same_at_any_depth() {
        for glyphs in [Glyphs::Unicode, Glyphs::Ascii] {
            let looks = Looks::new(glyphs);
            let glyphs: HashSet<&str> =
                State::BY_NEED.iter().map(|state| looks.of(*state).glyph.as_str()).collect();
            assert_eq!(glyphs.len(), State::BY_NEED.len());
        }
        let looks = Looks::default();
        for depth in [Depth::Eight, Depth::Sixteen, Depth::TwoFiftySix, Depth::Rgb] {
            // Completed has the colour of working, which pulses.
            let styles: HashSet<String> = State::BY_NEED
                .into_iter()
                .filter(|state| *state != State::Completed)
                .map(|state| looks.of(state).tmux_style(depth))
                .collect();
            assert_eq!(styles.len(), State::BY_NEED.len() - 1, "{depth:?}: {styles:?}");
        }
    }

    #[test]
    fn a_state_can_be_changed_where_it_is_looked_up() {
        let mut looks = Looks::default();
        for state in State::BY_NEED.into_iter().chain([State::Unknown]) {
            looks.of_mut(state).glyph = state.to_string();
            assert_eq!(looks.of(state).glyph, state.as_str());
        }
    }

    #[test]
    fn styles_are_written_as_tmux_and_terminals_read_them() {
        let looks = Looks::default();
        assert_eq!(looks.of(State::Waiting).tmux_style(Depth::Rgb), "fg=#ffa000,bold");
        assert_eq!(looks.of(State::Exited).tmux_style(Depth::Eight), "fg=default,dim");
        assert_eq!(looks.of(State::Idle).tmux_style(Depth::Rgb), "");
        assert_eq!(looks.of(State::Waiting).ansi(Depth::TwoFiftySix), "\x1b[1;38;5;214m");
    }
}
