//! Running one program with input, output and a time limit.
//!
//! tmux waits for its server without any limit of its own; a server that hangs must not hang us.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// More output than any tmux server has to say: a thousand panes of a thousand long rows.
const OUTPUT_MAX: usize = 256 * 1024 * 1024;
/// What is kept of the error output.
const ERRORS_MAX: usize = 256 * 1024;

/// What a program said.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
}

/// Runs `command`, feeds it `input`, and answers what it said. When it takes longer than `limit`
/// it is killed, reaped, and the error is [`io::ErrorKind::TimedOut`].
pub(crate) fn run(mut command: Command, input: &[u8], limit: Duration) -> io::Result<Said> {
    let deadline = Instant::now() + limit;
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = Reaped(command.spawn()?);
    let (stdout, stderr) = exchange(&mut child.0, input, deadline)?;
    let status = wait(&mut child.0, deadline)?;
    Ok(Said { status, stdout, stderr })
}

/// A child that never stays behind, whichever way its owner returns.
struct Reaped(Child);

impl Drop for Reaped {
    fn drop(&mut self) {
        if !matches!(self.0.try_wait(), Ok(Some(_))) {
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }
}

fn exchange(child: &mut Child, input: &[u8], deadline: Instant) -> io::Result<(Vec<u8>, Vec<u8>)> {
    let (mut stdin, mut stdout, mut stderr) =
        (child.stdin.take(), child.stdout.take(), child.stderr.take());
    for pipe in [stdin.as_ref().map(AsFd::as_fd), stdout.as_ref().map(AsFd::as_fd)]
        .into_iter()
        .chain([stderr.as_ref().map(AsFd::as_fd)])
        .flatten()
    {
        fcntl_setfl(pipe, fcntl_getfl(pipe)? | OFlags::NONBLOCK)?;
    }
    let mut unsent = input;
    let (mut out, mut err) = (Vec::new(), Vec::new());
    loop {
        if unsent.is_empty() {
            stdin = None;
        }
        if let Some(pipe) = &mut stdin {
            match pipe.write(unsent) {
                Ok(sent) => unsent = unsent.get(sent..).unwrap_or_default(),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                // It stopped reading; what it has to say about that is in its output.
                Err(_) => unsent = &[],
            }
            if unsent.is_empty() {
                stdin = None;
            }
        }
        if drained(&mut stdout, &mut out, OUTPUT_MAX)? {
            stdout = None;
        }
        if drained(&mut stderr, &mut err, ERRORS_MAX)? {
            stderr = None;
        }
        let mut pipes = Vec::with_capacity(3);
        pipes.extend(stdin.as_ref().map(|p| PollFd::new(p, PollFlags::OUT)));
        pipes.extend(stdout.as_ref().map(|p| PollFd::new(p, PollFlags::IN)));
        pipes.extend(stderr.as_ref().map(|p| PollFd::new(p, PollFlags::IN)));
        if pipes.is_empty() {
            return Ok((out, err));
        }
        match poll(&mut pipes, Some(&left(deadline)?)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
}

/// Reads what is there; true at the end of the pipe.
fn drained<R: Read>(pipe: &mut Option<R>, into: &mut Vec<u8>, most: usize) -> io::Result<bool> {
    let Some(pipe) = pipe else { return Ok(false) };
    let mut chunk = [0; 16 * 1024];
    loop {
        match pipe.read(&mut chunk) {
            Ok(0) => return Ok(true),
            Ok(n) if into.len() + n > most => {
                return Err(io::Error::new(
                    io::ErrorKind::FileTooLarge,
                    format!("more than {most} bytes of output"),
                ));
            }
            Ok(n) => into.extend_from_slice(chunk.get(..n).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn left(deadline: Instant) -> io::Result<Timespec> {
    let left = deadline.checked_duration_since(Instant::now()).filter(|left| !left.is_zero());
    let left = left.ok_or_else(|| io::Error::from(io::ErrorKind::TimedOut))?;
    Timespec::try_from(left).map_err(io::Error::other)
}

/// The pipes are closed, so that the end is near; it has no file descriptor to wait for.
fn wait(child: &mut Child, deadline: Instant) -> io::Result<ExitStatus> {
    let mut pause = Duration::from_micros(100);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        left(deadline)?;
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(5));
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn sh(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.arg("-c").arg(script);
        command
    }

    #[test]
    fn more_than_a_pipe_holds_goes_both_ways() {
        let input = vec![b'x'; 1 << 20];
        let said = run(sh("cat; echo wrong >&2; exit 3"), &input, Duration::from_secs(20)).unwrap();
        assert_eq!(said.stdout.len(), input.len());
        assert_eq!(said.stderr, b"wrong\n");
        assert_eq!(said.status.code(), Some(3));
    }

    #[test]
    fn a_program_that_hangs_is_ended() {
        let start = Instant::now();
        let error = run(sh("exec sleep 60"), b"", Duration::from_millis(100)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert!(start.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn a_program_that_closes_its_output_and_hangs_is_ended() {
        let hang = sh("exec sleep 60 >&- 2>&-");
        let error = run(hang, b"", Duration::from_millis(200)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    }

    #[test]
    fn a_program_that_does_not_read_is_no_failure() {
        let input = vec![b'x'; 1 << 20];
        let said = run(sh("exec true"), &input, Duration::from_secs(20)).unwrap();
        assert!(said.status.success());
    }
}
