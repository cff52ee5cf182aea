//! A mount namespace of its own, for faults of file systems: nobody else sees what is mounted there.

use crate::world::World;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

pub(crate) struct Space {
    holder: Child,
    is_root: bool,
}

impl Space {
    /// Runs this script of `sh` in a new one. Nothing where this user may have none, which is said.
    pub(crate) fn new(world: &World, script: &str) -> Option<Self> {
        let is_root = rustix::process::geteuid().is_root();
        let mut holder = world.command("unshare");
        holder.args(if is_root { &["-m"][..] } else { &["-U", "-r", "-m"] });
        // It lives until its input ends, also where the test does not come to an end.
        let script = format!("{script} && echo ready && exec cat");
        holder.args(["sh", "-c", &script]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut holder = holder.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(holder.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let space = Self { holder, is_root };
        if line == "ready\n" {
            return Some(space);
        }
        assert!(!is_root, "root must be able to mount: {script}");
        eprintln!("SKIPPED: this user may have no mount namespace, so the fault cannot be made");
        None
    }

    /// A command that runs in it, in its own process.
    pub(crate) fn command(&self, world: &World, program: &str) -> Command {
        let mut command = world.command("nsenter");
        command.arg("-t").arg(self.holder.id().to_string()).arg("-m");
        if !self.is_root {
            command.args(["-U", "--preserve-credentials"]);
        }
        command.args(["--", program]);
        command
    }

    /// Runs a script of `sh` in it, which must succeed.
    pub(crate) fn run(&self, world: &World, script: &str) {
        let output = self.command(world, "sh").args(["-c", script]).output().unwrap();
        assert!(output.status.success(), "{script}: {output:?}");
    }

    /// A path in it, as everybody can reach it.
    pub(crate) fn path(&self, path: &Path) -> PathBuf {
        let root = PathBuf::from(format!("/proc/{}/root", self.holder.id()));
        root.join(path.strip_prefix("/").unwrap())
    }
}

impl Drop for Space {
    fn drop(&mut self) {
        drop(self.holder.stdin.take());
        let _ = self.holder.wait();
    }
}
