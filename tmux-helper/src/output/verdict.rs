//! A detection for people.

use super::clean;
use madohub_detect::{Detection, Evidence, State};
use std::fmt::Write as _;

/// Agent, state and the rules behind them, a line each. Text that matched only where `text` says
/// so: it comes from the screen.
pub fn verdict(detection: &Detection, text: bool) -> String {
    let mut agent = detection.agent_name.clone().unwrap_or_else(|| detection.agent.to_string());
    if let Some(version) = &detection.agent_version {
        let _ = write!(agent, " {version}");
    }
    let mut state = detection.state.to_string();
    if let Some(reason) = &detection.reason {
        let _ = write!(state, ": {reason}");
    }
    if detection.background > 0 {
        let _ = write!(state, ", {} in background", detection.background);
    }
    let source = match detection.state {
        State::Unknown => String::new(),
        _ => format!(" ({})", detection.state_source.as_str()),
    };
    let mut out = format!("agent   {}\nstate   {}{source}\n", clean(&agent), clean(&state));
    let mut label = "because";
    for evidence in &detection.evidence {
        let _ = writeln!(out, "{label} {}", line(evidence, text));
        label = "       ";
    }
    if detection.evidence.is_empty() {
        out.push_str("because no rule matched; `madohub explain` shows what was tried\n");
    }
    out
}

fn line(evidence: &Evidence, text: bool) -> String {
    let mut out = format!("{} {}", evidence.via.as_str(), clean(&evidence.rule));
    match evidence.rows {
        Some((first, last)) if first == last => {
            let _ = write!(out, ", row {}", first + 1);
        }
        Some((first, last)) => {
            let _ = write!(out, ", rows {}-{}", first + 1, last + 1);
        }
        None => {}
    }
    if let Some(found) = evidence.text.as_ref().filter(|_| text) {
        let _ = write!(out, ": {}", clean(found));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use madohub_detect::{AgentId, StateSource, Via};

    #[test]
    fn a_verdict_names_its_rules_and_its_text_only_when_asked() {
        let mut evidence = Evidence::new(Via::Screen, "claude.approval").with_text("rm -rf\u{1b}");
        evidence.rows = Some((30, 35));
        let detection = Detection {
            id: "a".to_owned(),
            agent: AgentId::new("claude"),
            agent_name: Some("Claude Code".to_owned()),
            agent_version: Some("2.1".to_owned()),
            state: State::Waiting,
            state_source: StateSource::PtyScrape,
            reason: Some("approval".to_owned()),
            background: 2,
            evidence: vec![evidence, Evidence::new(Via::Process, "claude.process")],
            held: false,
        };
        assert_eq!(
            verdict(&detection, true),
            "\
agent   Claude Code 2.1
state   waiting: approval, 2 in background (pty-scrape)
because screen claude.approval, rows 31-36: rm -rf
        process claude.process
"
        );
        assert!(!verdict(&detection, false).contains("rm"));
    }
}
