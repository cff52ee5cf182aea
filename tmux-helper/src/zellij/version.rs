//! Which zellij is installed.

use crate::child;
use std::fmt;
use std::process::Command;
use std::time::Duration;

/// It starts nothing and answers at once.
const LIMIT: Duration = Duration::from_secs(3);

/// A version of zellij.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(u32, u32, u32);

impl Version {
    /// The oldest one whose plugin interface is enough.
    pub const OLDEST: Self = Self(0, 44, 2);

    /// That of the `zellij` in the PATH; nothing where there is none, or none that says so.
    pub fn here() -> Option<Self> {
        let mut command = Command::new("zellij");
        command.arg("--version");
        let said = child::run(command, b"", LIMIT).ok()?;
        Self::parse(&String::from_utf8_lossy(&said.stdout))
    }

    fn parse(said: &str) -> Option<Self> {
        let mut parts = said.trim().strip_prefix("zellij ")?.split('.').map(|n| n.parse().ok());
        Some(Self(parts.next()??, parts.next()??, parts.next()??))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}

#[cfg(test)]
mod tests {
    use super::Version;

    #[test]
    fn versions_are_read_and_ordered() {
        assert_eq!(Version::parse("zellij 0.44.2\n"), Some(Version::OLDEST));
        assert!(Version::parse("zellij 0.9.30") < Some(Version::OLDEST));
        assert_eq!(Version::parse("zellij 1.0.0").unwrap_or(Version::OLDEST).to_string(), "1.0.0");
        for other in ["", "zellij", "zellij x.y.z", "tmux 3.3a"] {
            assert_eq!(Version::parse(other), None, "{other}");
        }
    }
}
