//! Sessions that go on in a process in which no turn has run yet.

use super::*;
use madohub_detect::{Observation, SessionLog, detect};

/// What the pane shows: the end of a turn, as the session was left.
const CODEX: &str = "\
› Please fix the tests

• They are fixed.

  Worked for 3s • 01:51


› Ask Codex to do anything

  gpt-5.4 default · ~/project";
const OPENCODE: &str = "\
  ┃
  ┃  Please fix the tests
  ┃

     They are fixed.

     ▣  Build · Scripted · 2.2s

  ┃
  ┃
  ┃
  ┃  Build · Scripted Scripted
  ╹▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀
   /w                    1.3K (1%)  ctrl+p commands";

impl World {
    /// The state of a pane, and the name of its log.
    fn told(&mut self, pane: usize, agent: &str) -> (State, String) {
        let log = self.look()[pane].clone();
        let seen = Observation {
            agent_hint: Some(agent.to_owned()),
            screen: self.panes[pane].screen.clone(),
            log: self.seen(pane),
            ..Observation::default()
        };
        (detect(self.logs.rules(), &seen).state, log)
    }

    fn seen(&self, pane: usize) -> Option<SessionLog> {
        self.logs.panes.get(&(pane as u64)).and_then(PaneLog::seen)
    }

    fn event(&self, name: &str, kind: &str, age: f64) {
        let time = time(self, age);
        let payload = match kind {
            "user_message" => r#"{"type":"user_message","message":"Please fix the tests"}"#.into(),
            "task_complete" => {
                r#"{"type":"task_complete","last_agent_message":"They are fixed."}"#.to_owned()
            }
            kind => format!(r#"{{"type":"{kind}"}}"#),
        };
        let record = format!(r#"{{"timestamp":"{time}","type":"event_msg","payload":{payload}}}"#);
        self.say(name, &record);
        self.touch(&find(self.home.path(), name).unwrap(), age);
    }

    /// A thread that was left a day ago.
    fn left(&self) -> String {
        let name = self.rollout(90_000.0, "/w", "");
        for kind in ["task_started", "user_message", "task_complete"] {
            self.event(&name, kind, 89_000.0);
        }
        name
    }
}

#[test]
fn a_thread_that_goes_on_is_known_by_what_it_shows_and_has_no_turn() {
    for args in [&["resume", "--last"][..], &["resume"], &[]] {
        let mut world = World::new();
        let left = world.left();
        world.rollout(80_000.0, "/elsewhere", "");
        world.pane("codex", 50.0, "/w", args);
        assert_eq!(world.look(), ["-"], "nothing is shown yet");
        world.shows(0, CODEX);
        assert_eq!(world.told(0, "codex"), (State::Idle, left.clone()), "{args:?}");
        assert!(world.seen(0).unwrap().records.is_empty());
        world.event(&left, "task_started", 5.0);
        assert_eq!(world.told(0, "codex"), (State::Stopped, left.clone()), "the screen is later");
        world.shows(0, "• Working (1s • esc to interrupt)\n\n\n› Ask\n\n  gpt-5.4 default");
        assert_eq!(world.told(0, "codex"), (State::Working, left.clone()));
        world.event(&left, "task_complete", 1.0);
        world.shows(0, CODEX);
        assert_eq!(world.told(0, "codex"), (State::Completed, left));
    }
}

#[test]
fn the_thread_of_the_command_line_has_no_turn_until_one_runs() {
    let mut world = World::new();
    let left = world.left();
    let id = thread(world.now - 90_000.0);
    world.pane("codex", 50.0, "/w", &["resume", &id]);
    world.shows(0, CODEX);
    assert_eq!(world.told(0, "codex"), (State::Idle, left.clone()));
    world.event(&left, "task_complete", 10.0);
    assert_eq!(world.told(0, "codex"), (State::Completed, left));
}

#[test]
fn an_end_that_no_log_knows_is_the_screens() {
    let mut world = World::new();
    world.left();
    world.pane("codex", 50.0, "/w", &[]);
    world.pane("codex", 50.0, "/v", &["resume"]);
    world.shows(0, &CODEX.replace("They are fixed.", "Done.").replace("fix the", "run the"));
    world.shows(1, CODEX);
    assert_eq!(world.told(0, "codex"), (State::Stopped, "-".to_owned()), "another thread's words");
    assert_eq!(world.told(1, "codex"), (State::Stopped, "-".to_owned()), "another folder");
}

#[test]
fn one_that_goes_on_beside_another_one_is_told_apart() {
    let mut world = World::new();
    let left = world.left();
    let own = world.rollout(60.0, "/w", "");
    world.pane("codex", 60.0, "/w", &[]);
    world.pane("codex", 50.0, "/w", &["resume", "--last"]);
    world.event(&own, "task_started", 20.0);
    world.shows(1, CODEX);
    assert_eq!(world.told(1, "codex"), (State::Idle, left.clone()));
    assert_eq!(world.look(), [own, left]);
}

#[test]
fn a_session_of_opencode_that_goes_on_has_no_turn() {
    let mut world = World::new();
    let db = opencode(&world);
    #[expect(clippy::cast_possible_truncation, reason = "a test")]
    let millis = |age: f64| ((world.now - age) * 1000.0) as i64;
    let add = |session: &str, message: &str, role: &str, time: i64, text: &str| {
        let finish = if role == "user" { "" } else { r#""finish":"stop","# };
        let data = format!(
            r#"{{"role":"{role}",{finish}"time":{{"created":{time},"completed":{time}}}}}"#
        );
        db.execute("INSERT INTO message VALUES(?1, ?2, ?3)", (message, session, data)).unwrap();
        let data = format!(r#"{{"type":"text","text":"{text}"}}"#);
        db.execute("INSERT INTO part VALUES(?1, ?1, ?2, ?3)", (message, session, data)).unwrap();
        db.execute("UPDATE session SET time_updated = ?2 WHERE id = ?1", (session, time)).unwrap();
    };
    let (left, new) = (millis(900.0), millis(5.0));
    for (id, folder) in [("ses_1", "/w"), ("ses_2", "/w"), ("ses_3", "/v")] {
        let row = (id, folder, left);
        db.execute("INSERT INTO session VALUES(?1, NULL, ?2, ?3, ?3)", row).unwrap();
    }
    add("ses_1", "msg_1", "user", left, "Please fix the tests");
    add("ses_1", "msg_2", "assistant", left, "They are fixed.");
    add("ses_2", "msg_3", "user", left, "Please write the docs");
    world.pane("opencode", 50.0, "/w", &["--continue"]);
    world.pane("opencode", 50.0, "/v", &["-s", "ses_3"]);
    world.shows(0, OPENCODE);
    world.shows(1, OPENCODE);
    let (one, three) = ("opencode.db (ses_1)".to_owned(), "opencode.db (ses_3)".to_owned());
    assert_eq!(world.told(0, "opencode"), (State::Idle, one.clone()));
    assert_eq!(world.told(1, "opencode"), (State::Stopped, three), "nothing was written there");
    add("ses_1", "msg_4", "user", new, "Go on, please.");
    add("ses_1", "msg_5", "assistant", new, "It goes on.");
    assert_eq!(world.told(0, "opencode"), (State::Completed, one));
}
