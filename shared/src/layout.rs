//! Where on a screen the live part of an agent's interface is.
//!
//! Everything hangs on the input box: the status row is next to it, the footer on its other
//! side, and where it is missing, a dialog or another view has taken its place. Text that only
//! looks like an interface (an answer that quotes a dialog, a spinner in scrollback) is not next
//! to a live input box and so is in no region that a rule looks at.

use crate::rules::{InputBox, Layout, Region, RegionText, RuleSet};
use crate::screen::Screen;
use std::ops::Range;

/// Rows of a screen by their role for one agent. Ranges are row numbers of [`Screen`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Regions {
    pub(crate) input_box: Option<Range<usize>>,
    status: Option<Range<usize>>,
    block: Option<Range<usize>>,
    above: Option<Range<usize>>,
    footer: Option<Range<usize>>,
    dialog: Option<Range<usize>>,
    tail: Option<Range<usize>>,
    end: Range<usize>,
    screen: Range<usize>,
}

const TAIL_ROWS: usize = 12;
const END_ROWS: usize = 3;
/// Longest status row, wrapped in the narrowest pane.
const STATUS_WRAP: usize = 4;

impl Regions {
    pub(crate) fn find(screen: &Screen, layout: &Layout) -> Self {
        let rows = screen.len();
        let mut regions = Self {
            input_box: None,
            status: None,
            block: None,
            above: None,
            footer: None,
            dialog: None,
            tail: None,
            end: screen.back(rows, END_ROWS)..rows,
            screen: 0..rows,
        };
        match layout.boxes.iter().find_map(|shape| find_box(screen, shape)) {
            Some(found) => {
                let (status, block) = find_status(screen, layout, &found);
                regions.status = status;
                regions.block = block;
                regions.above = Some(screen.back(found.top, TAIL_ROWS)..found.top);
                regions.footer = Some(found.below..rows);
                regions.input_box = Some(found.prompt..found.end);
            }
            None if rows > 0 => {
                regions.dialog = find_dialog(screen, layout);
                regions.tail = Some(screen.back(rows, TAIL_ROWS)..rows);
            }
            None => {}
        }
        regions
    }

    /// The rows of a region, if this screen has it. The title is no part of the screen.
    pub(crate) fn rows(&self, region: Region) -> Option<&Range<usize>> {
        match region {
            Region::Title => None,
            Region::InputBox => self.input_box.as_ref(),
            Region::Status => self.status.as_ref(),
            Region::Block => self.block.as_ref(),
            Region::Above => self.above.as_ref(),
            Region::Footer => self.footer.as_ref(),
            Region::Dialog => self.dialog.as_ref(),
            Region::Tail => self.tail.as_ref(),
            Region::End => Some(&self.end).filter(|r| !r.is_empty()),
            Region::Screen => Some(&self.screen).filter(|r| !r.is_empty()),
        }
    }

    /// The text of a region, if this screen has it.
    pub(crate) fn text<'a>(&self, screen: &'a Screen, region: Region) -> Option<RegionText<'a>> {
        let rows = self.rows(region)?;
        let after_blank = rows.start.checked_sub(1).is_none_or(|above| screen.is_blank(above));
        Some(RegionText::new(screen.region(rows), after_blank))
    }
}

/// The rows of an agent's input box on a screen, if it shows one: from the prompt to the row
/// before the lower border. Row numbers are those of `rows`; `cols` is the width of the pane.
pub fn input_box(
    rules: &RuleSet,
    agent: &str,
    rows: &[String],
    cols: Option<u16>,
) -> Option<Range<usize>> {
    let agent = rules.agent(agent)?;
    let screen = Screen::new(rows, cols);
    let found = Regions::find(&screen, &agent.layout).input_box?;
    Some(screen.row_of(found.start)..screen.row_of(found.end))
}

struct FoundBox {
    /// First row with the border, if any.
    top: usize,
    /// First row of the prompt.
    prompt: usize,
    /// Row behind the last row of the prompt.
    end: usize,
    /// Row behind the box with its border.
    below: usize,
}

/// The last input box of this shape with little enough below it to be the live one.
fn find_box(screen: &Screen, shape: &InputBox) -> Option<FoundBox> {
    let mut below = 0;
    for row in (0..screen.len()).rev() {
        let raw = screen.raw(row);
        let found = match &shape.bottom {
            Some(bottom) if bottom.is_match(raw) => box_above(screen, shape, row),
            None if shape.prompt.is_match(raw) => open_box(screen, shape, row),
            _ => None,
        };
        if found.is_some() {
            return found;
        }
        if !screen.is_blank(row) {
            below += 1;
            let foreign = shape.footer.as_ref().is_some_and(|footer| !footer.is_match(raw));
            if below > shape.footer_rows || foreign {
                return None;
            }
        }
    }
    None
}

