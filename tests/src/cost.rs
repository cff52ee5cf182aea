//! What processes cost, as the kernel counts it.

use std::fs;
use std::time::Duration;

/// CPU time of a process so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CpuTime {
    /// Of its living threads, exact to the nanosecond.
    pub own: Duration,
    /// Of its children that ended, exact to the kernel's clock tick.
    pub children: Duration,
}

impl CpuTime {
    /// Of the process with this id, which lives.
    #[track_caller]
    pub fn of(pid: i32) -> Self {
        let tasks = fs::read_dir(format!("/proc/{pid}/task")).expect("a living process");
        // A thread may end meanwhile.
        let spent = tasks.flatten().filter_map(|task| {
            let line = fs::read_to_string(task.path().join("schedstat")).ok()?;
            line.split_whitespace().next()?.parse::<u64>().ok()
        });
        let own = Duration::from_nanos(spent.sum());
        let [user, system] = stat(pid, [13, 14]);
        let ticks = rustix::param::clock_ticks_per_second();
        let children = Duration::from_millis((user + system) * 1000 / ticks);
        Self { own, children }
    }
}

/// Resident memory of a process in bytes.
#[track_caller]
pub fn resident(pid: i32) -> u64 {
    field(&format!("/proc/{pid}/status"), "VmRSS:") * 1024
}

/// Bytes that a process has read so far, from files, pipes and sockets.
#[track_caller]
pub fn bytes_read(pid: i32) -> u64 {
    field(&format!("/proc/{pid}/io"), "rchar:")
}

#[track_caller]
fn field(path: &str, name: &str) -> u64 {
    let text = fs::read_to_string(path).expect("a living process");
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    line.expect(name).split_whitespace().next().unwrap().parse().unwrap()
}

/// These fields of `/proc/PID/stat`, counted from the one after the name.
#[track_caller]
fn stat<const N: usize>(pid: i32, fields: [usize; N]) -> [u64; N] {
    let line = fs::read_to_string(format!("/proc/{pid}/stat")).expect("a living process");
    let all: Vec<&str> = line.rsplit(')').next().unwrap().split_whitespace().collect();
    fields.map(|at| all[at].parse().unwrap())
}
