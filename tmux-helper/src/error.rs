//! How a command ends: the exit codes, and the one error type that people read.

use crate::output::clean;
use std::fmt;
use std::io;
use std::path::Path;
use std::process::ExitCode;

/// The exit codes of every command. They are a contract: scripts rely on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// 0: done.
    Ok,
    /// 1: the answer is no: nothing found, wrong state, timed out, something is wrong here.
    No,
    /// 2: the command line or the input cannot be used.
    Usage,
    /// 3: there is no multiplexer, or no daemon, to talk to.
    NoServer,
    /// 4: refused for safety.
    Refused,
}

impl Exit {
    /// The number that the process ends with.
    pub const fn code(self) -> u8 {
        match self {
            Self::Ok => 0,
            Self::No => 1,
            Self::Usage => 2,
            Self::NoServer => 3,
            Self::Refused => 4,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// What kind of failure an [`Error`] is; decides the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// What was asked for could not be done.
    Failed,
    /// The command line, a settings file or the input cannot be used.
    Usage,
    /// No multiplexer, or no daemon.
    NoServer,
    /// Refused for safety: a folder that others own, a second daemon, …
    Refused,
    /// The reader of our output went away; success.
    BrokenPipe,
}

/// A failure for the reader: what failed, on what, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    kind: Kind,
    message: String,
    remedy: Option<String>,
}

impl Error {
    /// A failure of this kind. `message` says what failed and on what.
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), remedy: None }
    }

    /// What was asked for could not be done (exit code 1).
    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(Kind::Failed, message)
    }

    /// The command line, a settings file or the input cannot be used (exit code 2).
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Kind::Usage, message)
    }

    /// No multiplexer, or no daemon (exit code 3).
    pub fn no_server(message: impl Into<String>) -> Self {
        Self::new(Kind::NoServer, message)
    }

    /// Refused for safety (exit code 4).
    pub fn refused(message: impl Into<String>) -> Self {
        Self::new(Kind::Refused, message)
    }

    /// A file or folder that could not be used: `verb` is what was tried, as in "cannot read".
    pub fn file(verb: &str, path: &Path, error: &io::Error) -> Self {
        Self::usage(format!("{verb} {}: {error}", path.display()))
    }

    /// Adds what the reader can do about it.
    #[must_use]
    pub fn remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }

    /// Kind of the failure.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// What failed, without the remedy.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What to do about it, if there is anything.
    pub fn hint(&self) -> Option<&str> {
        self.remedy.as_deref()
    }

    /// Whether the reader of our output went away, as in `madohub list | head -1`.
    pub fn is_broken_pipe(&self) -> bool {
        self.kind == Kind::BrokenPipe
    }

    /// The exit code that the failure ends the process with.
    pub fn exit(&self) -> Exit {
        match self.kind {
            Kind::Failed => Exit::No,
            Kind::Usage => Exit::Usage,
            Kind::NoServer => Exit::NoServer,
            Kind::Refused => Exit::Refused,
            Kind::BrokenPipe => Exit::Ok,
        }
    }
}

impl fmt::Display for Error {
    /// What failed, then what to do. The message may quote a file or a pane, so that whatever
    /// would act on a terminal is shown as a symbol.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines = self.message.lines();
        f.write_str(&clean(lines.next().unwrap_or_default()))?;
        for line in lines {
            write!(f, "\n{}", clean(line))?;
        }
        match &self.remedy {
            Some(remedy) => write!(f, "\n  {remedy}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}

impl From<io::Error> for Error {
    /// A failure of our own output; files are wrapped with [`Error::file`], which names them.
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Self::new(Kind::BrokenPipe, "the reader of the output went away")
        } else {
            Self::failed(format!("cannot write the output: {error}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exit_codes_are_a_contract() {
        for (error, code) in [
            (Error::failed(""), 1),
            (Error::usage(""), 2),
            (Error::no_server(""), 3),
            (Error::refused(""), 4),
            (Error::from(io::Error::from(io::ErrorKind::BrokenPipe)), 0),
            (Error::from(io::Error::from(io::ErrorKind::StorageFull)), 1),
        ] {
            assert_eq!(error.exit().code(), code, "{error:?}");
        }
        assert_eq!(Exit::Ok.code(), 0);
    }

    #[test]
    fn a_quoted_file_cannot_act_on_the_terminal() {
        let error = Error::usage("a.toml: \u{1b}[2J\nline two").remedy("Mend it.");
        assert_eq!(error.to_string(), "a.toml: ␛[2J\nline two\n  Mend it.");
    }
}
