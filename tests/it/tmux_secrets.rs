//! What is nobody else's business stays where it is.

use madohub_tests::{Stage, wait_for};
use rustix::process::Uid;
use rustix::thread::set_thread_res_uid;
use serde_json::json;
use std::fs::{self, Permissions};
use std::io::{Read, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::thread;

/// The session of the recorded Claude Code.
const SESSION: &str = "464d62ad-70e2-4a3a-aeb8-c9da98207252";
/// Stands in everything that must not come out.
const CANARY: &str = "CANARY";

/// All files below a folder that can be read as files.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.file_type().unwrap() {
            kind if kind.is_dir() => found.extend(files(&entry.path())),
            kind if kind.is_file() => found.push(entry.path()),
            _ => {}
        }
    }
    found
}

#[test]
fn keys_prompts_and_credentials_come_out_nowhere() {
    let stage = Stage::new();
    let home = fs::canonicalize(stage.env.home()).unwrap();
    for (path, text) in [
        (".claude/.credentials.json", json!({"claudeAiOauth": {"accessToken": CANARY}})),
        (".codex/auth.json", json!({"OPENAI_API_KEY": CANARY})),
    ] {
        fs::create_dir_all(home.join(path).parent().unwrap()).unwrap();
        fs::write(home.join(path), text.to_string()).unwrap();
    }
    let pane = stage.first_pane();
    stage.type_line(&pane, &format!("export ANTHROPIC_API_KEY={CANARY}; clear"));
    let agent = stage.agent(&pane, "claude-2.1.332", "working");
    stage.start();
    let watch = stage.watch_with(&["--detail"]);
    stage.wait_state(&pane, "working");
    let folder: String = home.to_str().unwrap().replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    let folder = home.join(".claude/projects").join(folder);
    fs::create_dir_all(&folder).unwrap();
    let prompt = json!({"type": "user", "message": {"content": format!("Use {CANARY}.")}});
    let text = json!([{"type": "text", "text": format!("Done.\n\nThe key is {CANARY}.")}]);
    let message = json!({"stop_reason": "end_turn", "content": text});
    let answer = json!({"type": "assistant", "message": message});
    fs::write(folder.join(format!("{SESSION}.jsonl")), format!("{prompt}\n{answer}\n")).unwrap();
    agent.show("finished");
    wait_for("the event of the end", || {
        let lines = watch.lines();
        if lines.iter().any(|line| line.contains("\"completed\"")) {
            Ok(())
        } else {
            Err(lines.join("\n"))
        }
    });

    let server = ["-L", &stage.tmux.socket];
    let of = |args: &[&str]| stage.madohub.run(&[args, &server].concat());
    let mut said = vec![
        ("list", of(&["list"])),
        ("list --json", of(&["list", "--json"])),
        ("list --history", of(&["list", "--history", "--json"])),
        ("status", stage.daemon_status().to_string()),
        ("explain", of(&["explain", &pane])),
        ("explain --json", of(&["explain", &pane, "--json"])),
        ("watch", watch.lines().join("\n")),
        ("options", stage.tmux.run(&["show-options", "-p", "-t", &pane])),
        ("terminal", stage.screen().to_string()),
    ];
    assert!(said[1].1.contains("\"completed\"") && said[1].1.contains("Done."), "{}", said[1].1);
    for kept in ["state", "run", "cache", "data"] {
        for path in files(&stage.env.path().join(kept)) {
            said.push((kept, String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned()));
        }
    }
    for (which, text) in said {
        assert!(!text.contains(CANARY), "{which}: {text}");
    }
}

#[test]
fn another_user_is_refused_even_where_the_folder_was_opened() {
    let stage = Stage::new();
    stage.start();
    let run = stage.env.path().join("run/madohub");
    let socket = fs::read_dir(&run)
        .unwrap()
        .map(|entry| entry.unwrap())
        .find(|entry| entry.file_type().unwrap().is_socket())
        .expect("the daemon's socket")
        .path();
    let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o777;
    assert_eq!((mode(&run), mode(&socket)), (0o700, 0o600));
    let ask = |socket: &Path| {
        let mut stream = UnixStream::connect(socket).expect("a connection");
        // Who is refused may be gone before the question.
        let _ = stream.write_all(b"{\"v\":2,\"ask\":\"list\"}\n");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).map(|_| answer)
    };
    assert!(ask(&socket).unwrap().contains("\"list\""));

    for folder in run.ancestors().take_while(|folder| folder.starts_with(stage.env.path())) {
        fs::set_permissions(folder, Permissions::from_mode(0o755)).unwrap();
    }
    fs::set_permissions(&socket, Permissions::from_mode(0o666)).unwrap();
    let asked = thread::scope(|scope| {
        let other = scope.spawn(|| {
            // Of this thread alone. Only root can be somebody else.
            let nobody = Uid::from_raw(65_534);
            set_thread_res_uid(nobody, nobody, nobody).ok().map(|()| ask(&socket))
        });
        other.join().unwrap()
    });
    match asked {
        Some(Ok(answer)) => assert_eq!(answer, "", "it was answered"),
        // It was hung up on.
        Some(Err(_)) => {}
        None => eprintln!("not root: another user was not tried"),
    }
    assert!(ask(&socket).unwrap().contains("\"list\""), "it attends to its own user still");
}