/// A box that ends with the border at `bottom`.
fn box_above(screen: &Screen, shape: &InputBox, bottom: usize) -> Option<FoundBox> {
    let reach = bottom.saturating_sub(shape.max_rows + 1);
    let mut first = bottom;
    for row in (reach..bottom).rev() {
        let raw = screen.raw(row);
        if shape.top.as_ref().is_some_and(|top| top.is_match(raw)) {
            let prompt = (row + 1..bottom).find(|r| !screen.raw(*r).is_empty())?;
            let found = FoundBox { top: row, prompt, end: bottom, below: bottom + 1 };
            return shape.prompt.is_match(screen.raw(prompt)).then_some(found);
        }
        if shape.inside.as_ref().is_some_and(|inside| !inside.is_match(raw)) {
            break;
        }
        first = row;
    }
    // Without an upper border the box begins where its rows begin.
    let headless = shape.top.is_none() && first < bottom;
    (headless && shape.prompt.is_match(screen.raw(first))).then_some(FoundBox {
        top: first,
        prompt: first,
        end: bottom,
        below: bottom + 1,
    })
}

/// A box without a lower border whose prompt is at `row`.
fn open_box(screen: &Screen, shape: &InputBox, row: usize) -> Option<FoundBox> {
    let above = (0..row).rev().find(|r| !screen.raw(*r).is_empty());
    let top = match (&shape.top, above) {
        (None, _) => row,
        (Some(top), Some(above)) if top.is_match(screen.raw(above)) => above,
        (Some(_), _) => return None,
    };
    let next = screen.raw(row + 1);
    if shape.not_followed_by.as_ref().is_some_and(|not| not.is_match(next)) {
        return None;
    }
    Some(FoundBox { top, prompt: row, end: row + 1, below: row + 1 })
}

/// The status row next to the box, and the block from it to the box.
fn find_status(
    screen: &Screen,
    layout: &Layout,
    found: &FoundBox,
) -> (Option<Range<usize>>, Option<Range<usize>>) {
    let goes_on = |row: usize| {
        let is_below = row.checked_sub(1).is_some_and(|above| !screen.is_blank(above));
        let pattern = layout.status_goes_on.as_ref().filter(|_| is_below);
        pattern.is_some_and(|pattern| pattern.is_match(screen.raw(row)))
    };
    let skip = |row: usize| {
        screen.is_wrapped(row)
            || goes_on(row)
            || layout.status_skip.as_ref().is_some_and(|skip| skip.is_match(screen.raw(row)))
    };
    let mut filled = (0..found.top).rev().filter(|row| !screen.is_blank(*row));
    let row = filled.by_ref().take(layout.status_rows).find(|row| !skip(*row));
    let Some(row) = row else { return (None, None) };
    let start = unwrap_upwards(screen, row);
    let end = unwrap_downwards(screen, row, found.top);
    (Some(start..end), Some(start..found.top))
}

/// A row that closes a parenthesis which it did not open is the wrapped end of the rows above.
fn unwrap_upwards(screen: &Screen, row: usize) -> usize {
    let mut start = row;
    let mut open = unopened(screen.text(row));
    while open > 0 && row - start < STATUS_WRAP && start > 0 && !screen.is_blank(start - 1) {
        start -= 1;
        open += unopened(screen.text(start));
    }
    if open > 0 { row } else { start }
}

/// A row that leaves a parenthesis open goes on in the rows below.
fn unwrap_downwards(screen: &Screen, row: usize, limit: usize) -> usize {
    let mut end = row + 1;
    let mut open = -unopened(screen.text(row));
    while open > 0 && end - row < STATUS_WRAP && end < limit && !screen.is_blank(end) {
        open -= unopened(screen.text(end));
        end += 1;
    }
    end
}

/// Closing parentheses more than opening ones.
fn unopened(text: &str) -> i32 {
    text.bytes().fold(0, |n, b| match b {
        b'(' => n - 1,
        b')' => n + 1,
        _ => n,
    })
}

/// The end of a screen without an input box, from below the last row that shows that what is
/// above it is past.
fn find_dialog(screen: &Screen, layout: &Layout) -> Option<Range<usize>> {
    let rows = screen.len();
    let start = screen.back(rows, layout.dialog_rows);
    let past = layout
        .dialog_after
        .as_ref()
        .and_then(|after| (start..rows).rev().find(|row| after.is_match(screen.raw(*row))));
    Some(past.map_or(start, |row| row + 1)..rows).filter(|region| !region.is_empty())
}

#[cfg(test)]
mod tests;
