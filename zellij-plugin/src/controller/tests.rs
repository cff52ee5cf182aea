//! The controller against a stand-in for zellij that keeps what it is asked for.
#![allow(clippy::unwrap_used, clippy::panic)]

use crate::event::{HelperAnswer, Screen, TabFacts};
use crate::theme::tests::palette;
use crate::{Effect, Event, PaneId};

const GREEN: &str = "80 200 120";
const ORANGE: &str = "255 160 0";

mod telling;
mod world;

use world::{World, claude};

#[test]
fn three_states_have_three_frames_and_the_theme_is_the_users_again() {
    let mut world = World::new(&[("border.focused", "same")]);
    world.open(1, "idle");
    world.open(2, "working");
    world.open(3, "waiting");
    world.start();
    assert_eq!((world.frame(1), world.frame(2), world.frame(3)), (None, Some(GREEN), Some(ORANGE)));
    assert_eq!(world.theme, palette());
    assert_eq!(
        world.ask("status"),
        "?1 ●1\nworking without the helper: no answer within 5 s\n"
            .split_once('\n')
            .map(|(a, _)| format!("{a}\n"))
            .unwrap()
    );
}

#[test]
fn a_change_repaints_its_own_frame_only() {
    let mut world = World::new(&[("border.focused", "same")]);
    for pane in 1..=3 {
        world.open(pane, "working");
    }
    world.start();
    let before = world.done.len();
    world.show(2, "waiting");
    world.run(0.1);
    assert_eq!(world.frame(2), Some(ORANGE), "within a tenth of a second");
    world.run(5.0);
    let touched: Vec<PaneId> = world
        .done
        .iter()
        .skip(before)
        .flat_map(|e| match e {
            Effect::Highlight { on, off } => [on.clone(), off.clone()].concat(),
            _ => Vec::new(),
        })
        .collect();
    assert_eq!(touched, [2]);
}

#[test]
fn nothing_happens_when_nothing_changes() {
    let mut world = World::new(&[("helper", "off")]);
    world.open(1, "working");
    world.start();
    world.run(10.0);
    let before = world.done.len();
    world.run(60.0);
    let loud = |e: &Effect| !matches!(e, Effect::Wake(_) | Effect::ReadScreen(_));
    assert_eq!(world.asked_for(before, loud), 0);
    let reads = world.asked_for(before, |e| matches!(e, Effect::ReadScreen(_)));
    assert!((5..=15).contains(&reads), "{reads} reads of a pane in view in a minute");
}

#[test]
fn a_spinner_that_turns_is_no_news() {
    let mut world = World::new(&[("helper", "off")]);
    world.open(1, "working");
    world.start();
    world.run(10.0);
    let from = world.done.len();
    for n in 0..100 {
        let mut rows = claude("working");
        let row = rows.iter_mut().find(|row| row.starts_with('✻')).unwrap();
        let glyph = if n % 2 == 0 { '✶' } else { '✽' };
        *row = format!("{glyph} Pondering… ({n}s · ↓ {n} tokens · esc to interrupt)");
        world.send(Event::Screens(vec![(1, Screen { rows, cursor: None })]));
        world.run(0.1);
    }
    let told = |e: &Effect| matches!(e, Effect::Broadcast { .. } | Effect::Save(_));
    assert_eq!(world.asked_for(from, told), 0);
    // A look reads the title now and then.
    let looks = world.asked_for(from, |e| matches!(e, Effect::ReadTitle(_)));
    assert!((2..=4).contains(&looks), "{looks} looks in ten seconds");
    // What it rests on now is told to who asks; and a change is seen as soon as ever.
    assert!(world.ask("explain 1").contains("working"));
    world.show(1, "waiting");
    world.run(0.25);
    assert_eq!(world.frame(1), Some("255 202 114"), "the focused one is brighter");
}

#[test]
fn a_change_of_signs_alone_is_looked_at_within_a_second() {
    let mut world = World::new(&[("helper", "off")]);
    world.open(1, "working");
    world.start();
    world.run(10.0);
    let from = world.done.len();
    let rows: Vec<String> =
        claude("working").into_iter().map(|row| row.replace(['─', '❯'], "")).collect();
    world.screens.insert(1, rows.clone());
    world.send(Event::Screens(vec![(1, Screen { rows, cursor: None })]));
    world.run(1.1);
    assert_eq!(world.asked_for(from, |e| matches!(e, Effect::ReadTitle(_))), 1, "the look's");
}

