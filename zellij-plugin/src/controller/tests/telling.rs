//! What is told of changes, and texts that are brought to agents.

use super::world::{World, claude};
use crate::{Effect, Event, Screen};
use serde_json::Value;

/// A claude with the box at its bottom holding this text.
fn composing(text: &str) -> Vec<String> {
    let mut rows = claude("idle");
    for row in &mut rows {
        if row.trim_end() == "❯" {
            *row = format!("❯ {text}");
        }
    }
    rows
}

fn show(world: &mut World, rows: Vec<String>) {
    world.screens.insert(1, rows.clone());
    world.send(Event::Screens(vec![(1, Screen { rows, cursor: None })]));
}

fn typed(world: &World) -> Vec<String> {
    let bytes = world.done.iter().filter_map(|effect| match effect {
        Effect::Type(1, bytes) => Some(String::from_utf8(bytes.clone()).unwrap()),
        _ => None,
    });
    bytes.collect()
}

#[test]
fn the_end_of_a_turn_is_one_event_when_it_stands() {
    let mut world = World::new(&[("helper", "off")]);
    world.open(1, "working");
    world.open(2, "idle");
    world.session.focus.insert(1, 2);
    world.start();
    world.ask("events");
    let from = world.done.len();
    // A sign of work was missing for a moment: that is no end.
    world.show(1, "idle");
    world.run(1.0);
    world.show(1, "working");
    world.run(5.0);
    assert_eq!(world.answers(from), Vec::<String>::new());
    world.show(1, "idle");
    world.run(1.5);
    assert_eq!(world.answers(from), Vec::<String>::new(), "it has to last");
    world.run(10.0);
    world.show(1, "working");
    world.run(5.0);
    let told: Vec<[Value; 2]> = world
        .answers(from)
        .iter()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|event| ["from", "to"].map(|key| event.get(key).cloned().unwrap_or_default()))
        .collect();
    assert_eq!(told, [["working", "idle"], ["idle", "working"]]);
}

#[test]
fn an_end_that_waits_to_be_told_outlives_a_reload() {
    let mut first = World::new(&[("helper", "off")]);
    first.open(1, "working");
    first.open(2, "idle");
    first.session.focus.insert(1, 2);
    first.start();
    first.show(1, "idle");
    first.run(1.0);
    let saved = first.done.iter().rev().find_map(|effect| match effect {
        Effect::Save(text) => Some(text.clone()),
        _ => None,
    });
    let mut second = World::new(&[("helper", "off")]);
    second.open(1, "idle");
    second.open(2, "idle");
    second.session.focus.insert(1, 2);
    second.now = first.now;
    second.send(Event::Loaded(saved));
    second.report();
    second.ask("events");
    let from = second.done.len();
    second.run(10.0);
    let told = second.answers(from);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told.concat().contains("\"to\":\"idle\""), "{told:?}");
}

#[test]
fn a_text_goes_in_then_the_key_then_a_turn_starts() {
    let mut world = World::new(&[("helper", "off")]);
    world.open(1, "idle");
    world.start();
    let from = world.done.len();
    assert_eq!(world.ask("send 1 run the tests"), "", "it is held until it is over");
    world.run(1.0);
    assert_eq!(typed(&world), ["\u{1b}[200~run the tests\u{1b}[201~"], "no key before the text");
    show(&mut world, composing("run the tests"));
    world.run(1.0);
    assert_eq!(typed(&world).last().map(String::as_str), Some("\r"));
    world.show(1, "working");
    world.run(2.0);
    assert_eq!(world.answers(from), ["delivered to terminal_1\n"]);
    assert_eq!(typed(&world).len(), 2, "once each");
}

