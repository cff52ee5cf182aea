//! What goes wrong around logs: they vanish, are replaced or locked, events are missing, clocks jump.
//! No state is lost by it, and what comes later is read.

use super::super::super::watcher::tests::limited;
use super::*;
use rusqlite::Connection;

fn prompt(time: &str) -> String {
    format!("{{\"type\":\"user\",\"message\":{{\"content\":\"x\"}},\"timestamp\":\"{time}\"}}\n")
}

fn answer(time: &str) -> String {
    let message = r#"{"stop_reason":"end_turn","content":[{"type":"text","text":"Done."}]}"#;
    format!("{{\"type\":\"assistant\",\"message\":{message},\"timestamp\":\"{time}\"}}\n")
}

/// A Claude Code whose session ended a turn a moment ago, and the path of its log.
fn ended() -> (World, PathBuf) {
    let mut world = World::new();
    let text = prompt(&time(&world, 20.0)) + &answer(&time(&world, 10.0));
    let path = world.write(&format!(".claude/projects/-w/{SESSION}.jsonl"), &text);
    world.pane("claude", 50.0, "/w", &["--resume", SESSION]);
    assert_eq!(world.state(0, "claude"), State::Completed);
    (world, path)
}

fn append(path: &Path, text: &str) {
    use std::io::Write as _;
    fs::File::options().append(true).open(path).unwrap().write_all(text.as_bytes()).unwrap();
}

#[test]
fn a_log_that_vanishes_while_it_is_read_leaves_its_last_word() {
    let (mut world, path) = ended();
    fs::remove_file(&path).unwrap();
    world.logs.panes.get_mut(&0).unwrap().read(world.now);
    let seen = world.logs.panes.get(&0).and_then(PaneLog::seen).unwrap();
    assert_eq!(seen.records.len(), 2);
    assert!(seen.tie.unwrap().contains("cannot be read"));
    // It is made anew, with a turn that runs.
    fs::write(&path, prompt(&time(&world, 1.0))).unwrap();
    assert_eq!(world.state(0, "claude"), State::Working);
}

#[test]
fn a_log_that_is_rotated_or_replaced_is_read_from_the_new_file() {
    let (mut world, path) = ended();
    fs::rename(&path, path.with_extension("old")).unwrap();
    fs::write(&path, prompt(&time(&world, 2.0))).unwrap();
    assert_eq!(world.state(0, "claude"), State::Working);
    // Replaced at one stroke, as editors and agents that take back a prompt do.
    let new = path.with_extension("new");
    fs::write(&new, prompt(&time(&world, 2.0)) + &answer(&time(&world, 1.0))).unwrap();
    fs::rename(&new, &path).unwrap();
    assert_eq!(world.state(0, "claude"), State::Completed);
    // Cut short in the middle of a record, which is then written whole.
    let text = fs::read_to_string(&path).unwrap();
    let (begin, end) = text.split_at(text.len() - 30);
    fs::write(&path, begin).unwrap();
    assert_eq!(world.state(0, "claude"), State::Working);
    append(&path, end);
    assert_eq!(world.state(0, "claude"), State::Completed);
}

#[test]
fn a_log_whose_permissions_are_taken_away_is_no_loss() {
    use std::os::unix::fs::symlink;
    let (mut world, path) = ended();
    // Root reads everything, so a link to the outside stands in for what must not be read.
    fs::remove_file(&path).unwrap();
    symlink("/etc/hostname", &path).unwrap();
    world.logs.panes.get_mut(&0).unwrap().read(world.now);
    let seen = world.logs.panes.get(&0).and_then(PaneLog::seen).unwrap();
    assert_eq!(seen.records.len(), 2);
    assert!(seen.tie.unwrap().contains("outside"));
}

#[test]
fn without_file_events_what_is_written_is_still_read() {
    let (mut world, path) = ended();
    world.logs.watcher = Some(limited(0));
    world.look();
    append(&path, &prompt(&time(&world, 1.0)));
    assert!(!world.logs.has_news(world.now), "nobody tells");
    assert_eq!(world.state(0, "claude"), State::Working, "but it is looked at");
}

#[test]
fn a_database_that_is_locked_keeps_its_last_word() {
    let mut world = World::new();
    let db = opencode(&world);
    db.pragma_update(None, "journal_mode", "DELETE").unwrap();
    #[expect(clippy::cast_possible_truncation, reason = "a test")]
    let now = ((world.now - 5.0) * 1000.0) as i64;
    db.execute("INSERT INTO session VALUES('s', NULL, '/w', ?1, ?1)", [now]).unwrap();
    let message = |db: &Connection, id: &str, role: &str, more: &str| {
        let data =
            format!(r#"{{"role":"{role}",{more}"time":{{"created":{now},"completed":{now}}}}}"#);
        db.execute("INSERT INTO message VALUES(?1, 's', ?2)", (id, data)).unwrap();
    };
    message(&db, "m1", "user", "");
    message(&db, "m2", "assistant", r#""finish":"stop","#);
    world.pane("opencode", 50.0, "/w", &["-s", "s"]);
    assert_eq!(world.state(0, "opencode"), State::Completed);
    db.execute_batch("BEGIN EXCLUSIVE").unwrap();
    message(&db, "m3", "user", "");
    for _ in 0..3 {
        assert_eq!(world.state(0, "opencode"), State::Completed, "nobody can ask");
    }
    db.execute_batch("COMMIT").unwrap();
    assert_eq!(world.state(0, "opencode"), State::Working);
}

#[test]
fn a_clock_that_jumps_makes_no_record_old_and_no_log_a_strangers() {
    for jump in [3600.0, -3600.0, 86_400.0 * 30.0] {
        let mut world = World::new();
        let name = world.rollout(40.0, "/w", "");
        let event = |world: &World, kind: &str, age: f64| {
            let time = time(world, age);
            let payload = format!(r#"{{"type":"{kind}","last_agent_message":"Done."}}"#);
            let record =
                format!(r#"{{"timestamp":"{time}","type":"event_msg","payload":{payload}}}"#);
            append(&find(world.home.path(), &name).unwrap(), &(record + "\n"));
        };
        event(&world, "task_started", 30.0);
        event(&world, "task_complete", 20.0);
        world.pane("codex", 50.0, "/w", &[]);
        assert_eq!(world.state(0, "codex"), State::Completed);
        world.now += jump;
        assert_eq!(world.state(0, "codex"), State::Completed, "{jump}");
        event(&world, "task_started", 2.0);
        assert_eq!(world.state(0, "codex"), State::Working, "{jump}");
        event(&world, "task_complete", 1.0);
        assert_eq!(world.state(0, "codex"), State::Completed, "{jump}");
    }
}
