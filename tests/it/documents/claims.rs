//! Names in the documents exist, and what exists is in the documents.

use super::markdown::{Block, Document};
use super::{all, root, text};
use madohub_tests::{Madohub, TestEnv};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

const PREFIX: &str = "@madohub_";

/// Every `@madohub_…` name in a text. `@madohub_*` is no name.
fn option_names(text: &str) -> BTreeSet<String> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let rests = text.split(PREFIX).skip(1);
    let names = rests.map(|rest| rest.split(|c| !is_name(c)).next().unwrap_or_default());
    names.filter(|name| !name.is_empty()).map(|name| format!("{PREFIX}{name}")).collect()
}

fn whole(document: &Document) -> String {
    let blocks = document.blocks.iter().map(|block| block.text.as_str());
    blocks.chain([document.prose.as_str()]).collect::<Vec<_>>().join("\n")
}

#[test]
fn options_in_the_documents_exist() {
    let mut known = option_names(&text("tmux-helper/src/tmux/names.rs"));
    known.extend(option_names(&text("tmux-helper/src/tmux/decor.rs")));
    known.extend(option_names(&text("madohub.tmux")));
    let mut found = 0;
    for document in all() {
        for name in option_names(&whole(&document)) {
            assert!(known.contains(&name), "{}: nothing is called {name}", document.name);
            found += 1;
        }
    }
    assert!(found > 10, "{found} names found");
}

#[test]
fn the_readme_names_every_option_that_the_plugin_entry_reads() {
    let readme = option_names(&whole(&Document::read("README.md")));
    let read: BTreeSet<String> = text("madohub.tmux")
        .lines()
        .filter(|line| !line.starts_with('#') && line.contains("$(option "))
        .flat_map(option_names)
        .collect();
    assert!(!read.is_empty());
    assert!(read.is_subset(&readme), "missing: {:?}", read.difference(&readme));
}

/// Help texts of the product, asked for once each.
struct Help {
    madohub: Madohub,
    known: BTreeMap<Vec<String>, String>,
}

impl Help {
    fn new() -> Self {
        Self { madohub: Madohub::new(&Arc::new(TestEnv::new())), known: BTreeMap::new() }
    }

    fn of(&mut self, command: &[String]) -> &str {
        let madohub = &self.madohub;
        // It has no help of its own.
        let command = if command == ["help"] { &[] } else { command };
        self.known.entry(command.to_vec()).or_insert_with(|| {
            let mut args: Vec<&str> = command.iter().map(String::as_str).collect();
            args.push("--help");
            madohub.run(&args)
        })
    }

    /// Names of a command's own commands.
    fn commands(&mut self, command: &[String]) -> Vec<String> {
        let rows = self.of(command).lines().skip_while(|row| *row != "Commands:").skip(1);
        let names = rows.take_while(|row| !row.is_empty());
        names.filter_map(|row| row.split_whitespace().next()).map(str::to_owned).collect()
    }

    /// What is wrong with a command line of the product.
    fn wrong_with(&mut self, line: &str) -> Option<String> {
        let words = line.split_whitespace().map(|word| word.trim_end_matches([')', ',', '\'']));
        let mut words = words.skip(1).peekable();
        let mut command = Vec::new();
        loop {
            let names = self.commands(&command);
            let Some(word) = words.next_if(|word| !word.starts_with('-') && !names.is_empty())
            else {
                break;
            };
            if !names.iter().any(|name| name == word) {
                return Some(format!("no command is called {word}"));
            }
            command.push(word.to_owned());
        }
        let help = self.of(&command).to_owned();
        let options = words.take_while(|word| *word != "|");
        let unknown = |word: &&str| {
            let option = word.split('=').next().unwrap_or_default();
            let mut known = help.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
            option.starts_with('-') && option.len() > 1 && known.all(|word| word != option)
        };
        options.into_iter().find(unknown).map(|word| format!("no option is called {word}"))
    }
}

