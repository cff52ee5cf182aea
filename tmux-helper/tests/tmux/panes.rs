//! What tmux says about its panes.

use crate::world::{World, wait};
use madohub::logs::SessionLogs;
use madohub::processes;
use madohub::registry::RegistryReader;
use madohub::reports::Reports;
use madohub::scan::{Reach, Scanner};
use madohub::tmux::{Batch, Pane, Server};
use madohub_detect::RuleSet;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

fn scanner(server: &Server) -> Scanner {
    let identity = server.identity().unwrap();
    let logs = SessionLogs::none(Arc::new(RuleSet::builtin().unwrap()));
    Scanner::new(
        server.clone(),
        identity,
        processes::source(),
        RegistryReader::new(None),
        logs,
        Reports::none(),
    )
}

fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs_f64()
}

fn panes(server: &Server) -> Vec<Pane> {
    let mut scanner = scanner(server);
    scanner.look(Reach::All, Batch::new(), now()).unwrap();
    scanner.panes().map(|seen| seen.pane.clone()).collect()
}

#[test]
fn names_and_titles_may_hold_anything() {
    let world = World::new();
    let server = world.server("m");
    let title = "a|b c #{pane_id} #(id) <row 0> ❯";
    world.tmux("m", &["select-pane", "-t", "%0", "-T", title]);
    world.tmux("m", &["rename-window", "w\n#[fg=red]\tx"]);
    world.tmux("m", &["split-window", "-d", "exec cat"]);
    let panes = panes(&server);
    assert_eq!(panes.len(), 2);
    // tmux itself expands the title once when it is set by a command.
    assert!(panes[0].title.contains("%0") && panes[0].title.contains("<row 0> ❯"), "{panes:?}");
    assert_eq!(panes[0].window_panes, 2);
}

#[test]
fn a_pane_that_several_sessions_show_is_one_pane() {
    let world = World::new();
    let server = world.server("m");
    world.tmux("m", &["new-session", "-d", "-t", "s", "-s", "grouped"]);
    world.tmux("m", &["new-session", "-d", "-s", "other", "exec cat"]);
    world.tmux("m", &["link-window", "-s", "s:0", "-t", "other:7"]);
    let panes = panes(&server);
    assert_eq!(panes.len(), 2, "{panes:?}");
    let mut places: Vec<(String, u32)> = panes[0]
        .places
        .iter()
        .map(|place| (place.session_name.clone(), place.window_index))
        .collect();
    places.sort();
    let expected = [("grouped", 0), ("other", 7), ("s", 0)];
    assert_eq!(places, expected.map(|(name, index)| (name.to_owned(), index)));
}

#[test]
fn dead_panes_say_how_they_ended() {
    let world = World::new();
    let server = world.server("m");
    world.tmux("m", &["set-option", "-g", "remain-on-exit", "on"]);
    world.tmux("m", &["split-window", "-d", "exit 7"]);
    world.tmux("m", &["split-window", "-d", "kill -9 $$"]);
    wait("both are dead", || {
        let panes = panes(&server);
        let ended: Vec<_> =
            panes.iter().map(|pane| (pane.dead, pane.exit_status, pane.exit_signal)).collect();
        // tmux 3.3a never learns how one process in twenty ended when the terminal closes before
        // the signal of its end is handled: such a pane tells nothing to read, so it runs again.
        for pane in &panes {
            if pane.dead && (pane.exit_status, pane.exit_signal) == (None, None) {
                world.tmux("m", &["respawn-pane", "-t", &pane.id.to_string()]);
            }
        }
        match ended[1..] {
            [(true, Some(_), None), (true, None, Some(_))]
            | [(true, None, Some(_)), (true, Some(_), None)] => Ok(()),
            _ => Err(format!("{ended:?}")),
        }
    });
    let mut scanner = scanner(&server);
    scanner.look(Reach::All, Batch::new(), now()).unwrap();
    let mut statuses: Vec<Option<i64>> =
        scanner.panes().map(|seen| seen.observation.exit_status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [None, Some(7), Some(137)]);
}

#[test]
fn only_what_moved_is_looked_at_again() {
    let world = World::new();
    let server = world.server("m");
    world.tmux("m", &["new-window", "-d", "exec cat"]);
    let mut scanner = scanner(&server);
    scanner.look(Reach::All, Batch::new(), now()).unwrap();
    let clean = |scanner: &mut Scanner| scanner.panes_mut().for_each(|seen| seen.dirty = false);
    clean(&mut scanner);
    // Past the second of the start, in which everything counts as moved.
    let start = now();
    wait("the next second", || if now() - start > 1.1 { Ok(()) } else { Err(String::new()) });
    scanner.look(Reach::Moved, Batch::new(), now()).unwrap();
    clean(&mut scanner);
    world.tmux("m", &["send-keys", "-t", "%1", "hello", "Enter"]);
    wait("the new text", || {
        scanner.look(Reach::Moved, Batch::new(), now()).unwrap();
        let dirty: Vec<String> = scanner
            .panes()
            .filter(|seen| seen.dirty)
            .map(|seen| seen.pane.id.to_string())
            .collect();
        if dirty == ["%1"] { Ok(()) } else { Err(format!("{dirty:?}")) }
    });
    let screen = scanner.panes().nth(1).unwrap().observation.screen.clone().unwrap();
    assert!(screen.iter().any(|row| row == "hello"), "{screen:?}");
}

#[test]
fn copy_mode_and_zoom_hide_nothing() {
    let world = World::new();
    let server = world.server("m");
    world.tmux("m", &["split-window", "-d", "exec cat"]);
    world.tmux("m", &["send-keys", "-t", "%0", "live", "Enter"]);
    wait("the text is there", || {
        let screen = world.tmux("m", &["capture-pane", "-p", "-t", "%0"]);
        if screen.contains("live") { Ok(()) } else { Err(screen) }
    });
    world.tmux("m", &["copy-mode", "-t", "%0"]);
    world.tmux("m", &["resize-pane", "-Z", "-t", "%1"]);
    let mut scanner = scanner(&server);
    scanner.look(Reach::All, Batch::new(), now()).unwrap();
    let seen = scanner.panes().next().unwrap();
    assert!(seen.pane.in_mode && seen.observation.in_mode);
    assert!(seen.observation.screen.as_ref().unwrap().iter().any(|row| row == "live"));
}

#[test]
fn another_server_on_the_same_socket_is_noticed() {
    let world = World::new();
    let server = world.server("m");
    let mut scanner = scanner(&server);
    scanner.look(Reach::All, Batch::new(), now()).unwrap();
    world.end_server("m");
    world.server("m");
    let error = scanner.look(Reach::All, Batch::new(), now()).unwrap_err();
    assert!(error.is_end(), "{error}");
    assert_eq!(scanner.panes().count(), 1, "what was known is kept");
}
