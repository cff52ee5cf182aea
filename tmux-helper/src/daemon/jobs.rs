//! Programs and files that routes lead to.

use crate::routes::Ended;
use rustix::fs::OFlags;
use rustix::process::{Pid, Signal, kill_process_group};
use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How long a program may run. Routes tell of things; they are no place for long work.
const LIMIT: Duration = Duration::from_mins(1);
/// How often it is looked whether it ended.
const TICK: Duration = Duration::from_millis(50);

/// Runs a program and waits for its end. No shell reads the arguments, and it has no input, no
/// output and no terminal.
pub(super) fn run(argv: &[String]) -> Ended {
    run_within(argv, LIMIT)
}

fn run_within(argv: &[String], limit: Duration) -> Ended {
    let Some((program, arguments)) = argv.split_first() else {
        return Ended::Failed("there is no program".to_owned());
    };
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // What it starts can be ended with it.
    command.process_group(0);
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return Ended::Failed(format!("cannot run {program}: {error}")),
    };
    let deadline = Instant::now() + limit;
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ended::Done,
            Ok(Some(status)) => return Ended::Failed(format!("{program} ended with {status}")),
            Ok(None) if Instant::now() < deadline => std::thread::sleep(TICK),
            Ok(None) => {
                let _ = kill_process_group(Pid::from_child(&child), Signal::KILL);
                let _ = child.wait();
                let limit = limit.as_secs_f64();
                return Ended::Failed(format!("{program} ran for more than {limit} s"));
            }
            Err(error) => return Ended::Failed(format!("cannot wait for {program}: {error}")),
        }
    }
}

/// Appends a line to a regular file, which is made for its user alone if need be.
pub(super) fn append(path: &Path, text: &str) -> Ended {
    let failed =
        |what: &dyn std::fmt::Display| Ended::Failed(format!("{}: {what}", path.display()));
    // A pipe that nobody reads must not hold the daemon up.
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    let opened =
        OpenOptions::new().append(true).create(true).mode(0o600).custom_flags(flags).open(path);
    let mut file = match opened {
        Ok(file) => file,
        Err(error) => return failed(&error),
    };
    match file.metadata() {
        Ok(meta) if meta.is_file() => {}
        Ok(_) => return failed(&"not a regular file"),
        Err(error) => return failed(&error),
    }
    match file.write_all(format!("{text}\n").as_bytes()) {
        Ok(()) => Ended::Done,
        Err(error) => failed(&error),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failing test may panic")]

    use super::*;

    fn argv(words: &[&str]) -> Vec<String> {
        words.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn how_a_program_ends_is_said() {
        assert_eq!(run(&argv(&["true"])), Ended::Done);
        assert!(
            matches!(run(&argv(&["false"])), Ended::Failed(why) if why.contains("exit status"))
        );
        assert!(
            matches!(run(&argv(&["/nowhere/x"])), Ended::Failed(why) if why.contains("cannot"))
        );
        let folder = tempfile::tempdir().unwrap();
        let mark = folder.path().join("mark");
        let hostile = format!("$(touch {0}) `touch {0}`; touch {0}", mark.display());
        assert_eq!(run(&argv(&["test", "-n", &hostile])), Ended::Done);
        assert!(!mark.exists());
    }

    #[test]
    fn a_program_that_does_not_end_is_ended_with_what_it_started() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert_eq!(run(&argv(&["mkfifo", pipe.to_str().unwrap()])), Ended::Done);
        // What it started holds the pipe open.
        let script = format!("sleep 600 <> {0} > {0} & sleep 600", pipe.display());
        let reader = std::thread::spawn(move || std::fs::read(pipe));
        let ended = run_within(&argv(&["sh", "-c", &script]), Duration::from_millis(500));
        assert!(matches!(&ended, Ended::Failed(why) if why.contains("ran for more")), "{ended:?}");
        assert_eq!(reader.join().unwrap().unwrap(), b"");
    }

    #[test]
    fn a_file_gets_a_line_and_a_pipe_gets_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        assert_eq!(append(&path, "one"), Ended::Done);
        assert_eq!(append(&path, "two"), Ended::Done);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "one\ntwo\n");
        assert!(matches!(append(folder.path(), "x"), Ended::Failed(_)));
        assert!(matches!(append(Path::new("/dev/null"), "x"), Ended::Failed(_)));
        assert!(matches!(append(Path::new("/nowhere/x"), "x"), Ended::Failed(_)));
    }
}
