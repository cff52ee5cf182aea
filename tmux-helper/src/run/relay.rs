//! The relay: copies bytes between the agent's terminal and the one that it was started in.

use super::leader::PASSED_ON;
use super::queue::{Queue, Read};
use super::terminal::Terminal;
use super::{Ended, STAGE};
use crate::Error;
use crate::reports::StatusWriter;
use madohub_detect::{StatusRecord, StatusScanner, StatusSignal};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, fcntl_getfl, fcntl_setfl, open};
use rustix::io::{Errno, FdFlags, fcntl_setfd};
use rustix::process::{
    Pid, Signal, WaitOptions, kill_current_process_group, kill_process, waitpid,
};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, tcgetpgrp, tcsetattr, tcsetwinsize};
use signal_hook::consts::{SIGCHLD, SIGCONT, SIGHUP, SIGWINCH};
use signal_hook::iterator::backend::SignalDelivery;
use signal_hook::iterator::exfiltrator::SignalOnly;
use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};

/// How long a terminal that takes nothing may hold up the end.
const LAST_WORDS: Timespec = Timespec { tv_sec: 1, tv_nsec: 0 };

/// Starts the agent in a terminal of its own and relays until it ends.
pub(super) fn relay(
    argv: &[OsString],
    terminal: Terminal,
    reports: &mut StatusWriter,
) -> Result<Ended, Error> {
    let failed = |error: io::Error| {
        Error::failed(format!("cannot make a terminal for the agent: {error}"))
            .remedy("Start the agent without `madohub run`.")
    };
    let signals = signals().map_err(failed)?;
    let (master, slave) = make_terminal(&terminal).map_err(failed)?;
    let leader = start_leader(argv, slave).map_err(failed)?;
    let mut relay = Relay {
        terminal,
        master: Some(master),
        leader,
        to_agent: Queue::new(),
        to_terminal: Queue::new(),
        scanner: StatusScanner::new(),
        record: StatusRecord::new(),
        heard_out: None,
        reports,
    };
    relay.go_on();
    relay.run(signals).map_err(failed)
}

type Delivery = SignalDelivery<UnixStream, SignalOnly>;

fn signals() -> io::Result<Delivery> {
    let (read, write) = UnixStream::pair()?;
    let heeded = PASSED_ON.iter().chain(&[SIGCHLD, SIGCONT, SIGWINCH]);
    SignalDelivery::with_pipe(read, write, SignalOnly, heeded)
}

/// A new terminal, set as the one that we were started in: our end and the agent's.
fn make_terminal(like: &Terminal) -> io::Result<(OwnedFd, OwnedFd)> {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
    fcntl_setfd(&master, FdFlags::CLOEXEC)?;
    grantpt(&master)?;
    unlockpt(&master)?;
    fcntl_setfl(&master, fcntl_getfl(&master)? | OFlags::NONBLOCK)?;
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    let slave = open(ptsname(&master, Vec::new())?, flags, Mode::empty())?;
    tcsetattr(&slave, OptionalActions::Now, &like.attributes()?)?;
    tcsetwinsize(&slave, like.size()?)?;
    Ok((master, slave))
}

fn start_leader(argv: &[OsString], slave: OwnedFd) -> io::Result<Pid> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg0("madohub").args(["run", STAGE, "leader", "--"]).args(argv);
    if Terminal::is_stderr() {
        command.stderr(Stdio::from(slave.try_clone()?));
    }
    command.stdout(Stdio::from(slave.try_clone()?)).stdin(Stdio::from(slave));
    let child = command.spawn()?;
    let leader = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    leader.ok_or_else(|| io::Error::other("no process id"))
}

struct Relay<'a> {
    terminal: Terminal,
    /// Our end of the agent's terminal; nothing once the other end is closed for good.
    master: Option<OwnedFd>,
    leader: Pid,
    to_agent: Queue,
    to_terminal: Queue,
    scanner: StatusScanner,
    record: StatusRecord,
    /// The foreground group when all that was written before was read; nothing until then.
    heard_out: Option<Pid>,
    reports: &'a mut StatusWriter,
}

