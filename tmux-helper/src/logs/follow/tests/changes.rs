//! Sessions that go on elsewhere or back: resumed, forked, cleared, compacted, rolled back.

use super::*;

/// What an agent writes when a session changes, and the state that its log says then.
const RECORDS: &[(&str, &str, &[&str], State)] = &[
    (
        "claude",
        "compacted by hand: a command, which begins no turn",
        &[
            r#"{"type":"assistant","message":{"stop_reason":"end_turn","content":[{"type":"text","text":"Done."}]}}"#,
            r#"{"type":"system","subtype":"compact_boundary","content":"Conversation compacted"}"#,
            r#"{"type":"user","isCompactSummary":true,"message":{"content":"This session goes on from another one."}}"#,
            r#"{"type":"user","message":{"content":"<command-name>/compact</command-name>"}}"#,
            r#"{"type":"user","message":{"content":"<local-command-stdout>Compacted</local-command-stdout>"}}"#,
        ],
        State::Unknown,
    ),
    (
        "claude",
        "compacted in the middle of a turn, which goes on",
        &[
            r#"{"type":"user","message":{"content":"Fix the tests"}}"#,
            r#"{"type":"assistant","message":{"stop_reason":"tool_use","content":[{"type":"tool_use","name":"Read"}]}}"#,
            r#"{"type":"system","subtype":"compact_boundary","content":"Conversation compacted"}"#,
            r#"{"type":"user","isCompactSummary":true,"message":{"content":"The summary."}}"#,
        ],
        State::Working,
    ),
    (
        "claude",
        "a subagent's records in the same file",
        &[
            r#"{"type":"assistant","message":{"stop_reason":"end_turn","content":[{"type":"text","text":"Done."}]}}"#,
            r#"{"type":"user","isSidechain":true,"message":{"content":"Look around"}}"#,
            r#"{"type":"assistant","isSidechain":true,"message":{"stop_reason":"tool_use","content":[{"type":"tool_use","name":"Read"}]}}"#,
        ],
        State::Completed,
    ),
    (
        "codex",
        "compacted in the middle of a turn, which goes on",
        &[
            r#"{"type":"event_msg","payload":{"type":"task_started","turn_id":"t1"}}"#,
            r#"{"type":"compacted","payload":{"message":"The summary."}}"#,
            r#"{"type":"event_msg","payload":{"type":"context_compacted"}}"#,
        ],
        State::Working,
    ),
    (
        "codex",
        "compacted after a turn",
        &[
            r#"{"type":"event_msg","payload":{"type":"task_complete","turn_id":"t1","last_agent_message":"Done."}}"#,
            r#"{"type":"compacted","payload":{"message":"The summary."}}"#,
            r#"{"type":"event_msg","payload":{"type":"context_compacted"}}"#,
        ],
        State::Completed,
    ),
    (
        "codex",
        "rolled back: what ended is void",
        &[
            r#"{"type":"event_msg","payload":{"type":"task_complete","turn_id":"t1","last_agent_message":"Done."}}"#,
            r#"{"type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":1}}"#,
        ],
        State::Idle,
    ),
    (
        "codex",
        "an older version copies what it forked from",
        &[
            r#"{"type":"session_meta","payload":{"id":"other","cwd":"/elsewhere"}}"#,
            r#"{"type":"event_msg","payload":{"type":"turn_aborted","reason":"interrupted"}}"#,
            r#"{"type":"event_msg","payload":{"type":"task_started","turn_id":"t2"}}"#,
        ],
        State::Working,
    ),
    (
        "gemini",
        "rewound: what ended is void",
        &[
            r#"{"id":"a","type":"user","content":[{"text":"hi"}]}"#,
            r#"{"id":"b","type":"gemini","content":"Done."}"#,
            r#"{"$rewindTo":"a"}"#,
        ],
        State::Idle,
    ),
    (
        "gemini",
        "compressed: the list of messages is another one",
        &[
            r#"{"id":"a","type":"user","content":[{"text":"hi"}]}"#,
            r#"{"id":"b","type":"gemini","content":"Done."}"#,
            r#"{"$set":{"messages":[{"id":"c","type":"user","content":"The summary."}]}}"#,
        ],
        State::Completed,
    ),
    (
        "copilot",
        "resumed",
        &[
            r#"{"type":"assistant.turn_end","data":{}}"#,
            r#"{"type":"session.shutdown","data":{}}"#,
            r#"{"type":"session.resume","data":{}}"#,
            r#"{"type":"user.message","data":{}}"#,
        ],
        State::Working,
    ),
];

