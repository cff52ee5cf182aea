//! Modes and themes.

use super::Malformed;
use super::fields::{Fields, Value};
use crate::colour::Colour;
use crate::event::{Mode, ModeInfo};
use crate::theme::{Ink, Palette};

/// `InputMode`: those of which only the name matters.
const OTHER_MODES: [(u64, &str); 9] = [
    (2, "Resize"),
    (3, "Pane"),
    (4, "Tab"),
    (8, "RenameTab"),
    (9, "RenamePane"),
    (10, "Session"),
    (11, "Move"),
    (12, "Prompt"),
    (13, "Tmux"),
];

/// `ModeUpdatePayload`
pub(super) fn mode_info(payload: Fields<'_>) -> Result<ModeInfo, Malformed> {
    let (mut current, mut base, mut palette) = (Mode::Normal, Mode::Normal, None);
    for field in payload {
        match field? {
            (1, value) => current = mode(value.number()?),
            (3, style) => palette = styling(style.fields()?)?,
            (6, value) => base = mode(value.number()?),
            _ => {}
        }
    }
    Ok(ModeInfo { mode: current, base, palette: palette.ok_or(Malformed)? })
}

/// `Style`: of it the theme.
fn styling(style: Fields<'_>) -> Result<Option<Palette>, Malformed> {
    for field in style {
        if let (4, styling) = field? {
            return palette(styling.fields()?).map(Some);
        }
    }
    Ok(None)
}

fn mode(number: u64) -> Mode {
    match number {
        0 => Mode::Normal,
        1 => Mode::Locked,
        // Scroll, EnterSearch and Search
        5..=7 => Mode::Scroll,
        other => {
            let known = OTHER_MODES.iter().find(|(number, _)| *number == other);
            Mode::Other(known.map_or_else(|| other.to_string(), |(_, name)| (*name).to_owned()))
        }
    }
}

/// The number of a mode that the plugin asks for.
pub(super) fn mode_number(mode: &Mode) -> Option<u64> {
    match mode {
        Mode::Normal => Some(0),
        Mode::Locked => Some(1),
        // Not asked for.
        Mode::Scroll | Mode::Other(_) => None,
    }
}

/// `Styling`: lists of colours.
fn palette(styling: Fields<'_>) -> Result<Palette, Malformed> {
    let mut lists: [Vec<Colour>; 15] = Default::default();
    for field in styling {
        let (number, value) = field?;
        let list = usize::try_from(number).ok().and_then(|n| n.checked_sub(1));
        if let Some(list) = list.and_then(|n| lists.get_mut(n)) {
            list.push(colour(value)?);
        }
    }
    let list = |field: usize| lists.get(field - 1).map(Vec::as_slice).unwrap_or_default();
    let ink = |field| ink(list(field));
    Ok(Palette {
        text_unselected: ink(1)?,
        text_selected: ink(2)?,
        ribbon_unselected: ink(3)?,
        ribbon_selected: ink(4)?,
        table_title: ink(5)?,
        table_cell_unselected: ink(6)?,
        table_cell_selected: ink(7)?,
        list_unselected: ink(8)?,
        list_selected: ink(9)?,
        // A theme may leave it to the terminal.
        frame_unselected: if list(10).is_empty() { None } else { Some(ink(10)?) },
        frame_selected: ink(11)?,
        frame_highlight: ink(12)?,
        exit_code_success: ink(13)?,
        exit_code_error: ink(14)?,
        players: list(15).try_into().map_err(|_| Malformed)?,
    })
}

fn ink(list: &[Colour]) -> Result<Ink, Malformed> {
    match *list {
        [base, background, a, b, c, d] => Ok(Ink { base, background, emphasis: [a, b, c, d] }),
        _ => Err(Malformed),
    }
}

/// `Color`
fn colour(value: Value<'_>) -> Result<Colour, Malformed> {
    for field in value.fields()? {
        match field? {
            (2, rgb) => {
                let mut channels = [0; 3];
                for field in rgb.fields()? {
                    let (number, value) = field?;
                    let channel = usize::try_from(number).ok().and_then(|n| n.checked_sub(1));
                    if let Some(channel) = channel.and_then(|n| channels.get_mut(n)) {
                        *channel = value.as_()?;
                    }
                }
                let [red, green, blue] = channels;
                return Ok(Colour::Rgb(red, green, blue));
            }
            (3, index) => return Ok(Colour::Indexed(index.as_()?)),
            _ => {}
        }
    }
    Err(Malformed)
}
