//! What holds for every observation, however odd.

use crate::cases::RECORDED;
use crate::mutations::spoiled;
use madohub_detect::{
    AgentId, Detection, Evidence, Observation, Process, RuleSet, SessionLog, State, StateSource,
    detect, explain,
};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::sync::LazyLock;

static RULES: LazyLock<RuleSet> = LazyLock::new(|| RuleSet::builtin().unwrap());

/// Fails unless the answer keeps what every reader of a detection relies on.
fn assert_sound(seen: &Observation, answer: &Detection) {
    assert_eq!(answer.id, seen.id);
    let known = RULES.agents().iter().any(|agent| agent.id == answer.agent.as_str());
    assert!(known || !answer.agent.is_agent(), "{} is no agent of the rules", answer.agent);
    assert_eq!(answer.agent_name.is_some(), answer.agent.is_agent(), "{answer:?}");
    let held = answer.held && seen.previous.as_ref().and_then(|p| p.state) == Some(answer.state);
    let told = matches!(answer.state, State::Completed | State::Failed);
    if let Some(deciding) = answer.evidence.first().filter(|_| !(held && told)) {
        assert_eq!(answer.state_source, deciding.via.state_source(), "{answer:?}");
    } else if answer.evidence.is_empty() {
        assert_eq!(answer.state, State::Unknown, "a state without evidence: {answer:?}");
    }
    assert!(!told || answer.state_source == StateSource::JsonlWatcher, "{answer:?}");
    if seen.registry.is_none() && seen.log.is_none() && seen.hook.is_none() && !held {
        assert!(!told, "only the agent's own record tells how a turn ended: {answer:?}");
    }
    let rows = seen.screen.as_ref().map_or(0, Vec::len);
    for evidence in &answer.evidence {
        assert_printable(evidence);
        if let Some((first, last)) = evidence.rows {
            assert!(first <= last && last < rows, "{evidence:?} of {rows} rows");
        }
    }
}

/// Evidence is shown to people: nothing in it may reach their terminal as a command.
fn assert_printable(evidence: &Evidence) {
    let text = evidence.text.as_deref().unwrap_or_default();
    assert!(!text.chars().any(char::is_control), "{evidence:?}");
    assert!(text.chars().count() <= Evidence::MAX_TEXT, "{evidence:?}");
}

proptest! {
    #[test]
    fn every_answer_is_sound_and_explained(seen in spoiled()) {
        let answer = detect(&RULES, &seen);
        assert_sound(&seen, &answer);
        prop_assert_eq!(&detect(&RULES, &seen), &answer);
        prop_assert_eq!(&explain(&RULES, &seen).detection, &answer);
    }

    #[test]
    fn the_id_changes_nothing_but_itself(seen in spoiled(), id in ".*") {
        let renamed = Observation { id: id.clone(), ..seen.clone() };
        prop_assert_eq!(detect(&RULES, &renamed), Detection { id, ..detect(&RULES, &seen) });
    }

    #[test]
    fn json_brings_back_what_went_in(seen in spoiled()) {
        let again: Observation = serde_json::from_str(&serde_json::to_string(&seen)?)?;
        prop_assert_eq!(&again, &seen);
        let answer = detect(&RULES, &seen);
        let again: Detection = serde_json::from_str(&serde_json::to_string(&answer)?)?;
        prop_assert_eq!(again, answer);
    }

    /// A field of the wrong type is an error or not known; either way nothing breaks.
    #[test]
    fn json_of_the_wrong_type_is_refused_or_read(seen in spoiled(), at: prop::sample::Index, wrong in wrong_value()) {
        let mut value = serde_json::to_value(&seen)?;
        let fields = value.as_object_mut().unwrap();
        let key = fields.keys().nth(at.index(fields.len())).unwrap().clone();
        fields.insert(key, wrong);
        if let Ok(seen) = serde_json::from_value::<Observation>(value) {
            assert_sound(&seen, &detect(&RULES, &seen));
        }
    }
}