#[test]
fn a_command_that_zellij_tells_of_late_is_no_other_process() {
    let mut world = World::new(&[("helper", "off")]);
    world.open(1, "idle");
    world.start();
    // Its launcher was in the foreground when the pane was opened; zellij looks again when something
    // is printed, which is when the text is.
    world.send(Event::Command(1, vec!["env".into(), "claude".into()], false));
    world.commands.insert(1, vec!["claude".into()]);
    world.ask("send 1 run the tests");
    world.run(0.1);
    assert_eq!(typed(&world).len(), 1);
    world.send(Event::Command(1, vec!["claude".into()], false));
    show(&mut world, composing("run the tests"));
    world.run(1.0);
    assert_eq!(typed(&world).last().map(String::as_str), Some("\r"));
    // Another one that was not there when it was asked for.
    let mut other = World::new(&[("helper", "off")]);
    other.open(1, "idle");
    other.commands.insert(1, vec!["claude".into()]);
    other.start();
    other.ask("send 1 run the tests");
    other.run(0.1);
    let from = other.done.len();
    other.commands.insert(1, vec!["claude".into(), "--other".into()]);
    other.send(Event::Command(1, vec!["claude".into(), "--other".into()], false));
    other.run(1.0);
    assert!(other.answers(from).concat().contains("another process"), "{:?}", other.answers(from));
    assert_eq!(typed(&other).len(), 1, "no key for it");
}

#[test]
fn a_delivery_ends_with_the_lead() {
    let mut world = World::for_client(2, &[("helper", "off")]);
    world.session.tabs.iter_mut().for_each(|tab| tab.clients = vec![2]);
    world.open(1, "working");
    world.start();
    let from = world.done.len();
    world.ask("send --when idle 1 run the tests");
    world.run(1.0);
    assert_eq!(world.answers(from), Vec::<String>::new());
    world.session.tabs.iter_mut().for_each(|tab| tab.clients = vec![1, 2]);
    world.report();
    world.run(30.0);
    assert!(world.answers(from).concat().starts_with("stopped: terminal_1 is another client's"));
    assert_eq!(typed(&world), Vec::<String>::new());
}

#[test]
fn nothing_is_typed_over_a_dialog_or_into_another_process() {
    let mut world = World::new(&[("helper", "off")]);
    world.open(1, "idle");
    world.start();
    world.ask("send 1 run the tests");
    world.run(0.1);
    let from = world.done.len();
    world.show(1, "waiting");
    world.run(3.0);
    assert!(world.answers(from).concat().starts_with("stopped: terminal_1 asks"));
    assert_eq!(typed(&world).len(), 1, "the key would have answered it");

    let mut other = World::new(&[("helper", "off")]);
    other.open(1, "working");
    other.start();
    other.ask("send --when idle 1 run the tests");
    let from = other.done.len();
    other.send(Event::Command(1, vec!["claude".into(), "--other".into()], false));
    other.show(1, "idle");
    other.run(5.0);
    assert!(other.answers(from).concat().contains("another process"), "{:?}", other.answers(from));
    assert_eq!(typed(&other), Vec::<String>::new());
}

#[test]
fn zjstatus_is_told_what_changed_and_a_new_one_what_is() {
    let mut world = World::new(&[("helper", "off"), ("segment.zjstatus", "true")]);
    world.open(1, "working");
    world.start();
    world.run(5.0);
    let told = |world: &World, from: usize| -> Vec<String> {
        let texts = world.done.iter().skip(from).filter_map(|effect| match effect {
            Effect::Broadcast { name, payload } if name == "zjstatus" => Some(payload.clone()),
            _ => None,
        });
        texts.collect()
    };
    let working = "zjstatus::pipe::pipe_madohub::#[fg=#50c878]●1#[default]";
    assert_eq!(told(&world, 0).last().unwrap(), working);
    let from = world.done.len();
    world.show(1, "waiting");
    world.run(5.0);
    let waiting = "zjstatus::pipe::pipe_madohub::#[fg=#ffa000,bold]?1#[default]";
    assert_eq!(told(&world, from), [waiting]);
    let from = world.done.len();
    world.run(60.0);
    assert_eq!(told(&world, from), Vec::<String>::new());
    world.session.plugins.push(77);
    world.report();
    world.run(5.0);
    assert_eq!(told(&world, from), [waiting], "to the bar that was opened");
}
