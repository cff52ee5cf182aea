//! The user's theme, and the configuration that changes one colour of it for a moment.
//!
//! zellij 0.45.1 has no call that colours one frame. But its highlight call keeps the colour
//! value that the theme has at that moment: with one colour of the theme changed before the call
//! and changed back after it, each frame keeps its own.

use crate::colour::Colour;
use crate::event::FrameStyle;
use std::fmt::Write as _;

/// The colours of one kind of element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ink {
    /// Main colour.
    pub base: Colour,
    /// Background.
    pub background: Colour,
    /// Four accents.
    pub emphasis: [Colour; 4],
}

/// Colours of the clients of a shared session.
pub type Players = [Colour; 10];

/// A whole theme as zellij 0.45 defines it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Palette {
    /// Text.
    pub text_unselected: Ink,
    /// Selected text.
    pub text_selected: Ink,
    /// Ribbons.
    pub ribbon_unselected: Ink,
    /// Selected ribbons.
    pub ribbon_selected: Ink,
    /// Table heads.
    pub table_title: Ink,
    /// Table cells.
    pub table_cell_unselected: Ink,
    /// Selected table cells.
    pub table_cell_selected: Ink,
    /// List items.
    pub list_unselected: Ink,
    /// Selected list items.
    pub list_selected: Ink,
    /// Frames; none where the theme leaves them to the terminal.
    pub frame_unselected: Option<Ink>,
    /// Frame of the focused pane.
    pub frame_selected: Ink,
    /// Frames in other modes; its first accent is the highlight call's colour.
    pub frame_highlight: Ink,
    /// Good exit codes.
    pub exit_code_success: Ink,
    /// Bad exit codes.
    pub exit_code_error: Ink,
    /// Clients of a shared session.
    pub players: Players,
}

/// Name of the theme that is defined at run time.
const OWN_THEME: &str = "madohub";

/// The theme options of the user's configuration, where known.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Deserialize)]
#[serde(default)]
pub struct ThemeNames {
    /// `theme`; zellij's own default where the user sets none.
    pub theme: Option<String>,
    /// `theme_dark`.
    pub theme_dark: Option<String>,
    /// `theme_light`.
    pub theme_light: Option<String>,
}

impl ThemeNames {
    /// These names, where this version of zellij can be given them. A configuration makes zellij 0.44.3
    /// forget which theme of a pair is in force; there the colours are put back one by one, and
    /// the pair in the user's configuration stays as it is.
    pub(crate) fn usable(self, zellij: &str) -> Option<Self> {
        let is_pair = self.theme_dark.is_some() && self.theme_light.is_some();
        (!is_pair || !zellij.starts_with("0.44.")).then_some(self)
    }
}

impl Palette {
    /// The colour that the highlight call gives.
    pub fn highlight(&self) -> Colour {
        let [first, ..] = self.frame_highlight.emphasis;
        first
    }

    /// The same theme with another highlight colour.
    #[must_use]
    pub fn with_highlight(&self, colour: Colour) -> Self {
        let mut changed = self.clone();
        let [first, ..] = &mut changed.frame_highlight.emphasis;
        *first = colour;
        changed
    }

    /// Light text on a dark ground.
    pub fn is_dark(&self) -> bool {
        self.text_unselected.base.luma() > 127
    }

    /// The configuration that makes this theme the one in force.
    pub fn configuration(&self, names: Option<&ThemeNames>, style: Option<FrameStyle>) -> String {
        let mut out = format!("themes {{\n{OWN_THEME} {{\n");
        let inks = [
            ("text_unselected", Some(&self.text_unselected)),
            ("text_selected", Some(&self.text_selected)),
            ("ribbon_unselected", Some(&self.ribbon_unselected)),
            ("ribbon_selected", Some(&self.ribbon_selected)),
            ("table_title", Some(&self.table_title)),
            ("table_cell_unselected", Some(&self.table_cell_unselected)),
            ("table_cell_selected", Some(&self.table_cell_selected)),
            ("list_unselected", Some(&self.list_unselected)),
            ("list_selected", Some(&self.list_selected)),
            ("frame_unselected", self.frame_unselected.as_ref()),
            ("frame_selected", Some(&self.frame_selected)),
            ("frame_highlight", Some(&self.frame_highlight)),
            ("exit_code_success", Some(&self.exit_code_success)),
            ("exit_code_error", Some(&self.exit_code_error)),
        ];
        for (name, ink) in inks {
            if let Some(ink) = ink {
                push_ink(&mut out, name, ink);
            }
        }
        out.push_str("multiplayer_user_colors {\n");
        for (n, colour) in (1..).zip(self.players) {
            let _ = writeln!(out, "player_{n} {}", colour.kdl());
        }
        // Every node needs a line of its own: zellij refuses two closing braces on one.
        out.push_str("}\n}\n}\n");
        let _ = writeln!(out, "theme \"{OWN_THEME}\"");
        // A pair that follows the terminal wins over `theme`, so it has to say the same. Without
        // knowing its names it could not be put back, and is left alone.
        if let Some(ThemeNames { theme_dark: Some(_), theme_light: Some(_), .. }) = names {
            let _ = writeln!(out, "theme_dark \"{OWN_THEME}\"\ntheme_light \"{OWN_THEME}\"");
        }
        push_style(&mut out, style);
        out
    }
}

