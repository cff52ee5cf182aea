//! Crush, Goose, Amp, Aider and the files of old OpenCode, each with a folder or a database as the
//! agent makes it.

use super::*;
use madohub_detect::State;
use rusqlite::Connection;

fn ago(world: &World, age: f64) -> i64 {
    #[expect(clippy::cast_possible_truncation, reason = "a test")]
    let seconds = (world.now - age) as i64;
    seconds
}

impl World {
    fn database(&self, path: &str, tables: &str) -> Connection {
        let path = self.write(path, "");
        let db = Connection::open(path).unwrap();
        db.execute_batch(tables).unwrap();
        db
    }

    /// A folder in the home, as text.
    fn folder(&self, name: &str) -> String {
        let path = self.home.path().join(name);
        fs::create_dir_all(&path).unwrap();
        path.to_str().unwrap().to_owned()
    }

    fn detail(&self, pane: u64) -> madohub_detect::LogDetail {
        self.logs.panes.get(&pane).and_then(PaneLog::seen).unwrap().detail
    }
}

/// Crush's database, as far as it is asked, with sessions of these ids and ages.
fn crush(world: &World, project: &str, sessions: &[(&str, Option<&str>, f64)]) -> Connection {
    let db = world.database(
        &format!("{project}/.crush/crush.db"),
        "PRAGMA journal_mode = WAL;
         CREATE TABLE sessions(id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT,
             updated_at INTEGER, created_at INTEGER);
         CREATE TABLE messages(id TEXT PRIMARY KEY, session_id TEXT, role TEXT,
             parts TEXT NOT NULL DEFAULT '[]', model TEXT, created_at INTEGER, updated_at INTEGER,
             finished_at INTEGER, is_summary_message INTEGER DEFAULT 0 NOT NULL);",
    );
    for (id, parent, age) in sessions {
        let time = ago(world, *age);
        let row = (id, parent, time);
        db.execute("INSERT INTO sessions VALUES(?1, ?2, 'x', ?3, ?3)", row).unwrap();
    }
    db
}

#[test]
fn crush_is_tied_by_the_lock_of_its_folder() {
    let mut world = World::new();
    let project = world.folder("p/deep");
    let sessions = [
        ("old", None, 900.0),
        ("own", None, 30.0),
        ("sub", Some("own"), 20.0),
        ("new", None, 10.0),
    ];
    drop(crush(&world, "p", &sessions));
    world.pane("crush", 50.0, &project, &[]);
    assert_eq!(world.look(), ["crush.db (new)"], "alone in its folder");
    world.pane("crush", 50.0, &project, &[]);
    assert_eq!(world.look(), ["?", "?"]);
    let lock = format!("{{\"pid\": {}, \"version\": \"v0.90.0\"}}\n", world.panes[1].agent.1);
    let path = world.write("p/.crush/crush.lock", &lock);
    assert_eq!(world.look(), ["crush.db (own)", "crush.db (new)"]);
    world.touch(&path, 500.0);
    assert_eq!(world.look(), ["?", "?"], "an earlier process with this number");
}

#[test]
fn crush_is_tied_by_its_command_line() {
    let mut world = World::new();
    let project = world.folder("p");
    drop(crush(&world, "p", &[("old", None, 900.0), ("new", None, 10.0)]));
    world.pane("crush", 50.0, &project, &["--session", "old"]);
    let elsewhere = world.folder("q");
    let data = format!("{project}/.crush");
    world.pane("crush", 50.0, &elsewhere, &["--data-dir", &data]);
    assert_eq!(world.look(), ["crush.db (old)", "crush.db (new)"]);
}

