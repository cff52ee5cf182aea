//! The table of `madohub list`.

use super::{ListedPane, PaneRow, Terminal, clean, fit, since, width};
use crate::config::Looks;
use std::fmt::Write as _;
use std::path::Path;

/// How the table is drawn.
#[derive(Debug, Clone, Copy)]
pub struct TableOptions<'a> {
    /// Glyphs and colours.
    pub looks: &'a Looks,
    /// The user's home folder, shown as `~`.
    pub home: Option<&'a Path>,
    /// Where it goes.
    pub terminal: Terminal,
}

/// Longest text of the WHY column where the width of the terminal is not known.
const WHY_MAX: usize = 48;

/// One row per pane, already sorted, under a row of headings.
pub fn list_table(panes: &[ListedPane], options: &TableOptions<'_>, now: f64) -> String {
    let heading = ["PANE", "AGENT", "STATE", "SINCE", "WHY", "WHERE"].map(str::to_owned);
    let mut cells = vec![heading];
    cells.extend(panes.iter().map(|pane| {
        let row = &pane.row;
        [
            clean(&pane.place()),
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
    let room = options.terminal.width.map_or(WHY_MAX, |all| all.saturating_sub(rest).max(8));
    *why_width = (*why_width).min(room);

    let mut out = String::new();
    for (number, row) in cells.iter().enumerate() {
        let look = number
            .checked_sub(1)
            .and_then(|n| panes.get(n))
            .map(|pane| options.looks.of(pane.row.state));
        let mut line = String::new();
        for (column, (cell, cells)) in row.iter().zip(widths).enumerate() {
            let text = fit(cell, cells);
            let gap = " ".repeat(cells.saturating_sub(width(&text)) + 2);
            let start = match (column, look, options.terminal.colours) {
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

#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "a failing test may panic")]
mod tests {
    use super::*;
    use crate::config::Depth;
    use crate::output::row::tests::pane;
    use madohub_detect::State;

    fn panes() -> Vec<ListedPane> {
        let mut panes = vec![
            pane("api", "codex", State::Waiting),
            pane("日本", "claude", State::Working),
            pane("web", "opencode", State::Completed),
        ];
        panes[0].row.agent_version = Some("0.171".to_owned());
        panes[0].row.reason = Some("approval".to_owned());
        panes[0].row.last_message = Some("cargo test\x1b[31m".to_owned());
        panes[0].row.cwd = Some("/home/user/src/api".to_owned());
        panes[1].row.since = 4.0;
        panes[1].row.background = 2;
        panes[1].row.cwd = Some("/home/user".to_owned());
        panes[2].row.cwd = Some("/srv".to_owned());
        panes
    }

    fn table(terminal: Terminal) -> String {
        let home = Some(Path::new("/home/user"));
        let looks = Looks::default();
        list_table(&panes(), &TableOptions { looks: &looks, home, terminal }, 138.0)
    }

    #[test]
    fn columns_line_up_by_cells() {
        assert_eq!(
            table(Terminal::default()),
            "\
PANE      AGENT        STATE        SINCE  WHY                        WHERE
api:1.0   codex 0.171  ? waiting    38s    approval: cargo test␛[31m  ~/src/api
日本:1.0  claude       ● working    2m14s  +2 in background           ~
web:1.0   opencode     ✓ completed  38s                               /srv
"
        );
    }

    #[test]
    fn the_reason_gives_way_where_the_terminal_is_narrow() {
        let text = table(Terminal { width: Some(66), colours: None });
        assert!(text.contains("  approval: c…  ~/src/api\n"), "{text}");
        assert!(text.lines().all(|line| width(line) <= 66), "{text}");
    }

    #[test]
    fn colours_change_no_width() {
        let text = table(Terminal { width: None, colours: Some(Depth::Sixteen) });
        assert!(text.contains("  \x1b[1;33m? waiting\x1b[0m    38s"), "{text}");
        assert!(text.starts_with("PANE      AGENT"));
    }
}
