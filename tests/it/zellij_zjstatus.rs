//! The recipe for zjstatus, as the plugin's page has it, in a real zellij. In zjstatus' place stands a
//! plugin that writes down what it is given; the rest is zjstatus' documented format:
//! `zjstatus::pipe::NAME::CONTENT`, read by line and split at every `::`.

use madohub_tests::{WITNESS, ZellijOptions, ZellijStage, wait_until};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// The page's block that contains this text.
fn recipe(text: &str) -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../zellij-plugin/README.md");
    let page = fs::read_to_string(page).unwrap();
    let blocks = page.split("```kdl\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let found: Vec<&str> = blocks.filter(|block| block.contains(text)).collect();
    let [block] = found[..] else { panic!("{} blocks with {text}", found.len()) };
    block.to_owned()
}

/// What the witness wrote down after this word.
fn noted(stage: &ZellijStage, word: &str) -> Vec<Value> {
    let log = stage.whole_log();
    let notes = log.lines().filter_map(|line| line.split(&format!("witness: {word} ")).nth(1));
    notes.map(|note| serde_json::from_str(note).expect("JSON")).collect()
}

/// What zjstatus would show of the last message in `{pipe_madohub}`.
fn content(stage: &ZellijStage) -> String {
    let Some(message) = noted(stage, "message").pop() else { return "nothing".to_owned() };
    let message = message.as_str().unwrap();
    assert_eq!(message.lines().count(), 1, "{message}");
    let parts: Vec<&str> = message.split("::").collect();
    let ["zjstatus", "pipe", "pipe_madohub", content] = parts[..] else { panic!("{message}") };
    content.to_owned()
}

#[test]
fn the_recipe_for_zjstatus_brings_the_segment_and_nothing_of_a_name_means_anything() {
    let stage = ZellijStage::new(&ZellijOptions {
        agents: vec![("claude-2.1.332", "working"), ("codex-0.171.0", "approval")],
        settings: format!("helper \"off\"\n{}", recipe("segment.zjstatus")),
        below: recipe("zjstatus.wasm").replace("file:/path/to/zjstatus.wasm", WITNESS),
        ..ZellijOptions::default()
    });
    let shown = |wanted: &str| wait_until(wanted, || content(&stage), |text| *text == wanted);
    shown("#[fg=#ffa000,bold]? near·codex#[default]  #[fg=#50c878]● near·claude#[default]");
    let settings = noted(&stage, "settings").pop().expect("its settings");
    let setting = |key: &str| settings[key].as_str().unwrap_or_default().to_owned();
    assert_eq!(setting("pipe_madohub_format"), "{output}");
    assert_eq!(setting("pipe_madohub_rendermode"), "dynamic");
    assert!(["format_left", "format_right"].map(setting).concat().contains("{pipe_madohub}"));

    stage.action(&["rename-tab", "a::b #[fg=red]{tabs}"]);
    let name = "a: :b # [fg=red](tabs)";
    shown(&format!(
        "#[fg=#ffa000,bold]? {name}·codex#[default]  #[fg=#50c878]● {name}·claude#[default]"
    ));
    stage.agents[1].show("typed");
    shown(&format!("#[fg=#50c878]● {name}·claude#[default]"));
}