#[test]
fn the_records_of_a_changed_session_say_how_it_stands() {
    for (agent, what, records, state) in RECORDS {
        let mut world = World::new();
        let text = records.join("\n") + "\n";
        // Copilot is known by a file that its process holds open: here that is this one.
        let own = std::process::id();
        let mut opened = None;
        let args: &[&str] = match *agent {
            "claude" => {
                world.write(&format!(".claude/projects/-w/{SESSION}.jsonl"), &text);
                &["--resume", SESSION]
            }
            "codex" => {
                let name = world.rollout(49.9, "/w", "");
                let path = find(world.home.path(), &name).unwrap();
                let head = fs::read_to_string(&path).unwrap();
                fs::write(path, head + &text).unwrap();
                &[]
            }
            "gemini" => {
                let begun = time(&world, 49.0);
                let head = format!("{{\"sessionId\":\"s\",\"startTime\":\"{begun}\"}}\n");
                world.write(".gemini/tmp/w/.project_root", "/w");
                world.write(".gemini/tmp/w/chats/session-s.jsonl", &(head + &text));
                &[]
            }
            "copilot" => {
                world.write(".copilot/session-state/s/events.jsonl", &text);
                let hold = format!(".copilot/session-state/s/inuse.{own}.hold");
                opened = fs::File::open(world.write(&hold, "")).ok();
                &[]
            }
            other => unreachable!("no case writes for {other}"),
        };
        world.pane(agent, 50.0, "/w", args);
        if opened.is_some() {
            world.panes[0].agent.1 = own.into();
            world.panes[0].processes[0].pid = own.into();
        }
        assert_eq!(world.state(0, agent), *state, "{agent}: {what}");
    }
}

#[test]
fn a_fork_is_another_session() {
    let mut world = World::new();
    // Claude Code forks into a session of another id; its entry names that one.
    world.transcript("-w---b", SESSION);
    world.transcript("-w---b", "forked");
    let pane = world.pane("claude", 50.0, "/w/ä b", &["--resume", SESSION, "--fork-session"]);
    world.register(pane, "forked");
    assert_eq!(world.look(), ["forked.jsonl"]);
    // Codex begins a rollout that says where it comes from.
    let mut world = World::new();
    world.rollout(500.0, "/w", "");
    let parent = thread(world.now - 500.0);
    let fork = world.rollout(49.5, "/w", &format!(r#","forked_from_id":"{parent}""#));
    world.pane("codex", 50.0, "/w", &["fork", &parent]);
    assert_eq!(world.look(), [fork.as_str()]);
}

#[test]
fn a_thread_that_was_compressed_for_the_shelf_does_no_harm() {
    let mut world = World::new();
    let name = world.rollout(49.5, "/w", "");
    let path = find(world.home.path(), &name).unwrap();
    let shelved = path.with_extension("jsonl.zst");
    fs::write(&shelved, [0x28, 0xb5, 0x2f, 0xfd, 0, 0]).unwrap();
    world.pane("codex", 50.0, "/w", &[]);
    assert_eq!(world.look(), [name.as_str()], "the plain file wins");
    fs::remove_file(path).unwrap();
    assert_eq!(world.look(), ["-"]);
    // The agent unpacks it before it writes to it.
    let again = world.rollout(49.5, "/w", "");
    assert_eq!(world.look(), [again.as_str()]);
}

#[test]
fn how_a_turn_without_words_ended_is_known_by_codex_s_database() {
    let mut world = World::new();
    let name = world.rollout(49.9, "/w", "");
    world.pane("codex", 50.0, "/w", &[]);
    let add = |world: &World, turn: &str| {
        let path = find(world.home.path(), &name).unwrap();
        let payload =
            format!(r#"{{"type":"task_complete","turn_id":"{turn}","last_agent_message":null}}"#);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(path, format!("{text}{{\"type\":\"event_msg\",\"payload\":{payload}}}\n"))
            .unwrap();
    };
    add(&world, "t1");
    assert_eq!(world.state(0, "codex"), State::Stopped, "there is no database");
    let path = world.write(".codex/thread_history_1.sqlite", "");
    let db = rusqlite::Connection::open(path).unwrap();
    db.execute_batch(
        "PRAGMA journal_mode = WAL;
         CREATE TABLE thread_turns(thread_id TEXT, turn_id TEXT, status TEXT);",
    )
    .unwrap();
    let thread = thread(world.now - 49.9);
    let row = "INSERT INTO thread_turns VALUES(?1, ?2, ?3)";
    db.execute(row, (&thread, "t1", "inProgress")).unwrap();
    assert_eq!(world.state(0, "codex"), State::Stopped, "it does not know yet");
    db.execute("UPDATE thread_turns SET status = 'completed'", ()).unwrap();
    assert_eq!(world.state(0, "codex"), State::Completed);
    for (turn, status, state) in
        [("t2", "failed", State::Failed), ("t3", "interrupted", State::Stopped)]
    {
        db.execute(row, (&thread, turn, status)).unwrap();
        add(&world, turn);
        assert_eq!(world.state(0, "codex"), state, "{status}");
    }
}

#[test]
fn gemini_s_older_files_are_read() {
    let mut world = World::new();
    let begun = time(&world, 40.0);
    let messages = [
        r#"{"id":"a","type":"user","content":"hi"}"#,
        r#"{"id":"b","type":"gemini","content":"Done.","model":"m"}"#,
    ];
    let session = format!(
        r#"{{"sessionId":"s","projectHash":"x","startTime":"{begun}","messages":[{}]}}"#,
        messages.join(",")
    );
    // The SHA-256 of `/w`.
    let folder = "d1bb8ca354673cd575d31d952490058c9943aef39d5a9553fb4a21ab7a59a19d";
    let path = world.write(&format!(".gemini/tmp/{folder}/chats/session-2026.json"), &session);
    // An answer is believed when no call of a tool has followed it for a moment.
    world.touch(&path, 5.0);
    world.pane("gemini", 50.0, "/w", &[]);
    world.pane("gemini", 50.0, "/v", &[]);
    assert_eq!(world.look(), ["session-2026.json", "-"]);
    assert_eq!(world.state(0, "gemini"), State::Completed);
}
