//! Help, completions, man pages, and command lines that cannot be used.

use crate::world::World;
use clap::Command;
use std::fs;
use std::process::Command as Process;

/// Every command line that ends in a subcommand, without `help`.
fn commands() -> Vec<Vec<String>> {
    fn below(command: &Command, path: &[String], all: &mut Vec<Vec<String>>) {
        for sub in command.get_subcommands().filter(|sub| sub.get_name() != "help") {
            let mut path = path.to_vec();
            path.push(sub.get_name().to_owned());
            below(sub, &path, all);
            all.push(path);
        }
    }
    let mut all = Vec::new();
    below(&madohub::cli::definition(), &[], &mut all);
    assert!(all.len() > 12, "{all:?}");
    all
}

#[test]
fn the_definition_holds() {
    madohub::cli::definition().debug_assert();
}

#[test]
fn every_command_and_argument_is_explained() {
    let world = World::new();
    for path in commands() {
        let mut args: Vec<&str> = path.iter().map(String::as_str).collect();
        args.push("--help");
        let run = world.run(&args);
        assert!(run.assert_code(0).stdout.contains("Usage: madohub"), "{path:?}");
        assert_eq!(run.stderr, "");
        // Nothing that is typed may stand there without a word about it.
        let mut command = &madohub::cli::definition();
        for name in &path {
            command = command.find_subcommand(name).unwrap();
        }
        for argument in command.get_arguments() {
            assert!(argument.get_help().is_some(), "{path:?}: {}", argument.get_id());
        }
    }
}

#[test]
fn the_first_help_tells_what_to_do_first() {
    let run = World::new().run(&["--help"]);
    for part in ["madohub tmux start", "madohub doctor", "Exit codes: 0 ok, 1 no, 2 usage"] {
        assert!(run.assert_code(0).stdout.contains(part), "{run:?}");
    }
    assert!(World::new().run(&["--version"]).assert_code(0).stdout.starts_with("madohub "));
}

#[test]
fn a_command_line_that_cannot_be_used_is_code_2() {
    for args in [
        &[][..],
        &["nosuch"],
        &["detect"],
        &["detect", "--observations"],
        &["detect", "--observations", "-", "--screen", "x"],
        &["detect", "--track", "--screen", "x"],
        &["explain"],
        &["explain", "%x"],
        &["explain", "api:1"],
        &["explain", "%1", "--observations", "-"],
        &["list", "-L", "a", "-S", "b"],
        &["completions", "tcsh"],
        &["rules", "show"],
        &["tmux"],
    ] {
        let run = World::new().run(args);
        assert!(!run.assert_code(2).stderr.is_empty(), "{args:?}: {run:?}");
        assert_eq!(run.stdout, "", "{args:?}");
    }
}

#[test]
fn completions_know_every_command() {
    for shell in ["bash", "zsh", "fish"] {
        let run = World::new().run(&["completions", shell]);
        for path in commands() {
            let name = path.last().unwrap();
            assert!(run.assert_code(0).stdout.contains(name.as_str()), "{shell}: {path:?}");
        }
    }
}

#[test]
fn bash_takes_its_completions() {
    let world = World::new();
    let file = world.file("completions", world.run(&["completions", "bash"]).stdout);
    let checked = Process::new("bash").arg("-n").arg(file).output().unwrap();
    assert!(checked.status.success(), "{checked:?}");
}

#[test]
fn there_is_one_man_page_per_command() {
    let world = World::new();
    let main = world.run(&["man"]);
    assert!(main.assert_code(0).stdout.contains(".TH madohub 1"), "{main:?}");
    assert!(main.stdout.contains("Exit codes"), "{main:?}");
    world.run(&["man", "--dir", "pages/man1"]).assert_code(0);
    let mut pages: Vec<String> = fs::read_dir(world.path().join("pages/man1"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    pages.sort();
    let mut expected: Vec<String> =
        commands().iter().map(|path| format!("madohub-{}.1", path.join("-"))).collect();
    expected.push("madohub.1".to_owned());
    expected.sort();
    assert_eq!(pages, expected);
    world.file("taken", "");
    let run = world.run(&["man", "--dir", "taken"]);
    assert!(run.assert_code(2).stderr.contains("taken"), "{run:?}");
}
