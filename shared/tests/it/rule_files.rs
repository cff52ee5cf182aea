//! What holds for the rules that ship, and what a wrong rule file is told.

use crate::cases::RECORDED;
use crate::report::{Tally, show};
use crate::suites::{Suite, questions};
use madohub_detect::{Observation, RuleFile, RuleSet, State, detect};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;
use toml::{Table, Value};

static RULES: LazyLock<RuleSet> = LazyLock::new(|| RuleSet::builtin().unwrap());

fn builtin_texts() -> Vec<(String, &'static str)> {
    let agents = RULES.agents();
    assert!(!agents.is_empty(), "no agent ships");
    agents
        .into_iter()
        .map(|agent| {
            let text = RuleSet::builtin_text(&agent.id).unwrap();
            (agent.id, text)
        })
        .collect()
}

/// Every rule of a file, with its kind.
fn rules_of(text: &str) -> Vec<Table> {
    let file: Table = text.parse().unwrap();
    let lists =
        ["identify", "rules", "log_rules", "hook_rules"].iter().filter_map(|kind| file.get(*kind));
    lists.flat_map(|list| list.as_array().unwrap()).map(|r| r.as_table().unwrap().clone()).collect()
}

/// What ships is not tried when it is loaded; this is where it is.
#[test]
fn every_built_in_pattern_compiles_and_every_example_holds() {
    for (agent, text) in builtin_texts() {
        let file = RuleFile { name: agent, text: text.to_owned() };
        if let Err(wrong) = RuleSet::check(&file) {
            panic!("{wrong}");
        }
    }
}

#[test]
fn every_rule_has_examples_for_and_against_it() {
    for (agent, text) in builtin_texts() {
        for rule in rules_of(text) {
            for key in ["match", "no_match"] {
                let examples = rule.get(key).and_then(Value::as_array).map_or(0, Vec::len);
                assert!(examples > 0, "{agent}: {} has no `{key}`", rule["id"]);
            }
        }
    }
}

#[test]
fn rule_ids_are_unique_and_begin_with_their_agent() {
    let mut known = BTreeSet::new();
    for (agent, text) in builtin_texts() {
        let rules = rules_of(text);
        assert!(!rules.is_empty(), "{agent} has no rule");
        for rule in rules {
            let id = rule["id"].as_str().unwrap().to_owned();
            assert!(id.starts_with(&format!("{agent}.")), "{id} is a rule of {agent}");
            assert!(known.insert(id.clone()), "{id} is there twice");
        }
    }
}

/// Agents that go no further than their login screen without an account.
const LOGIN_ONLY: [&str; 2] = ["auggie", "droid"];
/// Agents that could not be recorded; their session logs are known from their sources.
const UNRECORDED: [&str; 2] = ["crush", "goose"];

#[test]
fn every_agent_is_recorded_working_waiting_and_idle() {
    for (agent, _) in builtin_texts() {
        if LOGIN_ONLY.contains(&agent.as_str()) || UNRECORDED.contains(&agent.as_str()) {
            continue;
        }
        for state in [State::Working, State::Waiting, State::Idle] {
            let recorded =
                RECORDED.iter().any(|c| c.expected.agent == agent && c.expected.state == state);
            assert!(recorded, "no recorded case of {agent} {state}");
        }
    }
}

/// Whoever sees the screen alone must not take one agent for another.
#[test]
fn no_screen_is_taken_for_another_agents() {
    let questions = questions().into_iter().filter(|question| question.suite == Suite::Screen);
    let mut compared = 0;
    let mut taken = Vec::new();
    for question in questions {
        let answer = detect(&RULES, &question.seen);
        compared += 1;
        if answer.agent.is_agent() && answer.agent.as_str() != question.agent {
            let rule = answer.evidence.last().map_or("no rule", |e| e.rule.as_str());
            taken.push(format!("{} for {} by {rule}", question.seen.id, answer.agent));
        }
    }
    assert!(compared > 0, "no case found");
    assert!(taken.is_empty(), "taken for another agent:\n{}", taken.join("\n"));
}

/// Share of foreign screens, in per cent, that rules may read as live where nothing is. Lower them
/// with the rules, never raise them.
const FALSE_WORKING: f64 = 0.2;
const FALSE_WAITING: f64 = 8.0;

/// Aider shows a turn by nothing but text without a prompt below it, as every foreign screen has.
const READS_ANYTHING: &str = "aider.working.growing";

/// The screens of one agent under the rules of another. Agents share the shape of their dialogs,
/// so an open dialog may be seen as one; a live state where there is none comes from a rule that
/// is too loose, and will come from the agent's own screens when its input box changes shape.
#[test]
fn few_live_states_are_seen_in_foreign_screens() {
    let (mut working, mut waiting) = (Tally::default(), Tally::default());
    let mut by_rule: BTreeMap<String, usize> = BTreeMap::new();
    for agent in RULES.agents() {
        for case in RECORDED.iter().filter(|case| case.expected.agent != agent.id) {
            let seen = Observation { agent_hint: Some(agent.id.clone()), ..case.screen_only() };
            let answer = detect(&RULES, &seen);
            let rule = answer.evidence.first().map_or("", |evidence| &evidence.rule);
            let is_false = |state| {
                answer.state == state
                    && answer.agent.as_str() == agent.id
                    && rule != READS_ANYTHING
                    && !case.expected.screen_accept.contains(&state)
            };
            working.count(is_false(State::Working));
            waiting.count(is_false(State::Waiting));
            if is_false(State::Working) || is_false(State::Waiting) {
                println!("{} is {} by {rule}", case.id(), answer.state);
                *by_rule.entry(rule.to_owned()).or_default() += 1;
            }
        }
    }
    assert!(working.all > 0, "nothing compared");
    show(&format!(
        "\nforeign screens: {:.2} % falsely working, {:.2} % falsely waiting; by rule {by_rule:?}\n",
        working.percent(),
        waiting.percent(),
    ));
    assert!(working.percent() <= FALSE_WORKING, "{:.2} % falsely working", working.percent());
    assert!(waiting.percent() <= FALSE_WAITING, "{:.2} % falsely waiting", waiting.percent());
}

