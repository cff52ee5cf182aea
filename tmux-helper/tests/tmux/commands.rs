//! Running commands in tmux.

use crate::world::{World, signal};
use madohub::tmux::{Batch, Server, TmuxError, Version};
use rustix::process::Signal;
use std::time::{Duration, Instant};
use tmux_interface::{CapturePane, DisplayMessage, SetOption, ShowOptions};

/// Values that tmux's parser, its formats or a shell would read.
const HOSTILE: [&str; 20] = [
    "",
    ";",
    "a;",
    "a ; kill-server",
    "#(touch pwned)",
    "#{pane_id}",
    "#[fg=red]",
    "$HOME ${HOME} ~ `id` $(id)",
    "it's",
    "\"quoted\" \\ back\\slash\\",
    "{ a } }",
    "%if 1",
    "%",
    "-g",
    "--",
    "A=b",
    "tab\tnewline\nescape\u{1b}[31m bell\u{7}",
    "ünï ❯ 漢字 \u{1f980}",
    "# comment",
    " leading and trailing ",
];

#[test]
fn every_value_arrives_as_it_is() {
    let world = World::new();
    let server = world.server("m");
    for feed in ["3.3", "3.0"] {
        let version: Version = feed.parse().unwrap();
        let server = server.clone().for_version(version, &world.path("run"));
        let mut batch = Batch::new();
        let names: Vec<String> = (0..HOSTILE.len()).map(|n| format!("@x{n}")).collect();
        for (name, value) in names.iter().zip(HOSTILE) {
            batch.tell(SetOption::new().global().option(name).value(value));
        }
        let slots: Vec<_> = names
            .iter()
            .map(|name| batch.ask(ShowOptions::new().global().value().option(name)))
            .collect();
        let replies = server.run(&batch).unwrap();
        for (slot, value) in slots.into_iter().zip(HOSTILE) {
            let answer = replies.get(slot).unwrap();
            assert_eq!(answer.strip_suffix('\n'), Some(value), "through {feed}");
        }
    }
    assert!(!world.path("pwned").exists());
    let left = std::fs::read_dir(world.path("run")).unwrap().count();
    assert_eq!(left, 0, "a command file stayed behind");
}

#[test]
fn a_pane_that_is_gone_blinds_no_other() {
    let world = World::new();
    let server = world.server("m");
    world.tmux("m", &["send-keys", "-t", "%0", "here", "Enter"]);
    let mut batch = Batch::new();
    let capture = |pane: &str| CapturePane::new().stdout().target_pane(pane.to_owned()).build();
    let slots = [batch.ask(capture("%99")), batch.ask(capture("%0")), batch.ask(capture("%98"))];
    let replies = server.run(&batch).unwrap();
    assert_eq!(replies.get(slots[0]), Some(""));
    assert!(replies.get(slots[1]).unwrap().contains("here"));
    assert_eq!(replies.get(slots[2]), Some(""));
    assert!(replies.is_complete());
}

#[test]
fn more_commands_than_a_command_line_holds_go_in_one_run() {
    let world = World::new();
    let server = world.server("m");
    let mut batch = Batch::new();
    let message = "x".repeat(100);
    let slots: Vec<_> = (0..300)
        .map(|_| batch.ask(DisplayMessage::new().print().message(message.as_str())))
        .collect();
    let replies = server.run(&batch).unwrap();
    assert!(slots.iter().all(|slot| replies.get(*slot).is_some_and(|text| text.len() == 101)));
}

#[test]
fn a_server_that_hangs_does_not_hang_us() {
    let world = World::new();
    let limit = Duration::from_millis(400);
    let server = world.server("m").with_limit(limit);
    let identity = server.identity().unwrap();
    let pid = i32::try_from(identity.pid).unwrap();
    let mut batch = Batch::new();
    batch.ask(DisplayMessage::new().print().message("x"));
    signal(pid, Signal::STOP);
    let start = Instant::now();
    let error = server.run(&batch).unwrap_err();
    let took = start.elapsed();
    signal(pid, Signal::CONT);
    assert!(matches!(error, TmuxError::TimedOut(..)), "{error}");
    assert!(took < limit * 20, "{took:?}");
    server.run(&batch).unwrap();
}

#[test]
fn without_a_server_nothing_is_started() {
    let world = World::new();
    let server = world.server("m");
    world.end_server("m");
    let mut batch = Batch::new();
    batch.ask(DisplayMessage::new().print().message("x"));
    assert!(matches!(server.run(&batch), Err(TmuxError::NoServer(_))));
    let mut tell = Batch::new();
    tell.tell(SetOption::new().global().option("@x").value("1"));
    assert!(matches!(server.run(&tell), Err(TmuxError::NoServer(_))));
    assert!(matches!(server.identity(), Err(TmuxError::NoServer(_))));
    assert!(!server.listens());
}

#[test]
fn a_batch_without_commands_runs_nothing() {
    let nowhere = Server::at("/nowhere");
    nowhere.run(&Batch::new()).unwrap();
}