/// The configuration that puts the user's own theme options back in force.
pub(crate) fn own_theme_again(names: &ThemeNames, style: Option<FrameStyle>) -> String {
    let mut out = String::new();
    let theme = names.theme.as_deref().unwrap_or("default");
    let _ = writeln!(out, "theme {}", quoted(theme));
    if let (Some(dark), Some(light)) = (&names.theme_dark, &names.theme_light) {
        let _ = writeln!(out, "theme_dark {}\ntheme_light {}", quoted(dark), quoted(light));
    }
    push_style(&mut out, style);
    out
}

fn push_ink(out: &mut String, name: &str, ink: &Ink) {
    let _ = writeln!(out, "{name} {{\nbase {}", ink.base.kdl());
    let _ = writeln!(out, "background {}", ink.background.kdl());
    for (n, colour) in ink.emphasis.iter().enumerate() {
        let _ = writeln!(out, "emphasis_{n} {}", colour.kdl());
    }
    out.push_str("}\n");
}

/// A configuration sets the frame style anew: without these lines a style that the user chose
/// at run time would fall back to the one in the configuration file.
fn push_style(out: &mut String, style: Option<FrameStyle>) {
    match style {
        Some(FrameStyle::Full) => out.push_str("pane_frames true\npane_frame_style \"full\"\n"),
        Some(FrameStyle::Titles) => out.push_str("pane_frames true\npane_frame_style \"titles\"\n"),
        Some(FrameStyle::None) => out.push_str("pane_frames false\n"),
        None => {}
    }
}

/// A KDL string.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    #[test]
    fn a_pair_is_left_alone_where_zellij_forgets_which_of_it_is_in_force() {
        let some = |name: &str| Some(name.to_owned());
        let one = ThemeNames { theme: some("dusk"), ..ThemeNames::default() };
        let pair = ThemeNames { theme_dark: some("a"), theme_light: some("b"), ..one.clone() };
        assert_eq!(one.clone().usable("0.44.3"), Some(one));
        assert_eq!(pair.clone().usable("0.44.3"), None);
        assert_eq!(pair.clone().usable("0.45.1"), Some(pair));
    }

    pub(crate) fn palette() -> Palette {
        let ink = |n: u8| Ink {
            base: Colour::Rgb(220, 220, 220),
            background: Colour::Indexed(0),
            emphasis: [
                Colour::Indexed(n),
                Colour::Indexed(2),
                Colour::Rgb(1, 2, 3),
                Colour::Indexed(4),
            ],
        };
        Palette {
            text_unselected: ink(1),
            text_selected: ink(1),
            ribbon_unselected: ink(1),
            ribbon_selected: ink(1),
            table_title: ink(1),
            table_cell_unselected: ink(1),
            table_cell_selected: ink(1),
            list_unselected: ink(1),
            list_selected: ink(1),
            frame_unselected: None,
            frame_selected: ink(1),
            frame_highlight: ink(201),
            exit_code_success: ink(1),
            exit_code_error: ink(1),
            players: [Colour::Indexed(5); 10],
        }
    }

    #[test]
    fn changes_one_colour_and_nothing_else() {
        let orange = Colour::Rgb(255, 160, 0);
        let before = palette();
        let after = before.with_highlight(orange);
        assert_eq!(after.highlight(), orange);
        assert_eq!(after.with_highlight(before.highlight()), before);
        let (a, b) = (before.configuration(None, None), after.configuration(None, None));
        let differing: Vec<_> = a.lines().zip(b.lines()).filter(|(x, y)| x != y).collect();
        assert_eq!(differing, [("emphasis_0 201", "emphasis_0 255 160 0")]);
        assert!(!a.contains("frame_unselected"), "an optional part of the theme stays absent");
    }

    #[test]
    fn every_node_has_its_own_line() {
        let text = palette().configuration(None, Some(FrameStyle::Titles));
        assert!(text.lines().all(|line| line.matches(['{', '}']).count() <= 1), "{text}");
        assert!(text.ends_with("pane_frames true\npane_frame_style \"titles\"\n"));
    }

    #[test]
    fn a_pair_is_only_touched_when_it_can_be_put_back() {
        let none = palette().configuration(None, None);
        assert!(!none.contains("theme_dark"));
        let names = ThemeNames {
            theme: None,
            theme_dark: Some("a\"b".into()),
            theme_light: Some("c".into()),
        };
        assert!(palette().configuration(Some(&names), None).contains("theme_light \"madohub\""));
        let back = own_theme_again(&names, Some(FrameStyle::None));
        assert_eq!(
            back,
            "theme \"default\"\ntheme_dark \"a\\\"b\"\ntheme_light \"c\"\npane_frames false\n"
        );
    }
}
