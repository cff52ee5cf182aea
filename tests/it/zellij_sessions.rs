//! Sessions in a real zellij: clients that come and go, tabs out of sight, hostile panes.

use madohub_tests::recording::Cue;
use madohub_tests::{Agent, Colour, STATE_COLOURS, ZellijOptions, ZellijStage, wait_until};
use serde_json::Value;
use std::fs;

const GREEN: Option<Colour> = Some(STATE_COLOURS[0]);
const ORANGE: Option<Colour> = Some(STATE_COLOURS[1]);

fn two() -> ZellijOptions {
    ZellijOptions {
        agents: vec![("claude-2.1.332", "working"), ("codex-0.171.0", "typed")],
        settings: "helper \"off\"\nborder.focused \"same\"".to_owned(),
        ..ZellijOptions::default()
    }
}

fn leader(stage: &ZellijStage) -> u64 {
    let status: Value = serde_json::from_str(&stage.ask("status --json")).unwrap();
    status["leader"].as_u64().unwrap()
}

#[test]
fn a_detached_session_goes_on_and_shows_its_colours_to_who_comes_back() {
    let agents = vec![("claude-2.1.332", "working")];
    let stage = ZellijStage::new(&ZellijOptions { agents, attached: false, ..two() });
    stage.wait_states(&[(0, "working")]);
    stage.agents[0].show("approval");
    stage.wait_states(&[(0, "waiting")]);
    stage.attach("one");
    stage.wait_frames("one", &[ORANGE]);
    stage.detach("one");
    stage.agents[0].show("working");
    stage.wait_states(&[(0, "working")]);
    stage.attach("one");
    stage.wait_frames("one", &[GREEN]);
}

#[test]
fn two_clients_see_the_same_and_are_answered_once() {
    let stage = ZellijStage::new(&two());
    stage.wait_frames("one", &[GREEN, None]);
    stage.attach("two");
    wait_until("the second client", || stage.action(&["list-clients"]), |s| s.lines().count() == 3);
    stage.agents[1].show("approval");
    stage.wait_frames("two", &[GREEN, ORANGE]);
    stage.wait_frames("one", &[GREEN, ORANGE]);
    assert_eq!(stage.ask("status").lines().next(), Some("?1 ●1"), "one answer");
    assert_eq!(stage.ask("list").matches("PANE").count(), 1);
    assert_eq!(leader(&stage), 1);
    let since = |stage: &ZellijStage| {
        let rows: Value = serde_json::from_str(&stage.ask("list --json")).unwrap();
        rows[0]["since"].as_f64().unwrap()
    };
    let before = since(&stage);
    stage.detach("one");
    wait_until("the other instance to lead", || leader(&stage).to_string(), |l| l == "2");
    assert!((since(&stage) - before).abs() < 0.001, "it knows since when");
    stage.agents[0].show("approval");
    stage.wait_frames("two", &[ORANGE, ORANGE]);
}

#[test]
fn a_tab_out_of_sight_is_followed_and_closed_panes_are_forgotten() {
    let mut options = two();
    options.far = vec![("claude-2.1.332", "working")];
    let stage = ZellijStage::new(&options);
    stage.wait_states(&[(0, "working"), (1, "idle"), (2, "working")]);
    let events = stage.listen_to_events(|| {
        stage.agents[0].show("approval");
        stage.wait_states(&[(0, "waiting"), (1, "idle"), (2, "working")]);
        stage.agents[0].show("working");
        stage.wait_states(&[(0, "working"), (1, "idle"), (2, "working")]);
    });
    stage.agents[2].show("approval");
    stage.wait_states(&[(0, "working"), (1, "idle"), (2, "waiting")]);
    stage.action(&["close-pane", "--pane-id", "terminal_0"]);
    stage.wait_states(&[(1, "idle"), (2, "waiting")]);
    let read = || fs::read_to_string(&events.path).unwrap();
    let lines = wait_until("both events", read, |text| text.contains("\"exited\""));
    let told: Vec<(String, String)> = lines
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|e| (e["pane"].as_str().unwrap().to_owned(), e["to"].as_str().unwrap().to_owned()))
        .collect();
    assert!(told.contains(&("terminal_2".into(), "waiting".into())), "{told:?}");
    assert_eq!(told.iter().filter(|(_, to)| to == "exited").count(), 1, "{told:?}");
}

