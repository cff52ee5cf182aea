//! `madohub explain PANE` and `madohub doctor` in a running tmux, on a private server.

use crate::world::{Run, World};
use serde_json::Value;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A tmux server of its own, gone with the value.
struct Tmux {
    world: World,
}

impl Tmux {
    /// A server with one pane in the session `api`, 60x20, that shows `text`.
    fn showing(text: &str) -> Self {
        let tmux = Self { world: World::new() };
        let file = tmux.world.file("text", text);
        let show = format!("cat '{}'; exec sleep 600", file.display());
        tmux.run(&["new-session", "-d", "-s", "api", "-x", "60", "-y", "20", &show]);
        let last = text.lines().last().unwrap().to_owned();
        let deadline = Instant::now() + Duration::from_secs(30);
        loop {
            let screen = tmux.run(&["capture-pane", "-p", "-t", "api"]);
            if screen.contains(&last) {
                return tmux;
            }
            assert!(Instant::now() < deadline, "the pane never showed {last:?}:\n{screen}");
        }
    }

    fn socket(&self) -> String {
        self.world.path().join("tmux.sock").to_str().unwrap().to_owned()
    }

    fn run(&self, args: &[&str]) -> String {
        let output = Command::new("tmux")
            .args(["-f", "/dev/null", "-S", &self.socket()])
            .args(args)
            .env("HOME", self.world.path())
            .env_remove("TMUX")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn madohub(&self, args: &[&str]) -> Run {
        let mut command = self.world.command();
        command.env("PATH", std::env::var_os("PATH").unwrap()).env("LANG", "C.UTF-8");
        command.args(args).args(["-S", &self.socket()]);
        Run::of(&mut command)
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        self.run(&["kill-server"]);
    }
}

/// A Claude Code screen that waits for its first prompt.
fn idle() -> String {
    let rule = "─".repeat(60);
    format!("● Done, all of it.\n\n{rule}\n❯\u{a0}\n{rule}\n  ? for shortcuts\n")
}

#[test]
fn a_pane_is_explained_by_its_id_and_by_its_place() {
    let tmux = Tmux::showing(&idle());
    let pane = tmux.run(&["display-message", "-p", "-t", "api", "#{pane_id}"]);
    let place =
        tmux.run(&["display-message", "-p", "-t", "api", "#{S:}api:#{window_index}.#{pane_index}"]);
    for wanted in [pane.trim(), place.trim()] {
        let run = tmux.madohub(&["explain", wanted]);
        // The process in the pane is no agent: what the screen shows is a transcript.
        assert!(run.assert_code(0).stdout.contains("agent   shell"), "{run:?}");
        assert!(run.stdout.contains("because process "), "{run:?}");
        assert!(!run.stdout.contains("all of it"), "{run:?}");
    }
    let run = tmux.madohub(&["explain", "%99", "--json"]);
    assert!(run.assert_code(1).stderr.contains("no pane %99"), "{run:?}");
    let run = tmux.madohub(&["explain", "other:0.0"]);
    assert!(run.assert_code(1).stderr.contains("list-panes"), "{run:?}");
}

#[test]
fn a_server_that_does_not_run_is_code_3() {
    let tmux = Tmux { world: World::new() };
    let run = tmux.madohub(&["explain", "%0"]);
    assert!(run.assert_code(3).stderr.contains("no tmux server is running"), "{run:?}");
}

#[test]
fn doctor_finds_the_server_and_says_that_no_daemon_watches() {
    let tmux = Tmux::showing(&idle());
    let report = |expected: i32| -> Value {
        let run = tmux.madohub(&["doctor", "--json"]);
        serde_json::from_str(&run.assert_code(expected).stdout).unwrap()
    };
    let verdict = |report: &Value, check: &str| -> String {
        let findings = report["findings"].as_array().unwrap();
        let found = findings.iter().find(|finding| finding["check"] == check);
        found.map(|finding| finding["verdict"].to_string()).unwrap_or_default()
    };
    let before = report(0);
    for check in ["tmux", "server"] {
        assert_eq!(verdict(&before, check), "\"ok\"", "{before:#}");
    }
    for check in ["daemon", "segment"] {
        assert_eq!(verdict(&before, check), "\"note\"", "{before:#}");
    }
    tmux.run(&["set-option", "-g", "status-right", "#{@madohub_status}"]);
    tmux.madohub(&["tmux", "start"]).assert_code(0);
    let during = report(0);
    for check in ["daemon", "segment", "borders"] {
        assert_eq!(verdict(&during, check), "\"ok\"", "{during:#}");
    }
    tmux.madohub(&["tmux", "stop"]).assert_code(0);
    assert_eq!(verdict(&report(0), "daemon"), "\"note\"");
}
