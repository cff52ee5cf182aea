//! The user's settings: what can be set, the defaults, and how a settings file is read.
//!
//! The file is `config.toml` in [`Paths::config_dir`]. Every key may be missing; an unknown one is
//! an error that names file, line and key, because a misspelt key that does nothing is worse.

mod agents;
mod colour;
mod file;
mod fleet;
mod looks;
mod notify;
mod paths;
mod routes;
mod template;

pub use agents::{layered_rules, read_rule_file, rule_files};
pub use colour::{Colour, Depth, Palette};
pub use fleet::{Fleet, Publish};
pub use looks::{Looks, StateLook};
pub use notify::{Notify, Quiet};
pub use paths::Paths;
pub use template::{Part, Template};

use crate::Error;
use crate::routes::{Route, cycles};
use madohub_detect::{Settings, Settle};
use std::path::Path;
use std::time::Duration;

/// The settings of the daemon and of the output, validated.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// Glyph, colour and weight of each state.
    pub looks: Looks,
    /// Pane borders in tmux.
    pub border: Border,
    /// The status segment.
    pub segment: Segment,
    /// How often a tmux server is looked at.
    pub pace: Pace,
    /// How states are followed over time.
    pub tracking: Tracking,
    /// What follows from changes of state.
    pub routes: Vec<Route>,
    /// What people are told without looking.
    pub notify: Notify,
    /// Agents of several machines, where a broker is named.
    pub fleet: Option<Fleet>,
}

/// What is done with pane borders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Border {
    /// Borders are touched at all.
    pub enabled: bool,
    /// Whether panes get a line of their own.
    pub status: BorderStatus,
    /// What carries the colour.
    pub style: BorderStyle,
    /// Text of the label; fields: [`Border::FIELDS`].
    pub label: Template,
    /// The pane's own title follows the label where there is room.
    pub title: bool,
    /// The border of a working pane pulses.
    pub pulse: bool,
}

impl Border {
    /// The fields that a label may name.
    pub const FIELDS: [&'static str; 7] =
        ["glyph", "agent", "state", "reason", "since", "background", "what"];
}

/// When windows get tmux's `pane-border-status top`, which costs each pane one row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BorderStatus {
    /// Where panes share borders, because only then does each pane own a whole line.
    #[default]
    Auto,
    /// In every window that holds an agent.
    Top,
    /// Never: the colour is on whatever border line there is.
    Off,
}

/// What carries the colour of a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BorderStyle {
    /// The whole border line and the label.
    #[default]
    Line,
    /// The label alone; the lines stay the user's own.
    Label,
}

/// The status segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    /// What it says.
    pub preset: SegmentPreset,
    /// Separator of entries in the `names` preset.
    pub separator: String,
    /// Most entries in the `names` preset; the rest is counted.
    pub names_max: usize,
    /// Agents of other machines are counted too.
    pub remote: bool,
}

/// What the segment says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SegmentPreset {
    /// Nothing, until a pane needs a person: `?1`.
    Minimal,
    /// One number per state: `?1 ●2 ✓1`.
    Counts,
    /// One entry per pane: `? api·codex 38s  ● web·claude`.
    Names,
    /// The user's own text; fields: [`Segment::FIELDS`].
    Custom(Template),
}

impl Segment {
    /// The fields that a text of the user's own may name.
    pub const FIELDS: [&'static str; 12] = [
        "minimal",
        "counts",
        "names",
        "remote",
        "total",
        "waiting",
        "failed",
        "stopped",
        "working",
        "completed",
        "exited",
        "idle",
    ];

    /// Whether agents of other machines are counted.
    pub fn tells_of_others(&self) -> bool {
        self.remote || matches!(&self.preset, SegmentPreset::Custom(text) if text.uses("remote"))
    }

    /// These settings with what a command line asks for: the name of a preset, or a text with
    /// [`Segment::FIELDS`].
    pub fn with_format(&self, format: &str) -> Result<Self, Error> {
        let preset = match format {
            "minimal" => SegmentPreset::Minimal,
            "counts" => SegmentPreset::Counts,
            "names" => SegmentPreset::Names,
            text => Template::parse(text, &Self::FIELDS)
                .map(SegmentPreset::Custom)
                .map_err(|what| Error::usage(format!("cannot use the format: {what}")))?,
        };
        Ok(Self { preset, ..self.clone() })
    }
}

/// How often a tmux server is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// While something animates or a turn just changed.
    pub hot: Duration,
    /// While nothing happens.
    pub calm: Duration,
    /// While no client is attached.
    pub away: Duration,
}

/// How states are followed over time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tracking {
    /// Holds and settling, as the engine's tracker takes them.
    pub settings: Settings,
    /// A foreground job in a plain shell is shown as `working`.
    pub shell_jobs: bool,
}

impl Config {
    /// A file with every key, its default and what it does, all commented out.
    pub const TEMPLATE: &'static str = include_str!("template.toml");

    /// The settings in `file`; the defaults where there is none.
    pub fn load(file: &Path) -> Result<Self, Error> {
        match std::fs::read(file) {
            Ok(bytes) => Self::parse(&String::from_utf8_lossy(&bytes), file),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(Error::file("cannot read the settings in", file, &error)),
        }
    }

    /// What may be meant otherwise than it is written: routes that lead to one another.
    pub fn warnings(&self) -> Vec<String> {
        let hops = self.routes.iter().map(|route| route.limits.hops).max().unwrap_or(0);
        let warning = |cycle: String| {
            format!("the routes {cycle} form a loop; it is ended after {hops} deliveries")
        };
        cycles(&self.routes).into_iter().map(warning).collect()
    }

    /// Reads the text of a settings file; `file` names it in errors.
    pub fn parse(text: &str, file: &Path) -> Result<Self, Error> {
        file::parse(text, file)
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            looks: Looks::default(),
            border: Border::default(),
            segment: Segment::default(),
            pace: Pace::default(),
            tracking: Tracking { settings: Settings::default(), shell_jobs: false },
            routes: Vec::new(),
            notify: Notify::default(),
            fleet: None,
        }
    }
}

impl Default for Border {
    fn default() -> Self {
        Self {
            enabled: true,
            status: BorderStatus::Auto,
            style: BorderStyle::Line,
            label: Template::literal_fields(&["glyph", "agent", "what", "since"]),
            title: false,
            pulse: true,
        }
    }
}

impl Default for Segment {
    fn default() -> Self {
        Self {
            preset: SegmentPreset::Counts,
            separator: "  ".to_owned(),
            names_max: 6,
            remote: false,
        }
    }
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            hot: Duration::from_millis(250),
            calm: Duration::from_secs(1),
            away: Duration::from_secs(3),
        }
    }
}

/// The settings words for [`Settle`] that are no number.
const SETTLE_WORDS: [(&str, Settle); 2] = [("focus", Settle::Focus), ("never", Settle::Never)];
