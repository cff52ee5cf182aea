//! Which cells of a client's screen are the border of which pane.

use crate::screen::{Cell, Screen};
use crate::tmux::Tmux;

/// A side of a pane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The line above, which is the pane's own with `pane-border-status top`.
    Top,
    /// The line below.
    Bottom,
    /// The line to the left.
    Left,
    /// The line to the right.
    Right,
}

/// Where a pane's content stands on the screen of a client with the status line at the bottom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PaneBox {
    /// First column.
    pub left: usize,
    /// First row.
    pub top: usize,
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
}

impl PaneBox {
    /// Asks the server.
    pub fn of(tmux: &Tmux, pane: &str) -> Self {
        let answer = tmux.get(pane, "#{pane_left} #{pane_top} #{pane_width} #{pane_height}");
        let numbers: Vec<usize> = answer.split(' ').map(|n| n.parse().expect("a number")).collect();
        let [left, top, width, height] = numbers[..] else { panic!("no pane box: {answer}") };
        Self { left, top, width, height }
    }

    /// The cells of one side that show a line, without the corners; none at the window's edge.
    pub fn border(&self, screen: &Screen, side: Side) -> Vec<Cell> {
        self.side(screen, side).into_iter().filter(Cell::is_line).collect()
    }

    /// Text in the line above the pane: its label.
    pub fn label(&self, screen: &Screen) -> String {
        let cells = self.side(screen, Side::Top);
        let text: String = cells.iter().map(|c| if c.is_line() { " " } else { &c.text }).collect();
        text.trim().to_owned()
    }

    /// All cells of one side without the corners.
    pub fn side(&self, screen: &Screen, side: Side) -> Vec<Cell> {
        let columns = self.left..self.left + self.width;
        let rows = self.top..self.top + self.height;
        let row = |y: Option<usize>| -> Vec<Cell> {
            y.into_iter().flat_map(|y| columns.clone().map(move |x| screen.cell(x, y))).collect()
        };
        let column = |x: Option<usize>| -> Vec<Cell> {
            x.into_iter().flat_map(|x| rows.clone().map(move |y| screen.cell(x, y))).collect()
        };
        match side {
            Side::Top => row(self.top.checked_sub(1)),
            Side::Bottom => row(Some(self.top + self.height)),
            Side::Left => column(self.left.checked_sub(1)),
            Side::Right => column(Some(self.left + self.width)),
        }
    }
}
