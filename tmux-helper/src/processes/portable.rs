//! Processes by the crate `sysinfo`, for systems without `/proc`.
//!
//! It lists every process of the system, which costs tens of milliseconds, and knows neither
//! process groups nor terminals. So one listing serves all panes for a while, and nothing is said
//! about the foreground. Start times are in another unit than the agents' own records use, so that
//! no record can be tied to a process there.

use super::{MOST, ProcessSource, Sign};
use madohub_detect::Process;
use std::collections::{HashMap, HashSet, VecDeque};
use std::time::{Duration, Instant};
use sysinfo::{
    Pid, ProcessRefreshKind, ProcessStatus, ProcessesToUpdate, System, ThreadKind, UpdateKind,
};

/// For how long a listing is good.
const FRESH: Duration = Duration::from_secs(2);

/// Lists all processes of the system, at most every two seconds.
pub struct Portable {
    fresh: Duration,
    system: Option<System>,
    read: Option<Instant>,
    children: HashMap<Pid, Vec<Pid>>,
}

impl std::fmt::Debug for Portable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Portable").field("read", &self.read).finish_non_exhaustive()
    }
}

impl Default for Portable {
    fn default() -> Self {
        Self::new()
    }
}

impl Portable {
    /// A source that has read nothing yet.
    pub fn new() -> Self {
        Self::with_freshness(FRESH)
    }

    /// A source whose listing is good for so long.
    pub fn with_freshness(fresh: Duration) -> Self {
        Self { fresh, system: None, read: None, children: HashMap::new() }
    }

    fn system(&mut self) -> Option<&System> {
        if self.read.is_none() {
            // A new one each time: a known process keeps the name that it had when it was first
            // seen (sysinfo 0.40), also after it was replaced by another program.
            let mut system = System::new().ok()?;
            let kind = ProcessRefreshKind::nothing()
                .with_cmd(UpdateKind::Always)
                .with_exe(UpdateKind::Always)
                .with_cwd(UpdateKind::Always)
                .without_tasks();
            system.refresh_processes_specifics(ProcessesToUpdate::All, true, kind);
            self.children.clear();
            for (pid, process) in system.processes() {
                if let Some(parent) = process.parent() {
                    self.children.entry(parent).or_default().push(*pid);
                }
            }
            self.read = Some(Instant::now());
            self.system = Some(system);
        }
        self.system.as_ref()
    }
}

impl ProcessSource for Portable {
    fn begin(&mut self) {
        self.read = self.read.filter(|read| read.elapsed() < self.fresh);
    }

    fn tree(&mut self, root: i64) -> Option<Vec<Process>> {
        let root = Pid::from_u32(u32::try_from(root).ok()?);
        self.system()?;
        let system = self.system.as_ref()?;
        system.process(root)?;
        let mut found = Vec::new();
        let mut known = HashSet::from([root]);
        let mut next = VecDeque::from([root]);
        while let Some(pid) = next.pop_front() {
            let Some(process) = system.process(pid).filter(|p| !is_thread(p)) else { continue };
            let mut children = self.children.get(&pid).cloned().unwrap_or_default();
            children.sort_unstable();
            let free = MOST.saturating_sub(found.len() + next.len() + 1);
            next.extend(children.into_iter().filter(|child| known.insert(*child)).take(free));
            found.push(describe(process));
        }
        Some(found)
    }

    fn everyone(&mut self) -> Vec<Process> {
        let user = rustix::process::geteuid().as_raw();
        let Some(system) = self.system() else { return Vec::new() };
        let own =
            |p: &&sysinfo::Process| !is_thread(p) && p.user_id().is_none_or(|uid| **uid == user);
        system.processes().values().filter(own).map(describe).collect()
    }

    fn sign(&mut self, pid: i64) -> Option<Sign> {
        let pid = Pid::from_u32(u32::try_from(pid).ok()?);
        let process = self.system()?.process(pid)?;
        Some(Sign {
            name: process.name().to_string_lossy().into_owned(),
            start: process.start_time(),
            foreground: None,
            halted: matches!(
                process.status(),
                ProcessStatus::Stop | ProcessStatus::Zombie | ProcessStatus::Dead
            ),
        })
    }
}

fn is_thread(process: &sysinfo::Process) -> bool {
    matches!(process.thread_kind(), Some(ThreadKind::Userland))
}

fn describe(process: &sysinfo::Process) -> Process {
    let text = |text: &std::ffi::OsStr| text.to_string_lossy().into_owned();
    Process {
        pid: i64::from(process.pid().as_u32()),
        ppid: process.parent().map_or(0, |pid| i64::from(pid.as_u32())),
        stat: Some(letter(process.status()).to_owned()),
        comm: text(process.name()),
        argv: process.cmd().iter().map(|word| text(word)).collect(),
        exe: process.exe().map(|path| text(path.as_os_str())),
        cwd: process.cwd().map(|path| text(path.as_os_str())),
        ..Process::default()
    }
}

/// The state letter that `ps` prints.
fn letter(status: ProcessStatus) -> &'static str {
    match status {
        ProcessStatus::Run => "R",
        ProcessStatus::Stop => "T",
        ProcessStatus::Tracing => "t",
        ProcessStatus::Zombie => "Z",
        ProcessStatus::Dead => "X",
        ProcessStatus::UninterruptibleDiskSleep => "D",
        ProcessStatus::Idle => "I",
        _ => "S",
    }
}
