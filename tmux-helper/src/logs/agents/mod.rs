//! The agents whose session logs are read, one module each.

mod aider;
mod amp;
mod claude;
mod codex;
mod copilot;
mod crush;
mod gemini;
mod goose;
mod opencode;
mod opencode_files;
mod qwen;

use super::file::Stamp;
use super::source::Source;
use jiff::Timestamp;
use madohub_detect::LogDetail;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Every agent whose logs are read.
pub(super) fn sources(homes: &Homes) -> Vec<Box<dyn Source>> {
    vec![
        Box::new(aider::Aider),
        Box::new(amp::Amp::new(homes)),
        Box::new(claude::Claude::new(homes)),
        Box::new(codex::Codex::new(homes)),
        Box::new(copilot::Copilot::new(homes)),
        Box::new(crush::Crush::default()),
        Box::new(gemini::Gemini::new(homes)),
        Box::new(goose::Goose::new(homes)),
        Box::new(opencode::OpenCode::new(homes)),
        Box::new(qwen::Qwen::new(homes)),
    ]
}

/// Where agents keep their files: as this program's own environment says. Environments of other
/// processes are never read.
#[derive(Debug, Clone)]
pub(super) struct Homes {
    home: Option<PathBuf>,
    variable: fn(&str) -> Option<PathBuf>,
}

impl Homes {
    /// As the environment says.
    pub(super) fn from_env() -> Self {
        let variable = |name: &str| {
            std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute())
        };
        Self { home: variable("HOME"), variable }
    }

    /// A home folder and nothing else.
    pub(super) fn at(home: &Path) -> Self {
        Self { home: Some(home.to_owned()), variable: |_| None }
    }

    /// The folder that the variable names.
    fn named(&self, variable: &str) -> Option<PathBuf> {
        (self.variable)(variable)
    }

    /// This folder in the one that the variable names, else in the home folder.
    fn below(&self, variable: &str, name: &str) -> Option<PathBuf> {
        let folder = (self.variable)(variable).or_else(|| self.home.clone())?;
        Some(folder.join(name))
    }

    /// The folder that the variable names, else this one in the home folder.
    fn folder(&self, variable: &str, below_home: &str) -> Option<PathBuf> {
        (self.variable)(variable).or_else(|| Some(self.home.as_ref()?.join(below_home)))
    }
}

/// When a file was written last, seconds since the epoch; 0 where there is none.
fn written(path: &Path) -> f64 {
    Stamp::of(path).map_or(0.0, |stamp| stamp.modified())
}

/// A time of a database's row as records have it; seconds or milliseconds since the epoch.
fn stamp(time: i64) -> Option<String> {
    /// No agent of the first four thousand years after 1970 wrote down more seconds than that.
    const SECONDS_MAX: i64 = 100_000_000_000;
    let time = if time > SECONDS_MAX {
        Timestamp::from_millisecond(time)
    } else {
        Timestamp::from_second(time)
    };
    time.ok().map(|time| time.to_string())
}

/// When a session began, by a time in its first record; seconds since the epoch.
fn begun(head: &Value, field: &str) -> Option<f64> {
    let time = head.get(field)?.as_str()?.parse::<Timestamp>().ok()?;
    Some(time.as_duration().as_secs_f64())
}

/// The beginning of a message for people; nothing for an empty one.
fn cut(text: &str) -> Option<String> {
    const MESSAGE_MAX: usize = 400;
    let text = text.trim_start();
    (!text.is_empty()).then(|| text.chars().take(MESSAGE_MAX).collect())
}

/// Takes the text of a record of role `assistant` for the last message.
fn said(record: &Value, detail: &mut LogDetail) {
    if record.get("role").and_then(Value::as_str) == Some("assistant") {
        let text = record.get("text").and_then(Value::as_str).and_then(cut);
        detail.last_message = text.or(detail.last_message.take());
    }
}

/// The name that Claude Code and Qwen Code give to the folder of a project: every UTF-16 unit of
/// the path that is no ASCII letter or digit is a dash.
fn dashed(cwd: &str) -> String {
    cwd.encode_utf16()
        .map(|unit| {
            char::from_u32(u32::from(unit)).filter(char::is_ascii_alphanumeric).unwrap_or('-')
        })
        .collect()
}

/// Whether a text can be the id of a session: it becomes part of a path.
fn is_id(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= 128
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
}

/// The files that a process of this user holds open; empty where that cannot be known.
fn opened(pid: i64) -> Vec<PathBuf> {
    let links = std::fs::read_dir(Path::new("/proc").join(pid.to_string()).join("fd"));
    let links = links.into_iter().flatten().flatten();
    links.filter_map(|link| std::fs::read_link(link.path()).ok()).collect()
}
