//! Whatever happens, tmux is left as it was.

use crate::world::{IDLE, WAITING, WORKING, World, kill, signal, wait};
use rustix::process::Signal;

/// A server with two agents beside a plain pane, and a window of its own for one of them.
fn stage(world: &World) -> [String; 3] {
    world.server("m");
    let agents = [world.agent("m", "one"), world.agent("m", "two")];
    world.tmux("m", &["new-window", "-d", "exec cat"]);
    world.tmux("m", &["select-window", "-t", "s:1"]);
    let third = world.agent("m", "three");
    world.show("one", WORKING);
    world.show("two", WAITING);
    world.show("three", IDLE);
    let [one, two] = agents;
    [one, two, third]
}

/// The options of a user who has set everything that we set, with values that are hard to keep.
fn set_everything(world: &World) {
    let odd = "#{?pane_active,#[fg=red#,bold],} it's \"100%\" #(true) $HOME ; \\";
    for args in [
        &["set-option", "-g", "status-interval", "7"][..],
        &["set-option", "-gw", "pane-border-format", odd],
        &["set-option", "-w", "-t", "s:0", "pane-border-style", "fg=blue"],
        &["set-option", "-w", "-t", "s:0", "pane-active-border-style", "fg=#123456,bg=default"],
        &["set-option", "-w", "-t", "s:0", "pane-border-format", ""],
        &["set-option", "-w", "-t", "s:0", "@mine", "x"],
        &["set-option", "-w", "-t", "s:1", "pane-border-status", "bottom"],
        &["set-option", "-w", "-t", "s:1", "pane-border-format", odd],
        &["set-option", "-g", "@madohub_format", "a setting of the user"],
        &["set-environment", "-g", "MINE", "1"],
        &["set-environment", "-gh", "HIDDEN", "2"],
        &["set-hook", "-g", "client-attached", "display-message hello"],
    ] {
        world.tmux("m", args);
    }
}

/// Waits until all three agents are shown on their borders.
fn shown(world: &World, agents: &[String; 3]) {
    for (pane, state) in agents.iter().zip(["working", "waiting", "idle"]) {
        wait(&format!("{pane} is shown as {state}"), || {
            let now = world.tmux("m", &["display-message", "-p", "-t", pane, "#{@madohub_state}"]);
            if now.trim() == state { Ok(()) } else { Err(now) }
        });
    }
    let border = world.tmux("m", &["show-options", "-wv", "-t", "s:0", "pane-border-style"]);
    assert!(border.contains("@madohub_"), "{border}");
}

#[test]
fn stop_leaves_everything_as_it_was() {
    let world = World::new();
    let agents = stage(&world);
    for user in [false, true] {
        if user {
            set_everything(&world);
        }
        let before = world.options("m");
        world.said("m", &["tmux", "start"]);
        shown(&world, &agents);
        assert_ne!(world.options("m"), before);
        world.said("m", &["tmux", "stop"]);
        assert_eq!(world.options("m"), before);
    }
}

#[test]
fn restore_undoes_what_a_killed_daemon_left() {
    let world = World::new();
    let agents = stage(&world);
    set_everything(&world);
    let before = world.options("m");
    world.said("m", &["tmux", "start"]);
    shown(&world, &agents);
    kill(world.daemon("m"));
    assert_ne!(world.options("m"), before);
    world.said("m", &["tmux", "restore"]);
    assert_eq!(world.options("m"), before);
}

#[test]
fn a_second_daemon_does_not_save_what_the_first_one_set() {
    let world = World::new();
    let agents = stage(&world);
    set_everything(&world);
    let before = world.options("m");
    for _ in 0..3 {
        world.said("m", &["tmux", "start"]);
        shown(&world, &agents);
        kill(world.daemon("m"));
    }
    world.said("m", &["tmux", "start"]);
    world.said("m", &["tmux", "stop"]);
    assert_eq!(world.options("m"), before);
}

#[test]
fn signals_put_everything_back() {
    let world = World::new();
    let agents = stage(&world);
    let before = world.options("m");
    for by in [Signal::TERM, Signal::INT, Signal::HUP] {
        world.said("m", &["tmux", "start"]);
        shown(&world, &agents);
        signal(world.daemon("m"), by);
        wait("the options are back", || {
            let now = world.options("m");
            if now == before { Ok(()) } else { Err(now) }
        });
        wait("the daemon is gone", || {
            let status = world.madohub("m", &["tmux", "status"]);
            if status.status.code() == Some(3) { Ok(()) } else { Err(format!("{status:?}")) }
        });
    }
}

#[test]
fn killed_at_any_moment_of_its_start_it_leaves_nothing_that_restore_misses() {
    let world = World::new();
    stage(&world);
    set_everything(&world);
    let before = world.options("m");
    for delay in [0, 5, 10, 20, 40, 80, 160, 320] {
        let mut daemon = world.command(env!("CARGO_BIN_EXE_madohub"));
        let mut daemon = daemon.args(["tmux", "start", "--foreground", "-L", "m"]).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(delay));
        daemon.kill().unwrap();
        daemon.wait().unwrap();
        world.said("m", &["tmux", "restore"]);
        assert_eq!(world.options("m"), before, "killed after {delay} ms");
    }
}

#[test]
fn what_the_user_sets_meanwhile_stays() {
    let world = World::new();
    let agents = stage(&world);
    let before = world.options("m");
    world.said("m", &["tmux", "start"]);
    shown(&world, &agents);
    world.tmux("m", &["set-option", "-w", "-t", "s:0", "pane-border-style", "fg=magenta"]);
    world.tmux("m", &["set-option", "-w", "-t", "s:0", "pane-border-status", "off"]);
    // The colour is ours again while there is an agent, but theirs is what comes back.
    wait("the border is taken again", || {
        let now = world.tmux("m", &["show-options", "-wv", "-t", "s:0", "pane-border-style"]);
        if now.contains("@madohub_") { Ok(()) } else { Err(now) }
    });
    let status = world.tmux("m", &["show-options", "-wv", "-t", "s:0", "pane-border-status"]);
    assert_eq!(status.trim(), "off", "the user switched the line off");
    world.said("m", &["tmux", "stop"]);
    let mine = "pane-border-status off\npane-border-style fg=magenta\n";
    let window = before.split("## ").find(|part| part.starts_with("[\"-w\", \"-t\", \"@0\"]"));
    let expected = before.replacen(window.unwrap(), &format!("{}{mine}", window.unwrap()), 1);
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(&world.options("m")), sorted(&expected));
}

#[test]
fn borders_are_given_back_when_the_last_agent_leaves() {
    let world = World::new();
    world.server("m");
    let before = world.tmux("m", &["show-options", "-w", "-t", "s:0"]);
    let agent = world.agent("m", "one");
    world.show("one", IDLE);
    world.said("m", &["tmux", "start"]);
    world.until("m", &agent, "idle");
    world.tmux("m", &["kill-pane", "-t", &agent]);
    wait("the window is as it was", || {
        let now = world.tmux("m", &["show-options", "-w", "-t", "s:0"]);
        if now == before { Ok(()) } else { Err(now) }
    });
}
