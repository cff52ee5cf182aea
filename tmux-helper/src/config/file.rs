//! The settings file as it is written, and how it becomes a [`Config`].

use super::fleet::FleetTable;
use super::looks::Looks;
use super::notify::NotifyTable;
use super::routes::{RouteTable, routes};
use super::{
    Border, BorderStatus, BorderStyle, Colour, Config, Pace, Palette, SETTLE_WORDS, Segment,
    SegmentPreset, Template, Tracking,
};
use crate::Error;
use madohub_detect::{Glyphs, Settings, Settle, State};
use serde::de::{Deserialize, Deserializer, Error as _};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Every table and key of the file; a missing one keeps its default.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
struct File {
    glyphs: Glyphs,
    reduced_motion: bool,
    state: States,
    border: BorderTable,
    segment: SegmentTable,
    pace: PaceTable,
    tracking: TrackingTable,
    route: Vec<RouteTable>,
    notify: NotifyTable,
    fleet: FleetTable,
}

#[derive(Debug, Default)]
struct States(Vec<(State, StateTable)>);

#[derive(Debug, Default, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
struct StateTable {
    glyph: Option<Glyph>,
    colour: Option<ColourChoice>,
    colour_256: Option<ColourText>,
    colour_16: Option<ColourText>,
    colour_8: Option<ColourText>,
    bold: Option<bool>,
    dim: Option<bool>,
}

#[derive(Debug, Default, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
struct BorderTable {
    enabled: Option<bool>,
    status: Option<BorderStatus>,
    style: Option<BorderStyle>,
    label: Option<Label>,
    title: Option<bool>,
    pulse: Option<bool>,
}

#[derive(Debug, Default, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
struct SegmentTable {
    preset: Option<Preset>,
    format: Option<Format>,
    separator: Option<String>,
    names_max: Option<usize>,
    remote: Option<bool>,
}

#[derive(Debug, Default, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
struct PaceTable {
    hot: Option<Pause>,
    calm: Option<Pause>,
    away: Option<Pause>,
}

#[derive(Debug, Default, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
struct TrackingTable {
    hold: Option<Seconds>,
    seen_after: Option<Seconds>,
    settle: Option<SettleChoice>,
    background: Option<Background>,
    shell_jobs: Option<bool>,
}

#[derive(Debug, Clone, Copy, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
enum Preset {
    Minimal,
    Counts,
    Names,
    Custom,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
enum Background {
    Working,
    Count,
}

#[derive(Debug)]
struct Glyph(String);

#[derive(Debug)]
struct ColourText(Colour);

/// A colour, or none: the user's own stays.
#[derive(Debug)]
struct ColourChoice(Option<Colour>);

#[derive(Debug)]
struct Label(Template);

#[derive(Debug)]
struct Format(Template);

#[derive(Debug)]
struct Pause(Duration);

#[derive(Debug)]
struct Seconds(f64);

#[derive(Debug)]
struct SettleChoice(Settle);

/// Reads the text of a settings file.
pub(super) fn parse(text: &str, path: &Path) -> Result<Config, Error> {
    let file: File = toml::from_str(text).map_err(|error| explain(text, path, &error))?;
    file.into_config()
        .map_err(|message| Error::usage(format!("{}: {message}", path.display())).remedy(remedy()))
}

fn remedy() -> &'static str {
    "Correct it, or take the line out to get the default; `madohub doctor` checks the file."
}

/// `file:line: key: what is wrong`.
fn explain(text: &str, path: &Path, error: &toml::de::Error) -> Error {
    let start = error.span().map_or(0, |span| span.start);
    let before = text.get(..start.min(text.len())).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let key = key_at(text, line);
    let key = if key.is_empty() { String::new() } else { format!(" {key}:") };
    let message = error.message().replace('\n', " ");
    Error::usage(format!("{}:{line}:{key} {message}", path.display())).remedy(remedy())
}

/// The dotted key that is set on this line (counted from 1).
fn key_at(text: &str, line: usize) -> String {
    let mut table = String::new();
    for (number, row) in text.lines().enumerate().take(line) {
        let row = row.trim();
        let header = row.strip_prefix('[').and_then(|rest| rest.split(']').next());
        if let Some(header) = header {
            header.trim_matches('[').trim().clone_into(&mut table);
        }
        if number + 1 == line {
            let key = row.split_once('=').map_or("", |(key, _)| key.trim());
            let dot = if table.is_empty() || key.is_empty() { "" } else { "." };
            return format!("{table}{dot}{key}");
        }
    }
    table
}

