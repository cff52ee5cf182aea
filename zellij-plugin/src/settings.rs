//! Settings of one plugin instance, from the keys of its KDL block. Keys that the helper's
//! configuration file also has are named as there, with the table's name and a dot in front.

use crate::looks::Looks;
use crate::theme::ThemeNames;
use madohub_detect::{Glyphs, Settings as Tracking, Settle, State};
use std::collections::BTreeMap;

/// What an instance is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Role {
    /// Reads, tracks and recolours; runs in the background.
    #[default]
    Controller,
    /// Shows one row.
    Bar,
}

/// How frames show states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Frames {
    /// Each in the colour of its state.
    #[default]
    Colour,
    /// Those that need a person in the theme's one highlight colour.
    Highlight,
    /// Not at all.
    Off,
}

/// What the frame of the focused pane looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Focused {
    /// A brighter shade of the state's colour.
    #[default]
    Bright,
    /// As the theme has it: no state is shown on it.
    Theme,
    /// As every other frame.
    Same,
}

/// What the segment says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Preset {
    /// `?1`, and nothing when nobody needs a person.
    Minimal,
    /// `?1 ●2 ✓1`
    #[default]
    Counts,
    /// `? api·codex 38s  ● web·claude`
    Names,
}

/// Times between looks at a pane that no report covers, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pace {
    /// A pane that changed the last time it was looked at, and the least time between two looks.
    pub hot: f64,
    /// A pane with an agent.
    pub calm: f64,
    /// Any other pane, and every pane while no client is attached.
    pub away: f64,
}

/// Every setting.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own for the user")]
pub struct Settings {
    /// What the instance is for.
    pub role: Role,
    /// Glyphs and colours.
    pub looks: Looks,
    /// How frames show states.
    pub frames: Frames,
    /// The focused pane's frame.
    pub focused: Focused,
    /// Tint the background of panes that need a person.
    pub tint: bool,
    /// Put the state's glyph in front of pane titles.
    pub title_glyph: bool,
    /// Put the glyph of its neediest pane in front of a tab's name.
    pub tab_marker: bool,
    /// The segment.
    pub preset: Preset,
    /// Between the entries of `names`.
    pub separator: String,
    /// How many entries of `names` are shown before the rest is counted.
    pub names_max: usize,
    /// Send the segment to zjstatus.
    pub zjstatus: bool,
    /// Helper program; none to work without.
    pub helper: Option<String>,
    /// Accept text for panes by pipe.
    pub send: bool,
    /// Theme options of the user's configuration, where the block names them.
    pub theme: Option<ThemeNames>,
    /// The tracker's times.
    pub tracking: Tracking,
    /// Pace of looking.
    pub pace: Pace,
    /// What was wrong with the block.
    pub complaints: Vec<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            role: Role::default(),
            looks: Looks::default(),
            frames: Frames::default(),
            focused: Focused::default(),
            tint: false,
            title_glyph: false,
            tab_marker: false,
            preset: Preset::default(),
            separator: "  ".to_owned(),
            names_max: 6,
            zjstatus: false,
            helper: Some("madohub".to_owned()),
            send: true,
            theme: None,
            tracking: Tracking::default(),
            pace: Pace { hot: 0.2, calm: 1.0, away: 3.0 },
            complaints: Vec::new(),
        }
    }
}

impl Settings {
    /// Reads the block. A key that cannot be used keeps its default and is complained about.
    pub fn from_block(block: &BTreeMap<String, String>) -> Self {
        let mut settings = Self::default();
        if block.get("glyphs").is_some_and(|v| v == "ascii") {
            settings.looks = Looks::new(Glyphs::Ascii);
        }
        for (key, value) in block {
            if let Err(complaint) = settings.set(key, value.trim()) {
                settings.complaints.push(format!("{key}: {complaint}"));
            }
        }
        if block.get("border.enabled").is_some_and(|v| v == "false") {
            settings.frames = Frames::Off;
        }
        settings
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        match key {
            "role" => {
                self.role = word(value, &[("controller", Role::Controller), ("bar", Role::Bar)])?;
            }
            "glyphs" => {
                word(value, &[("unicode", Glyphs::Unicode), ("ascii", Glyphs::Ascii)])?;
            }
            "border.enabled" => {
                switch(value)?;
            }
            "border.frames" => {
                let all = [
                    ("colour", Frames::Colour),
                    ("highlight", Frames::Highlight),
                    ("off", Frames::Off),
                ];
                self.frames = word(value, &all)?;
            }
            "border.focused" => {
                let all = [
                    ("bright", Focused::Bright),
                    ("theme", Focused::Theme),
                    ("same", Focused::Same),
                ];
                self.focused = word(value, &all)?;
            }
            "border.tint" => self.tint = switch(value)?,
            "border.title_glyph" => self.title_glyph = switch(value)?,
            "border.tab_marker" => self.tab_marker = switch(value)?,
            "segment.preset" => {
                let all = [
                    ("minimal", Preset::Minimal),
                    ("counts", Preset::Counts),
                    ("names", Preset::Names),
                ];
                self.preset = word(value, &all)?;
            }
            "segment.separator" => self.separator = madohub_detect::text::clean(value),
            "segment.names_max" => {
                self.names_max = value.parse().map_err(|_| "write a number".to_owned())?;
            }
            "segment.zjstatus" => self.zjstatus = switch(value)?,
            "helper" => self.helper = (value != "off").then(|| value.to_owned()),
            "send" => self.send = switch(value)?,
            "theme" => self.names().theme = Some(value.to_owned()),
            "theme_dark" => self.names().theme_dark = Some(value.to_owned()),
            "theme_light" => self.names().theme_light = Some(value.to_owned()),
            "pace.hot" => self.pace.hot = seconds(value)?.max(0.05),
            "pace.calm" => self.pace.calm = seconds(value)?.max(0.1),
            "pace.away" => self.pace.away = seconds(value)?.max(0.1),
            "tracking.hold" => self.tracking.hold = seconds(value)?,
            "tracking.seen_after" => self.tracking.seen_after = seconds(value)?,
            "tracking.settle" => {
                self.tracking.settle = match value {
                    "focus" => Settle::Focus,
                    "never" => Settle::Never,
                    other => Settle::After(seconds(other).map_err(|_| {
                        format!("`{other}` is not \"focus\", \"never\" or a number of seconds")
                    })?),
                };
            }
            "tracking.background" => {
                self.tracking.background_works =
                    word(value, &[("count", false), ("working", true)])?;
            }
            _ => return self.set_state(key, value),
        }
        Ok(())
    }

