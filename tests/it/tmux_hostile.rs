//! What an agent said last goes wherever a route sends it, and arrives as harmless text; so does what
//! titles and folders are called, wherever they are shown.

use madohub_tests::recording::Cue;
use madohub_tests::{Agent, Stage, StageOptions, wait_for, wait_until};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// The session of every replayed Claude Code.
const SESSION: &str = "464d62ad-70e2-4a3a-aeb8-c9da98207252";

/// Writes a turn into the transcript of the agent that runs in this home.
fn answer(stage: &Stage, text: &str) {
    let home = fs::canonicalize(stage.env.home()).unwrap();
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let folder: String = home.to_str().unwrap().chars().map(plain).collect();
    let folder = home.join(".claude/projects").join(folder);
    fs::create_dir_all(&folder).unwrap();
    let user = serde_json::json!({"type": "user", "message": {"content": "Go on."}});
    let content = serde_json::json!([{"type": "text", "text": text}]);
    let message = serde_json::json!({"stop_reason": "end_turn", "content": content});
    let assistant = serde_json::json!({"type": "assistant", "message": message});
    fs::write(folder.join(format!("{SESSION}.jsonl")), format!("{user}\n{assistant}\n")).unwrap();
}

/// A program that keeps its first argument as it came.
fn keeper(stage: &Stage, out: &Path) -> String {
    let path = stage.env.path().join("tmp/keeper");
    fs::write(&path, format!("#!/bin/sh\nprintf '%s|%s' \"$#\" \"$1\" >'{}'\n", out.display()))
        .unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
    path.display().to_string()
}

/// Four routes of one event, one for each kind of target.
fn stage_with(argv: &Path, file: &Path) -> (Stage, Agent, Agent) {
    let options = StageOptions { size: (200, 24), term: "xterm-256color", ..Default::default() };
    let stage = Stage::with(&options);
    let program = keeper(&stage, argv);
    let route = |name: &str, to: &str, send: &str| {
        format!(
            "[[route]]\nname = \"{name}\"\nfrom = {{ pane = \"author\" }}\nto = {{ {to} }}\n{send}"
        )
    };
    let text = "send = \"{last_message}\"\n";
    stage.configure(
        &[
            "[notify]\nstates = []\n".to_owned(),
            route("pane", "pane = \"reviewer\"", text),
            route("argv", &format!("command = [\"{program}\", \"{{last_message}}\"]"), ""),
            route("file", &format!("file = \"{}\"", file.display()), text),
            route("told", "notify = true", text),
        ]
        .concat(),
    );
    let mut panes =
        stage.side_by_side(&[("claude-2.1.332", "working"), ("codex-0.171.0", "finished")]);
    let shell = stage.split();
    stage.tmux.run(&["select-pane", "-t", &shell]);
    for ((pane, _), role) in panes.iter().zip(["author", "reviewer"]) {
        stage.tmux.run(&["set-option", "-p", "-t", pane, "@madohub_role", role]);
    }
    stage.start();
    stage.wait_state(&panes[0].0, "working");
    wait_for("the reviewer", || stage.row(&panes[1].0).ok_or_else(|| "not listed".to_owned()));
    let (reviewer, author) = (panes.pop().unwrap().1, panes.pop().unwrap().1);
    (stage, author, reviewer)
}

#[test]
fn the_last_message_is_data_for_every_kind_of_target() {
    let out = tempfile::tempdir().unwrap();
    let (argv, file) = (out.path().join("argv"), out.path().join("file"));
    let mark = out.path().join("mark");
    let (stage, author, reviewer) = stage_with(&argv, &file);
    let record = stage.record_client();
    let touch = format!("touch {}", mark.display());
    // The end of a bracketed paste, keys, a title, formats and substitutions; and a second line.
    let runs = format!("$({touch})#({touch})`{touch}`");
    answer(
        &stage,
        &format!("\x1b[201~\r{runs}\x1b]0;gotcha\x07\u{9b}201~\u{202e};kill-server\r\n{touch}\n"),
    );
    author.show("finished");
    let is_harmless = |text: &str, which: &str, part: &str| {
        let text = text.trim_end_matches('\n');
        assert!(text.contains(part), "{which}: {text:?}");
        let is_bad = |c: char| c.is_control() || c == '\u{202e}';
        assert!(!text.contains(is_bad), "{which}: {text:?}");
    };
    for (which, path) in [("argv", &argv), ("file", &file)] {
        let read = || fs::read_to_string(path).ok().filter(|text| text.ends_with(['r', '\n']));
        let text = wait_for(which, || read().ok_or_else(|| format!("{:?}", stage.screen())));
        is_harmless(&text, which, &runs);
    }
    assert!(fs::read_to_string(&argv).unwrap().starts_with("1|"), "one argument");
    assert_eq!(fs::read_to_string(&file).unwrap().lines().count(), 1);
    let prompts = wait_for("the prompt", || match &reviewer.prompts()[..] {
        [] => Err(stage.screen().to_string()),
        prompts => Ok(prompts.to_vec()),
    });
    assert_eq!(prompts.len(), 1, "{prompts:?}");
    is_harmless(&prompts[0], "pane", &runs);
    let told = wait_for("the notification", || {
        let bytes = String::from_utf8_lossy(&record.bytes()).into_owned();
        let told = bytes.split("\x1b]9;").nth(1).and_then(|rest| rest.split_once('\x1b'));
        told.map(|(text, _)| text.to_owned()).ok_or_else(|| stage.screen().to_string())
    });
    // Notifications are short.
    is_harmless(&told, "notification", &format!("$({touch})#("));
    assert!(!mark.exists(), "it was run");
    // The server still lives, and nothing set its titles.
    let titles = stage.tmux.run(&["list-panes", "-a", "-F", "#{pane_title}"]);
    assert!(!titles.contains("gotcha"), "{titles}");
}

