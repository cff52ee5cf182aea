//! One report: the body of the sequence, read and checked.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Longest key, in bytes.
const KEY_MAX: usize = 16;
/// Longest `app`, and longest segment of an `id`.
const NAME_MAX: usize = 32;
/// Longest `id`, and its levels.
const ID_MAX: usize = 128;
const ID_LEVELS: usize = 8;
/// Longest `msg` and `title` as they are written, in bytes.
const MESSAGE_MAX: usize = 2732;
const TITLE_MAX: usize = 256;

/// A report of a program on its own state. It replaces the one before as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The state.
    pub state: ReportState,
    /// What a `blocked` program needs, where it says so.
    pub kind: Option<Blocked>,
    /// Name that the program gives itself.
    pub app: Option<String>,
    /// What it says about the state, without control characters; cut by nobody yet.
    pub message: Option<String>,
    /// It carries an `id`: it is about a part of the program, not about the program.
    pub(crate) is_of_child: bool,
}

/// The states of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportState {
    /// Ready for input.
    Idle,
    /// Something runs.
    Working,
    /// A person is needed.
    Blocked,
    /// It ended.
    Done,
    /// It ended in an error.
    Error,
    /// Nothing is reported any more.
    Clear,
}

/// What a blocked program needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blocked {
    /// A permission.
    Permission,
    /// An answer.
    Question,
    /// A login.
    Auth,
}

impl ReportState {
    const ALL: [Self; 6] =
        [Self::Idle, Self::Working, Self::Blocked, Self::Done, Self::Error, Self::Clear];

    /// Word of the protocol.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Working => "working",
            Self::Blocked => "blocked",
            Self::Done => "done",
            Self::Error => "error",
            Self::Clear => "clear",
        }
    }
}

impl Blocked {
    const ALL: [Self; 3] = [Self::Permission, Self::Question, Self::Auth];

    /// Word of the protocol.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Permission => "permission",
            Self::Question => "question",
            Self::Auth => "auth",
        }
    }
}

impl Report {
    /// Reads `key=value:key=value…`. Nothing when the report must be discarded: no state or one
    /// that the protocol does not know, a limit exceeded, a text that is none. A pair that is no
    /// pair and a key that is not known are skipped; of a key that comes twice the last counts.
    pub(crate) fn parse(body: &str) -> Option<Self> {
        let mut state = None;
        let mut kind = None;
        let (mut app, mut id, mut message, mut title) = (None, None, None, None);
        for pair in body.split(':') {
            let Some((key, value)) = pair.split_once('=') else { continue };
            if key.len() > KEY_MAX {
                return None;
            }
            if !is_key(key) || !value.bytes().all(is_value) {
                continue;
            }
            match key {
                "state" => state = Some(value),
                "kind" => kind = Some(value),
                "app" => app = Some(value),
                "id" => id = Some(value),
                "msg" => message = Some(value),
                "title" => title = Some(value),
                _ => {}
            }
        }
        let state = ReportState::ALL.into_iter().find(|known| Some(known.as_str()) == state)?;
        let app = app.filter(|app| !app.is_empty());
        if app.is_some_and(|app| app.len() > NAME_MAX) || !id.is_none_or(is_id) {
            return None;
        }
        title.map_or(Some(String::new()), |title| text(title, TITLE_MAX))?;
        let message = match message {
            Some(message) => Some(text(message, MESSAGE_MAX)?).filter(|text| !text.is_empty()),
            None => None,
        };
        let kind = kind.filter(|_| state == ReportState::Blocked);
        Some(Self {
            state,
            kind: Blocked::ALL.into_iter().find(|known| Some(known.as_str()) == kind),
            app: app.map(str::to_owned),
            message,
            is_of_child: id.is_some(),
        })
    }
}

fn is_key(key: &str) -> bool {
    !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_lowercase())
}

fn is_value(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_.,+/=-".contains(&byte)
}

fn is_id(id: &str) -> bool {
    let segment = |part: &str| {
        (1..=NAME_MAX).contains(&part.len())
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.+-".contains(&byte))
    };
    id.len() <= ID_MAX && id.split('/').count() <= ID_LEVELS && id.split('/').all(segment)
}

/// A base64 text of at most so many bytes as written; it is UTF-8 and holds no control character.
fn text(encoded: &str, most: usize) -> Option<String> {
    if encoded.len() > most {
        return None;
    }
    let text = String::from_utf8(STANDARD.decode(encoded).ok()?).ok()?;
    (!text.chars().any(char::is_control)).then_some(text)
}
