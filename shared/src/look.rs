//! How states look, the same in every host unless its settings say otherwise.

use crate::detection::State;

/// Which set of glyphs is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Glyphs {
    /// `● · ? ■ ✓ ✗ ○`
    #[default]
    Unicode,
    /// `* . ? # v x o`, for fonts and terminals that lack the others.
    Ascii,
}

/// How one state looks where nobody chose anything else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuiltInLook {
    /// Glyph, one cell wide.
    pub glyph: &'static str,
    /// Red, green and blue; none leaves what the user has as it is.
    pub rgb: Option<(u8, u8, u8)>,
    /// Bold, in text.
    pub bold: bool,
    /// Dim, in text, where a host can do that.
    pub dim: bool,
}

/// One value for each state, `unknown` included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PerState<T>([T; 8]);

impl<T> PerState<T> {
    /// What `value` answers for each state.
    pub fn new(value: impl FnMut(State) -> T) -> Self {
        let all = [
            State::Working,
            State::Idle,
            State::Waiting,
            State::Stopped,
            State::Completed,
            State::Failed,
            State::Exited,
            State::Unknown,
        ];
        Self(all.map(value))
    }

    /// The value of a state.
    pub fn of(&self, state: State) -> &T {
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

    /// The value of a state, to be changed.
    pub fn of_mut(&mut self, state: State) -> &mut T {
        let [working, idle, waiting, stopped, completed, failed, exited, unknown] = &mut self.0;
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
}

impl BuiltInLook {
    /// The look of a state with this set of glyphs.
    pub fn of(state: State, glyphs: Glyphs) -> Self {
        let (unicode, ascii, rgb, bold, dim) = match state {
            State::Working => ("●", "*", Some((80, 200, 120)), false, false),
            State::Idle => ("·", ".", None, false, false),
            State::Waiting => ("?", "?", Some((255, 160, 0)), true, false),
            State::Stopped => ("■", "#", Some((220, 80, 70)), false, false),
            State::Completed => ("✓", "v", Some((80, 200, 120)), false, false),
            State::Failed => ("✗", "x", Some((255, 60, 60)), true, false),
            State::Exited => ("○", "o", Some((120, 120, 120)), false, true),
            State::Unknown => (" ", " ", None, false, false),
        };
        Self { glyph: if glyphs == Glyphs::Ascii { ascii } else { unicode }, rgb, bold, dim }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_state_has_a_value_of_its_own() {
        let mut values = PerState::new(|state| state.to_string());
        for state in State::BY_NEED.into_iter().chain([State::Unknown]) {
            assert_eq!(values.of(state), state.as_str());
            values.of_mut(state).push('!');
            assert_eq!(values.of(state), &format!("{state}!"));
        }
    }
}
