//! The rule files and settings in the documents are accepted, and do what is said of them.

use super::markdown::Document;
use super::{root, text};
use madohub_tests::{Madohub, TestEnv};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn product() -> (Arc<TestEnv>, Madohub) {
    let env = Arc::new(TestEnv::new());
    let madohub = Madohub::new(&env);
    (env, madohub)
}

/// Files below `docs/examples` with this ending.
fn example_files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<_> =
        entries.filter(|path| path.extension().is_some_and(|e| e == ending)).collect();
    found.sort();
    assert!(!found.is_empty(), "{}: no .{ending} file", folder.display());
    found
}

fn rules_check(madohub: &Madohub, file: &Path) -> String {
    madohub.run(&["rules", "check", file.to_str().unwrap()])
}

#[test]
fn example_agents_pass_and_read_their_screens() {
    let folder = root().join("docs/examples");
    for rules in example_files(&folder, "toml") {
        let (env, madohub) = product();
        rules_check(&madohub, &rules);
        let agents = env.path().join("config/madohub/agents");
        fs::create_dir_all(&agents).unwrap();
        fs::copy(&rules, agents.join(rules.file_name().unwrap())).unwrap();
        let agent = rules.file_stem().unwrap().to_str().unwrap();
        for screen in example_files(&folder.join(agent), "txt") {
            let name = screen.file_stem().unwrap().to_str().unwrap();
            let state = name.split('-').next().unwrap();
            let answer = madohub.run(&["detect", "--json", "--screen", screen.to_str().unwrap()]);
            let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
            assert_eq!(
                (&answer["agent"], &answer["state"]),
                (&agent.into(), &state.into()),
                "{name}"
            );
        }
    }
}

/// The walk-through builds its file piece by piece; together the pieces are a file.
#[test]
fn the_pieces_of_the_walk_through_are_a_rule_file() {
    let (env, madohub) = product();
    let document = Document::read("docs/adding-an-agent.md");
    let pieces: Vec<&str> = document.blocks_in("toml").map(|block| block.text.as_str()).collect();
    assert!(pieces.len() > 2, "{} pieces", pieces.len());
    let file = env.home().join("acme.toml");
    fs::write(&file, pieces.join("\n")).unwrap();
    rules_check(&madohub, &file);
    // What a reader has written by then reads the screens of the example, and its log.
    let agents = env.path().join("config/madohub/agents");
    fs::create_dir_all(&agents).unwrap();
    fs::copy(&file, agents.join("acme.toml")).unwrap();
    let folder = root().join("docs/examples/acme");
    for (screen, state) in [
        ("idle", "idle"),
        ("idle-quoted", "idle"),
        ("working", "working"),
        ("waiting", "waiting"),
        ("stopped", "completed"),
    ] {
        let path = |name: String| folder.join(name).to_str().unwrap().to_owned();
        let screen = path(format!("{screen}.txt"));
        let mut ask = vec!["detect", "--json", "--screen", &screen];
        let log = path("session.jsonl".to_owned());
        if state == "completed" {
            ask.extend(["--log", &log]);
        }
        let answer: serde_json::Value = serde_json::from_str(&madohub.run(&ask)).unwrap();
        assert_eq!((&answer["agent"], &answer["state"]), (&"acme".into(), &state.into()));
    }
    // The reader finds every screen of the text in the files beside it.
    let screens: String =
        ["working", "waiting"].map(|s| text(&format!("docs/examples/acme/{s}.txt"))).concat();
    for block in document.blocks_in("") {
        for row in block.text.lines() {
            assert!(screens.contains(row), "{}: {row}", block.place);
        }
    }
}

#[test]
fn whole_rule_files_in_the_reference_pass_and_its_pieces_are_toml() {
    let (env, madohub) = product();
    let document = Document::read("docs/rule-files.md");
    let mut whole = 0;
    for block in document.blocks_in("toml") {
        assert!(toml::from_str::<toml::Table>(&block.text).is_ok(), "{}", block.place);
        if block.text.starts_with("schema") {
            whole += 1;
            let file = env.home().join("mine.toml");
            fs::write(&file, &block.text).unwrap();
            rules_check(&madohub, &file);
        }
    }
    assert!(whole > 0, "no whole file");
}

#[test]
fn settings_in_the_reference_are_accepted() {
    let (env, madohub) = product();
    let dir = env.path().join("config/madohub");
    fs::create_dir_all(&dir).unwrap();
    let documents =
        ["docs/configuration.md", "docs/fleet.md", "docs/routes.md"].map(Document::read);
    let mut tried = 0;
    for block in documents.iter().flat_map(|document| document.blocks_in("toml")) {
        tried += 1;
        fs::write(dir.join("config.toml"), &block.text).unwrap();
        // Settings with a mistake end it with 2, before it is found that there is no server.
        let output = madohub.try_run(&["tmux", "start", "-L", "nobody"]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(3), "{}: {said}", block.place);
    }
    assert!(tried > 0, "no settings found");
}
