//! An agent in a terminal of its own, between the agent and the terminal that it was started in.
//!
//! tmux and zellij pass no program status report on and answer no query for it, so that agents
//! which speak the protocol (OSC 7501) say nothing there. Here they are heard: everything goes
//! through untouched, the query is answered, and the last report is kept in a file for the daemon
//! and for `madohub probe`.
//!
//! Three processes, as in `sudo` with `use_pty`:
//!
//! - the **relay** stands in the job of the shell that started it, and copies bytes;
//! - the **leader** leads the session of the new terminal. Without it the agent's group would be an
//!   orphaned one, which the kernel lets no Ctrl-Z stop;
//! - the **agent**, in a group of its own in the foreground of the new terminal.
//!
//! Both stages between fork and the agent are this program again: what must happen there needs no
//! unsafe code that way.

mod leader;
mod queue;
mod relay;
mod terminal;

use crate::reports::StatusWriter;
use crate::{Error, Kind};
use madohub_detect::Process;
use rustix::process::{Resource, Rlimit, WaitStatus, setrlimit};
use signal_hook::low_level::emulate_default_handler;
use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::Command;
use terminal::Terminal;

pub use leader::{become_agent, lead};

/// The argument that makes this program the leader, and then the agent.
pub const STAGE: &str = "--stage";

/// How the agent ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// It left with this exit code.
    Exit(i32),
    /// This signal ended it.
    Signal(i32),
}

impl Ended {
    fn of(status: WaitStatus) -> Option<Self> {
        let exit = status.exit_status().map(Self::Exit);
        exit.or_else(|| status.terminating_signal().map(Self::Signal))
    }

    /// The agent could not be started: as shells end, 127 where it was not found, else 126.
    pub fn not_started(error: &Error) -> Self {
        Self::Exit(if error.kind() == Kind::Usage { 127 } else { 126 })
    }

    /// Ends this process the way the agent ended, so that whoever waits sees no difference.
    pub fn leave(self) -> ! {
        let code = match self {
            Self::Exit(code) => code,
            Self::Signal(signal) => {
                // The core was the agent's to leave.
                let none = Rlimit { current: Some(0), maximum: Some(0) };
                let _ = setrlimit(Resource::Core, none);
                let _ = emulate_default_handler(signal);
                128 + signal
            }
        };
        std::process::exit(code)
    }
}

/// Runs an agent until it ends. Where there is no terminal to stand in between, as in a pipe, this
/// process becomes the agent and the function does not return.
pub fn run(argv: &[OsString], reports: &mut StatusWriter) -> Result<Ended, Error> {
    match Terminal::open() {
        Some(terminal) => relay::relay(argv, terminal, reports),
        None => Err(become_program(argv)),
    }
}

/// Whether a process is a relay: what it shows is the terminal of what it runs.
pub fn is_relay(process: &Process) -> bool {
    let mut argv = process.argv.iter().map(String::as_str);
    let program = argv.next().and_then(|path| path.rsplit('/').next());
    program == Some("madohub") && argv.next() == Some("run") && argv.next() != Some(STAGE)
}

/// Becomes the program; returns only why it could not.
fn become_program(argv: &[OsString]) -> Error {
    let Some((program, rest)) = argv.split_first() else {
        return Error::usage("there is nothing to run");
    };
    let error = Command::new(program).args(rest).exec();
    cannot_start(program, &error)
}

fn cannot_start(program: &OsString, error: &io::Error) -> Error {
    let failed = format!("cannot start `{}`: {error}", program.to_string_lossy());
    match error.kind() {
        io::ErrorKind::NotFound => {
            Error::new(Kind::Usage, failed).remedy("Is it installed, and in PATH?")
        }
        _ => Error::new(Kind::Failed, failed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relay_is_known_by_its_command_line() {
        for (argv, is) in [
            (&["madohub", "run", "--", "claude"][..], true),
            (&["/home/u/.local/bin/madohub", "run", "claude"], true),
            (&["madohub", "run", "--stage", "leader", "--", "claude"], false),
            (&["madohub", "list"], false),
            (&["claude", "run"], false),
            (&["madohub"], false),
            (&[], false),
        ] {
            let argv = argv.iter().map(|arg| (*arg).to_owned()).collect();
            let process = Process { argv, ..Process::default() };
            assert_eq!(is_relay(&process), is, "{process:?}");
        }
    }
}
