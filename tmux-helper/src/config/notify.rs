//! The `[notify]` table: notifications.

use crate::notify::{Settings, Via};
use jiff::civil::Time;
use madohub_detect::State;
use serde::Deserialize;
use serde::de::{Deserializer, Error as _};

/// The settings of notifications.
#[derive(Debug, Clone, PartialEq)]
pub struct Notify {
    /// The way that they take.
    pub via: Via,
    /// What is told, and when.
    pub settings: Settings,
    /// A sound with each.
    pub sound: bool,
    /// When nothing is told.
    pub quiet: Option<Quiet>,
}

impl Default for Notify {
    fn default() -> Self {
        Self { via: Via::Auto, settings: Settings::default(), sound: false, quiet: None }
    }
}

/// Hours of the day, in local time; the end may be on the next day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quiet {
    from: Time,
    to: Time,
}

impl Quiet {
    /// Whether a time of the day is within.
    pub fn holds(&self, time: Time) -> bool {
        if self.from <= self.to {
            self.from <= time && time < self.to
        } else {
            self.from <= time || time < self.to
        }
    }
}

/// The table as it is written.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct NotifyTable {
    via: Option<Via>,
    states: Option<Vec<StateName>>,
    in_front: Option<bool>,
    sound: Option<bool>,
    group: Option<Pause>,
    every: Option<Pause>,
    quiet: Option<QuietText>,
}

impl NotifyTable {
    pub(super) fn over(self, default: Notify) -> Notify {
        let before = default.settings;
        Notify {
            via: self.via.unwrap_or(default.via),
            settings: Settings {
                states: self.states.map_or(before.states, |states| {
                    states.into_iter().map(|StateName(state)| state).collect()
                }),
                in_front: self.in_front.unwrap_or(before.in_front),
                group: self.group.map_or(before.group, |Pause(pause)| pause),
                every: self.every.map_or(before.every, |Pause(pause)| pause),
            },
            sound: self.sound.unwrap_or(default.sound),
            quiet: self.quiet.map_or(default.quiet, |QuietText(quiet)| quiet),
        }
    }
}

#[derive(Debug)]
struct StateName(State);

impl<'de> Deserialize<'de> for StateName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        match name.parse() {
            Ok(State::Unknown) => Err(D::Error::custom("`unknown` is told to nobody")),
            Ok(state) => Ok(Self(state)),
            Err(error) => Err(D::Error::custom(error)),
        }
    }
}

/// Seconds between things that happen.
#[derive(Debug)]
struct Pause(f64);

impl<'de> Deserialize<'de> for Pause {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let seconds = super::file::Number::deserialize(deserializer)?.seconds();
        if (0.0..=3600.0).contains(&seconds) {
            Ok(Self(seconds))
        } else {
            Err(D::Error::custom(format!("{seconds} s is out of range, 0 to 3600 s")))
        }
    }
}

/// `22:00-07:00`, or an empty text for never.
#[derive(Debug)]
struct QuietText(Option<Quiet>);

impl<'de> Deserialize<'de> for QuietText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text.is_empty() {
            return Ok(Self(None));
        }
        let quiet = text.split_once('-').and_then(|(from, to)| {
            let time = |text: &str| text.trim().parse::<Time>().ok();
            Some(Quiet { from: time(from)?, to: time(to)? })
        });
        let quiet = quiet.ok_or_else(|| {
            D::Error::custom(format!("`{text}` are no hours; they look like \"22:00-07:00\""))
        })?;
        Ok(Self(Some(quiet)))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use jiff::civil::time;

    fn read(text: &str) -> Result<Notify, String> {
        let table: NotifyTable = toml::from_str(text).map_err(|e| e.message().to_owned())?;
        Ok(table.over(Notify::default()))
    }

    #[test]
    fn what_is_not_set_keeps_its_default() {
        assert_eq!(read("").unwrap(), Notify::default());
        let set =
            read("via = \"terminal\"\nstates = [\"waiting\"]\ngroup = 0\nevery = 2.5").unwrap();
        assert_eq!((set.via, set.settings.states.len()), (Via::Terminal, 1));
        assert!((set.settings.every - 2.5).abs() < 1e-9 && set.settings.group.abs() < 1e-9);
        assert!(!set.sound && !set.settings.in_front);
    }

    #[test]
    fn quiet_hours_may_reach_into_the_next_day() {
        for (hours, inside, outside) in [
            ("22:00-07:00", [time(23, 0, 0, 0), time(6, 59, 0, 0)], time(7, 0, 0, 0)),
            ("12:00-13:30", [time(12, 0, 0, 0), time(13, 29, 0, 0)], time(13, 30, 0, 0)),
        ] {
            let quiet = read(&format!("quiet = \"{hours}\"")).unwrap().quiet.unwrap();
            assert!(inside.iter().all(|time| quiet.holds(*time)) && !quiet.holds(outside));
        }
        assert_eq!(read("quiet = \"\"").unwrap().quiet, None);
    }

    #[test]
    fn errors_say_what_is_wrong() {
        for (text, told) in [
            ("quiet = \"night\"", "22:00-07:00"),
            ("quiet = \"25:00-07:00\"", "22:00-07:00"),
            ("states = [\"done\"]", "`done` is no state"),
            ("states = [\"unknown\"]", "told to nobody"),
            ("every = -1", "out of range"),
            ("via = \"mail\"", "unknown variant `mail`"),
            ("loud = true", "unknown field `loud`"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(told), "{text}: {error}");
        }
    }
}