impl File {
    fn into_config(self) -> Result<Config, String> {
        let default = Config::default();
        let home = std::env::var_os("HOME").map(PathBuf::from);
        Ok(Config {
            looks: self.state.into_looks(self.glyphs),
            border: self.border.over(default.border, self.reduced_motion),
            segment: self.segment.over(default.segment)?,
            pace: self.pace.over(default.pace)?,
            tracking: self.tracking.over(default.tracking),
            routes: routes(self.route, home.as_deref())?,
            notify: self.notify.over(default.notify),
            fleet: self.fleet.check(home.as_deref())?,
        })
    }
}

impl States {
    fn into_looks(self, glyphs: Glyphs) -> Looks {
        let mut looks = Looks::new(glyphs);
        for (state, table) in self.0 {
            let look = looks.of_mut(state);
            if let Some(Glyph(glyph)) = table.glyph {
                look.glyph = glyph;
            }
            if let Some(ColourChoice(colour)) = table.colour {
                look.palette = colour.map(Palette::derive);
            }
            if let Some(palette) = &mut look.palette {
                let set = |slot: &mut Colour, value: Option<ColourText>| {
                    if let Some(ColourText(colour)) = value {
                        *slot = colour;
                    }
                };
                set(&mut palette.c256, table.colour_256);
                set(&mut palette.c16, table.colour_16);
                set(&mut palette.c8, table.colour_8);
            }
            look.bold = table.bold.unwrap_or(look.bold);
            look.dim = table.dim.unwrap_or(look.dim);
        }
        looks
    }
}

impl BorderTable {
    fn over(self, default: Border, reduced_motion: bool) -> Border {
        Border {
            enabled: self.enabled.unwrap_or(default.enabled),
            status: self.status.unwrap_or(default.status),
            style: self.style.unwrap_or(default.style),
            label: self.label.map_or(default.label, |Label(label)| label),
            title: self.title.unwrap_or(default.title),
            pulse: self.pulse.unwrap_or(default.pulse) && !reduced_motion,
        }
    }
}

impl SegmentTable {
    fn over(self, default: Segment) -> Result<Segment, String> {
        let preset = match (self.preset, self.format) {
            (None | Some(Preset::Custom), Some(Format(text))) => SegmentPreset::Custom(text),
            (Some(Preset::Custom), None) => {
                return Err("segment.preset: `custom` needs segment.format".to_owned());
            }
            (Some(_), Some(_)) => {
                return Err("segment.format: only used with segment.preset = \"custom\"".to_owned());
            }
            (Some(Preset::Minimal), None) => SegmentPreset::Minimal,
            (Some(Preset::Counts), None) => SegmentPreset::Counts,
            (Some(Preset::Names), None) => SegmentPreset::Names,
            (None, None) => default.preset,
        };
        Ok(Segment {
            preset,
            separator: self.separator.unwrap_or(default.separator),
            names_max: self.names_max.unwrap_or(default.names_max),
            remote: self.remote.unwrap_or(default.remote),
        })
    }
}

impl PaceTable {
    fn over(self, default: Pace) -> Result<Pace, String> {
        let pace = Pace {
            hot: self.hot.map_or(default.hot, |Pause(pause)| pause),
            calm: self.calm.map_or(default.calm, |Pause(pause)| pause),
            away: self.away.map_or(default.away, |Pause(pause)| pause),
        };
        if pace.hot > pace.calm || pace.calm > pace.away {
            return Err(format!(
                "pace: hot ({:?}) must not be longer than calm ({:?}), nor calm than away ({:?})",
                pace.hot, pace.calm, pace.away
            ));
        }
        Ok(pace)
    }
}

impl TrackingTable {
    fn over(self, default: Tracking) -> Tracking {
        let before = default.settings;
        Tracking {
            settings: Settings {
                hold: self.hold.map_or(before.hold, |Seconds(s)| s),
                seen_after: self.seen_after.map_or(before.seen_after, |Seconds(s)| s),
                settle: self.settle.map_or(before.settle, |SettleChoice(settle)| settle),
                background_works: self
                    .background
                    .map_or(before.background_works, |choice| choice == Background::Working),
                ..before
            },
            shell_jobs: self.shell_jobs.unwrap_or(default.shell_jobs),
        }
    }
}

