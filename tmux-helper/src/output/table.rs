//! The table of `madohub list`.

use super::{PaneRow, clean, fit, since, width};
use crate::config::{Depth, Looks};
use std::fmt::Write as _;
use std::path::Path;

/// How the table is drawn.
#[derive(Debug, Clone, Copy)]
pub struct TableOptions<'a> {
    /// Glyphs and colours.
    pub looks: &'a Looks,
    /// The user's home folder, shown as `~`.
    pub home: Option<&'a Path>,
    /// Cells in a row; none where the output is no terminal.
    pub width: Option<usize>,
    /// Colours, where they are wanted.
    pub colours: Option<Depth>,
}

/// Longest text of the WHY column where the width of the terminal is not known.
const WHY_MAX: usize = 48;

/// One row per pane, already sorted, under a row of headings.
pub fn list_table(rows: &[PaneRow], options: &TableOptions<'_>, now: f64) -> String {
    let heading = ["PANE", "AGENT", "STATE", "SINCE", "WHY", "WHERE"].map(str::to_owned);
    let mut cells = vec![heading];
    cells.extend(rows.iter().map(|row| {
        [
            clean(&row.place()),
            clean(&agent(row)),
            format!("{} {}", options.looks.of(row.state).glyph, row.state),
            since(now - row.since),
            why(row),
            row.cwd
                .as_deref()
                .map_or_else(String::new, |cwd| clean(&short_path(cwd, options.home))),
        ]
    }));
    let mut widths = [0; 6];
    for row in &cells {
        for (most, cell) in widths.iter_mut().zip(row) {
            *most = (*most).max(width(cell));
        }
    }
    let [pane, agent, state, age, _, place] = widths;
    let rest = pane + agent + state + age + place + 10;
    let [.., why_width, _] = &mut widths;
    let room = options.width.map_or(WHY_MAX, |all| all.saturating_sub(rest).max(8));
    *why_width = (*why_width).min(room);

    let mut out = String::new();
    for (number, row) in cells.iter().enumerate() {
        let look =
            number.checked_sub(1).and_then(|n| rows.get(n)).map(|r| options.looks.of(r.state));
        let mut line = String::new();
        for (column, (cell, cells)) in row.iter().zip(widths).enumerate() {
            let text = fit(cell, cells);
            let gap = " ".repeat(cells.saturating_sub(width(&text)) + 2);
            let start = match (column, look, options.colours) {
                (2, Some(look), Some(depth)) => look.ansi(depth),
                _ => String::new(),
            };
            let end = if start.is_empty() { "" } else { "\x1b[0m" };
            let _ = write!(line, "{start}{text}{end}{gap}");
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

fn agent(row: &PaneRow) -> String {
    match &row.agent_version {
        Some(version) => format!("{} {version}", row.agent),
        None => row.agent.to_string(),
    }
}

fn why(row: &PaneRow) -> String {
    let mut parts: Vec<String> = row.reason.iter().map(|reason| clean(reason)).collect();
    if let Some(message) = &row.last_message {
        parts.push(clean(message));
    }
    let why = parts.join(": ");
    match (row.background, why.as_str()) {
        (0, _) => why,
        (n, "") => format!("+{n} in background"),
        (n, why) => format!("{why} +{n} in background"),
    }
}

fn short_path(path: &str, home: Option<&Path>) -> String {
    let below = home.and_then(|home| Path::new(path).strip_prefix(home).ok());
    match below {
        Some(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
        Some(rest) => format!("~/{}", rest.display()),
        None => path.to_owned(),
    }
}
