//! What goes wrong around the daemon: it says so, keeps what it knew, and goes on.

use crate::world::{IDLE, WAITING, WORKING, World, kill, signal, wait};
use rustix::process::Signal;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream;
use std::process::Stdio;

/// A world with a daemon that watches an idle agent; answers the agent's pane.
pub(crate) fn watched() -> (World, String) {
    let world = World::new();
    world.server("m");
    let agent = world.agent("m", "one");
    world.show("one", IDLE);
    world.said("m", &["tmux", "start"]);
    world.until_shown("m", &agent, "idle");
    (world, agent)
}

pub(crate) fn until_well(world: &World) {
    wait("no trouble is left", || world.trouble("m").map_or(Ok(()), Err));
}

pub(crate) fn until_told(world: &World, agent: &str, expected: &[String]) {
    wait("each change is told once", || {
        let told = world.told("m", agent);
        if told == expected { Ok(()) } else { Err(format!("{told:?}, not {expected:?}")) }
    });
}

pub(crate) fn descriptors(pid: i32) -> usize {
    fs::read_dir(format!("/proc/{pid}/fd")).unwrap().count()
}

/// Puts a `tmux` before the real one that does what the file `mode` says.
fn spoiled_tmux(world: &World) {
    let path = std::env::var_os("PATH").unwrap();
    let real = std::env::split_paths(&path).map(|dir| dir.join("tmux")).find(|tmux| tmux.exists());
    let (real, mode) = (real.unwrap(), world.path("mode"));
    let script = format!(
        "#!/bin/sh\nread -r mode <{mode}\ncase $mode in\n\
         hangs) exec sleep 600 ;;\n\
         rubbish) exec head -c 20000 /dev/urandom ;;\n\
         words) echo 'no such thing' ;;\n\
         nothing) ;;\n\
         fails) echo 'something odd' >&2; exit 1 ;;\n\
         short) {real} \"$@\" | head -c 200 ;;\n\
         *) exec {real} \"$@\" ;;\nesac\n",
        mode = mode.display(),
        real = real.display(),
    );
    fs::create_dir(world.path("bin")).unwrap();
    fs::write(world.path("bin/tmux"), script).unwrap();
    fs::set_permissions(world.path("bin/tmux"), Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_tmux_that_hangs_or_answers_rubbish_is_said_and_changes_nothing() {
    let world = World::new();
    spoiled_tmux(&world);
    let be = |mode: &str| {
        fs::write(world.path("mode.new"), format!("{mode}\n")).unwrap();
        fs::rename(world.path("mode.new"), world.path("mode")).unwrap();
    };
    be("well");
    world.server("m");
    let agent = world.agent("m", "one");
    world.show("one", IDLE);
    let mut start = world.command(env!("CARGO_BIN_EXE_madohub"));
    let path = std::env::var("PATH").unwrap();
    start.env("PATH", format!("{}:{path}", world.path("bin").display()));
    assert!(start.args(["tmux", "start", "-L", "m"]).output().unwrap().status.success());
    world.until_shown("m", &agent, "idle");
    let mut expected = Vec::new();
    let mut state = "idle";
    for mode in ["rubbish", "words", "nothing", "fails", "short", "hangs"] {
        be(mode);
        let (screen, next) =
            if state == "working" { (WAITING, "waiting") } else { (WORKING, "working") };
        world.show("one", screen);
        let trouble = wait(&format!("{mode} is said"), || world.trouble("m").ok_or(String::new()));
        assert!(mode != "hangs" || trouble.contains("did not answer within 5 s"), "{trouble}");
        assert!(!trouble.contains(char::is_control), "{trouble:?}");
        assert_eq!(world.states("m"), [(agent.clone(), state.to_owned())], "{mode}");
        be("well");
        world.until_shown("m", &agent, next);
        until_well(&world);
        expected.push(format!("{state}>{next}"));
        until_told(&world, &agent, &expected);
        state = next;
    }
}

#[test]
fn a_daemon_that_was_suspended_goes_on_where_the_panes_are() {
    let (world, agent) = watched();
    let daemon = world.daemon("m");
    signal(daemon, Signal::STOP);
    world.show("one", WORKING);
    world.show("one", WAITING);
    wait("the dialog", || {
        let screen = world.tmux("m", &["capture-pane", "-p", "-t", &agent]);
        if screen.contains("Do you want to proceed?") { Ok(()) } else { Err(screen) }
    });
    signal(daemon, Signal::CONT);
    world.until_shown("m", &agent, "waiting");
    until_told(&world, &agent, &["idle>waiting".to_owned()]);
    // Stopped and continued in whatever it does, reads and waits included.
    for (screen, state) in [(WORKING, "working"), (WAITING, "waiting")] {
        world.show("one", screen);
        wait(state, || {
            for _ in 0..20 {
                signal(daemon, Signal::STOP);
                signal(daemon, Signal::CONT);
            }
            let shown = world.shown("m", &agent);
            if shown == state { Ok(()) } else { Err(shown) }
        });
    }
    let told = ["idle>waiting", "waiting>working", "working>waiting"].map(str::to_owned);
    until_told(&world, &agent, &told);
    until_well(&world);
    assert_eq!(world.daemon("m"), daemon);
}

#[test]
fn connections_cannot_take_the_last_file_descriptors() {
    let world = World::new();
    world.server("m");
    let agent = world.agent("m", "one");
    world.show("one", IDLE);
    let mut daemon = world.command("bash");
    let program = env!("CARGO_BIN_EXE_madohub");
    daemon.args(["-c", "ulimit -n 48; exec \"$0\" tmux start --foreground -L m", program]);
    let mut daemon = daemon.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    world.until_shown("m", &agent, "idle");
    let pid = i32::try_from(daemon.id()).unwrap();
    // Without a daemon the list looks itself: that it answers does not mean that there is one yet.
    let socket = wait("the daemon's socket", || {
        let runtime = fs::read_dir(world.path("run/madohub")).into_iter().flatten().flatten();
        let mut files = runtime.map(|entry| entry.path());
        let socket = files.find(|path| path.extension().is_some_and(|end| end == "sock"));
        socket.ok_or_else(|| "none".to_owned())
    });
    // Each says nothing, and is hung up on after some seconds.
    let silent: Vec<_> = (0..60).map(|_| UnixStream::connect(&socket)).collect();
    for (screen, state) in [(WORKING, "working"), (WAITING, "waiting")] {
        world.show("one", screen);
        world.until_shown("m", &agent, state);
    }
    assert!(descriptors(pid) < 48);
    drop(silent);
    wait("it answers again", || {
        let status = world.madohub("m", &["tmux", "status"]);
        if status.status.success() { Ok(()) } else { Err(format!("{status:?}")) }
    });
    until_told(&world, &agent, &["idle>working", "working>waiting"].map(str::to_owned));
    until_well(&world);
    world.said("m", &["tmux", "stop"]);
    assert!(daemon.wait().unwrap().success());
}

#[test]
fn what_cannot_be_written_is_said_and_written_later() {
    let (world, agent) = watched();
    let (folder, away) = (world.path("state/madohub"), world.path("away"));
    fs::rename(&folder, &away).unwrap();
    // A file in its place: as good as a full disk, for whoever the test runs as.
    fs::write(&folder, "").unwrap();
    world.show("one", WORKING);
    world.until_shown("m", &agent, "working");
    let trouble = wait("it is said", || world.trouble("m").ok_or(String::new()));
    assert!(trouble.contains("cannot write"), "{trouble}");
    let doctor = world.madohub("m", &["doctor"]);
    assert!(String::from_utf8_lossy(&doctor.stdout).contains("cannot write"), "{doctor:?}");
    fs::remove_file(&folder).unwrap();
    fs::rename(&away, &folder).unwrap();
    until_well(&world);
    kill(world.daemon("m"));
    world.said("m", &["tmux", "start"]);
    world.show("one", WAITING);
    world.until_shown("m", &agent, "waiting");
    until_told(&world, &agent, &["idle>working", "working>waiting"].map(str::to_owned));
}

#[test]
fn without_a_folder_to_write_to_nothing_is_begun() {
    let world = World::new();
    world.server("m");
    let before = world.options("m");
    fs::write(world.path("state"), "").unwrap();
    let start = world.madohub("m", &["tmux", "start"]);
    assert_eq!(start.status.code(), Some(2), "{start:?}");
    let said = String::from_utf8_lossy(&start.stderr);
    assert!(said.contains("cannot create the state folder"), "{said}");
    assert_eq!(world.options("m"), before);
    assert!(world.said("m", &["list"]).contains("No agent"));
}

#[test]
fn a_server_that_was_killed_takes_its_panes_along() {
    let (world, agent) = watched();
    let daemon = world.daemon("m");
    world.show("one", WORKING);
    world.until_shown("m", &agent, "working");
    let pid = world.tmux("m", &["display-message", "-p", "#{pid}"]).trim().parse().unwrap();
    kill(pid);
    wait("its panes are gone", || {
        let states = world.states("m");
        if states.is_empty() { Ok(()) } else { Err(format!("{states:?}")) }
    });
    world.server("m");
    assert_eq!(world.agent("m", "two"), agent, "the next server counts its panes anew");
    world.show("two", WAITING);
    world.until_shown("m", &agent, "waiting");
    assert_eq!(world.told("m", &agent), Vec::<String>::new(), "it is another pane");
    world.show("two", WORKING);
    until_told(&world, &agent, &["waiting>working".to_owned()]);
    assert_eq!(world.daemon("m"), daemon);
}

#[test]
fn five_hundred_panes_come_and_go() {
    let (world, agent) = watched();
    let daemon = world.daemon("m");
    world.show("one", WORKING);
    world.until_shown("m", &agent, "working");
    let before = descriptors(daemon);
    let burst = world.path("burst");
    fs::write(&burst, "new-window -d 'exec cat'\n".repeat(500)).unwrap();
    world.tmux("m", &["source-file", burst.to_str().unwrap()]);
    world.show("one", WAITING);
    world.until_shown("m", &agent, "waiting");
    let panes = || {
        let status = world.said("m", &["tmux", "status", "--json"]);
        serde_json::from_str::<serde_json::Value>(&status).unwrap()["panes"].as_u64().unwrap()
    };
    let count = |expected| {
        wait("all panes are known", || {
            let known = panes();
            if known == expected { Ok(()) } else { Err(known.to_string()) }
        });
    };
    count(502);
    world.tmux("m", &["kill-window", "-a", "-t", &agent]);
    world.show("one", WORKING);
    world.until_shown("m", &agent, "working");
    count(2);
    let told = ["idle>working", "working>waiting", "waiting>working"].map(str::to_owned);
    until_told(&world, &agent, &told);
    assert_eq!(world.daemon("m"), daemon);
    wait("nothing of them stays open", || {
        let open = descriptors(daemon);
        if open <= before { Ok(()) } else { Err(format!("{open}, not {before}")) }
    });
    let files = fs::read_dir(world.path("state/madohub")).unwrap().flatten();
    let mut files = files.map(|entry| entry.path());
    let stored = files.find(|path| path.extension().is_some_and(|end| end == "json")).unwrap();
    let stored: serde_json::Value = serde_json::from_slice(&fs::read(stored).unwrap()).unwrap();
    assert_eq!(stored["panes"].as_object().unwrap().len(), 2, "{stored}");
}

#[test]
fn of_daemons_that_start_at_once_one_watches() {
    let world = World::new();
    world.server("m");
    let agent = world.agent("m", "one");
    world.show("one", WAITING);
    let starts: Vec<_> = (0..6)
        .map(|_| {
            let mut start = world.command(env!("CARGO_BIN_EXE_madohub"));
            start.args(["tmux", "start", "-L", "m"]).stdout(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    let said: Vec<String> = starts
        .into_iter()
        .map(|start| {
            let output = start.wait_with_output().unwrap();
            assert!(output.status.success(), "{output:?}");
            String::from_utf8(output.stdout).unwrap()
        })
        .collect();
    let first = said.iter().filter(|line| line.starts_with("Watching")).count();
    let others = said.iter().filter(|line| line.starts_with("Already watching")).count();
    assert_eq!((first, others), (1, 5), "{said:?}");
    world.until_shown("m", &agent, "waiting");
    let refused = world.madohub("m", &["tmux", "start", "--foreground"]);
    assert_eq!(refused.status.code(), Some(4), "{refused:?}");
    let daemon = world.daemon("m").to_string();
    assert!(String::from_utf8_lossy(&refused.stderr).contains(&daemon), "{refused:?}");
}

#[test]
fn new_settings_and_broken_rules_cost_no_state() {
    let (world, agent) = watched();
    world.show("one", WORKING);
    world.until_shown("m", &agent, "working");
    let since = || {
        let rows: serde_json::Value =
            serde_json::from_str(&world.said("m", &["list", "--json"])).unwrap();
        rows[0]["since"].clone()
    };
    let before = since();
    fs::create_dir_all(world.path("config/madohub/agents")).unwrap();
    fs::write(world.path("config/madohub/config.toml"), "[state.working]\nglyph = \"W\"\n")
        .unwrap();
    fs::write(world.path("config/madohub/agents/broken.toml"), "schema = \"one\"\n").unwrap();
    let restart = world.madohub("m", &["tmux", "restart"]);
    assert!(restart.status.success(), "{restart:?}");
    assert!(String::from_utf8_lossy(&restart.stderr).contains("broken.toml"), "{restart:?}");
    world.until_shown("m", &agent, "working");
    let icon = ["display-message", "-p", "-t", &agent, "#{@madohub_icon}"];
    assert_eq!(world.tmux("m", &icon).trim(), "W");
    assert_eq!(since(), before);
    world.show("one", WAITING);
    world.until_shown("m", &agent, "waiting");
    until_told(&world, &agent, &["idle>working", "working>waiting"].map(str::to_owned));
}
