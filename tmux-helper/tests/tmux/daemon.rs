//! The daemon's life.

use crate::world::{IDLE, WAITING, WORKING, World, kill, wait};
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::Stdio;

fn files(world: &World) -> Vec<PathBuf> {
    let folder = world.path("run/madohub");
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

fn socket(world: &World) -> PathBuf {
    let is_socket = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "sock");
    files(world).into_iter().find(is_socket).unwrap()
}

#[test]
fn one_daemon_per_server() {
    let world = World::new();
    for name in ["m", "n"] {
        world.server(name);
        world.agent(name, name);
        world.show(name, IDLE);
        assert!(world.said(name, &["tmux", "start"]).contains("1 agent"), "{name}");
    }
    assert!(world.said("m", &["tmux", "start"]).starts_with("Already"), "it runs already");
    assert_ne!(world.daemon("m"), world.daemon("n"));
    let second = world.madohub("m", &["tmux", "start", "--foreground"]);
    assert_eq!(second.status.code(), Some(4), "{second:?}");
    world.said("m", &["tmux", "stop"]);
    assert_eq!(world.madohub("m", &["tmux", "status"]).status.code(), Some(3));
    assert_eq!(world.states("n").len(), 1, "the other one lives on");
}

#[test]
fn the_socket_is_for_its_owner_alone() {
    let world = World::new();
    world.server("m");
    world.said("m", &["tmux", "start"]);
    let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(socket(&world)), 0o600);
    assert_eq!(mode(world.path("run/madohub")), 0o700);
}

#[test]
fn a_daemon_that_does_not_answer_is_ended_all_the_same() {
    let world = World::new();
    world.server("m");
    world.said("m", &["tmux", "start"]);
    fs::remove_file(socket(&world)).unwrap();
    world.said("m", &["tmux", "stop"]);
    assert!(!world.said("m", &["tmux", "start"]).starts_with("Already"));
}

#[test]
fn swept_files_are_made_anew() {
    let world = World::new();
    world.server("m");
    world.said("m", &["tmux", "start"]);
    let daemon = world.daemon("m");
    fs::remove_dir_all(world.path("run/madohub")).unwrap();
    wait("the daemon answers again", || {
        let status = world.madohub("m", &["tmux", "status"]);
        if status.status.success() { Ok(()) } else { Err(format!("{status:?}")) }
    });
    assert_eq!(world.daemon("m"), daemon);
}

#[test]
fn rubbish_on_the_socket_is_answered_and_harms_nothing() {
    let world = World::new();
    world.server("m");
    world.said("m", &["tmux", "start"]);
    let huge = vec![b'x'; 100_000];
    for rubbish in [&b"\n"[..], b"{}\n", b"\xff\xfe\n", b"{\"v\":99,\"ask\":\"list\"}\n", &huge] {
        let mut stream = UnixStream::connect(socket(&world)).unwrap();
        // It may hang up before it has read everything.
        let _ = stream.write_all(rubbish);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer);
        assert!(answer.is_empty() || answer.contains("\"error\""), "{answer}");
    }
    world.said("m", &["tmux", "status"]);
}

#[test]
fn states_follow_the_screens() {
    let world = World::new();
    world.server("m");
    let agent = world.agent("m", "one");
    world.show("one", IDLE);
    world.said("m", &["tmux", "start"]);
    for (screen, state) in [(WORKING, "working"), (WAITING, "waiting"), (IDLE, "idle")] {
        world.show("one", screen);
        world.until("m", &agent, state);
    }
    assert!(world.said("m", &["status", "--format", "{idle}/{total}"]).starts_with("1/1"));
}

