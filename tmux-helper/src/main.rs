//! The `madohub` command: parse, run, turn the outcome into an exit code.

#![forbid(unsafe_code)]

use std::io::Write as _;
use std::process::ExitCode;

fn main() -> ExitCode {
    match madohub::run(std::env::args_os()) {
        Ok(exit) => exit.into(),
        Err(error) if error.is_broken_pipe() => madohub::Exit::Ok.into(),
        Err(error) => {
            // Where stderr is closed there is nobody left to tell; the exit code still says it.
            let _ = writeln!(std::io::stderr().lock(), "madohub: {error}");
            error.exit().into()
        }
    }
}
