//! What the end of a session log says: the newest record that any log rule matches decides.

use crate::detection::{Evidence, State, Via};
use crate::observation::{HookReport, SessionLog};
use crate::rules::{Agent, Check, LogRule, LogSays, RuleSet};
use crate::scan::{Attempt, Tried};
use crate::text::first_line;
use serde_json::Value;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// The log's verdict.
#[derive(Debug, Clone)]
pub(crate) struct LogVerdict {
    pub(crate) says: LogSays,
    pub(crate) reason: Option<String>,
    pub(crate) evidence: Evidence,
    /// Time of the record in seconds since the epoch, where it has one.
    pub(crate) time: Option<f64>,
}

/// Records looked at from the end. A turn's last word is found within the last few; thousands of
/// records that say nothing (attachments, snapshots) may follow it.
const MAX_RECORDS: usize = 20_000;
/// Longest window of a usage limit that ends by itself, in seconds.
const LIMIT_WINDOW: f64 = 6.0 * 3600.0;
/// Longest record that is parsed; longer ones carry prompts and tool output, no verdicts.
const MAX_RECORD_BYTES: usize = 4 << 20;

/// Reads a log backwards until a record says something. `now` lets old limits expire.
pub(crate) fn read(
    agent: &Agent,
    log: &SessionLog,
    now: Option<f64>,
    tried: &mut Tried,
) -> Option<LogVerdict> {
    let mut end: Option<LogVerdict> = None;
    for line in log.records.iter().rev().take(MAX_RECORDS) {
        if line.len() > MAX_RECORD_BYTES {
            continue;
        }
        let Ok(record) = serde_json::from_str::<Value>(line) else { continue };
        let Some(rule) = agent.log_rules.iter().find(|rule| rule.matches(&record)) else {
            continue;
        };
        tried.note(|| Attempt {
            rule: rule.id.clone(),
            region: "session-log",
            matched: true,
            failed: None,
        });
        match (rule.says, end.as_ref().map(|end| end.says)) {
            (LogSays::Closed | LogSays::Ended, None) => end = Some(LogVerdict::of(rule, &record)),
            (LogSays::State(state), Some(known)) if !explains(state, known) => break,
            (LogSays::State(_), _) => {
                return Some(LogVerdict::of(rule, &record).unless_expired(now));
            }
            _ => break,
        }
    }
    end.map(|end| match end.says {
        LogSays::Closed => LogVerdict { says: LogSays::State(State::Completed), ..end },
        _ => end,
    })
}

/// What a report of the agent's own hooks says.
pub(crate) fn read_hook(agent: &Agent, hook: &HookReport, tried: &mut Tried) -> Option<LogVerdict> {
    let meant = hook.agent.is_empty() || hook.agent == agent.id;
    if !meant || hook.record.len() > MAX_RECORD_BYTES {
        return None;
    }
    let record = serde_json::from_str::<Value>(&hook.record).ok()?;
    let rule = agent.hook_rules.iter().find(|rule| rule.matches(&record))?;
    tried.note(|| Attempt { rule: rule.id.clone(), region: "hook", matched: true, failed: None });
    let mut verdict = LogVerdict::of(rule, &record);
    verdict.evidence.via = Via::Hook;
    verdict.time = hook.time;
    Some(verdict)
}

/// Whether a state that stands before the end of a turn tells how the turn ended.
fn explains(state: State, end: LogSays) -> bool {
    match end {
        LogSays::Closed => matches!(state, State::Completed | State::Failed | State::Stopped),
        _ => state == State::Failed,
    }
}

impl LogVerdict {
    fn of(rule: &LogRule, record: &Value) -> Self {
        let evidence = Evidence::new(Via::SessionLog, &rule.id);
        let text = rule.text.as_ref().and_then(|path| first_text(record, path));
        let time = record.get("timestamp").and_then(Value::as_str);
        Self {
            says: rule.says,
            reason: rule.reason.clone(),
            // No more of a message goes into events and histories.
            evidence: match text.and_then(first_line) {
                Some(text) => evidence.with_text(text),
                None => evidence,
            },
            time: time.and_then(seconds),
        }
    }

    /// A usage limit is over when its window is; nothing is written then.
    fn unless_expired(mut self, now: Option<f64>) -> Self {
        let age = now.zip(self.time).map(|(now, time)| now - time);
        if self.reason.as_deref() == Some("usage-limit") && age.is_some_and(|a| a > LIMIT_WINDOW) {
            self.says = LogSays::State(State::Idle);
            self.reason = None;
        }
        self
    }

    /// The state, where the log knows it.
    pub(crate) fn state(&self) -> Option<State> {
        match self.says {
            LogSays::State(state) => Some(state),
            LogSays::Ended | LogSays::Closed | LogSays::Unclear => None,
        }
    }
}

impl RuleSet {
    /// Whether a record of this agent's session log says anything about its state. A host keeps
    /// the newest of those, and lets all others go.
    pub fn log_speaks(&self, agent: &str, record: &Value) -> bool {
        self.agent(agent).is_some_and(|agent| agent.log_rules.iter().any(|r| r.matches(record)))
    }
}

impl LogRule {
    /// Whether a record fulfils every condition.
    pub(crate) fn matches(&self, record: &Value) -> bool {
        self.conditions.iter().all(|(path, check)| match check {
            Check::Exists(false) => !any(record, path, &|v| !v.is_null()),
            Check::IsNot(other) => !any(record, path, &|v| v == other),
            Check::Exists(true) => any(record, path, &|v| !v.is_null()),
            Check::Is(wanted) => any(record, path, &|v| v == wanted),
            Check::OneOf(words) => {
                any(record, path, &|v| v.as_str().is_some_and(|s| words.iter().any(|w| w == s)))
            }
            Check::Matches(pattern) => {
                any(record, path, &|v| v.as_str().is_some_and(|s| pattern.is_match(s)))
            }
        })
    }
}

