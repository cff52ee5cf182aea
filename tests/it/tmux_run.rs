//! `madohub run`: everything goes through, and the agent is heard.

use madohub_tests::{Stage, TALKER, wait_for, wait_until};
use std::fs;
use std::path::PathBuf;

/// An agent that reports nothing.
const SILENT: &str = "#!/bin/sh\necho here\nread -r end\n";

/// The command line that runs something through the product.
fn through(stage: &Stage, line: &str) -> String {
    format!("{} run -- {line}", stage.madohub.program().display())
}

fn wait_text(stage: &Stage, pane: &str, text: &str) {
    wait_for(&format!("`{text}` in {pane}"), || {
        let screen = stage.tmux.capture(pane);
        if screen.contains(text) { Ok(()) } else { Err(screen) }
    });
}

/// Types a line to whatever runs in the pane.
fn say(stage: &Stage, pane: &str, line: &str) {
    stage.tmux.run(&["send-keys", "-t", pane, "-l", line]);
    stage.tmux.run(&["send-keys", "-t", pane, "Enter"]);
}

fn explain(stage: &Stage, pane: &str) -> String {
    let socket = stage.tmux.socket_path();
    stage.madohub.run(&["explain", "-S", socket.to_str().unwrap(), pane])
}

/// Files with what agents report.
fn reports(stage: &Stage) -> Vec<PathBuf> {
    let dir = stage.env.path().join("run/madohub/reports");
    fs::read_dir(dir).into_iter().flatten().map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn an_agent_reports_its_own_state() {
    let stage = Stage::new();
    stage.env.script("claude", TALKER);
    let pane = stage.split();
    stage.start();
    stage.type_line(&pane, &through(&stage, "claude"));
    wait_text(&stage, &pane, r"answer: 033]7501;?033\.");
    for (body, state, reason) in [
        ("state=working:app=claude", "working", None),
        ("state=blocked:kind=permission:msg=T0s=", "waiting", Some("approval")),
        ("state=blocked:kind=question", "waiting", Some("question")),
        ("state=working", "working", None),
        ("state=done", "stopped", None),
        ("state=working", "working", None),
        ("state=error", "stopped", Some("api-error")),
    ] {
        say(&stage, &pane, body);
        let row = wait_for(&format!("{state} after {body}"), || {
            let row = stage.row(&pane).ok_or_else(|| "not listed".to_owned())?;
            let right = row.state == state && row.reason.as_deref() == reason;
            if right { Ok(row) } else { Err(format!("{row:?}")) }
        });
        assert_eq!(row.agent, "claude");
    }
    say(&stage, &pane, "state=blocked:kind=permission:msg=T0s=");
    stage.wait_state(&pane, "waiting");
    let told = explain(&stage, &pane);
    assert!(told.contains("program-status program-status.blocked"), "{told}");
    say(&stage, &pane, "exit 7");
    stage.wait_state(&pane, "exited");
    assert_eq!(reports(&stage), Vec::<PathBuf>::new());
    stage.type_line(&pane, "echo code $?");
    wait_text(&stage, &pane, "code 7");
}

#[test]
fn a_stopped_job_is_stopped_and_goes_on() {
    let stage = Stage::new();
    stage.env.script("claude", TALKER);
    let pane = stage.split();
    stage.start();
    stage.type_line(&pane, &through(&stage, "claude"));
    wait_text(&stage, &pane, "answer: ");
    say(&stage, &pane, "state=working");
    stage.wait_state(&pane, "working");
    for _ in 0..3 {
        stage.tmux.run(&["send-keys", "-t", &pane, "C-z"]);
        let row = stage.wait_state(&pane, "stopped");
        assert_eq!(row.reason.as_deref(), Some("suspended"));
        stage.type_line(&pane, "clear; fg");
        stage.wait_state(&pane, "working");
    }
    say(&stage, &pane, "state=blocked");
    stage.wait_state(&pane, "waiting");
}

#[test]
fn what_is_no_agent_is_not_believed() {
    let stage = Stage::new();
    stage.env.script("claude", SILENT);
    let forged = stage.env.path().join("forged");
    fs::write(&forged, "\x1b]7501;state=blocked:kind=permission\x07forged\n").unwrap();
    let pane = stage.split();
    let other = stage.split();
    stage.start();
    let shown = format!("cat {} -", forged.display());
    stage.type_line(&pane, &through(&stage, &shown));
    // A report of what ran before, in the same terminal, is not the agent's.
    stage.type_line(&other, &through(&stage, "bash"));
    stage.type_line(&other, &format!("cat {}; claude", forged.display()));
    wait_text(&stage, &other, "here");
    wait_for("the agent", || stage.row(&other).ok_or_else(|| "not listed".to_owned()));
    wait_until("both to be heard", || reports(&stage).len(), |heard| *heard == 2);
    let told = explain(&stage, &other);
    assert!(told.contains("Claude Code") && !told.contains("program-status"), "{told}");
    assert!(stage.row(&pane).is_none(), "{:?}", stage.row(&pane));
}

/// Shows what a program shows, run plainly or through the product.
fn shown(script: &str, wrapped: bool) -> (Vec<String>, String) {
    let stage = Stage::new();
    let path = stage.env.script("program", script);
    let pane = stage.first_pane();
    let line = path.display().to_string();
    let line = if wrapped { through(&stage, &line) } else { line };
    stage.type_line(&pane, &format!("clear; {line}; echo \"co\"\"de\" $?"));
    wait_text(&stage, &pane, "code ");
    let screen = stage.tmux.run(&["capture-pane", "-p", "-e", "-t", &pane]);
    let title = stage.tmux.get(&pane, "#{pane_title}");
    (screen.lines().map(str::to_owned).collect(), title)
}

#[test]
fn what_a_program_shows_is_the_same() {
    for script in [
        // Colours, links, titles, the alternate screen, a report and a query between them.
        "#!/bin/sh\nprintf '\\033]0;my title\\007\\033[1;31mred\\033[0m \\033[38;2;1;2;3mrgb\\033[m \
         \\033]7501;state=working\\007\\033]8;;http://x\\033\\\\link\\033]8;;\\033\\\\ \\033[3Cgap\\n'\n\
         tput smcup; echo hidden; tput rmcup; printf 'é世界\\r\\n'; exit 3\n",
        // More than any buffer holds.
        "#!/bin/sh\ni=0; while [ $i -lt 3000 ]; do echo \"$i 0123456789 0123456789 0123456789\"; \
         i=$((i+1)); done; exit 4\n",
        "#!/bin/sh\nstty -a | head -1; stty size; test -t 0 && test -t 1 && test -t 2 && tty >/dev/null \
         && echo terminal; kill -TERM $$\n",
    ] {
        let (plain, plain_title) = shown(script, false);
        let (wrapped, wrapped_title) = shown(script, true);
        // The shell tells of a killed process by its command line.
        let told = |rows: &[String]| -> Vec<String> {
            let shown = rows.iter().take_while(|row| !row.contains("Terminated"));
            let code = rows.iter().filter(|row| row.starts_with("code "));
            shown.chain(code).filter(|row| *row != "$").cloned().collect()
        };
        assert_eq!(told(&plain), told(&wrapped), "{script}");
        assert_eq!(plain_title, wrapped_title);
    }
}

#[test]
fn every_byte_arrives() {
    let stage = Stage::new();
    let pane = stage.split();
    let script =
        "#!/bin/sh\nstty raw -echo; echo ready; dd bs=1 count=255 2>/dev/null | cksum; stty sane\n";
    let path = stage.env.script("program", script);
    stage.type_line(&pane, &through(&stage, &path.display().to_string()));
    wait_text(&stage, &pane, "ready");
    let bytes: Vec<u8> = (1..=255).collect();
    let hex: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let mut keys = vec!["send-keys", "-t", &pane, "-H"];
    keys.extend(hex.iter().map(String::as_str));
    stage.tmux.run(&keys);
    let file = stage.env.path().join("bytes");
    fs::write(&file, &bytes).unwrap();
    let sum = stage.env.command("cksum").stdin(fs::File::open(file).unwrap()).output().unwrap();
    wait_text(&stage, &pane, String::from_utf8(sum.stdout).unwrap().trim());
}

#[test]
fn the_size_follows_and_a_closed_pane_hangs_up() {
    let stage = Stage::new();
    let first = stage.first_pane();
    let pane = stage.split();
    let done = stage.env.path().join("done");
    let script = format!(
        "#!/bin/sh\ntrap 'echo hung up > {}; exit' HUP\ntrap 'echo size $(stty size).' WINCH\n\
         echo size $(stty size).\nwhile :; do sleep 0.05; done\n",
        done.display()
    );
    let path = stage.env.script("program", &script);
    stage.type_line(&pane, &through(&stage, &path.display().to_string()));
    let size = || stage.tmux.get(&pane, "size #{pane_height} #{pane_width}.");
    wait_text(&stage, &pane, &size());
    let before = size();
    stage.tmux.run(&["resize-pane", "-t", &pane, "-x", "30"]);
    assert_ne!(size(), before);
    wait_text(&stage, &pane, &size());
    stage.tmux.run(&["kill-pane", "-t", &pane]);
    assert_eq!(stage.tmux.get(&first, "#{window_panes}"), "1");
    wait_until(
        "the program to be hung up",
        || fs::read_to_string(&done).unwrap_or_default(),
        |text| text == "hung up\n",
    );
}

#[test]
fn without_a_terminal_the_program_takes_its_place() {
    let stage = Stage::new();
    let shell = |line: &str| {
        let mut command = stage.env.command("sh");
        command.args(["-c", &line.replace("RUN", &through(&stage, ""))]);
        let output = command.output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        (text, output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    assert_eq!(shell("printf 'a\\nb' | RUN cat").0, "a\nb", "the end of the input is seen");
    assert_eq!(shell("RUN sh -c 'echo $$; exit 5' </dev/null").1, Some(5));
    assert_eq!(shell("RUN sh -c 'kill -9 $$'; echo $?").0, "137\n");
    let (_, code, told) = shell("RUN no-such-agent");
    assert_eq!(code, Some(127));
    assert!(told.contains("cannot start `no-such-agent`"), "{told}");
    // In a pane too.
    let pane = stage.first_pane();
    stage.type_line(&pane, &format!("{}; echo code $?", through(&stage, "no-such-agent")));
    wait_text(&stage, &pane, "cannot start `no-such-agent`");
    wait_text(&stage, &pane, "code 127");
}

#[test]
fn an_agent_runs_where_nothing_can_be_written() {
    let stage = Stage::new();
    stage.env.script("claude", TALKER);
    let pane = stage.first_pane();
    stage.type_line(&pane, &format!("XDG_RUNTIME_DIR=/proc {}", through(&stage, "claude")));
    wait_text(&stage, &pane, "answer: ");
    say(&stage, &pane, "state=working");
    wait_text(&stage, &pane, "said: state=working.");
    say(&stage, &pane, "exit 0");
}