#[test]
fn a_restart_repeats_no_event() {
    let world = World::new();
    world.server("m");
    let agent = world.agent("m", "one");
    world.show("one", IDLE);
    world.said("m", &["tmux", "start"]);
    let watch = || {
        let mut command = world.command(env!("CARGO_BIN_EXE_madohub"));
        let command = command.args(["watch", "--json", "-L", "m"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        (child, lines)
    };
    let (mut child, mut lines) = watch();
    world.show("one", WORKING);
    let event: serde_json::Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
    assert_eq!((event["to"].as_str(), event["v"].as_i64()), (Some("working"), Some(1)));
    assert_eq!((event["pane"].as_str(), event["mux"].as_str()), (Some(&*agent), Some("tmux")));
    let first = event["seq"].as_u64().unwrap();
    child.kill().unwrap();
    child.wait().unwrap();

    kill(world.daemon("m"));
    world.said("m", &["tmux", "start"]);
    let (mut child, mut lines) = watch();
    world.until("m", &agent, "working");
    world.show("one", WAITING);
    let event: serde_json::Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
    assert_eq!(event["from"].as_str(), Some("working"), "{event}");
    assert_eq!(event["to"].as_str(), Some("waiting"), "{event}");
    assert_eq!(event["seq"].as_u64(), Some(first + 1), "the count goes on");
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn it_outlives_its_server_and_finds_the_next_one() {
    let world = World::new();
    world.server("m");
    world.agent("m", "one");
    world.show("one", IDLE);
    world.said("m", &["tmux", "start"]);
    let daemon = world.daemon("m");
    world.end_server("m");
    wait("the agents are gone", || {
        let states = world.states("m");
        if states.is_empty() { Ok(()) } else { Err(format!("{states:?}")) }
    });
    world.server("m");
    let agent = world.agent("m", "two");
    world.show("two", WAITING);
    world.until("m", &agent, "waiting");
    assert_eq!(world.daemon("m"), daemon);
}

#[test]
fn panes_come_go_move_and_start_over() {
    let world = World::new();
    world.server("m");
    world.said("m", &["tmux", "start"]);
    let agent = world.agent("m", "one");
    world.show("one", WAITING);
    world.until("m", &agent, "waiting");
    let option = |name: &str| {
        world.tmux("m", &["display-message", "-p", "-t", &agent, &format!("#{{{name}}}")])
    };
    world.tmux("m", &["break-pane", "-d", "-s", &agent]);
    wait("the new window shows it", || {
        let state = option("@madohub_window_state");
        if state.trim() == "waiting" { Ok(()) } else { Err(state) }
    });
    world.tmux("m", &["set-option", "-p", "-t", &agent, "remain-on-exit", "on"]);
    world.tmux("m", &["respawn-pane", "-k", "-t", &agent, "exec cat"]);
    wait("a plain pane shows no state", || {
        let state = option("@madohub_state");
        if state.trim().is_empty() { Ok(()) } else { Err(state) }
    });
}

#[test]
fn an_agent_that_ends_is_exited() {
    let world = World::new();
    world.server("m");
    let agent = world.agent("m", "one");
    world.tmux("m", &["set-option", "-p", "-t", &agent, "remain-on-exit", "on"]);
    world.show("one", WORKING);
    world.said("m", &["tmux", "start"]);
    world.until("m", &agent, "working");
    let pid = world.tmux("m", &["display-message", "-p", "-t", &agent, "#{pane_pid}"]);
    kill(pid.trim().parse().unwrap());
    world.until("m", &agent, "exited");
}

#[test]
fn without_a_daemon_list_looks_itself() {
    let world = World::new();
    let nothing = world.madohub("m", &["list"]);
    assert_eq!(nothing.status.code(), Some(3), "{nothing:?}");
    world.server("m");
    assert!(world.said("m", &["list"]).contains("No agent"));
    assert_eq!(world.said("m", &["list", "--json"]).trim(), "[]");
    let agent = world.agent("m", "one");
    world.show("one", WAITING);
    world.until("m", &agent, "waiting");
    assert_eq!(world.madohub("m", &["watch"]).status.code(), Some(3));
}
