//! Both sources of processes see the same trees.

use crate::world::{signal, wait};
use madohub::processes::{Portable, ProcessSource};
use std::process::{Child, Command, Stdio};

struct Tree(Child);

impl Tree {
    /// A shell with a child of its own that has a child.
    fn start() -> Self {
        let script = "bash -c 'exec -a inner sleep 1000' & wait";
        let child = Command::new("sh").args(["-c", script]).stdin(Stdio::null()).spawn().unwrap();
        Self(child)
    }

    fn pid(&self) -> i64 {
        i64::from(self.0.id())
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        // It must not make another one meanwhile.
        signal(i32::try_from(self.0.id()).unwrap(), rustix::process::Signal::STOP);
        let _ = Command::new("pkill").args(["-P", &self.0.id().to_string()]).status();
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn finds_the_descendants(mut source: impl ProcessSource) {
    let tree = Tree::start();
    let found = wait("the inner process", || {
        source.begin();
        let found = source.tree(tree.pid()).unwrap_or_default();
        // A program that is just being replaced may have its old name or path beside the new
        // one's arguments: they are read one after another.
        let is_inner = |process: &madohub_detect::Process| {
            let is_old = process.comm == "bash"
                || process.exe.as_ref().is_some_and(|exe| exe.ends_with("bash"));
            process.argv.first().is_some_and(|word| word == "inner") && !is_old
        };
        if found.iter().any(is_inner) { Ok(found) } else { Err(format!("{found:?}")) }
    });
    assert_eq!(found[0].pid, tree.pid(), "the root comes first");
    let inner = found.iter().find(|process| process.argv[0] == "inner").unwrap();
    assert_eq!(inner.argv, ["inner", "1000"]);
    assert_eq!(inner.comm, "sleep");
    assert_eq!(inner.ppid, tree.pid());
    assert!(inner.exe.as_ref().unwrap().ends_with("sleep"));
    assert!(inner.cwd.is_some());
    assert!(found.iter().all(|process| process.argv.first().is_some_and(|word| word != "cargo")));
}

fn says_when_there_is_none(mut source: impl ProcessSource) {
    source.begin();
    assert_eq!(source.tree(i64::MAX), None);
    assert_eq!(source.tree(-1), None);
    assert_eq!(source.sign(i64::MAX), None);
}

#[test]
fn portable_finds_the_descendants() {
    finds_the_descendants(Portable::with_freshness(std::time::Duration::ZERO));
}

#[test]
fn portable_says_when_there_is_none() {
    says_when_there_is_none(Portable::new());
}

#[cfg(target_os = "linux")]
mod linux {
    use super::{Tree, finds_the_descendants, says_when_there_is_none};
    use crate::world::{signal, wait};
    use madohub::processes::{ProcessSource as _, Procfs};
    use rustix::process::{Signal, Uid};
    use rustix::thread::set_thread_res_uid;
    use std::process::Command;

    #[test]
    fn procfs_finds_the_descendants() {
        finds_the_descendants(Procfs::new());
    }

    #[test]
    fn procfs_says_when_there_is_none() {
        says_when_there_is_none(Procfs::new());
    }

    #[test]
    fn a_suspended_process_is_halted() {
        let tree = Tree::start();
        let mut source = Procfs::new();
        assert!(!source.sign(tree.pid()).unwrap().halted);
        let pid = i32::try_from(tree.pid()).unwrap();
        signal(pid, Signal::STOP);
        wait("it is halted", || {
            let sign = source.sign(tree.pid()).unwrap();
            if sign.halted { Ok(()) } else { Err(format!("{sign:?}")) }
        });
        signal(pid, Signal::CONT);
    }

    #[test]
    fn processes_that_end_while_they_are_read_are_left_out() {
        let script = "sleep 1000 & while :; do (true) & (true) & (true) & wait $!; done";
        let tree = Tree(Command::new("sh").args(["-c", script]).spawn().unwrap());
        let mut source = Procfs::new();
        let stays = |processes: &[madohub_detect::Process]| {
            processes.iter().any(|process| process.argv == ["sleep", "1000"])
        };
        wait("the one that stays", || {
            let found = source.tree(tree.pid()).unwrap();
            if stays(&found) { Ok(()) } else { Err(format!("{found:?}")) }
        });
        let mut seen = std::collections::HashSet::new();
        wait("hundreds have come and gone", || {
            source.begin();
            let found = source.tree(tree.pid()).unwrap();
            assert!(found[0].pid == tree.pid() && stays(&found), "{found:?}");
            assert!(stays(&source.everyone()));
            assert!(!source.fell_short());
            seen.extend(found.iter().map(|process| process.pid));
            if seen.len() > 300 { Ok(()) } else { Err(seen.len().to_string()) }
        });
    }

    #[test]
    fn of_what_may_not_be_read_the_rest_is_known() {
        let tree = Tree::start();
        let found = std::thread::scope(|scope| {
            let other = scope.spawn(|| {
                // Of this thread alone. Only root can be somebody else.
                let nobody = Uid::from_raw(65_534);
                set_thread_res_uid(nobody, nobody, nobody).ok()?;
                let mut source = Procfs::new();
                let found = source.tree(tree.pid());
                assert!(!source.fell_short());
                found
            });
            other.join().unwrap()
        });
        let Some(found) = found else {
            eprintln!("SKIPPED: not root, so another user was not tried");
            assert!(!rustix::process::geteuid().is_root());
            return;
        };
        assert_eq!((found[0].pid, found[0].argv[0].as_str()), (tree.pid(), "sh"));
        assert_eq!((&found[0].exe, &found[0].cwd), (&None, &None));
    }
}