#[test]
fn commands_in_the_documents_exist() {
    let mut help = Help::new();
    let mut found = 0;
    for document in all() {
        let mut lines = document.code_spans();
        let commands = document.blocks.iter().flat_map(Block::commands);
        lines.extend(commands.map(|(command, _)| command));
        for line in lines.iter().filter(|line| line.starts_with("madohub ")) {
            found += 1;
            if let Some(wrong) = help.wrong_with(line) {
                panic!("{}: `{line}`: {wrong}", document.name);
            }
        }
    }
    assert!(found > 30, "{found} commands found");
}

#[test]
fn links_lead_somewhere() {
    let documents = all();
    let mut found = 0;
    for document in &documents {
        let folder = Path::new(&document.name).parent().unwrap();
        for link in document.links().into_iter().filter(|link| !link.contains("://")) {
            found += 1;
            let (path, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = root().join(folder).join(path);
            assert!(target.exists(), "{}: {link} is not there", document.name);
            if anchor.is_empty() {
                continue;
            }
            let name = if path.is_empty() {
                document.name.clone()
            } else {
                let target = std::fs::canonicalize(target).unwrap();
                target.strip_prefix(root()).unwrap().to_str().unwrap().to_owned()
            };
            let anchors = Document::read(&name).anchors();
            assert!(anchors.iter().any(|a| a == anchor), "{}: {link}: {anchors:?}", document.name);
        }
    }
    assert!(found > 20, "{found} links found");
}

#[test]
fn the_rule_reference_has_every_key_and_region() {
    let reference = Document::read("docs/rule-files.md");
    let described = |word: &str| {
        reference.code_spans().iter().any(|span| {
            let span = span.trim_matches(['[', ']']);
            span == word
                || span.ends_with(&format!(".{word}"))
                || span.starts_with(&format!("{{ {word} = "))
        })
    };
    let mut keys: Vec<String> = Vec::new();
    for row in text("shared/src/rules/file.rs").lines() {
        let field = row.trim_start().strip_prefix("pub(crate) ").and_then(|r| r.split_once(": "));
        let Some((name, _)) = field.filter(|(name, _)| !name.contains(' ')) else { continue };
        keys.push(match name {
            "matching" => "match".to_owned(),
            "conditions" => "where".to_owned(),
            name => name.to_owned(),
        });
    }
    assert!(keys.len() > 40, "{} keys found", keys.len());
    let compiled = text("shared/src/rules/compiled.rs");
    let regions: Vec<&str> = compiled
        .lines()
        .filter(|row| row.trim_start().starts_with("(Self::"))
        .filter_map(|row| row.split('"').nth(1))
        .collect();
    assert!(regions.len() >= 10, "{} regions found", regions.len());
    let words = keys.iter().map(String::as_str).chain(regions);
    let missing: BTreeSet<&str> = words.filter(|word| !described(word)).collect();
    assert!(missing.is_empty(), "not described: {missing:?}");
}

#[test]
fn the_readme_lists_every_agent_with_its_versions() {
    let readme = Document::read("README.md");
    let madohub = Madohub::new(&Arc::new(TestEnv::new()));
    let list: serde_json::Value =
        serde_json::from_str(&madohub.run(&["rules", "list", "--json"])).unwrap();
    let agents = list.as_array().unwrap();
    assert!(!agents.is_empty());
    let rows: Vec<&str> = readme.prose.lines().filter(|line| line.starts_with('|')).collect();
    for agent in agents {
        let name = agent["name"].as_str().unwrap();
        let row = rows.iter().find(|row| row.contains(name));
        let row = row.unwrap_or_else(|| panic!("{name} is not in the README"));
        for version in agent["checked_with"].as_array().unwrap() {
            assert!(row.contains(version.as_str().unwrap()), "{name} {version}: {row}");
        }
    }
}

#[test]
fn the_states_reference_has_every_row_of_the_arbitration() {
    let rows = |text: &str, prefix: &str| {
        let numbered = |line: &str| {
            let cell = line.strip_prefix(prefix)?.split('|').next()?.trim().to_owned();
            cell.parse::<u32>().ok()
        };
        text.lines().filter_map(numbered).collect::<Vec<_>>()
    };
    let engine = rows(&text("shared/src/arbitrate.rs"), "//! |");
    assert!(!engine.is_empty(), "no table found");
    assert_eq!(rows(&text("docs/states.md"), "|"), engine);
}