/// Whether any value at the path fulfils the test; `*` stands for every element.
fn any(value: &Value, path: &[String], test: &dyn Fn(&Value) -> bool) -> bool {
    let Some((step, rest)) = path.split_first() else { return test(value) };
    match value {
        Value::Object(map) if step == "*" => map.values().any(|v| any(v, rest, test)),
        Value::Object(map) => map.get(step).is_some_and(|v| any(v, rest, test)),
        Value::Array(list) if step == "*" => list.iter().any(|v| any(v, rest, test)),
        Value::Array(list) if step == "-1" => list.last().is_some_and(|v| any(v, rest, test)),
        Value::Array(list) => {
            step.parse::<usize>().ok().and_then(|n| list.get(n)).is_some_and(|v| any(v, rest, test))
        }
        _ => false,
    }
}

/// `2026-11-30T18:40:00.123Z` in seconds since the epoch.
fn seconds(stamp: &str) -> Option<f64> {
    let time = OffsetDateTime::parse(stamp, &Rfc3339).ok()?;
    Some((time - OffsetDateTime::UNIX_EPOCH).as_seconds_f64())
}

fn first_text<'v>(value: &'v Value, path: &[String]) -> Option<&'v str> {
    let Some((step, rest)) = path.split_first() else { return value.as_str() };
    match value {
        Value::Object(map) => map.get(step).and_then(|v| first_text(v, rest)),
        Value::Array(list) if step == "*" => list.iter().find_map(|v| first_text(v, rest)),
        Value::Array(list) => {
            step.parse::<usize>().ok().and_then(|n| list.get(n)).and_then(|v| first_text(v, rest))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const STARTED: &str = r#"{"type":"event_msg","payload":{"type":"task_started"}}"#;
    const ENDED: &str =
        r#"{"type":"event_msg","payload":{"type":"task_complete","last_agent_message":null}}"#;
    const ERROR: &str = r#"{"type":"event_msg","payload":{"type":"error","message":"no"}}"#;
    const NOISE: &str = r#"{"type":"event_msg","payload":{"type":"token_count"}}"#;

    fn read_codex(records: &[&str]) -> Option<LogSays> {
        let rules = RuleSet::builtin().unwrap();
        let records = records.iter().map(|r| (*r).to_owned()).collect();
        let log = SessionLog { records, ..SessionLog::default() };
        let agent = rules.agent("codex").unwrap();
        read(agent, &log, None, &mut Tried::default()).map(|verdict| verdict.says)
    }

    #[test]
    fn the_newest_record_that_says_something_decides() {
        assert_eq!(read_codex(&[STARTED, NOISE]), Some(LogSays::State(State::Working)));
        assert_eq!(read_codex(&[ENDED, STARTED]), Some(LogSays::State(State::Working)));
        assert_eq!(read_codex(&[NOISE]), None);
        assert_eq!(read_codex(&[]), None);
    }

    #[test]
    fn an_error_before_an_end_without_words_tells_how_it_ended() {
        assert_eq!(read_codex(&[STARTED, ENDED]), Some(LogSays::Ended));
        assert_eq!(read_codex(&[STARTED, ERROR, ENDED]), Some(LogSays::State(State::Failed)));
        assert_eq!(read_codex(&[ERROR, ENDED, STARTED, ENDED]), Some(LogSays::Ended));
    }

    #[test]
    fn records_that_cannot_be_read_are_passed_over() {
        let huge = format!(r#"{{"x":"{}"}}"#, "a".repeat(MAX_RECORD_BYTES));
        let records = [STARTED, "{\"type\":\"event_msg\",\"payl", "\u{0}", "[]", "7", &huge];
        assert_eq!(read_codex(&records), Some(LogSays::State(State::Working)));
    }

    #[test]
    fn of_a_message_the_first_line_alone_is_evidence() {
        let end = |message: &str| {
            let payload =
                serde_json::json!({"type": "task_complete", "last_agent_message": message});
            let record = serde_json::json!({"type": "event_msg", "payload": payload}).to_string();
            let rules = RuleSet::builtin().unwrap();
            let log = SessionLog { records: vec![record], ..SessionLog::default() };
            let agent = rules.agent("codex").unwrap();
            read(agent, &log, None, &mut Tried::default()).unwrap().evidence.text
        };
        assert_eq!(end("\n Done.\r\n\nThe key is 1234.").as_deref(), Some("Done."));
        assert_eq!(end(" \n"), None);
    }

    #[test]
    fn a_usage_limit_ends_with_its_window() {
        let limit = r#"{"type":"assistant","isApiErrorMessage":true,"error":"rate_limit","timestamp":"2026-01-01T10:00:00.000Z"}"#;
        let rules = RuleSet::builtin().unwrap();
        let log = SessionLog { records: vec![limit.to_owned()], ..SessionLog::default() };
        let at = |now| {
            let agent = rules.agent("claude").unwrap();
            read(agent, &log, Some(now), &mut Tried::default()).map(|verdict| verdict.says)
        };
        let ten = 1_767_261_600.0;
        assert_eq!(at(ten + 60.0), Some(LogSays::State(State::Failed)));
        assert_eq!(at(ten + 6.1 * 3600.0), Some(LogSays::State(State::Idle)));
    }
}
