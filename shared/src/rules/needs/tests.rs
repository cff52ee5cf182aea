//! What a pattern needs is in everything that it matches, and most other texts lack it.

use super::{Needs, Pairs, places};
use crate::rules::row_needs::RowNeeds;
use proptest::prelude::*;
use regex::RegexBuilder;

fn may_match(pattern: &str, text: &str) -> bool {
    Needs::of(pattern).may_be_met(&Pairs::of(text))
}

fn matches(pattern: &str, text: &str, multi_line: bool) -> bool {
    RegexBuilder::new(pattern)
        .multi_line(multi_line)
        .build()
        .is_ok_and(|regex| regex.is_match(text))
}

#[test]
fn what_matches_is_never_ruled_out() {
    for (pattern, text) in [
        (r"^[✢✳✶✻✽∗]\s\S+…", "x\n✻ Cogitating… (3s)"),
        (r"(?i)esc to (?:close|cancel)$", "  Esc to Cancel"),
        (r"(?i)skip", "\u{17F}KIP"),
        (r"(\d+) shells? still running", "1 shell still running"),
        (r"(\d+) shells? still running", "2 shells still running"),
        (r"^─{3,}$", "────"),
        (r"(?:ab){2}c", "xababc"),
        (r"(?:ab){3}c", "abababc"),
        (r"a\b-?\bc", "a-c"),
        (r"x(?:^y|z)", "xz"),
        (r"(?:^• Working)|(?:esc to)", "press esc to go"),
        (r"a(?:b*|cd)e", "acde"),
        ("", ""),
    ] {
        assert!(matches(pattern, text, true), "{pattern} {text}");
        assert!(may_match(pattern, text), "{pattern} {text}");
    }
}

#[test]
fn what_lacks_a_pair_is_ruled_out() {
    for (pattern, text) in [
        (r"^[✢✳✶✻✽∗]\s\S+…", "● Done\n  ⎿ 3 rows"),
        (r"(?i)esc to (?:close|cancel)", "enter to confirm"),
        (r"(?:^• Working)|(?:press esc)", "a • Working or pressed"),
        (r"Claude Code v(\d+)", "OpenAI Codex v1"),
    ] {
        assert!(!may_match(pattern, text), "{pattern} {text}");
    }
    let words = Needs::of_words(&["do you want to proceed?".to_owned(), "allow once".to_owned()]);
    assert!(words.may_be_met(&Pairs::of("│ Allow   once │")));
    assert!(!words.may_be_met(&Pairs::of("all is well")));
}

#[test]
fn rows_are_ruled_out_by_how_they_begin() {
    let border = RowNeeds::of(r"^\s{0,2}[─━]{8,}");
    assert!(border.may_be_met("  ────────"));
    assert!(!border.may_be_met("● ────────"));
    assert!(!border.may_be_met(""));
    let prompt = RowNeeds::of(r"^\w+@\w+[$#%]");
    assert!(prompt.may_be_met("me@host$"));
    assert!(!prompt.may_be_met("me at host$"));
    for open in [r"^\s*$", r"^\s{2,}", "anywhere", r"^\S?", r"(?:^a)|b"] {
        assert!(RowNeeds::of(open).may_be_met("zzz"), "{open}");
    }
}

/// Patterns of the shapes that rules have, over few letters, so that many of them match.
fn pattern() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("a".to_owned()),
        Just("ab".to_owned()),
        Just("─".to_owned()),
        Just("[ab✻]".to_owned()),
        Just("[^a]".to_owned()),
        Just(r"\s".to_owned()),
        Just(r"\S".to_owned()),
        Just("^".to_owned()),
        Just("$".to_owned()),
        Just(r"(?-u:\b)".to_owned()),
        Just("(?i:AB)".to_owned()),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let many = prop::collection::vec(inner.clone(), 1..4);
        prop_oneof![
            many.clone().prop_map(|parts| parts.concat()),
            many.prop_map(|parts| format!("(?:{})", parts.join("|"))),
            (inner, prop::sample::select(vec!["?", "*", "+", "{2}", "{3,}", "{0,2}"]))
                .prop_map(|(part, times)| format!("(?:{part}){times}")),
        ]
    })
}

proptest! {
    #[test]
    fn no_match_of_any_pattern_is_ruled_out(pattern in pattern(), text in "[abAB─✻ x\n]{0,24}") {
        if matches(&pattern, &text, true) {
            prop_assert!(may_match(&pattern, &text));
        }
        let row = text.lines().next().unwrap_or_default();
        if matches(&pattern, row, false) {
            prop_assert!(RowNeeds::of(&pattern).may_be_met(row));
        }
    }

    /// A text that repeats itself is read by leaps.
    #[test]
    fn no_pair_is_leaped_over(
        parts in prop::collection::vec((prop::sample::select(vec!["─", " ", "a", "ab", "abc", "─ ", "\n", "\0"]), 0..30_usize), 0..8),
    ) {
        let text: String = parts.iter().map(|(part, times)| part.repeat(*times)).collect();
        let bytes = format!("\n{text}\n").into_bytes();
        let pairs = Pairs::of(&text);
        for place in places(&bytes) {
            prop_assert!(pairs.has(place), "{text:?}");
        }
        let marked: u32 = pairs.0.iter().map(|word| word.count_ones()).sum();
        let all: std::collections::BTreeSet<u16> = places(&bytes).collect();
        prop_assert_eq!(marked as usize, all.len());
    }
}
