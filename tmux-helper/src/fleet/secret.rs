//! The password, from a file that nobody else can read.

use crate::Error;
use rustix::process::geteuid;
use std::fmt;
use std::fs::File;
use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// Longest password, in bytes.
const MAX: u64 = 4096;

/// A password. It is shown nowhere.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Vec<u8>);

impl Secret {
    /// Reads the password in a file, without the end of its line. Refused where the file belongs to
    /// somebody else, or others may read or change it.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let cannot = |error| Error::file("cannot read the password in", path, &error);
        let file = File::open(path).map_err(cannot)?;
        // Of what was opened, so that nobody can put another file in its place meanwhile.
        let meta = file.metadata().map_err(cannot)?;
        let refuse = |what: &str| {
            Error::refused(format!("the password file {} {what}", path.display()))
                .remedy(format!("Make it yours alone: chmod 600 {}", path.display()))
        };
        if !meta.is_file() {
            return Err(refuse("is no regular file"));
        }
        if meta.uid() != geteuid().as_raw() {
            return Err(refuse("belongs to another user"));
        }
        if meta.mode() & 0o077 != 0 {
            return Err(refuse("is open to other users"));
        }
        let mut bytes = Vec::new();
        file.take(MAX + 1).read_to_end(&mut bytes).map_err(cannot)?;
        while matches!(bytes.last(), Some(b'\n' | b'\r')) {
            bytes.pop();
        }
        if bytes.is_empty() || bytes.len() as u64 > MAX {
            let what = if bytes.is_empty() { "holds nothing" } else { "is no password: too long" };
            return Err(Error::usage(format!("the password file {} {what}", path.display())));
        }
        Ok(Self(bytes))
    }

    /// The password itself, for the broker.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a failing test may panic")]
mod tests {
    use super::*;
    use crate::Exit;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn a_file_that_others_can_open_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("password");
        fs::write(&path, "open sesame\n").unwrap();
        for (mode, is_refused) in
            [(0o600, false), (0o400, false), (0o640, true), (0o604, true), (0o620, true)]
        {
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            let answer = Secret::read(&path);
            assert_eq!(answer.is_err(), is_refused, "{mode:o}");
            match answer {
                Ok(secret) => {
                    assert_eq!(secret.bytes(), b"open sesame");
                    assert_eq!(format!("{secret:?}"), "Secret");
                }
                Err(error) => {
                    assert_eq!(error.exit(), Exit::Refused);
                    assert!(error.hint().unwrap().contains("chmod 600"));
                }
            }
        }
    }

    #[test]
    fn what_is_no_password_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("password");
        assert_eq!(Secret::read(&path).unwrap_err().exit(), Exit::Usage);
        assert_eq!(Secret::read(folder.path()).unwrap_err().exit(), Exit::Refused);
        for text in ["\n".to_owned(), "x".repeat(5000)] {
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
            assert_eq!(Secret::read(&path).unwrap_err().exit(), Exit::Usage);
        }
    }
}