impl Relay<'_> {
    fn run(&mut self, mut signals: Delivery) -> io::Result<Ended> {
        loop {
            let hung_up = self.wait(&signals)?;
            for signal in signals.pending() {
                match signal {
                    SIGCHLD => {
                        if let Some(ended) = self.look_after() {
                            return Ok(ended);
                        }
                    }
                    SIGCONT => self.go_on(),
                    SIGWINCH => self.resize(),
                    SIGHUP => return Ok(Ended::Signal(SIGHUP)),
                    other => self.pass_on(other),
                }
            }
            if hung_up {
                // Our end closes when we end, and the kernel hangs the agent up.
                return Ok(Ended::Signal(SIGHUP));
            }
        }
    }

    /// Waits until something can be done and does it; answers whether the terminal is gone.
    fn wait(&mut self, signals: &Delivery) -> io::Result<bool> {
        let mut outer = PollFlags::empty();
        outer.set(PollFlags::IN, self.to_agent.has_room());
        outer.set(PollFlags::OUT, !self.to_terminal.is_empty());
        let mut inner = PollFlags::empty();
        inner.set(PollFlags::IN, self.to_terminal.has_room());
        inner.set(PollFlags::OUT, !self.to_agent.is_empty());
        let (outer, inner) = {
            let mut fds = vec![
                PollFd::new(signals.get_read(), PollFlags::IN),
                PollFd::new(&self.terminal, outer),
            ];
            fds.extend(self.master.as_ref().map(|master| PollFd::new(master, inner)));
            match poll(&mut fds, None) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            let happened =
                |at: usize| fds.get(at).map_or(PollFlags::empty(), |fd: &PollFd<'_>| fd.revents());
            (happened(1), happened(2))
        };
        if inner.intersects(PollFlags::IN | PollFlags::HUP | PollFlags::ERR) {
            self.hear();
        }
        self.to_terminal.drain(&self.terminal);
        let gone = outer.intersects(PollFlags::HUP | PollFlags::ERR);
        let mut hung_up = false;
        if gone || outer.intersects(PollFlags::IN) {
            hung_up = self.to_agent.fill(&self.terminal) == Read::End || gone;
        }
        if let Some(master) = &self.master {
            self.to_agent.drain(master);
        }
        Ok(hung_up)
    }

    /// Reads what was written in the agent's terminal.
    fn hear(&mut self) {
        let Some(master) = &self.master else { return };
        // Before the reads: what is written meanwhile is of this group or of a later one.
        let group = tcgetpgrp(master).ok();
        loop {
            let Some(master) = &self.master else { return };
            match self.to_terminal.fill(master) {
                Read::Some(count) => self.listen(count, group),
                Read::Nothing => {
                    if self.to_terminal.has_room() {
                        self.heard_out = group;
                    }
                    return;
                }
                Read::End => self.master = None,
            }
        }
    }

    /// Takes over what the last `count` bytes report, `group` being in the foreground now. They
    /// were written by that group if it was in the foreground also when all before them was read;
    /// otherwise nobody can tell, and it is nobody's word.
    fn listen(&mut self, count: usize, group: Option<Pid>) {
        let mut written = false;
        let (to_agent, record) = (&mut self.to_agent, &mut self.record);
        self.scanner.feed(self.to_terminal.newest(count), |signal| {
            if let StatusSignal::Query(terminator) = signal {
                // At once: an agent takes an answer only before that to its next question.
                to_agent.push(terminator.answer());
            }
            written |= record.take(signal);
        });
        if written {
            let before = self.heard_out;
            let writer = group.filter(|group| before.is_none_or(|before| before == *group));
            let writer = writer.map(|group| group.as_raw_nonzero().get());
            self.reports.write(self.record.report(), writer);
        }
    }

    /// What became of the leader, which does as the agent does.
    fn look_after(&mut self) -> Option<Ended> {
        let options = WaitOptions::NOHANG | WaitOptions::UNTRACED;
        while let Ok(Some((_, status))) = waitpid(Some(self.leader), options) {
            if let Some(ended) = Ended::of(status) {
                self.say_all();
                self.terminal.restore();
                return Some(ended);
            }
            if status.stopped() {
                self.stop();
            }
        }
        None
    }

    /// Stops with the agent, and goes on with it. Where nobody could let the job go on the kernel
    /// does not stop it, and the agent goes on at once.
    fn stop(&mut self) {
        self.say_all();
        self.terminal.restore();
        let _ = kill_current_process_group(Signal::TSTP);
        self.go_on();
    }

    /// Begins, or goes on after a stop.
    fn go_on(&mut self) {
        let _ = self.terminal.make_raw();
        self.resize();
        let _ = kill_process(self.leader, Signal::CONT);
    }

    fn resize(&self) {
        if let (Ok(size), Some(master)) = (self.terminal.size(), &self.master) {
            let _ = tcsetwinsize(master, size);
        }
    }

    fn pass_on(&self, signal: i32) {
        if let Some(signal) = Signal::from_named_raw(signal) {
            let _ = kill_process(self.leader, signal);
        }
    }

    /// Shows all that the agent wrote before it stopped or ended.
    fn say_all(&mut self) {
        loop {
            self.hear();
            if self.to_terminal.is_empty() {
                return;
            }
            self.to_terminal.drain(&self.terminal);
            let mut fds = [PollFd::from_borrowed_fd(self.terminal.as_fd(), PollFlags::OUT)];
            if !self.to_terminal.is_empty() && !matches!(poll(&mut fds, Some(&LAST_WORDS)), Ok(1..))
            {
                return;
            }
        }
    }
}