#[test]
fn a_title_that_was_read_just_before_the_end_is_read_again() {
    let mut world = World::new(&[("helper", "off"), ("border.focused", "same")]);
    world.open(1, "working");
    world.titles.insert(1, "⠂ Run the tests".to_owned());
    world.start();
    world.run(10.0);
    // Two looks within a second, and the title turns after the second one.
    let mut rows = claude("working");
    rows.insert(2, "one more row".to_owned());
    world.send(Event::Screens(vec![(1, Screen { rows, cursor: None })]));
    world.run(0.3);
    let from = world.done.len();
    world.show(1, "idle");
    world.titles.insert(1, "✳ Run the tests".to_owned());
    world.run(1.1);
    assert_eq!(world.asked_for(from, |e| matches!(e, Effect::ReadTitle(_))), 1);
    world.run(5.0);
    assert!(!world.ask("list").contains("working"), "{}", world.ask("list"));
}

#[test]
fn a_flood_of_reports_is_looked_at_a_few_times_a_second() {
    let mut world = World::new(&[("helper", "off")]);
    world.open(1, "idle");
    world.start();
    let mut changes = 0;
    for n in 0..100 {
        let mut rows = claude("working");
        rows.insert(2, format!("line {n}"));
        world.send(Event::Screens(vec![(1, Screen { rows, cursor: None })]));
        world.run(0.01);
        changes += 1;
    }
    assert_eq!(changes, 100);
    world.show(1, "waiting");
    world.run(0.3);
    assert!(world.ask("list").contains("waiting"), "the last one is seen");
}

#[test]
fn the_focused_pane_stays_recognisable() {
    let mut world = World::new(&[]);
    world.open(1, "waiting");
    world.open(2, "waiting");
    world.start();
    assert_eq!(world.frame(2), Some(ORANGE));
    let bright = world.frame(1).unwrap().to_owned();
    assert_ne!(bright, ORANGE);
    world.session.focus.insert(1, 2);
    world.report();
    world.run(1.0);
    assert_eq!((world.frame(1), world.frame(2)), (Some(ORANGE), Some(bright.as_str())));
    let mut plain = World::new(&[("border.focused", "theme")]);
    plain.open(1, "waiting");
    plain.open(2, "waiting");
    plain.start();
    assert_eq!((plain.frame(1), plain.frame(2)), (None, Some(ORANGE)));
}

#[test]
fn panes_of_other_tabs_are_polled_and_detached_sessions_go_on() {
    let mut world = World::new(&[("helper", "off"), ("border.focused", "same")]);
    world.open(1, "working");
    let other = TabFacts { id: 11, position: 1, name: "far".into(), ..TabFacts::default() };
    world.session.tabs.push(other);
    world.open(2, "working");
    world.session.panes.last_mut().unwrap().tab = 1;
    world.start();
    world.screens.insert(2, claude("waiting"));
    world.run(1.2);
    assert_eq!(world.frame(2), Some(ORANGE));
    world.session.tabs.first_mut().unwrap().clients.clear();
    world.session.focus.clear();
    world.report();
    world.screens.insert(2, claude("working"));
    world.run(5.0);
    assert_eq!(world.frame(2), Some(GREEN));
    let beats = world.done.iter().rev().take(60).filter(|e| matches!(e, Effect::Broadcast { .. }));
    assert!(beats.count() >= 2, "a leader without clients gives signs of life");
}

#[test]
fn two_clients_have_one_leader_and_one_set_of_effects() {
    let mut second = World::for_client(2, &[]);
    second.open(1, "waiting");
    second.session.tabs.first_mut().unwrap().clients = vec![1, 2];
    second.start();
    second.run(20.0);
    let loud = |e: &Effect| {
        matches!(e, Effect::Configure(_) | Effect::Highlight { .. } | Effect::Answer { .. })
    };
    assert_eq!(second.ask("status"), "");
    assert_eq!(second.asked_for(0, loud), 0);
    // Client 1 detaches: the other instance takes over where the first one was.
    second.session.tabs.first_mut().unwrap().clients = vec![2];
    second.report();
    second.run(2.0);
    assert!(second.frame(1).is_some());
    assert_eq!(second.client, 2);
}

