//! Film strips: what is seen at which second, what the pane is said to be, and what is told.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

use super::*;
use crate::identify::RULE_SHELL_COMMAND;

/// A detection in one line: `agent state via rule`.
fn seen(line: &str) -> Detection {
    let words: Vec<&str> = line.split_whitespace().collect();
    let via = match words[2] {
        "screen" => Via::Screen,
        "process" => Via::Process,
        "log" => Via::SessionLog,
        "registry" => Via::Registry,
        other => panic!("no way of that name: {other}"),
    };
    Detection {
        id: String::new(),
        agent: AgentId::new(words[0]),
        agent_name: None,
        agent_version: None,
        state: words[1].parse().unwrap(),
        state_source: via.state_source(),
        reason: None,
        background: 0,
        evidence: vec![Evidence::new(via, *words.get(3).unwrap_or(&"rule"))],
        held: false,
    }
}

/// One frame: second, what is seen, whether the pane is in front of a person, what the pane is
/// said to be, and the event as `from>to` (empty for none).
type Frame = (f64, &'static str, bool, &'static str, &'static str);

fn play(settings: Settings, frames: &[Frame]) {
    let mut tracker = Tracker::new(settings);
    for (number, (second, what, focused, state, event)) in frames.iter().enumerate() {
        let step = tracker.step("%1", seen(what), *focused, 1_000.0 + second);
        let told = step.change.map(|c| format!("{}>{}", c.from, c.to)).unwrap_or_default();
        let said = step.tracked.detection.state;
        assert_eq!((said.as_str(), told.as_str()), (*state, *event), "frame {number}: {what}");
    }
}

fn film(frames: &[Frame]) {
    play(Settings::default(), frames);
}

const WORKS: &str = "claude working screen";
const BOX: &str = "claude idle screen";

#[test]
fn nothing_is_told_on_first_sight() {
    for first in ["claude completed log", "claude waiting screen", "claude working screen"] {
        let state = seen(first).state.as_str();
        let frames = [(0.0, first, false, state, ""), (0.2, first, false, state, "")];
        let mut tracker = Tracker::new(Settings::default());
        for (second, what, ..) in frames {
            let step = tracker.step("%1", seen(what), false, second);
            assert_eq!((step.tracked.detection.state.as_str(), step.change), (state, None));
        }
    }
}

#[test]
fn an_entry_that_is_idle_waits_for_the_log_to_say_how_the_turn_ended() {
    let idle = "claude idle registry";
    film(&[
        (0.0, "claude working registry", false, "working", ""),
        (0.2, idle, false, "working", ""),
        (0.4, "claude completed log", false, "completed", "working>completed"),
    ]);
    film(&[
        (0.0, "claude working registry", false, "working", ""),
        (0.2, idle, false, "working", ""),
        (1.0, idle, false, "idle", "working>idle"),
    ]);
}

#[test]
fn an_end_on_the_screen_waits_for_a_log_that_is_followed() {
    let mut tracker = Tracker::new(Settings::default());
    let mut end = seen("codex stopped screen");
    end.evidence.push(Evidence::new(Via::SessionLog, "codex.log.started"));
    let mut state = |detection: &Detection, second: f64| {
        tracker.step("%1", detection.clone(), false, second).tracked.detection.state
    };
    assert_eq!(state(&seen("codex working screen"), 0.0), State::Working);
    assert_eq!(state(&end, 0.2), State::Working);
    assert_eq!(state(&end, 1.0), State::Stopped);
    assert_eq!(state(&seen("codex completed log"), 1.2), State::Completed);
}

#[test]
fn the_end_of_the_turn_before_is_not_told_worse_while_the_next_one_begins() {
    film(&[
        (0.0, WORKS, false, "working", ""),
        (1.0, "claude completed log", false, "completed", "working>completed"),
        (2.0, "claude stopped screen", false, "completed", ""),
        (2.2, WORKS, false, "working", "completed>working"),
        (3.0, "claude failed log", false, "failed", "working>failed"),
        (4.0, "claude stopped screen", false, "failed", ""),
        (4.8, "claude stopped screen", false, "stopped", "failed>stopped"),
    ]);
}

#[test]
fn a_spinner_that_is_missing_for_one_frame_does_not_flap() {
    film(&[
        (0.0, WORKS, false, "working", ""),
        (0.2, BOX, false, "working", ""),
        (0.4, WORKS, false, "working", ""),
        (0.6, BOX, false, "working", ""),
        (1.2, BOX, false, "working", ""),
        (1.4, BOX, false, "idle", "working>idle"),
    ]);
}

#[test]
fn a_call_for_help_shows_at_once_and_so_does_work() {
    film(&[
        (0.0, WORKS, false, "working", ""),
        (0.1, "claude waiting screen", false, "waiting", "working>waiting"),
        (0.2, WORKS, false, "working", "waiting>working"),
        (0.3, "claude waiting screen", false, "waiting", "working>waiting"),
    ]);
}

#[test]
fn escape_clears_working_by_its_row() {
    film(&[
        (0.0, WORKS, false, "working", ""),
        (
            0.2,
            "claude stopped screen claude.stopped.interrupted",
            false,
            "stopped",
            "working>stopped",
        ),
        (0.4, "claude stopped screen claude.stopped.interrupted", false, "stopped", ""),
    ]);
}

#[test]
fn a_finished_turn_is_idle_once_a_person_was_there() {
    film(&[
        (0.0, WORKS, false, "working", ""),
        (1.0, "claude completed log", false, "completed", "working>completed"),
        (9.0, "claude completed log", true, "completed", ""),
        (10.5, "claude completed log", true, "completed", ""),
        (11.5, "claude completed log", true, "idle", ""),
        (12.0, "claude completed log", false, "idle", ""),
        (13.0, WORKS, false, "working", "idle>working"),
        (14.0, "claude completed log", false, "completed", "working>completed"),
    ]);
}

#[test]
fn attention_for_an_old_state_does_not_hide_a_new_call() {
    film(&[
        (0.0, WORKS, true, "working", ""),
        (5.0, WORKS, true, "working", ""),
        (5.2, "claude waiting screen", true, "waiting", "working>waiting"),
        (60.0, "claude waiting screen", true, "waiting", ""),
    ]);
}

#[test]
fn settling_follows_the_setting() {
    let done = "claude stopped screen";
    let never = Settings { settle: Settle::Never, ..Settings::default() };
    play(never, &[(0.0, done, true, "stopped", ""), (99.0, done, true, "stopped", "")]);
    let after = Settings { settle: Settle::After(5.0), ..Settings::default() };
    play(
        after,
        &[
            (0.0, done, false, "stopped", ""),
            (4.0, done, false, "stopped", ""),
            (6.0, done, false, "idle", ""),
        ],
    );
}

#[test]
fn an_agent_that_left_its_shell_is_exited_until_something_else_runs() {
    let shell = "shell idle process process.shell";
    assert_eq!(seen(shell).evidence[0].rule, RULE_SHELL_PROMPT);
    let command = "shell idle process process.command";
    assert_eq!(seen(command).evidence[0].rule, RULE_SHELL_COMMAND);
    film(&[
        (0.0, WORKS, false, "working", ""),
        (0.2, shell, false, "exited", "working>exited"),
        (9.0, shell, false, "exited", ""),
        (9.2, command, false, "idle", ""),
        (9.4, shell, false, "idle", ""),
        (9.6, WORKS, false, "working", "idle>working"),
    ]);
}

#[test]
fn an_observation_that_says_nothing_keeps_the_state_for_a_while() {
    film(&[
        (0.0, WORKS, false, "working", ""),
        (1.0, "claude unknown process", false, "working", ""),
        (4.0, "unknown unknown process", false, "working", ""),
        (4.5, WORKS, false, "working", ""),
        (9.0, "claude unknown process", false, "working", ""),
        (9.6, "claude unknown process", false, "unknown", ""),
        (9.8, WORKS, false, "working", ""),
    ]);
}

#[test]
fn a_view_that_covers_the_live_region_changes_nothing() {
    let mut tracker = Tracker::new(Settings::default());
    tracker.step("%1", seen("claude stopped screen"), false, 0.0);
    let covered = Detection { held: true, ..seen("claude idle screen") };
    let step = tracker.step("%1", covered, false, 1.0);
    assert_eq!((step.tracked.detection.state, step.change), (State::Stopped, None));
}

#[test]
fn a_turn_is_counted_once_however_often_it_waits() {
    let mut tracker = Tracker::new(Settings::default());
    let turns: Vec<u64> = [
        "claude idle screen",
        WORKS,
        "claude waiting screen",
        WORKS,
        "claude completed log",
        WORKS,
        "claude failed log",
    ]
    .iter()
    .enumerate()
    .map(|(n, what)| {
        #[expect(clippy::cast_precision_loss, reason = "seven seconds")]
        let now = n as f64;
        tracker.step("%1", seen(what), false, now).tracked.turn
    })
    .collect();
    assert_eq!(turns, [0, 1, 1, 1, 1, 2, 2]);
}

#[test]
fn a_pane_that_closes_is_told_once_and_forgotten() {
    let mut tracker = Tracker::new(Settings::default());
    tracker.step("%1", seen(WORKS), false, 0.0);
    tracker.step("%2", seen("shell idle process process.shell"), false, 0.0);
    let change = tracker.remove("%1").unwrap();
    assert_eq!((change.from, change.to), (State::Working, State::Exited));
    assert_eq!(tracker.remove("%1"), None);
    assert_eq!(tracker.remove("%2"), None, "a shell that closes is no news");
    assert!(tracker.get("%1").is_none());
}

#[test]
fn a_restored_pane_repeats_nothing() {
    let mut first = Tracker::new(Settings::default());
    first.step("%1", seen(WORKS), false, 0.0);
    let before = first.step("%1", seen("claude completed log"), false, 1.0).tracked;
    let mut second = Tracker::new(Settings::default());
    second.restore("%1", before);
    let step = second.step("%1", seen("claude completed log"), false, 60.0);
    assert_eq!((step.change, step.tracked.since.to_bits()), (None, 1.0_f64.to_bits()));
}

/// Second, what is seen, whether a person looks, and the verdict of that step.
#[track_caller]
fn verdicts(tracker: &mut Tracker, frames: &[(f64, &str, bool, &str)]) {
    for (second, what, focused, expected) in frames {
        let step = tracker.step("%1", seen(what), *focused, *second);
        let said = step.verdict.map(|c| format!("{}>{} {}", c.from, c.to, c.turn));
        assert_eq!(said.as_deref().unwrap_or_default(), *expected, "{second}: {what}");
    }
}

#[test]
fn a_word_that_comes_after_the_person_looked_is_told_once() {
    let mut tracker = Tracker::new(Settings::default());
    verdicts(
        &mut tracker,
        &[
            (0.0, BOX, true, ""),
            (1.0, WORKS, true, ""),
            (3.0, "claude stopped screen", true, ""),
            (3.8, "claude stopped screen", true, ""),
            (4.0, "claude stopped screen", true, ""),
            (9.0, "claude completed log", true, "idle>completed 1"),
            (9.2, "claude completed log", true, ""),
            // At once: the change itself is the word.
            (10.0, WORKS, true, ""),
            (11.0, "claude failed log", true, ""),
            (14.0, "claude failed log", true, ""),
        ],
    );
    assert_eq!(tracker.get("%1").unwrap().detection.state, State::Idle);
}

#[test]
fn what_ended_before_the_first_look_has_no_late_word() {
    let mut tracker = Tracker::new(Settings::default());
    let seen_before = [(0.0, "claude stopped screen", true, ""), (3.0, BOX, true, "")];
    verdicts(&mut tracker, &seen_before);
    let mut later = Tracker::new(Settings::default());
    later.restore("%1", tracker.get("%1").unwrap().clone());
    for tracker in [&mut tracker, &mut later] {
        verdicts(tracker, &[(9.0, "claude completed log", true, "")]);
    }
}

#[test]
fn background_work_counts_as_working_only_when_asked_to() {
    let mut busy = seen("claude idle screen");
    busy.background = 2;
    for (asked, state) in [(false, State::Idle), (true, State::Working)] {
        let settings = Settings { background_works: asked, ..Settings::default() };
        let step = Tracker::new(settings).step("%1", busy.clone(), false, 0.0);
        assert_eq!(step.tracked.detection.state, state);
    }
}

#[test]
fn another_agent_in_the_same_pane_begins_anew() {
    film(&[
        (0.0, WORKS, false, "working", ""),
        (0.2, "codex idle screen", false, "idle", ""),
        (0.4, "codex working screen", false, "working", "idle>working"),
    ]);
}

/// A detection of an agent that is known by its process, with this text as its evidence.
fn shown(line: &str, reason: Option<&str>, text: &str) -> Detection {
    let mut seen = seen(line);
    seen.reason = reason.map(str::to_owned);
    seen.evidence[0] = seen.evidence[0].clone().with_text(text);
    seen.evidence.push(Evidence::new(Via::Process, "claude.process"));
    seen
}

/// Steps of one pane, and what it is said to be after each.
fn said(tracker: &mut Tracker, steps: &[(&str, Option<&str>, &str)]) -> String {
    let states: Vec<&str> = (0_u32..)
        .zip(steps)
        .map(|(at, (line, reason, text))| {
            // Far enough apart that nothing is held back.
            let now = 1_000.0 + f64::from(at);
            tracker.step("%1", shown(line, *reason, text), false, now);
            let step = tracker.step("%1", shown(line, *reason, text), false, now + 0.9);
            step.tracked.detection.state.as_str()
        })
        .collect();
    states.join(" ")
}

const SHELL: (&str, Option<&str>, &str) = ("shell idle process", None, "");
const STARTS: (&str, Option<&str>, &str) = ("claude working process", None, "");
const END: (&str, Option<&str>, &str) = ("claude stopped screen", None, "Worked for 3s");
const ESC: (&str, Option<&str>, &str) =
    ("claude stopped screen", Some("interrupted"), "Interrupted");
const EMPTY: (&str, Option<&str>, &str) = ("claude idle screen", None, "");
const TURN: (&str, Option<&str>, &str) = ("claude working screen", None, "");
const ERROR: (&str, Option<&str>, &str) = ("claude stopped screen", Some("auth"), "Please log in");
const TRUST: (&str, Option<&str>, &str) = ("claude waiting screen", Some("trust"), "Trust?");
const LOGGED: (&str, Option<&str>, &str) = ("claude stopped log", Some("interrupted"), "");

#[test]
fn a_session_that_goes_on_shows_no_end_of_its_own() {
    for (why, steps, states) in [
        ("as it was left", &[SHELL, STARTS, END][..], "idle working idle"),
        ("interrupted before", &[SHELL, ESC], "idle idle"),
        ("after a question", &[SHELL, TRUST, END], "idle waiting idle"),
        ("its own turn", &[SHELL, END, TURN, END], "idle idle working stopped"),
        ("another end", &[SHELL, END, ESC], "idle idle stopped"),
        ("redrawn", &[SHELL, END, EMPTY, END], "idle idle idle idle"),
        ("an error at the start", &[SHELL, ERROR], "idle stopped"),
        ("the log knows better", &[SHELL, LOGGED], "idle stopped"),
        ("nothing was shown at first", &[SHELL, EMPTY, END], "idle idle stopped"),
        ("it was there before the first look", &[END], "stopped"),
        ("and came to work", &[TURN, END], "working stopped"),
    ] {
        let mut tracker = Tracker::new(Settings::default());
        assert_eq!(said(&mut tracker, steps), states, "{why}");
    }
}

#[test]
fn only_a_process_shows_that_an_agent_came() {
    let mut tracker = Tracker::new(Settings::default());
    tracker.step("%1", seen("shell idle process"), false, 1_000.0);
    let step = tracker.step("%1", seen("claude stopped screen"), false, 1_001.0);
    assert_eq!(step.tracked.detection.state, State::Stopped, "over ssh nobody knows");
}

#[test]
fn a_restored_tracker_knows_the_end_that_it_passed_over() {
    let mut tracker = Tracker::new(Settings::default());
    assert_eq!(said(&mut tracker, &[SHELL, END]), "idle idle");
    let stored = tracker.get("%1").unwrap().clone();
    let mut next = Tracker::new(Settings::default());
    next.restore("%1", stored);
    assert_eq!(said(&mut next, &[END, ESC]), "idle stopped");
}
