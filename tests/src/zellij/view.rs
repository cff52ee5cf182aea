//! What zellij shows: panes, and the colours of their frames.

use super::ZellijStage;
use crate::screen::Colour;
use crate::wait::wait_for;
use serde::Deserialize;

/// The colours that the product gives states.
pub const STATE_COLOURS: [Colour; 5] = [
    Colour::Rgb(80, 200, 120),
    Colour::Rgb(255, 160, 0),
    Colour::Rgb(220, 80, 70),
    Colour::Rgb(255, 60, 60),
    Colour::Rgb(120, 120, 120),
];

/// One pane as zellij lists it.
#[derive(Debug, Clone, Deserialize)]
pub struct ZellijPane {
    /// Number of the pane among those of its kind.
    pub id: u32,
    /// It shows a plugin.
    pub is_plugin: bool,
    /// Column of its left edge.
    pub pane_x: usize,
    /// Row of its top edge.
    pub pane_y: usize,
    /// Columns that it takes.
    pub pane_columns: usize,
    /// Rows that it takes.
    pub pane_rows: usize,
}

impl ZellijStage {
    /// Where the panes are, as asked when their number last changed.
    fn places(&self, count: usize) -> Vec<ZellijPane> {
        let mut places = self.places.borrow_mut();
        if places.len() != count {
            *places = self.panes();
        }
        places.clone()
    }

    /// The panes that hold agents, by number.
    pub fn panes(&self) -> Vec<ZellijPane> {
        // zellij 0.45.1 prints nothing when it has no answer within a second.
        let mut panes: Vec<ZellijPane> = wait_for("zellij's list of panes", || {
            let text = self.action(&["list-panes", "--all", "--json"]);
            serde_json::from_str(&text).map_err(|error| format!("{error}: {text}"))
        });
        panes.retain(|pane| !pane.is_plugin);
        panes.sort_by_key(|pane| pane.id);
        panes
    }

    /// Colour of the left edge of the frame of each of `count` panes, in full style.
    pub fn frames(&self, client: &str, count: usize) -> Vec<Colour> {
        let screen = self.screen(client);
        self.places(count)
            .iter()
            .map(|pane| screen.cell(pane.pane_x, pane.pane_y + 1).style.fg)
            .collect()
    }

    /// Waits until the frame of one pane has this colour, wherever the pane is by now.
    #[track_caller]
    pub fn wait_frame(&self, client: &str, pane: u32, wanted: Colour) {
        wait_for(&format!("a frame of {wanted:?} around pane {pane}"), || {
            let panes = self.panes();
            let place = panes.iter().find(|p| p.id == pane).ok_or("no such pane")?;
            let screen = self.screen(client);
            // A pane in a stack that is not open is one row.
            let row = place.pane_y + usize::from(place.pane_rows > 1);
            let has = screen.cell(place.pane_x, row).style.fg;
            if has == wanted { Ok(()) } else { Err(format!("{has:?}\n{}", screen.text())) }
        });
    }

    /// Waits until the frames have these colours; `None` is any that is no state's.
    #[track_caller]
    pub fn wait_frames(&self, client: &str, wanted: &[Option<Colour>]) {
        wait_for(&format!("frames of {wanted:?}"), || {
            let frames = self.frames(client, wanted.len());
            let fits = frames.len() == wanted.len()
                && frames.iter().zip(wanted).all(|(has, wanted)| match wanted {
                    Some(colour) => has == colour,
                    None => !STATE_COLOURS.contains(has),
                });
            if fits { Ok(()) } else { Err(format!("{frames:?}\n{}", self.screen(client).text())) }
        });
    }
}