#[test]
fn text_is_delivered_to_an_idle_agent_and_to_no_other() {
    let mut options = two();
    options.agents = vec![("claude-2.1.332", "idle"), ("claude-2.1.332", "approval")];
    let stage = ZellijStage::new(&options);
    stage.wait_states(&[(0, "idle"), (1, "waiting")]);
    let refused = stage.ask("send terminal_1 yes");
    assert!(refused.starts_with("refused"), "{refused}");
    assert!(stage.ask("send terminal_9 x").starts_with("refused"));
    let mut sender = stage.listen("send terminal_0 fix the tests");
    let typed = |agent: &Agent| String::from_utf8(agent.tell(&Cue::Ping).typed).unwrap();
    wait_until(
        "the text and the key",
        || typed(&stage.agents[0]),
        |text| text == "\u{1b}[200~fix the tests\u{1b}[201~\r",
    );
    stage.wait_states(&[(0, "working"), (1, "waiting")]);
    if let Some(answer) = sender.answer() {
        assert_eq!(answer, "delivered to terminal_0\n");
    }
    assert_eq!(typed(&stage.agents[1]), "");
}

#[test]
fn hostile_panes_change_nothing_but_themselves() {
    let mut options = two();
    options.config.push_str("\nscroll_buffer_size 100");
    let stage = ZellijStage::new(&options);
    stage.wait_frames("one", &[GREEN, None]);
    let out = format!("/proc/{}/fd/1", stage.agents[1].pid());
    let title = "\u{1b}]2;\"} } load_plugins { \u{1b}[31m #[fg=red] $(touch owned)\u{7}";
    let wide = "x{}\"\\".repeat(2000);
    fs::write(&out, format!("{title}{wide}\r\n\u{1b}]8;;madohub:report\u{7}")).unwrap();
    stage.agents[0].show("approval");
    stage.wait_frames("one", &[ORANGE, None]);
    for command in ["list", "status", "explain --text terminal_1", "list --json"] {
        let answer = stage.ask(command);
        assert!(!answer.contains('\u{1b}'), "{command}: {answer:?}");
    }
    // Somebody else's message is no report of ours.
    let mut forged = stage.command();
    forged.args(["--session", "stage", "pipe", "--name", "madohub:report", "--", "{\"rows\":[]}"]);
    assert!(forged.output().unwrap().status.success());
    assert_eq!(stage.ask("status").lines().next(), Some("?1"));
    assert!(stage.ask("dance").contains("is no command"));
}

#[test]
fn rows_of_ten_thousand_columns_are_read_like_any_other() {
    // The widest terminal that there is. One pane has all of it but its frame.
    let columns = 10_000;
    let stage = ZellijStage::new(&ZellijOptions {
        agents: vec![("claude-2.1.332", "idle")],
        size: (columns, 26),
        ..two()
    });
    stage.wait_states(&[(0, "idle")]);
    let agent = &stage.agents[0];
    let recording = &agent.command.recording;
    let hostile = "x{}\"\\$(touch owned)#[fg=red]".repeat(400);
    let hostile: String = hostile.chars().take(usize::from(columns) - 2).collect();
    let approval = recording.rows(recording.scene("approval"));
    let rows = [vec![hostile; 3], approval].concat();
    agent.tell(&Cue::Rows { rows });
    stage.wait_states(&[(0, "waiting")]);
    stage.wait_frames("one", &[ORANGE]);
    assert!(stage.screen("one").text().contains("#[fg=red]x{}"), "the row is there");
}

#[test]
fn a_missing_helper_is_said_and_changes_nothing() {
    let mut options = two();
    options.settings = "helper \"/nowhere/madohub\"\nborder.focused \"same\"".to_owned();
    let stage = ZellijStage::new(&options);
    stage.wait_frames("one", &[GREEN, None]);
    let note = || stage.ask("status");
    let status = wait_until("the note", note, |s| s.contains("working without the helper"));
    assert_eq!(status.matches("helper").count(), 1, "{status}");
}