#[test]
fn rules_that_decide_no_case_are_listed() {
    let mut unused: BTreeSet<String> = BTreeSet::new();
    for (_, text) in builtin_texts() {
        unused.extend(rules_of(text).iter().map(|r| r["id"].as_str().unwrap().to_owned()));
    }
    let all = unused.len();
    for question in questions() {
        for evidence in detect(&RULES, &question.seen).evidence {
            unused.remove(&evidence.rule);
        }
    }
    show(&format!("\n{} of {all} rules are evidence in no case: {unused:?}\n", unused.len()));
    assert!(unused.len() < all, "no rule decides anything");
}

const FINE: &str = r#"
schema = 1
id = "acme"
name = "Acme Code"
[process]
names = ["acme"]
[[rules]]
id = "acme.working"
region = "tail"
state = "working"
lines = ['^\* Working']
match = ["* Working hard"]
no_match = ["it is not * Working"]
"#;

/// One change of `FINE` each, and words that the message must hold.
const MISTAKES: [(&str, &str, &[&str]); 15] = [
    ("schema = 1", "schema = 99", &["99"]),
    ("schema = 1", "schema = \"one\"", &["schema"]),
    ("schema = 1", "schema = [", &["acme.toml"]),
    ("id = \"acme\"", "id = \"shell\"", &["shell"]),
    ("id = \"acme\"", "id = \"Ac me\"", &["Ac me"]),
    ("name = \"Acme Code\"", "nmae = \"Acme Code\"", &["nmae"]),
    ("names = [\"acme\"]", "names = \"acme\"", &["names"]),
    ("id = \"acme.working\"", "id = \"other.working\"", &["other.working"]),
    ("region = \"tail\"", "region = \"tial\"", &["acme.working", "region", "tial"]),
    ("state = \"working\"", "state = \"completed\"", &["acme.working", "state"]),
    ("state = \"working\"", "state = \"busy\"", &["acme.working", "state"]),
    ("lines = ['^\\* Working']", "lines = ['^(* Working']", &["acme.working", "lines"]),
    ("lines = ['^\\* Working']", "line = ['^\\* Working']", &["line"]),
    ("match = [\"* Working hard\"]\n", "", &["acme.working", "match"]),
    ("no_match = [\"it is", "no_match = [\"* Working, it is", &["acme.working", "no_match"]),
];

fn errors_of(text: String) -> Vec<String> {
    let file = RuleFile { name: "acme.toml".to_owned(), text };
    let (rules, errors) = RuleSet::layered(&[file]).unwrap();
    let builtin = RULES.agents().len();
    assert_eq!(rules.agents().len(), builtin + usize::from(errors.is_empty()));
    errors.iter().map(ToString::to_string).collect()
}

#[test]
fn wrong_files_are_told_what_is_wrong() {
    assert_eq!(errors_of(FINE.to_owned()), Vec::<String>::new());
    for (right, wrong, words) in MISTAKES {
        assert!(FINE.contains(right), "{right}");
        let errors = errors_of(FINE.replace(right, wrong));
        assert_eq!(errors.len(), 1, "{wrong}: {errors:?}");
        assert!(errors[0].contains("acme.toml"), "{wrong}: {}", errors[0]);
        for word in words {
            assert!(errors[0].contains(word), "{wrong}: `{word}` is missing in: {}", errors[0]);
        }
    }
}

#[test]
fn a_users_agent_is_detected_and_a_broken_file_leaves_the_rest_in_force() {
    let file = |name: &str, text: &str| RuleFile { name: name.to_owned(), text: text.to_owned() };
    let (rules, errors) =
        RuleSet::layered(&[file("broken.toml", "id ="), file("acme.toml", FINE)]).unwrap();
    assert_eq!(errors.len(), 1);
    let seen = Observation {
        agent_hint: Some("acme".to_owned()),
        screen: Some(vec!["* Working hard".to_owned()]),
        ..Observation::default()
    };
    let answer = detect(&rules, &seen);
    assert_eq!((answer.agent.as_str(), answer.state), ("acme", State::Working));
    assert_eq!(answer.agent_name.as_deref(), Some("Acme Code"));
    assert_eq!(answer.evidence[0].rule, "acme.working");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// A file that was cut or scribbled over is refused with its name, or it is a file.
    #[test]
    fn damaged_files_do_no_harm(
        agent: prop::sample::Index,
        from: prop::sample::Index,
        length in 0..400_usize,
        scribble in ".{0,8}",
    ) {
        let texts = builtin_texts();
        let (_, text) = agent.get(&texts);
        let start = text.floor_char_boundary(from.index(text.len() + 1));
        let end = text.floor_char_boundary((start + length).min(text.len()));
        let damaged = [&text.as_bytes()[..start], scribble.as_bytes(), &text.as_bytes()[end..]].concat();
        let file = RuleFile { name: "damaged.toml".to_owned(), text: String::from_utf8(damaged)? };
        let (rules, errors) = RuleSet::layered(&[file]).unwrap();
        prop_assert!(errors.iter().all(|error| error.to_string().contains("damaged.toml")));
        prop_assert!(rules.agents().len() >= texts.len());
    }
}
