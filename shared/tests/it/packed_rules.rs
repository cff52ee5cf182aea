//! What the build script makes of the rule files for the zellij plugin means the same.

#[path = "../../build/letter_case.rs"]
mod letter_case;

use letter_case::spelled_out;
use madohub_detect::RuleSet;
use regex_syntax::ParserBuilder;
use regex_syntax::hir::Hir;

fn meaning(pattern: &str) -> Hir {
    ParserBuilder::new().multi_line(true).build().parse(pattern).unwrap()
}

fn texts(value: &toml::Value) -> Vec<&str> {
    match value {
        toml::Value::String(text) => vec![text],
        toml::Value::Array(all) => all.iter().flat_map(texts).collect(),
        toml::Value::Table(all) => all.values().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn patterns_with_both_cases_spelled_out_are_the_same_patterns() {
    let mut spelled = 0;
    for agent in RuleSet::builtin().unwrap().agents() {
        let file: toml::Table = RuleSet::builtin_text(&agent.id).unwrap().parse().unwrap();
        for pattern in file.values().flat_map(texts).filter(|text| text.contains("(?i")) {
            let out = spelled_out(pattern).unwrap();
            assert!(!out.contains("(?i"), "{out}");
            assert_eq!(meaning(&out), meaning(pattern), "{pattern}\n{out}");
            spelled += 1;
        }
    }
    assert!(spelled > 20, "only {spelled} patterns");
}

#[test]
fn a_flag_holds_as_far_as_it_does_in_a_pattern() {
    for pattern in [
        "(?i)ab|c(d)e",
        "a(?i:b|c)d",
        "a(?i)b|c",
        "(a(?i)b)c(?:d)",
        r"(?i)[^a\n]+[k-m·]{2,3}\(\d\w\.é-",
        "(?i)(?:straße|Σ)$",
        "no case",
    ] {
        assert_eq!(meaning(&spelled_out(pattern).unwrap()), meaning(pattern), "{pattern}");
    }
    for unknown in ["(?s)a.b", "(?i-u)a", "(?i", "(?-i:a)"] {
        assert!(spelled_out(unknown).is_err(), "{unknown}");
    }
}
