//! The two stages between the relay and the agent.

use super::{Ended, STAGE, become_program};
use crate::Error;
use rustix::process::{
    Pid, Signal, WaitOptions, getpgrp, getpid, ioctl_tiocsctty, kill_process, kill_process_group,
    setsid, waitpid,
};
use rustix::stdio::stdin;
use rustix::termios::{tcgetpgrp, tcsetpgrp};
use signal_hook::consts::{SIGCHLD, SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::iterator::Signals;
use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Signals that are for the agent, wherever they arrive.
pub(super) const PASSED_ON: [i32; 6] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2];

/// How long the agent's process waits to be put in the foreground.
const PATIENCE: Duration = Duration::from_secs(5);

/// Is the leader: makes the standard input its session's terminal, starts the agent, and stops and
/// ends as the agent does.
pub fn lead(argv: &[OsString]) -> Result<Ended, Error> {
    let failed = |error: io::Error| Error::failed(format!("cannot lead the terminal: {error}"));
    setsid().and_then(|_| ioctl_tiocsctty(stdin())).map_err(|error| failed(error.into()))?;
    let mut signals = Signals::new(PASSED_ON.iter().chain(&[SIGCHLD, SIGCONT])).map_err(failed)?;
    let agent = start(argv).map_err(failed)?;
    // What was sent before there was an agent is not lost: it is pending here.
    loop {
        for signal in signals.wait() {
            match signal {
                SIGCHLD => {
                    if let Some(ended) = look_after(agent) {
                        return Ok(ended);
                    }
                }
                SIGCONT => send_group(agent, Signal::CONT),
                other => {
                    if let Some(signal) = Signal::from_named_raw(other) {
                        let _ = kill_process(agent, signal);
                    }
                }
            }
        }
    }
}

/// Starts the agent's process in a group of its own and puts that in the foreground.
fn start(argv: &[OsString]) -> io::Result<Pid> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg0("madohub").args(["run", STAGE, "agent", "--"]).args(argv).process_group(0);
    let child = command.spawn()?;
    let agent = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let agent = agent.ok_or_else(|| io::Error::other("no process id"))?;
    tcsetpgrp(stdin(), agent)?;
    Ok(agent)
}

/// Takes note of what became of the agent: how it ended, if it did. When it stopped, so does this
/// process; the relay sees that, and sends the signal to go on.
fn look_after(agent: Pid) -> Option<Ended> {
    let options = WaitOptions::NOHANG | WaitOptions::UNTRACED;
    while let Ok(Some((_, status))) = waitpid(Some(agent), options) {
        if let Some(ended) = Ended::of(status) {
            return Some(ended);
        }
        if status.stopped() {
            let _ = kill_process(getpid(), Signal::STOP);
            send_group(agent, Signal::CONT);
        }
    }
    None
}

fn send_group(agent: Pid, signal: Signal) {
    let _ = kill_process_group(agent, signal);
}

/// Becomes the agent as soon as its group is in the foreground: before that the terminal would
/// stop it. Returns only why it could not.
pub fn become_agent(argv: &[OsString]) -> Error {
    let start = Instant::now();
    while tcgetpgrp(stdin()).is_ok_and(|group| group != getpgrp()) && start.elapsed() < PATIENCE {
        sleep(Duration::from_millis(1));
    }
    become_program(argv)
}
