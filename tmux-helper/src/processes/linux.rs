//! Processes from Linux's `/proc`.

use super::{MOST, ProcessSource, Sign};
use crate::{run, shortage};
use madohub_detect::Process;
use procfs::process::{Process as Entry, Stat, all_processes};
use procfs::{FromRead as _, ProcError, ProcResult};
use std::collections::{HashMap, VecDeque};
use std::path::Path;

/// Reads `/proc`, only below the processes that are asked for.
#[derive(Debug, Default)]
pub struct Procfs {
    /// Children of every process, from one scan; only where the kernel keeps no lists of children
    /// (`CONFIG_PROC_CHILDREN`).
    scanned: Option<HashMap<i32, Vec<i32>>>,
    /// This user's processes as of the last time that everyone was listed: command line, program
    /// and folder of a process are read once.
    known: HashMap<i32, Process>,
    fell_short: bool,
}

impl Procfs {
    /// A source that has read nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// What was read; nothing where it is gone, or must be taken for missing.
    fn had<T>(&mut self, read: ProcResult<T>) -> Option<T> {
        read.inspect_err(|error| self.fell_short |= may_be_there(error)).ok()
    }

    /// The children as the kernel lists them, where it does.
    fn listed(&mut self, entry: &Entry) -> Option<Vec<i32>> {
        let mut children = Vec::new();
        for task in self.had(entry.tasks())? {
            // A thread may end while we read; its children moved to another one then.
            let Some(task) = self.had(task) else { continue };
            let pids = task.children();
            if matches!(pids, Err(ProcError::NotFound(_))) && !lists_children() {
                return None;
            }
            let pids = self.had(pids).unwrap_or_default();
            children.extend(pids.into_iter().filter_map(|pid| i32::try_from(pid).ok()));
        }
        Some(children)
    }

    fn children(&mut self, entry: &Entry) -> Vec<i32> {
        self.listed(entry).unwrap_or_else(|| {
            let scanned = self.scanned.get_or_insert_with(scan);
            scanned.get(&entry.pid()).cloned().unwrap_or_default()
        })
    }
}

impl ProcessSource for Procfs {
    fn begin(&mut self) {
        (self.scanned, self.fell_short) = (None, false);
    }

    fn fell_short(&self) -> bool {
        self.fell_short
    }

    fn tree(&mut self, root: i64) -> Option<Vec<Process>> {
        let root = self.had(Entry::new(i32::try_from(root).ok()?))?;
        let terminal = Terminal::Same(self.had(root.stat())?.tty_nr);
        let mut found = Vec::new();
        let mut next = VecDeque::from([(root, terminal)]);
        while let Some((entry, terminal)) = next.pop_front() {
            // Processes end while they are read; what is gone is left out.
            let Some(stat) = self.had(entry.stat()) else { continue };
            let free = MOST.saturating_sub(found.len() + next.len() + 1);
            let children = self.children(&entry).into_iter().take(free);
            let process = process(&entry, stat, terminal);
            let below = terminal.below(&process);
            next.extend(children.filter_map(|pid| Some((self.had(Entry::new(pid))?, below))));
            found.push(process);
        }
        Some(found).filter(|found| !found.is_empty())
    }

    fn ancestors(&mut self) -> Vec<Process> {
        let mut found = Vec::new();
        let mut pid = rustix::process::getppid().map(|pid| pid.as_raw_nonzero().get());
        while let Some(entry) = pid.filter(|pid| *pid > 1).and_then(|pid| Entry::new(pid).ok()) {
            let Ok(stat) = entry.stat() else { break };
            pid = Some(stat.ppid);
            let terminal = Terminal::Same(stat.tty_nr);
            found.push(process(&entry, stat, terminal));
            if found.len() >= MOST {
                break;
            }
        }
        found
    }

    fn everyone(&mut self) -> Vec<Process> {
        let user = rustix::process::geteuid().as_raw();
        let own = |entry: &Entry| entry.uid().is_ok_and(|uid| uid == user);
        let found =
            all_processes().into_iter().flatten().flatten().filter(own).filter_map(|entry| {
                let stat = entry.stat().ok()?;
                let known = self
                    .known
                    .get(&stat.pid)
                    .filter(|p| p.start_time == Some(stat.starttime) && p.comm == stat.comm);
                Some(known.cloned().unwrap_or_else(|| process(&entry, stat, Terminal::Same(0))))
            });
        let found: Vec<Process> = found.collect();
        let keyed = |p: &Process| Some((i32::try_from(p.pid).ok()?, p.clone()));
        self.known = found.iter().filter_map(keyed).collect();
        found
    }

    fn sign(&mut self, pid: i64) -> Option<Sign> {
        // The file alone: opening the folder first costs as much again.
        let stat = self.had(Stat::from_file(format!("/proc/{pid}/stat")))?;
        Some(Sign {
            start: stat.starttime,
            foreground: Some(i64::from(stat.tpgid)),
            halted: matches!(stat.state, 'T' | 't' | 'Z' | 'X'),
            name: stat.comm,
        })
    }
}