impl<'de> Deserialize<'de> for States {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let tables = BTreeMap::<StateName, StateTable>::deserialize(deserializer)?;
        Ok(Self(tables.into_iter().map(|(name, table)| (name.0, table)).collect()))
    }
}

/// One of the seven states; an unknown one has no look.
struct StateName(State);

impl PartialEq for StateName {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl Eq for StateName {}

impl PartialOrd for StateName {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for StateName {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.need_rank().cmp(&other.0.need_rank())
    }
}

impl<'de> Deserialize<'de> for StateName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        match name.parse() {
            Ok(State::Unknown) | Err(_) => Err(D::Error::custom(format!(
                "`{name}` is no state; the states are {}",
                State::BY_NEED.map(State::as_str).join(", ")
            ))),
            Ok(state) => Ok(Self(state)),
        }
    }
}

impl<'de> Deserialize<'de> for Glyph {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let width = unicode_width::UnicodeWidthStr::width(text.as_str());
        if text.chars().any(char::is_control) || width == 0 || width > 4 {
            return Err(D::Error::custom("a glyph is one to four cells of printable text"));
        }
        Ok(Self(text))
    }
}

impl<'de> Deserialize<'de> for ColourText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map(Self).map_err(D::Error::custom)
    }
}

impl<'de> Deserialize<'de> for ColourChoice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text == "none" {
            return Ok(Self(None));
        }
        text.parse().map(|colour| Self(Some(colour))).map_err(D::Error::custom)
    }
}

impl<'de> Deserialize<'de> for Label {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        template(deserializer, &Border::FIELDS).map(Self)
    }
}

impl<'de> Deserialize<'de> for Format {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        template(deserializer, &Segment::FIELDS).map(Self)
    }
}

fn template<'de, D: Deserializer<'de>>(
    deserializer: D,
    fields: &'static [&'static str],
) -> Result<Template, D::Error> {
    let text = String::deserialize(deserializer)?;
    if text.chars().any(char::is_control) {
        return Err(D::Error::custom("control characters cannot be shown on one line"));
    }
    Template::parse(&text, fields).map_err(D::Error::custom)
}

impl<'de> Deserialize<'de> for Seconds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        seconds(deserializer, 0.0, 86_400.0).map(Self)
    }
}

impl<'de> Deserialize<'de> for Pause {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        seconds(deserializer, 0.05, 60.0).map(Duration::from_secs_f64).map(Self)
    }
}

fn seconds<'de, D: Deserializer<'de>>(
    deserializer: D,
    least: f64,
    most: f64,
) -> Result<f64, D::Error> {
    let seconds = Number::deserialize(deserializer)?.seconds();
    if (least..=most).contains(&seconds) {
        Ok(seconds)
    } else {
        Err(D::Error::custom(format!("{seconds} s is out of range, {least} to {most} s")))
    }
}

/// A number with or without a fraction.
#[derive(Debug, Clone, Copy, serde::Deserialize)]
#[serde(untagged, expecting = "expected a number of seconds")]
pub(super) enum Number {
    Whole(i32),
    Fraction(f64),
}

impl Number {
    pub(super) fn seconds(self) -> f64 {
        match self {
            Self::Whole(n) => f64::from(n),
            Self::Fraction(n) => n,
        }
    }
}

impl<'de> Deserialize<'de> for SettleChoice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(serde::Deserialize)]
        #[serde(untagged, expecting = "expected \"focus\", \"never\" or a number of seconds")]
        enum Raw {
            Seconds(Number),
            Word(String),
        }
        match Raw::deserialize(deserializer)? {
            Raw::Seconds(number) if (0.0..=31_536_000.0).contains(&number.seconds()) => {
                Ok(Self(Settle::After(number.seconds())))
            }
            Raw::Seconds(_) => Err(D::Error::custom("seconds must be 0 to 31536000")),
            Raw::Word(word) => SETTLE_WORDS
                .iter()
                .find(|(known, _)| *known == word)
                .map(|(_, settle)| Self(*settle))
                .ok_or_else(|| {
                    D::Error::custom(format!(
                        "`{word}` is none of \"focus\", \"never\" or a number of seconds"
                    ))
                }),
        }
    }
}

#[cfg(test)]
mod tests;
