//! Several processes of an agent in one folder, told apart by what their panes show.

use super::*;

impl World {
    /// A record at the end of a rollout.
    pub(super) fn say(&self, name: &str, record: &str) {
        let path = find(self.home.path(), name).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, format!("{text}{record}\n")).unwrap();
        self.touch(&path, 5.0);
    }

    pub(super) fn prompt(&self, name: &str, text: &str) {
        let item =
            format!(r#"{{"type":"UserMessage","content":[{{"type":"text","text":"{text}"}}]}}"#);
        let payload = format!(r#"{{"type":"item_completed","item":{item}}}"#);
        self.say(name, &format!(r#"{{"type":"event_msg","payload":{payload}}}"#));
    }

    pub(super) fn shows(&mut self, pane: usize, text: &str) {
        self.panes[pane].screen = Some(text.lines().map(str::to_owned).collect());
    }

    /// Two Codex in one folder whose threads were made while both ran, and were prompted.
    fn two_codex() -> (Self, String, String) {
        let mut world = Self::new();
        world.pane("codex", 50.0, "/w", &[]);
        world.pane("codex", 48.0, "/w", &[]);
        let (first, second) = (world.rollout(40.0, "/w", ""), world.rollout(39.0, "/w", ""));
        world.prompt(&first, "Please fix the tests");
        world.prompt(&second, "Please write the docs");
        (world, first, second)
    }
}

#[test]
fn two_codex_of_one_server_are_told_apart_by_what_they_show() {
    let (mut world, first, second) = World::two_codex();
    assert_eq!(world.look(), ["?", "?"]);
    world.shows(0, "› Please write\n  the docs\n• Working (1s)");
    assert_eq!(world.look(), [second.as_str(), first.as_str()], "the other one is left");
    world.shows(1, "› Please fix the tests");
    assert_eq!(world.look(), [second.as_str(), first.as_str()]);
    // What was seen stays known while long output hides it.
    world.shows(0, "a long output");
    world.shows(1, "› Please write the docs");
    assert_eq!(world.look(), [second.as_str(), first.as_str()], "typed, but not sent");
}

#[test]
fn the_same_words_in_both_leave_it_open() {
    let (mut world, first, second) = World::two_codex();
    world.prompt(&first, "Go on with that, please");
    world.prompt(&second, "Go on with that, please");
    world.shows(0, "› Go on with that, please");
    world.shows(1, "› Go on with that, please");
    assert_eq!(world.look(), ["?", "?"]);
}

#[test]
fn a_pane_that_may_have_gone_on_in_another_thread_is_open_again() {
    let (mut world, first, second) = World::two_codex();
    world.shows(0, "› Please fix the tests");
    world.shows(1, "› Please write the docs");
    assert_eq!(world.look(), [first.as_str(), second.as_str()]);
    // `/new` in one of them; both may still show what they did.
    let third = world.rollout(1.0, "/w", "");
    let path = find(world.home.path(), &third).unwrap();
    world.now += 1.0;
    world.touch(&path, 0.5);
    world.shows(0, "");
    assert_eq!(world.look(), ["?", second.as_str()]);
    world.prompt(&third, "Now something else");
    world.touch(&path, 0.5);
    world.shows(0, "› Now something else");
    assert_eq!(world.look(), [third.as_str(), second.as_str()]);
}

#[test]
fn what_a_process_that_is_gone_wrote_is_not_another_one_s() {
    let mut world = World::new();
    let own = world.rollout(40.0, "/w", "");
    world.prompt(&own, "Please fix the tests");
    world.pane("codex", 50.0, "/w", &[]);
    world.pane("codex", 45.0, "/w", &[]);
    world.shows(0, "› Please fix the tests");
    world.shows(1, "› Ask Codex to do anything");
    assert_eq!(world.look(), [own.as_str(), "-"]);
    // The first one quits; the second one, which never did anything, is alone now.
    world.panes.remove(0);
    assert_eq!(world.look_at(&[1]), ["-"]);
    // Until it resumes the thread, and shows it.
    world.shows(0, "› Please fix the tests");
    assert_eq!(world.look_at(&[1]), [own.as_str()]);
}

#[test]
fn a_process_that_is_lost_from_sight_for_a_moment_keeps_its_log() {
    let mut world = World::new();
    let own = world.rollout(49.9, "/w", "");
    // Seen in no pane at first: its pane was not looked at yet.
    world.pane("codex", 20.0, "/w", &[]);
    world.everyone = vec![world.process("codex", 1_000_000_001, 50.0, "/w", &[])];
    assert_eq!(world.look(), ["-"]);
    world.pane("codex", 50.0, "/w", &[]);
    assert_eq!(world.look(), ["-", own.as_str()]);
    // Its processes could not be read once.
    let agent = world.panes.pop().unwrap();
    assert_eq!(world.look(), ["-"]);
    world.panes.push(agent);
    assert_eq!(world.look(), ["-", own.as_str()]);
}
