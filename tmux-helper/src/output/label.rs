//! The label of a border.

use super::{PaneRow, fit, since, width};
use crate::config::{Border, Looks};

/// The label of a pane at `now` in at most `cells` cells. It gets shorter from the right as the
/// room shrinks: the user's format, `? codex 38s`, `? codex`, `?38s`, `?`. Untrusted values are
/// not cleaned here; the caller knows where the text goes.
pub fn label(row: &PaneRow, border: &Border, looks: &Looks, now: f64, cells: usize) -> String {
    let glyph = looks.of(row.state).glyph.as_str();
    let agent = row.agent.as_str();
    let age = since(now - row.since);
    let full = border.label.fill(|field| match field {
        "glyph" => glyph.to_owned(),
        "agent" => agent.to_owned(),
        "state" => row.state.to_string(),
        "reason" => row.reason.clone().unwrap_or_default(),
        "what" => row.what().to_owned(),
        "since" => age.clone(),
        "background" if row.background > 0 => format!("+{}", row.background),
        _ => String::new(),
    });
    let shorter = [
        full,
        format!("{glyph} {agent} {age}"),
        format!("{glyph} {agent}"),
        format!("{glyph}{age}"),
    ];
    shorter.into_iter().find(|text| width(text) <= cells).unwrap_or_else(|| fit(glyph, cells))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::row::tests::pane;
    use madohub_detect::State;

    #[test]
    fn a_label_gets_shorter_from_the_right() {
        let mut row = pane("api", "codex", State::Waiting).row;
        row.reason = Some("approval".to_owned());
        for (cells, text) in [
            (40, "? codex approval 38s"),
            (20, "? codex approval 38s"),
            (19, "? codex 38s"),
            (10, "? codex"),
            (6, "?38s"),
            (2, "?"),
            (0, ""),
        ] {
            let (border, looks) = (Border::default(), Looks::default());
            assert_eq!(label(&row, &border, &looks, 138.0, cells), text, "{cells} cells");
        }
    }
}
