//! Program status reports: what holds for every stream, and whose reports count.

use madohub_detect::{
    Observation, Process, ProgramStatus, RuleSet, State, StatusRecord, StatusScanner, StatusSignal,
    Via, detect,
};
use proptest::collection::vec;
use proptest::prelude::*;
use std::sync::LazyLock;

static RULES: LazyLock<RuleSet> = LazyLock::new(|| RuleSet::builtin().unwrap());

fn heard<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<StatusSignal> {
    let mut scanner = StatusScanner::new();
    let mut heard = Vec::new();
    for piece in pieces {
        scanner.feed(piece, |signal| heard.push(signal));
    }
    heard
}

/// Output made of what sequences are made of.
fn output() -> impl Strategy<Value = Vec<u8>> {
    let part = prop_oneof![
        Just(b"\x1b]7501;".to_vec()),
        Just(b"state=working".to_vec()),
        Just(b":state=blocked:kind=auth".to_vec()),
        Just(b":msg=T0s=".to_vec()),
        Just(b"\x1b\\".to_vec()),
        Just(b"\x07".to_vec()),
        Just(b"\x1b".to_vec()),
        Just(b"?".to_vec()),
        Just(b"\x1b]133;A".to_vec()),
        vec(any::<u8>(), 0..40),
        "[ -~]{0,40}".prop_map(String::into_bytes),
    ];
    vec(part, 0..30).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn how_the_output_is_cut_changes_nothing(stream in output(), cuts in vec(1..50_usize, 1..80)) {
        let mut rest = stream.as_slice();
        let mut pieces = Vec::new();
        for cut in cuts.iter().cycle() {
            let (piece, next) = rest.split_at((*cut).min(rest.len()));
            pieces.push(piece);
            rest = next;
            if rest.is_empty() { break }
        }
        prop_assert_eq!(heard(pieces), heard([stream.as_slice()]));
    }

    #[test]
    fn a_report_is_heard_whatever_came_before(stream in output()) {
        let mut stream = stream;
        stream.extend_from_slice(b"\x18\x1b]7501;state=error\x1b\\");
        let mut record = StatusRecord::new();
        for signal in heard([stream.as_slice()]) {
            record.take(signal);
        }
        prop_assert_eq!(record.report().map(|report| report.state.as_str()), Some("error"));
    }

    #[test]
    fn nothing_heard_can_act_on_a_terminal(stream in output()) {
        for signal in heard([stream.as_slice()]) {
            let StatusSignal::Report(report) = signal else { continue };
            let text = report.message.unwrap_or_default() + &report.app.unwrap_or_default();
            prop_assert!(!text.chars().any(char::is_control), "{:?}", text);
        }
    }
}

fn process(pid: i64, name: &str, foreground: bool) -> Process {
    Process {
        pid,
        ppid: 1,
        pgid: Some(pid),
        comm: name.into(),
        argv: vec![name.into()],
        foreground: Some(foreground),
        ..Process::default()
    }
}

fn seen(processes: Option<Vec<Process>>, pgid: Option<i64>) -> Observation {
    let report = ProgramStatus {
        state: "blocked".into(),
        kind: Some("permission".into()),
        message: Some("approve Bash: touch x".into()),
        pgid,
        age_s: Some(1.0),
    };
    Observation {
        processes,
        pane_pid: Some(10),
        program_status: Some(report),
        ..Observation::default()
    }
}

#[test]
fn an_agent_reports_its_own_state() {
    let seen = seen(Some(vec![process(10, "bash", false), process(11, "claude", true)]), Some(11));
    let answer = detect(&RULES, &seen);
    assert_eq!((answer.agent.as_str(), answer.state), ("claude", State::Waiting));
    assert_eq!(answer.reason.as_deref(), Some("approval"));
    assert_eq!(answer.evidence[0].via, Via::ProgramStatus);
    assert_eq!(answer.evidence[0].text.as_deref(), Some("approve Bash: touch x"));
}

#[test]
fn what_is_no_agent_reports_nothing() {
    for (name, agent) in [("cat", "shell"), ("bash", "shell")] {
        let answer = detect(&RULES, &seen(Some(vec![process(10, name, true)]), Some(10)));
        assert_eq!((answer.agent.as_str(), answer.state), (agent, State::Idle));
    }
    // A screen alone does not prove an agent, and a hint does not either.
    let hinted = Observation { agent_hint: Some("claude".into()), ..seen(None, None) };
    assert_ne!(detect(&RULES, &hinted).state, State::Waiting);
}

#[test]
fn a_report_of_what_ran_before_is_not_the_agents() {
    let processes = vec![process(10, "bash", false), process(11, "claude", true)];
    assert_ne!(detect(&RULES, &seen(Some(processes), Some(9))).state, State::Waiting);
    let suspended = process(9, "cat", false);
    let processes = vec![process(10, "bash", false), suspended, process(11, "claude", true)];
    assert_ne!(detect(&RULES, &seen(Some(processes), Some(9))).state, State::Waiting);
}