    /// `state.waiting.colour` and its like.
    fn set_state(&mut self, key: &str, value: &str) -> Result<(), String> {
        let unknown = || "no such key".to_owned();
        let rest = key.strip_prefix("state.").ok_or_else(unknown)?;
        let (state, field) = rest.split_once('.').ok_or_else(unknown)?;
        let state: State = state.parse().map_err(|e| format!("{e}"))?;
        let look = self.looks.of_mut(state);
        match field {
            "glyph" => {
                let glyph = madohub_detect::text::clean(value);
                if madohub_detect::text::width(&glyph) != 1 {
                    return Err("write one character that is one cell wide".to_owned());
                }
                look.glyph = glyph;
            }
            "colour" if value == "none" => look.colour = None,
            "colour" => look.colour = Some(value.parse()?),
            "bold" => look.bold = switch(value)?,
            _ => return Err(unknown()),
        }
        Ok(())
    }

    fn names(&mut self) -> &mut ThemeNames {
        self.theme.get_or_insert_default()
    }
}

fn word<T: Copy>(value: &str, all: &[(&str, T)]) -> Result<T, String> {
    all.iter().find(|(name, _)| *name == value).map(|(_, v)| *v).ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
        format!("`{value}` is none of {}", names.join(", "))
    })
}

fn switch(value: &str) -> Result<bool, String> {
    word(value, &[("true", true), ("false", false)])
}

/// A number as JSON writes it: what reads those is there anyway, and the standard library's way
/// has a table of ten kilobytes.
fn seconds(value: &str) -> Result<f64, String> {
    serde_json::from_str(value)
        .ok()
        .filter(|s| (0.0..=86_400.0).contains(s))
        .ok_or_else(|| format!("`{value}` is no number of seconds"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::colour::Colour;

    fn block(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect()
    }

    #[test]
    fn an_empty_block_is_the_default() {
        assert_eq!(Settings::from_block(&BTreeMap::new()), Settings::default());
    }

    #[test]
    fn keys_are_read_whatever_their_order() {
        let settings = Settings::from_block(&block(&[
            ("glyphs", "ascii"),
            ("state.waiting.colour", "#010203"),
            ("state.failed.glyph", "!"),
            ("state.exited.colour", "none"),
            ("tracking.settle", "90"),
            ("border.focused", "theme"),
            ("theme_dark", "a"),
        ]));
        assert_eq!(settings.complaints, Vec::<String>::new());
        assert_eq!(settings.looks.of(State::Waiting).colour, Some(Colour::Rgb(1, 2, 3)));
        assert_eq!(settings.looks.of(State::Failed).glyph, "!");
        assert_eq!(settings.looks.of(State::Working).glyph, "*");
        assert_eq!(settings.looks.of(State::Exited).colour, None);
        assert_eq!(settings.tracking.settle, Settle::After(90.0));
        assert_eq!(settings.focused, Focused::Theme);
        assert_eq!(settings.theme.and_then(|t| t.theme_dark).as_deref(), Some("a"));
    }

    #[test]
    fn what_cannot_be_used_keeps_its_default_and_is_named() {
        let wrong = [
            ("colour", "x"),
            ("state.sleeping.colour", "red"),
            ("state.idle.size", "1"),
            ("state.idle.glyph", "窓"),
            ("pace.hot", "-1"),
            ("segment.preset", "long"),
            ("tracking.settle", "soon"),
        ];
        let settings = Settings::from_block(&block(&wrong));
        assert_eq!(settings.complaints.len(), wrong.len(), "{:?}", settings.complaints);
        for (key, _) in wrong {
            assert!(settings.complaints.iter().any(|c| c.starts_with(&format!("{key}: "))));
        }
        assert_eq!(Settings { complaints: Vec::new(), ..settings }, Settings::default());
    }
}