#[test]
fn a_reloaded_instance_tells_no_event_twice_and_keeps_what_was_seen() {
    let mut first = World::new(&[("helper", "off")]);
    first.open(1, "waiting");
    first.open(2, "working");
    first.start();
    let saved = first.done.iter().rev().find_map(|e| match e {
        Effect::Save(text) => Some(text.clone()),
        _ => None,
    });
    let mut second = World::new(&[("helper", "off")]);
    second.open(1, "waiting");
    second.open(2, "working");
    second.frames = first.frames.clone();
    second.now = 1500.0;
    second.send(Event::Loaded(saved));
    second.report();
    second.ask("events");
    let from = second.done.len();
    second.run(2.0);
    assert_eq!(second.answers(from), Vec::<String>::new());
    assert_eq!(second.frames, first.frames);
    assert!(second.ask("list").contains("8m"), "since when is kept: {}", second.ask("list"));
    second.show(1, "working");
    second.run(1.0);
    assert_eq!(second.answers(from).iter().filter(|a| a.starts_with("{\"agent\"")).count(), 1);
}

#[test]
fn a_pane_that_closes_is_an_exit_and_is_forgotten() {
    let mut world = World::new(&[("helper", "off")]);
    world.open(1, "working");
    world.open(2, "idle");
    world.start();
    world.ask("events");
    let from = world.done.len();
    world.session.panes.retain(|p| p.id != 1);
    world.send(Event::PaneClosed(1));
    world.report();
    let line = world.answers(from).concat();
    assert!(line.contains("\"to\":\"exited\"") && line.contains("terminal_1"), "{line}");
    assert_eq!(world.answers(from).len(), 1);
    assert!(!world.ask("list").contains("terminal_1"));
}

#[test]
fn a_pane_on_its_way_to_another_tab_is_the_same_one_there() {
    let mut world = World::new(&[("helper", "off")]);
    world.open(1, "working");
    world.open(2, "idle");
    world.start();
    let since = world.ask("list --json");
    world.ask("events");
    let from = world.done.len();
    let moved = world.session.panes.remove(0);
    world.report();
    world.run(0.5);
    world.session.panes.push(moved);
    world.report();
    world.run(10.0);
    assert_eq!(world.answers(from), Vec::<String>::new());
    assert_eq!(world.ask("list --json"), since);
    // One that nobody says anything of is gone after a while.
    world.session.panes.retain(|pane| pane.id != 1);
    world.report();
    world.run(3.0);
    assert!(!world.ask("list").contains("terminal_1"));
}

#[test]
fn a_queue_that_grows_is_relieved_of_reports() {
    let mut world = World::new(&[("helper", "off"), ("border.focused", "same")]);
    world.open(1, "working");
    world.start();
    let from = world.done.len();
    // Every timer comes two seconds late.
    for _ in 0..5 {
        world.now = world.wake.take().unwrap() + 2.0;
        world.send(Event::Timer);
    }
    assert_eq!(world.asked_for(from, |e| *e == Effect::ReceiveScreens(false)), 1);
    let reads = world.asked_for(from, |e| matches!(e, Effect::ReadScreen(_)));
    assert!(reads >= 4, "it is read instead: {reads}");
    world.run(30.0);
    assert_eq!(world.asked_for(from, |e| *e == Effect::ReceiveScreens(true)), 1);
}

#[test]
fn pausing_gives_every_frame_back() {
    let mut world = World::new(&[("helper", "off")]);
    world.open(1, "waiting");
    world.start();
    assert_eq!(world.ask("pause"), "paused\n");
    world.run(3.0);
    assert!(world.frames.is_empty());
    assert_eq!(world.theme, palette());
    world.ask("resume");
    world.run(1.0);
    assert!(world.frame(1).is_some());
}

#[test]
fn marks_are_set_and_taken_back() {
    let mut world = World::new(&[
        ("helper", "off"),
        ("border.tint", "true"),
        ("border.tab_marker", "true"),
        ("border.title_glyph", "true"),
    ]);
    world.open(1, "waiting");
    world.titles.insert(1, "✳ Claude Code".into());
    world.start();
    assert!(world.done.contains(&Effect::RenameTab(10, "? work".into())));
    assert!(world.done.contains(&Effect::RenamePane(1, "? ✳ Claude Code".into())));
    assert!(world.done.iter().any(|e| matches!(e, Effect::Tint(1, Some(_)))));
    world.session.tabs.first_mut().unwrap().name = "? work".into();
    world.report();
    let from = world.done.len();
    world.ask("pause");
    world.run(1.0);
    let after: Vec<&Effect> = world.done.iter().skip(from).collect();
    for effect in [
        Effect::RenameTab(10, "work".into()),
        Effect::RenamePane(1, String::new()),
        Effect::Tint(1, None),
    ] {
        assert!(after.contains(&&effect), "{effect:?} in {after:?}");
    }
}

