//! How often the engine is right on the recorded cases and the public reports.

use crate::report::{Table, Tally, show};
use crate::suites::{Question, Suite, questions};
use madohub_detect::{Detection, RuleSet, detect};

/// Least share of right answers in per cent. Raise them with the rules, never lower them.
const FLOORS: [(Suite, f64); 4] =
    [(Suite::Screen, 99.0), (Suite::Host, 99.0), (Suite::Full, 99.0), (Suite::Field, 97.0)];

/// Panes without an agent: with the process list at hand there is no excuse.
const NO_AGENT: &str = "none-1";

#[test]
fn answers_are_right_as_often_as_the_floors_ask() {
    let rules = RuleSet::builtin().unwrap();
    let (mut by_group, mut by_state) = (Table::default(), Table::default());
    let mut misses = Vec::new();
    for question in questions() {
        let answer = detect(&rules, &question.seen);
        let right = question.is_right(&answer);
        let state = question.truth.map_or("(agent only)", |state| state.as_str());
        by_group.count(&question.group, question.suite, right);
        by_state.count(state, question.suite, right);
        if !right {
            misses.push(miss(&question, &answer));
        }
    }
    println!("{}", misses.join("\n"));
    show(&by_group.render("right by agent"));
    show(&by_state.render("right by true state"));

    let mut short = Vec::new();
    let mut hold = |what: &str, tally: Tally, floor: f64| {
        assert!(tally.all > 0, "{what}: no case found");
        if tally.percent() < floor {
            short.push(format!("{what}: {:.2} % < {floor} %", tally.percent()));
        }
    };
    for (suite, floor) in FLOORS {
        hold(&format!("suite {suite}"), by_group.total(suite), floor);
    }
    hold("suite host without an agent", by_group.row(NO_AGENT, Suite::Host), 100.0);
    assert!(short.is_empty(), "under the floor:\n{}", short.join("\n"));
}

fn miss(question: &Question, answer: &Detection) -> String {
    let rule = answer.evidence.first().map_or("no rule", |evidence| evidence.rule.as_str());
    format!(
        "miss {} {}: want {}, got {} {} by {rule}",
        question.suite,
        question.seen.id,
        question.wanted(),
        answer.agent,
        answer.state,
    )
}