fn wrong_value() -> impl Strategy<Value = Value> {
    prop::sample::select(vec![
        Value::Null,
        json!(-1),
        json!(1e300),
        json!(true),
        json!(""),
        json!([]),
        json!([null, 1, "x"]),
        json!({}),
        json!({"pid": "x", "records": 7, "state": "asleep"}),
    ])
}

#[test]
fn sizes_that_cannot_be_are_not_known() {
    for size in [json!(-3), json!(0), json!(1e12), json!(null)] {
        let seen: Observation =
            serde_json::from_value(json!({"id": "x", "cols": size, "rows": size})).unwrap();
        assert_eq!((seen.cols, seen.rows), (None, None), "{size}");
    }
}

#[test]
fn blank_ends_change_nothing() {
    for case in RECORDED.iter() {
        let seen = case.host_only();
        let mut padded = seen.clone();
        let rows = padded.screen.get_or_insert_default();
        for row in &mut *rows {
            row.push_str("   ");
        }
        rows.extend((0..5).map(|_| " ".repeat(80)));
        let verdict = |seen: &Observation| {
            let answer = detect(&RULES, seen);
            (answer.agent, answer.state, answer.reason)
        };
        assert_eq!(verdict(&padded), verdict(&seen), "{}", case.id());
    }
}

#[test]
fn huge_input_gets_an_answer() {
    let row = "│ ❯ 1. Yes, esc to interrupt ✽ Pondering… ".repeat(20_000);
    let screens = [
        vec![row.clone()],
        vec!["❯ ".to_owned(); 10_000],
        vec!["─".repeat(400); 10_000],
        vec!["╭".to_owned() + &"─".repeat(1_000_000), "╰".to_owned() + &"─".repeat(1_000_000)],
        vec![" ".repeat(1_000_000); 5],
        vec!["\u{301}".repeat(500_000)],
    ];
    let agents = RULES.agents();
    let hints = agents.iter().map(|agent| Some(agent.id.clone())).chain([None]);
    for hint in hints {
        for screen in &screens {
            let seen = Observation {
                screen: Some(screen.clone()),
                title: Some(row.clone()),
                agent_hint: hint.clone(),
                ..Observation::default()
            };
            assert_sound(&seen, &detect(&RULES, &seen));
        }
    }
}

#[test]
fn a_process_list_that_loops_gets_an_answer() {
    let process = |pid: i64| Process {
        pid,
        ppid: pid % 5_000 + 1,
        comm: "node".to_owned(),
        argv: vec!["node".to_owned(), "sh".to_owned(), "-c".to_owned(), "claude".to_owned()],
        foreground: Some(true),
        ..Process::default()
    };
    let seen = Observation {
        pane_pid: Some(1),
        processes: Some((1..=5_000).map(process).collect()),
        ..Observation::default()
    };
    assert_sound(&seen, &detect(&RULES, &seen));
}

#[test]
fn a_log_of_many_or_broken_records_gets_an_answer() {
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    let wide = format!("{{\"type\": \"assistant\", \"text\": \"{}\"}}", "x".repeat(2_000_000));
    let many = vec!["{\"type\": \"user\"}".to_owned(); 50_000];
    for records in [vec![deep], vec![wide], many, vec![String::new(); 10], Vec::new()] {
        for agent in RULES.agents() {
            let seen = Observation {
                log: Some(SessionLog { records: records.clone(), ..SessionLog::default() }),
                agent_hint: Some(agent.id),
                ..Observation::default()
            };
            assert_sound(&seen, &detect(&RULES, &seen));
        }
    }
}

#[test]
fn nothing_seen_is_unknown() {
    let answer = detect(&RULES, &Observation::default());
    assert_eq!((answer.agent, answer.state), (AgentId::unknown(), State::Unknown));
}
