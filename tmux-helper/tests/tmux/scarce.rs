//! What there is none of: room on the disk, file descriptors, a process table. The daemon says so,
//! keeps what it knew, and goes on when there is some again.

use crate::faults::{until_told, until_well, watched};
use crate::space::Space;
use crate::world::{IDLE, WAITING, WORKING, World, kill, wait};
use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

/// A screen by which no agent can be told.
const UNTOLD: &str = "some text\n";

/// A daemon in a namespace; its process is the child.
fn start(world: &World, space: &Space) -> Child {
    let mut daemon = space.command(world, env!("CARGO_BIN_EXE_madohub"));
    daemon.args(["tmux", "start", "--foreground", "-L", "m"]);
    daemon.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

fn stop(world: &World, mut daemon: Child) {
    world.said("m", &["tmux", "stop"]);
    assert!(daemon.wait().unwrap().success());
}

/// Takes all the room that is left.
fn fill(path: &Path) {
    let mut file = fs::File::create(path).unwrap();
    while file.write_all(b"x").is_ok() {}
}

fn file(folder: &Path, ending: &str) -> PathBuf {
    let mut files = fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path());
    files.find(|path| path.extension().is_some_and(|e| e == ending)).unwrap()
}

#[test]
fn a_full_disk_is_said_and_leaves_nothing_half_written() {
    let world = World::new();
    let (folder, lines) = (world.path("state/madohub"), world.path("lines"));
    fs::create_dir_all(&folder).unwrap();
    fs::create_dir_all(world.path("config/madohub")).unwrap();
    let route = format!(
        "[[route]]\nname = \"diary\"\non = [\"waiting\"]\ncooldown = 0\n\
         to = {{ file = \"{}\" }}\nsend = \"{{state}}\"\n",
        lines.display()
    );
    fs::write(world.path("config/madohub/config.toml"), route).unwrap();
    let mount = format!("mount -t tmpfs -o size=128k tmpfs {}", folder.display());
    let Some(space) = Space::new(&world, &mount) else { return };
    let folder = space.path(&folder);
    world.server("m");
    let before = world.options("m");
    let agent = world.agent("m", "one");
    world.show("one", IDLE);
    let mut daemon = start(&world, &space);
    world.until_shown("m", &agent, "idle");
    world.show("one", WORKING);
    world.until_shown("m", &agent, "working");
    until_told(&world, &agent, &["idle>working".to_owned()]);

    fill(&folder.join("filler"));
    let stored = fs::read(file(&folder, "json")).unwrap();
    world.show("one", WAITING);
    world.until_shown("m", &agent, "waiting");
    let trouble = wait("it is said", || world.trouble("m").ok_or(String::new()));
    assert!(trouble.contains("cannot write") && trouble.contains("No space left"), "{trouble}");
    let told = ["idle>working", "working>waiting"].map(str::to_owned);
    until_told(&world, &agent, &told);
    // What was stored is whole, and no beginning of a new one takes room.
    assert_eq!(fs::read(file(&folder, "json")).unwrap(), stored);
    let files: Vec<PathBuf> =
        fs::read_dir(&folder).unwrap().flatten().map(|entry| entry.path()).collect();
    assert!(files.iter().all(|path| path.extension().is_none_or(|e| e != "new")), "{files:?}");
    // What cannot be remembered is not done.
    assert!(!lines.exists());
    let log = world.madohub("m", &["route", "log"]);
    assert!(log.status.success(), "{log:?}");

    fs::remove_file(folder.join("filler")).unwrap();
    until_well(&world);
    wait("the route is taken", || {
        let written = fs::read_to_string(&lines).unwrap_or_default();
        if written == "waiting\n" { Ok(()) } else { Err(written) }
    });
    kill(i32::try_from(daemon.id()).unwrap());
    daemon.wait().unwrap();

    // The next one finds a full disk.
    fill(&folder.join("filler"));
    let daemon = start(&world, &space);
    world.until("m", &agent, "waiting");
    world.show("one", WORKING);
    world.until_shown("m", &agent, "working");
    wait("it is said again", || world.trouble("m").ok_or(String::new()));
    fs::remove_file(folder.join("filler")).unwrap();
    until_well(&world);
    let told = ["idle>working", "working>waiting", "waiting>working"].map(str::to_owned);
    until_told(&world, &agent, &told);
    assert_eq!(fs::read_to_string(&lines).unwrap(), "waiting\n");
    stop(&world, daemon);
    world.tmux("m", &["kill-pane", "-t", &agent]);
    assert_eq!(world.options("m"), before, "something of us stayed");
}