/// A title, colours, a bell, one more row, other directions of writing, and what tmux and shells run.
fn hostile(trap: &Path) -> String {
    let name = trap.file_name().unwrap().to_str().unwrap();
    format!(
        "a\x1b]0;gotcha\x07\x1b[31m\u{9b}2J\r\n\u{202e}#(touch {name})#[fg=red]$(touch {name})b"
    )
}

/// The bytes that the dashboard draws with.
fn dashboard(stage: &Stage, word: &str) -> Vec<u8> {
    let line = format!("read go; exec '{}' dash", stage.madohub.program().display());
    let new = ["new-window", "-d", "-P", "-F", "#{pane_id}", "-c", "/", &line];
    let pane = stage.tmux.run(&new);
    let file = stage.env.path().join("tmp/dash-bytes");
    stage.tmux.run(&["pipe-pane", "-t", &pane, &format!("exec cat >'{}'", file.display())]);
    stage.tmux.run(&["send-keys", "-t", &pane, "Enter"]);
    wait_until(
        "the dashboard",
        || stage.tmux.capture(&pane),
        |screen| screen.contains("Enter go") && screen.contains(word),
    );
    let drawn = || fs::read(&file).unwrap_or_default();
    let has_word = |bytes: &Vec<u8>| String::from_utf8_lossy(bytes).contains(word);
    let bytes = wait_for("its bytes", || {
        let bytes = drawn();
        if has_word(&bytes) { Ok(bytes) } else { Err(String::from_utf8_lossy(&bytes).into_owned()) }
    });
    stage.tmux.run(&["send-keys", "-t", &pane, "q"]);
    bytes
}

#[test]
fn titles_and_folders_are_text_wherever_they_are_shown() {
    let stage = Stage::with(&StageOptions { size: (200, 40), ..StageOptions::default() });
    let trap = stage.env.home().join("trap");
    let name = hostile(&trap);
    let folder = stage.env.home().join(&name);
    fs::create_dir(&folder).unwrap();
    let pane = stage.first_pane();
    stage.type_line(&pane, "cd ./*gotcha*");
    stage.configure("[border]\ntitle = true\n[segment]\npreset = \"names\"\n");
    let agent = stage.agent(&pane, "claude-2.1.332", "working");
    agent.tell(&Cue::Title { title: name.replace('\x07', "") });
    // What this command is given is a format; the name is not to be one yet.
    stage.tmux.run(&["rename-window", "-t", &pane, &name.replace('#', "##")]);
    stage.tmux.run(&["set-option", "-g", "status-right", "#{E:@madohub_status}"]);
    stage.start();
    stage.wait_state(&pane, "working");
    answer(&stage, &name);
    agent.show("approval");
    stage.wait_state(&pane, "waiting");

    let server = ["-L", &stage.tmux.socket];
    let said = |args: &[&str]| stage.madohub.run(&[args, &server].concat());
    let views = [
        ("list", said(&["list"])),
        ("list --json", said(&["list", "--json"])),
        ("history", said(&["list", "--history"])),
        ("explain", said(&["explain", "--text", &pane])),
        ("segment", stage.status(&["--format", "names"])),
        ("daemon", said(&["tmux", "status"])),
    ];
    let acts = |text: &str| text.contains(|c: char| c.is_control() && c != '\n' || c == '\u{202e}');
    for (which, text) in &views {
        // JSON has its own way to write them.
        let is_json = which.ends_with("json");
        assert!(!acts(text) || is_json && !text.contains('\x1b'), "{which}: {text:?}");
    }
    assert!(views[0].1.contains('␛'), "its folder is shown: {}", views[0].1);
    let drawn = String::from_utf8(dashboard(&stage, "␛]0;gotcha")).unwrap();
    for part in ["\x1b]0;gotcha", "\x07", "\u{9b}", "\u{202e}"] {
        assert!(!drawn.contains(part), "{part:?} in {drawn:?}");
    }
    assert!(!trap.exists() && !folder.join("trap").exists(), "it was run");
    let titles = stage.terminal.run(&["list-panes", "-a", "-F", "#{pane_title}"]);
    assert!(!titles.contains("gotcha"), "{titles}");
}
