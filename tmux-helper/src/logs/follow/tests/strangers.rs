//! Logs of processes that were never seen and are gone: a pane that is alone in its folder must not
//! take one.

use super::*;

impl World {
    /// The terminal of a pane was drawn on last so many seconds ago.
    fn drawn(&mut self, pane: usize, age: f64) {
        // The time stands in for the terminal.
        self.logs.drawn = |process| process.tty.as_deref()?.parse().ok();
        self.panes[pane].processes[0].tty = Some((self.now - age).to_string());
    }
}

#[test]
fn a_log_that_was_written_while_the_terminal_was_still_is_a_strangers() {
    let mut world = World::new();
    world.pane("codex", 900.0, "/w", &[]);
    world.drawn(0, 890.0);
    let log = world.rollout(500.0, "/w", "");
    assert_eq!(world.look(), ["-"], "a turn would have been drawn");
    // The terminal moves, so that it may be this process that goes on.
    world.drawn(0, 450.0);
    assert_eq!(world.look(), [log.as_str()]);
    // What is known stays known, also when an agent puts its files in order later on.
    let path = find(world.home.path(), &log).unwrap();
    world.touch(&path, 10.0);
    assert_eq!(world.look(), [log.as_str()]);
}

#[test]
fn a_log_that_the_command_line_names_needs_no_terminal() {
    let mut world = World::new();
    let log = world.rollout(90_000.0, "/w", "");
    let id = thread(world.now - 90_000.0);
    world.pane("codex", 900.0, "/w", &["resume", &id]);
    world.drawn(0, 890.0);
    world.touch(&find(world.home.path(), &log).unwrap(), 5.0);
    assert_eq!(world.look(), [log.as_str()]);
}

#[test]
fn what_the_pane_shows_decides_before_what_was_written_last() {
    let mut world = World::new();
    world.pane("codex", 900.0, "/w", &[]);
    let own = world.rollout(899.5, "/w", "");
    world.prompt(&own, "Please fix the tests");
    let strange = world.rollout(500.0, "/w", "");
    world.prompt(&strange, "Please write the docs");
    world.touch(&find(world.home.path(), &strange).unwrap(), 2.0);
    assert_eq!(world.look(), [strange.as_str()], "nothing is shown: the last one");
    world.shows(0, "› Please fix the tests");
    assert_eq!(world.look(), [own.as_str()]);
    // It begins another thread, and shows that.
    world.now += 1.0;
    let third = world.rollout(0.5, "/w", "");
    world.prompt(&third, "Now something else");
    world.touch(&find(world.home.path(), &third).unwrap(), 0.5);
    world.shows(0, "› Now something else");
    assert_eq!(world.look(), [third.as_str()]);
}