#[test]
fn in_a_read_only_home_nothing_is_begun_and_what_needs_no_file_works() {
    let world = World::new();
    let (home, state) = (world.path("home"), world.path("state"));
    fs::create_dir(&state).unwrap();
    let lock = |path: &Path| {
        let path = path.display();
        format!("mount --bind {path} {path} && mount -o remount,bind,ro {path}")
    };
    let script = format!("{} && {}", lock(&home), lock(&state));
    let Some(space) = Space::new(&world, &script) else { return };
    world.server("m");
    let before = world.options("m");
    let agent = world.agent("m", "one");
    world.show("one", WAITING);
    let run = |args: &[&str]| {
        let mut command = space.command(&world, env!("CARGO_BIN_EXE_madohub"));
        command.args(args).args(["-L", "m"]).output().unwrap()
    };
    for start in [&["tmux", "start"][..], &["tmux", "start", "--foreground"]] {
        let start = run(start);
        let said = String::from_utf8_lossy(&start.stderr);
        assert_eq!(start.status.code(), Some(2), "{start:?}");
        assert!(said.contains("Read-only file system"), "{said}");
        assert!(said.contains(&*state.to_string_lossy()), "it says where: {said}");
    }
    wait("the list without a daemon", || {
        let list = run(&["list", "--json"]);
        let said = String::from_utf8_lossy(&list.stdout).into_owned();
        if said.contains("\"waiting\"") { Ok(()) } else { Err(format!("{list:?}")) }
    });
    let doctor = run(&["doctor"]);
    assert!(doctor.status.code().is_some_and(|code| code < 2), "{doctor:?}");
    world.tmux("m", &["kill-pane", "-t", &agent]);
    assert_eq!(world.options("m"), before);
}

/// How often the daemon's loop has rested.
fn rests(daemon: i32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{daemon}/task/{daemon}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("voluntary_ctxt_switches")).unwrap();
    line.split_whitespace().last().unwrap().parse().unwrap()
}

/// Waits until the daemon's loop has gone round some times.
fn until_it_looked(daemon: i32) {
    let before = rests(daemon);
    wait("the daemon looks", || {
        let now = rests(daemon);
        if now >= before + 3 { Ok(()) } else { Err(format!("{before} to {now}")) }
    });
}

#[test]
fn without_a_file_descriptor_no_agent_is_taken_for_gone() {
    let (world, agent) = watched();
    let daemon = world.daemon("m");
    world.show("one", WORKING);
    world.until_shown("m", &agent, "working");
    let limit = |limit| prlimit(Pid::from_raw(daemon), Resource::Nofile, limit).unwrap();
    // What it has open stays so; it gets nothing more.
    let own = getrlimit(Resource::Nofile);
    limit(Rlimit { current: Some(3), ..own });
    world.show("one", WAITING);
    let log = file(&world.path("state/madohub"), "log");
    wait("it is written down", || {
        let log = fs::read_to_string(&log).unwrap();
        if log.contains("Too many open files") { Ok(()) } else { Err(log) }
    });
    until_it_looked(daemon);
    let status = world.madohub("m", &["tmux", "status"]);
    let said = String::from_utf8_lossy(&status.stderr);
    assert!(!status.status.success() && said.contains("did not answer"), "{status:?}");
    assert_eq!(world.shown("m", &agent), "working", "nothing is known of it, so nothing changes");
    limit(own);
    world.until_shown("m", &agent, "waiting");
    until_told(&world, &agent, &["idle>working", "working>waiting"].map(str::to_owned));
    until_well(&world);
    assert_eq!(world.daemon("m"), daemon);
}

#[test]
fn without_a_process_table_no_agent_is_taken_for_gone() {
    let world = World::new();
    let Some(space) = Space::new(&world, "true") else { return };
    world.server("m");
    let agent = world.agent("m", "one");
    world.show("one", IDLE);
    let daemon = start(&world, &space);
    let pid = i32::try_from(daemon.id()).unwrap();
    world.until_shown("m", &agent, "idle");
    world.show("one", UNTOLD);
    until_it_looked(pid);
    let before = world.said("m", &["list", "--json"]);
    assert!(before.contains("\"pid\":") && !before.contains("\"pid\":null"), "{before}");
    space.run(&world, "mount -t tmpfs tmpfs /proc");
    until_it_looked(pid);
    assert_eq!(world.said("m", &["list", "--json"]), before);
    world.show("one", WORKING);
    world.until_shown("m", &agent, "working");
    // Who comes now knows no processes, and says what the screens show.
    world.server("n");
    world.agent("n", "two");
    world.show("two", IDLE);
    let mut list = space.command(&world, env!("CARGO_BIN_EXE_madohub"));
    let list = list.args(["list", "--json", "-L", "n"]).output().unwrap();
    assert!(list.status.success(), "{list:?}");
    space.run(&world, "umount /proc");
    world.show("one", WAITING);
    world.until_shown("m", &agent, "waiting");
    until_told(&world, &agent, &["idle>working", "working>waiting"].map(str::to_owned));
    until_well(&world);
    stop(&world, daemon);
}