#[test]
fn the_helper_proves_what_the_screen_cannot() {
    let mut world = World::new(&[]);
    world.open(1, "idle");
    world.start();
    let call = world.done.iter().find_map(|e| match e {
        Effect::RunHelper { call, argv } => {
            assert_eq!(argv.first().map(String::as_str), Some("madohub"));
            Some(*call)
        }
        _ => None,
    });
    let probe = r#"{"panes":[{"pid":101,"processes":[{"pid":101,"ppid":1,"comm":"bash","argv":["bash"],"foreground":true}]}]}"#;
    world.send(Event::Helper(HelperAnswer {
        code: Some(0),
        stdout: probe.into(),
        stderr: Vec::new(),
        call: call.unwrap(),
    }));
    world.run(1.0);
    assert!(world.ask("list").contains("exited"), "{}", world.ask("list"));
}

#[test]
fn commands_are_answered_and_hostile_input_is_harmless() {
    let mut world = World::new(&[("helper", "off")]);
    world.open(1, "waiting");
    world.session.panes.first_mut().unwrap().title = "\u{1b}]0;x\u{7}\"{}".into();
    world.session.tabs.first_mut().unwrap().name = "a\"}\u{1b}[2J".into();
    world.start();
    let mut wide = claude("waiting");
    wide.insert(0, "\u{1b}[31m{}\"".repeat(2000));
    world.send(Event::Screens(vec![(1, Screen { rows: wide, cursor: Some((9, 9_000_000)) })]));
    world.run(1.0);
    for command in
        ["status", "list", "list --json", "explain 1", "explain --text 1", "dance", "help"]
    {
        let answer = world.ask(command);
        assert!(!answer.is_empty(), "{command}");
        assert!(!answer.contains('\u{1b}'), "{command}: {answer:?}");
    }
    let list: serde_json::Value = serde_json::from_str(&world.ask("list --json")).unwrap();
    assert_eq!(list.get(0).unwrap().get("state").unwrap(), "waiting");
    assert_eq!(list.get(0).unwrap().get("mux").unwrap(), "zellij");
    assert!(world.ask("explain 77").contains("nothing is known"));
    assert_eq!(world.ask("jump"), "terminal_1\n");
    assert!(world.done.contains(&Effect::Focus(1)));
    assert!(world.ask("send 1 yes").starts_with("refused"), "a dialog is not answered");
}

#[test]
fn a_frame_style_that_was_chosen_a_moment_ago_is_kept() {
    let mut world = World::new(&[("helper", "off")]);
    world.open(1, "idle");
    world.open(2, "working");
    world.start();
    // The session's next report does not come before the next change.
    for pane in &mut world.session.panes {
        pane.content_offset = (1, 1);
    }
    world.done.clear();
    world.show(2, "waiting");
    world.run(3.0);
    let configurations: Vec<&str> = world
        .done
        .iter()
        .filter_map(|effect| match effect {
            Effect::Configure(text) => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(configurations.len(), 2, "the state's colour, and the user's own");
    assert!(configurations.iter().all(|text| text.contains("pane_frame_style \"full\"")));
}

#[test]
fn jump_goes_round_those_that_need_a_person() {
    let mut world = World::new(&[("helper", "off")]);
    for pane in 1..=3 {
        world.open(pane, "waiting");
    }
    world.start();
    world.session.focus.insert(1, 3);
    world.report();
    let jumps: Vec<String> = (0..3).map(|_| world.ask("jump")).collect();
    assert_eq!(jumps, ["terminal_1\n", "terminal_2\n", "terminal_3\n"]);
}

#[test]
fn denied_permissions_are_said() {
    let mut world = World::new(&[]);
    world.start();
    world.send(Event::Permissions(false));
    assert!(world.ask("status").contains("permissions were denied"));
}
