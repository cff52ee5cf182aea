//! tmux's own names of panes, windows and sessions: unique for the life of a server.

use std::fmt;
use std::str::FromStr;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $sign:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(u32);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($sign, "{}"), self.0)
            }
        }

        impl From<$name> for u64 {
            fn from(id: $name) -> Self {
                Self::from(id.0)
            }
        }

        impl FromStr for $name {
            type Err = ();

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                let digits = text.strip_prefix($sign).ok_or(())?;
                if !digits.bytes().all(|b| b.is_ascii_digit()) {
                    return Err(());
                }
                digits.parse().map(Self).map_err(|_| ())
            }
        }
    };
}

id!(
    /// A pane, `%3`.
    PaneId,
    "%"
);
id!(
    /// A window, `@3`.
    WindowId,
    "@"
);
id!(
    /// A session, `$3`.
    SessionId,
    "$"
);