#[test]
fn crush_says_how_a_turn_stands() {
    let mut world = World::new();
    let project = world.folder("p");
    let db = crush(&world, "p", &[("own", None, 10.0)]);
    let time = ago(&world, 10.0);
    world.pane("crush", 50.0, &project, &[]);
    let text = |text: &str| format!(r#"{{"type":"text","data":{{"text":"{text}"}}}}"#);
    let finish = |reason: &str, message: &str| {
        format!(
            r#"{{"type":"finish","data":{{"reason":"{reason}","time":1,"message":"{message}"}}}}"#
        )
    };
    let result = |content: &str| {
        format!(r#"{{"type":"tool_result","data":{{"name":"bash","content":"{content}"}}}}"#)
    };
    let huge = "x".repeat(200_000);
    for (number, (role, parts, summary, state)) in [
        ("user", vec![text("hi"), finish("stop", "")], 0, State::Working),
        ("assistant", vec![text("Let me")], 0, State::Working),
        ("assistant", vec![finish("tool_use", "")], 0, State::Working),
        ("tool", vec![result(&huge)], 0, State::Working),
        ("assistant", vec![text("Done."), finish("end_turn", "")], 0, State::Completed),
        ("assistant", vec![text("Sum")], 1, State::Working),
        ("assistant", vec![text("Sum"), finish("end_turn", "")], 1, State::Working),
        ("assistant", vec![finish("canceled", "User canceled request")], 0, State::Stopped),
        ("assistant", vec![finish("error", "Provider Error")], 0, State::Failed),
        ("assistant", vec![finish("tool_use", "User denied permission")], 0, State::Stopped),
        ("tool", vec![result("User denied permission")], 0, State::Stopped),
        ("assistant", vec!["broken".to_owned()], 0, State::Working),
        ("assistant", vec![r#""words",7,[{}]"#.to_owned()], 0, State::Working),
    ]
    .into_iter()
    .enumerate()
    {
        let parts = format!("[{}]", parts.join(","));
        db.execute(
            "INSERT INTO messages VALUES(?1, 'own', ?2, ?3, 'm', ?4, ?4, NULL, ?5)",
            (number.to_string(), role, &parts, time, summary),
        )
        .unwrap();
        // The open summary is the same message as the complete one.
        if number == 6 {
            db.execute("DELETE FROM messages WHERE id = '5'", ()).unwrap();
            assert_eq!(world.state(0, "crush"), State::Completed, "by the message before");
            continue;
        }
        assert_eq!(world.state(0, "crush"), state, "{number}: {role}");
    }
    let detail = world.detail(0);
    assert_eq!(detail.model.as_deref(), Some("m"));
}

/// Goose's database, as far as it is asked.
fn goose(world: &World) -> Connection {
    world.database(
        ".local/share/goose/sessions/sessions.db",
        "CREATE TABLE sessions(id TEXT PRIMARY KEY, name TEXT, working_dir TEXT,
             session_type TEXT, created_at TIMESTAMP, updated_at TIMESTAMP);
         CREATE TABLE messages(id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT, role TEXT,
             content_json TEXT, created_timestamp INTEGER);",
    )
}

#[test]
fn goose_is_tied_by_folder_and_time_and_says_how_a_turn_ended() {
    let mut world = World::new();
    let db = goose(&world);
    for (id, name, folder, kind, age) in [
        ("20260101_1", "old", "/w", "user", 900.0),
        ("20260101_2", "own", "/w", "user", 40.0),
        ("20260101_3", "sub", "/w", "sub_agent", 30.0),
        ("20260101_4", "other", "/v", "user", 30.0),
        ("20260101_5", "first", "/v", "user", 49.0),
    ] {
        db.execute(
            "INSERT INTO sessions
             VALUES(?1, ?2, ?3, ?4, datetime(?5, 'unixepoch'), datetime(?5, 'unixepoch'))",
            (id, name, folder, kind, ago(&world, age)),
        )
        .unwrap();
    }
    world.pane("goose", 50.0, "/w", &["session"]);
    world.pane("goose", 50.0, "/w", &["session", "--resume", "--name", "old"]);
    world.pane("goose", 50.0, "/v", &["session"]);
    let name = |id: &str| format!("sessions.db ({id})");
    assert_eq!(world.look(), [name("20260101_2"), name("20260101_1"), name("20260101_4")]);
    world.pane("goose", 31.0, "/v", &["session"]);
    assert_eq!(world.look().last(), Some(&name("20260101_4")), "begun with this one");
    world.panes.pop();
    let time = ago(&world, 10.0);
    for (role, content, state) in [
        ("user", r#"[{"type":"text","text":"hi"}]"#, State::Unknown),
        (
            "assistant",
            r#"[{"type":"text","text":"I look."},{"type":"toolRequest","id":"1","toolCall":{}}]"#,
            State::Unknown,
        ),
        ("user", r#"[{"type":"toolResponse","id":"1","toolResult":{}}]"#, State::Unknown),
        ("assistant", r#"[{"type":"text","text":"Done."}]"#, State::Completed),
        (
            "assistant",
            r#"[{"type":"text","text":"The existing call to developer__shell was interrupted. How would you like to proceed?"}]"#,
            State::Stopped,
        ),
        (
            "assistant",
            r#"[{"type":"text","text":"Ran into this error: Server error: 500.\n\nPlease retry if you think this is a transient or recoverable error."}]"#,
            State::Failed,
        ),
        ("user", "broken", State::Unknown),
        ("user", r#""words""#, State::Unknown),
    ] {
        db.execute(
            "INSERT INTO messages(session_id, role, content_json, created_timestamp)
             VALUES('20260101_2', ?1, ?2, ?3)",
            (role, content, time),
        )
        .unwrap();
        assert_eq!(world.state(0, "goose"), state, "{content}");
    }
}

#[test]
fn amp_is_followed_in_the_file_of_its_thread() {
    let mut world = World::new();
    let thread = |folder: &str, messages: &str| {
        format!(
            r#"{{"v":9,"id":"T-1","created":1796045446000,"messages":[{messages}],"env":{{"initial":{{"trees":[{{"displayName":"w","uri":"file://{folder}"}}]}}}}}}"#
        )
    };
    let old = world.write(".local/share/amp/threads/T-old.json", &thread("/w", ""));
    world.touch(&old, 900.0);
    world.write(".local/share/amp/threads/T-other.json", &thread("/v", ""));
    world.write(".local/share/amp/threads/T-own.json", &thread("/w%20x", ""));
    world.pane("amp", 50.0, "/w x", &[]);
    world.pane("amp", 50.0, "/w", &[]);
    world.pane("amp", 50.0, "/u", &["threads", "continue", "T-old"]);
    assert_eq!(world.look(), ["T-own.json", "-", "T-old.json"]);

    let mut messages =
        r#"{"role":"user","messageId":0,"content":[{"type":"text","text":"hi"}]}"#.to_owned();
    for (message, state) in [
        (r#""role":"assistant","state":{"type":"streaming"},"content":[]"#, State::Unknown),
        (
            r#""role":"assistant","state":{"type":"complete","stopReason":"tool_use"},"content":[{"type":"tool_use","id":"t","name":"Bash"}]"#,
            State::Unknown,
        ),
        (
            r#""role":"user","content":[{"type":"tool_result","toolUseID":"t","run":{"status":"blocked-on-user"}}]"#,
            State::Waiting,
        ),
        (
            r#""role":"user","content":[{"type":"tool_result","toolUseID":"t","run":{"status":"rejected-by-user"}}]"#,
            State::Stopped,
        ),
        (
            r#""role":"user","content":[{"type":"tool_result","toolUseID":"t","run":{"status":"in-progress"}}]"#,
            State::Unknown,
        ),
        (
            r#""role":"assistant","state":{"type":"complete","stopReason":"end_turn"},"content":[{"type":"text","text":"Done."}]"#,
            State::Completed,
        ),
        (r#""role":"assistant","state":{"type":"cancelled"},"content":[]"#, State::Stopped),
        (
            r#""role":"assistant","state":{"type":"error","error":{"message":"no"}},"content":[]"#,
            State::Failed,
        ),
    ] {
        messages = format!("{messages},{{{message}}}");
        // It rests for a while after each reading.
        let path = ".local/share/amp/threads/T-own.json";
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
        world.write(path, &thread("/w%20x", &messages));
        while world.state(0, "amp") != state && std::time::Instant::now() < deadline {
            std::thread::yield_now();
        }
        assert_eq!(world.state(0, "amp"), state, "{message}");
    }
    assert_eq!(world.detail(0).last_message.as_deref(), Some("Done."));
}

#[test]
fn an_amp_thread_that_is_being_written_is_no_trouble() {
    let mut world = World::new();
    let path = ".local/share/amp/threads/T-own.json";
    world.write(path, r#"{"env":{"initial":{"trees":[{"uri":"file:///w"}]}},"messages":[]}"#);
    world.pane("amp", 50.0, "/w", &[]);
    assert_eq!(world.look(), ["T-own.json"]);
    world.write(path, r#"{"env":{"initial":{"trees":[{"uri":"file:///w"}]}},"messages":[{"ro"#);
    world.look();
    let log = world.logs.panes.get(&0).and_then(PaneLog::seen).unwrap();
    assert!(!log.tie.unwrap().contains("cannot be read"));
}

#[test]
fn aider_tells_an_error_that_it_does_not_try_again() {
    let mut world = World::new();
    let project = world.folder("p/src");
    fs::create_dir_all(world.home.path().join("p/.git")).unwrap();
    let history = "p/.aider.chat.history.md";
    let path = world.write(
        history,
        "\n# aider chat started at 2026-01-01 10:00:00\n\n#### hi\n\n> litellm.BadRequestError: no  \n",
    );
    world.touch(&path, 900.0);
    world.pane("aider", 50.0, &project, &[]);
    assert_eq!(world.look(), ["-"], "an earlier one wrote it");
    let mut text = fs::read_to_string(&path).unwrap();
    for (more, state) in [
        ("\n# aider chat started at 2026-01-02 10:00:00\n\n> Aider v0.86.2  \n", State::Unknown),
        ("\n#### hello\n", State::Unknown),
        ("\n> litellm.RateLimitError: 429  \n> Retrying in 0.2 seconds...  \n", State::Working),
        ("\nHello.\n\n> Tokens: 771 sent, 11 received.  \n", State::Unknown),
        ("\n#### more\n> litellm.BadRequestError: The request is invalid.  \n", State::Failed),
        ("> It goes on.  \n", State::Failed),
        ("#### again, and an unfinished line\n> litellm.BadRequestError: no", State::Unknown),
    ] {
        text.push_str(more);
        world.write(history, &text);
        // So long ago that nothing else can follow.
        world.touch(&path, 5.0);
        assert_eq!(world.look(), [".aider.chat.history.md"]);
        assert_eq!(world.state(0, "aider"), state, "{more}");
    }
    world.pane("aider", 50.0, world.home.path().join("p").to_str().unwrap(), &[]);
    assert_eq!(world.look(), ["?", "?"], "they share the file");
}

#[test]
fn old_opencode_is_followed_in_its_files() {
    let mut world = World::new();
    let storage = ".local/share/opencode/storage";
    let session = |id: &str, more: &str, folder: &str| {
        format!(
            r#"{{"id":"{id}","directory":"{folder}","time":{{"created":1,"updated":2}}{more}}}"#
        )
    };
    let sub = session("ses_sub", r#","parentID":"ses_own""#, "/w");
    for (id, text, age) in [
        ("ses_old", session("ses_old", "", "/w"), 900.0),
        ("ses_own", session("ses_own", "", "/w"), 30.0),
        ("ses_sub", sub, 20.0),
        ("ses_other", session("ses_other", "", "/v"), 20.0),
    ] {
        let path = world.write(&format!("{storage}/session/abc/{id}.json"), &text);
        world.touch(&path, age);
    }
    world.pane("opencode", 50.0, "/w", &[]);
    world.pane("opencode", 50.0, "/u", &["-s", "ses_old"]);
    let name = |id: &str| format!("{id}.json ({id})");
    assert_eq!(world.look(), [name("ses_own"), name("ses_old")]);

    let created = ago(&world, 10.0) * 1000;
    let message = |world: &World, id: &str, more: &str, completed: bool| {
        let end =
            if completed { format!(r#","completed":{}"#, created + 1500) } else { String::new() };
        let text = format!(r#"{{"id":"{id}",{more},"time":{{"created":{created}{end}}}}}"#);
        world.write(&format!("{storage}/message/ses_own/{id}.json"), &text);
    };
    let part = |world: &World, message: &str, id: &str, text: &str| {
        world.write(&format!("{storage}/part/{message}/{id}.json"), text);
    };
    message(&world, "msg_1", r#""role":"user""#, false);
    assert_eq!(world.state(0, "opencode"), State::Working);
    message(&world, "msg_2", r#""role":"assistant","modelID":"m""#, false);
    assert_eq!(world.state(0, "opencode"), State::Working);
    part(&world, "msg_2", "prt_1", r#"{"type":"text","text":"Done."}"#);
    part(&world, "msg_2", "prt_2", r#"{"type":"step-finish","tokens":{}}"#);
    message(&world, "msg_2", r#""role":"assistant","modelID":"m""#, true);
    assert_eq!(world.state(0, "opencode"), State::Completed);
    let detail = world.detail(0);
    assert_eq!(
        (detail.model.as_deref(), detail.last_message.as_deref(), detail.turn_ms),
        (Some("m"), Some("Done."), Some(1500))
    );
    let rejected = r#"{"type":"tool","state":{"status":"error","error":"The user rejected permission to use this specific tool call."}}"#;
    part(&world, "msg_5", "prt_9", rejected);
    for (id, more, state) in [
        ("msg_3", r#""role":"assistant","error":{"name":"MessageAbortedError"}"#, State::Stopped),
        (
            "msg_4",
            r#""role":"assistant","error":{"name":"APIError","data":{"message":"500"}}"#,
            State::Failed,
        ),
        ("msg_5", r#""role":"assistant","finish":"tool-calls""#, State::Stopped),
        ("msg_6", r#""role":"assistant","finish":"tool-calls""#, State::Working),
    ] {
        message(&world, id, more, true);
        assert_eq!(world.state(0, "opencode"), state, "{id}");
    }
}