/// The terminal whose foreground group is in front of the person.
#[derive(Debug, Clone, Copy)]
enum Terminal {
    /// This one.
    Same(i32),
    /// Whichever the process is on: it stands in for the pane's own.
    Inner,
    /// None: what stands between is in the background.
    Hidden,
}

impl Terminal {
    fn shows(self, stat: &Stat) -> bool {
        let it = match self {
            Self::Same(terminal) => stat.tty_nr == terminal,
            Self::Inner => true,
            Self::Hidden => false,
        };
        it && stat.tpgid == stat.pgrp
    }

    /// The terminal that counts for the children of a process: `madohub run` gives an agent one
    /// of its own and shows all of it.
    fn below(self, process: &Process) -> Self {
        match (run::is_relay(process), process.foreground) {
            (true, Some(true)) => Self::Inner,
            (true, _) => Self::Hidden,
            (false, _) => self,
        }
    }
}

fn process(entry: &Entry, stat: Stat, terminal: Terminal) -> Process {
    let path = |path: procfs::ProcResult<std::path::PathBuf>| {
        path.ok().map(|path| path.to_string_lossy().into_owned())
    };
    let in_foreground = terminal.shows(&stat);
    Process {
        pid: i64::from(stat.pid),
        ppid: i64::from(stat.ppid),
        pgid: Some(i64::from(stat.pgrp)),
        tpgid: Some(i64::from(stat.tpgid)),
        tty: Some(terminal_name(stat.tty_nr)),
        stat: Some(letters(&stat)),
        argv: entry.cmdline().unwrap_or_default(),
        exe: path(entry.exe()),
        cwd: path(entry.cwd()),
        foreground: Some(in_foreground),
        start_time: Some(stat.starttime),
        comm: stat.comm,
    }
}

/// State letters in the order and meaning of `ps`.
fn letters(stat: &Stat) -> String {
    let mut letters = String::from(stat.state);
    let more = [
        (stat.nice < 0, '<'),
        (stat.nice > 0, 'N'),
        (stat.session == stat.pid, 's'),
        (stat.num_threads > 1, 'l'),
        (stat.tpgid == stat.pgrp, '+'),
    ];
    letters.extend(more.iter().filter(|(on, _)| *on).map(|(_, letter)| *letter));
    letters
}

/// Name of a terminal by its device number: pseudo terminals have the majors 136 to 143.
fn terminal_name(device: i32) -> String {
    let device = device.cast_unsigned();
    let (major, minor) = (device >> 8 & 0xfff, device & 0xff | device >> 12 & 0xf_ff00);
    match major {
        0 => "?".to_owned(),
        136..=143 => format!("pts/{}", (major - 136) * 256 + minor),
        4 if minor < 64 => format!("tty{minor}"),
        4 => format!("ttyS{}", minor - 64),
        _ => format!("{major}:{minor}"),
    }
}

/// Whether something could not be read that may be there all the same.
fn may_be_there(error: &ProcError) -> bool {
    match error {
        ProcError::Io(error, _) => shortage::is_shortage(error),
        // Nor is anything else there where the table is not.
        ProcError::NotFound(_) => !Path::new("/proc/self/stat").exists(),
        _ => false,
    }
}

/// Whether this kernel lists children at all.
fn lists_children() -> bool {
    Entry::myself().and_then(|me| me.task_main_thread()).is_ok_and(|task| task.children().is_ok())
}

fn scan() -> HashMap<i32, Vec<i32>> {
    let mut children: HashMap<i32, Vec<i32>> = HashMap::new();
    for entry in all_processes().into_iter().flatten().flatten() {
        if let Ok(stat) = entry.stat() {
            children.entry(stat.ppid).or_default().push(stat.pid);
        }
    }
    children
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use rustix::io::Errno;

    #[test]
    fn names_terminals_as_ps_does() {
        for (device, name) in
            [(0, "?"), (0x8803, "pts/3"), (0x8903, "pts/259"), (0x0401, "tty1"), (0x0440, "ttyS0")]
        {
            assert_eq!(terminal_name(device), name);
        }
    }

    #[test]
    fn what_could_not_be_opened_may_be_there() {
        let io = |errno: Errno| ProcError::from(std::io::Error::from(errno));
        for (errno, expected) in [
            (Errno::MFILE, true),
            (Errno::NFILE, true),
            (Errno::NOMEM, true),
            (Errno::NOENT, false),
            (Errno::SRCH, false),
            (Errno::ACCESS, false),
        ] {
            assert_eq!(may_be_there(&io(errno)), expected, "{errno}");
        }
    }

    #[test]
    fn a_scan_finds_the_children_that_the_kernel_lists() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let me = i32::try_from(std::process::id()).unwrap();
        let pid = i32::try_from(child.id()).unwrap();
        let scanned = scan().get(&me).is_some_and(|pids| pids.contains(&pid));
        let listed = Procfs::new().children(&Entry::myself().unwrap()).contains(&pid);
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(scanned && listed);
    }
}
