//! Asks the helper program for what zellij cannot see: process trees, the agents' own records.
//!
//! One call at a time, only after something changed, with a time limit. A helper that fails is
//! named once and asked again much later; without it the plugin works on what zellij shows.

use crate::effect::Effect;
use crate::event::HelperAnswer;
use crate::pane::HostFacts;
use crate::theme::ThemeNames;
use serde::Deserialize;

/// Seconds between two calls.
const GAP: f64 = 1.0;
/// Seconds until a call counts as lost.
const LIMIT: f64 = 5.0;
/// Seconds until a helper that failed is asked again.
const LATER: f64 = 120.0;
/// Longest answer that is read, in bytes.
const MAX_ANSWER: usize = 8 << 20;

/// What `madohub probe --json` prints.
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct Probe {
    /// One entry per pid asked for that lives.
    pub(crate) panes: Vec<HostFacts>,
    /// Theme options of the user's zellij configuration.
    pub(crate) zellij: Option<ThemeNames>,
}

/// The conversation with the helper.
#[derive(Debug)]
pub(crate) struct Helper {
    program: Option<String>,
    wanted: bool,
    running: Option<(u64, f64)>,
    calls: u64,
    not_before: f64,
    trouble: Option<String>,
    with_configuration: bool,
}

impl Helper {
    pub(crate) fn new(program: Option<String>) -> Self {
        Self {
            program,
            wanted: false,
            running: None,
            calls: 0,
            not_before: 0.0,
            trouble: None,
            with_configuration: true,
        }
    }

    /// Something changed that the helper may know more about.
    pub(crate) fn want(&mut self) {
        self.wanted = true;
    }

    /// The user's configuration may have changed.
    pub(crate) fn want_configuration(&mut self) {
        self.wanted = true;
        self.with_configuration = true;
    }

    /// Why the helper does not help, where it does not.
    pub(crate) fn trouble(&self) -> Option<&str> {
        self.trouble.as_deref()
    }

    /// Whether the helper answered and nothing failed since.
    pub(crate) fn works(&self) -> bool {
        self.program.is_some() && self.trouble.is_none()
    }

    /// Asks about these processes, when it is time to.
    pub(crate) fn advance(&mut self, pids: &[i64], now: f64) -> Option<Effect> {
        let program = self.program.as_ref()?;
        if self.running.is_some_and(|(_, since)| now - since >= LIMIT) {
            self.running = None;
            self.failed(&format!("no answer within {LIMIT} s"), now);
            return None;
        }
        let idle = !self.wanted || self.running.is_some() || now < self.not_before;
        if idle || (pids.is_empty() && !self.with_configuration) {
            return None;
        }
        let mut argv = vec![program.clone(), "probe".to_owned(), "--json".to_owned()];
        if !pids.is_empty() {
            let list: Vec<String> = pids.iter().map(i64::to_string).collect();
            argv.extend(["--pids".to_owned(), list.join(",")]);
        }
        if self.with_configuration {
            argv.push("--zellij".to_owned());
        }
        self.calls += 1;
        self.wanted = false;
        self.not_before = now + GAP;
        self.running = Some((self.calls, now));
        Some(Effect::RunHelper { argv, call: self.calls })
    }

    /// Reads an answer; one that came too late is dropped.
    pub(crate) fn answered(&mut self, answer: &HelperAnswer, now: f64) -> Option<Probe> {
        if self.running.is_none_or(|(call, _)| call != answer.call) {
            return None;
        }
        self.running = None;
        let program = self.program.clone().unwrap_or_default();
        let probe = match answer.code {
            None => Err(format!("`{program}` cannot be started")),
            Some(0) if answer.stdout.len() > MAX_ANSWER => Err("its answer is too long".to_owned()),
            Some(0) => std::str::from_utf8(&answer.stdout)
                .map_err(|error| error.to_string())
                .and_then(|text| serde_json::from_str(text).map_err(|error| error.to_string()))
                .map_err(|error| format!("its answer cannot be read: {error}")),
            Some(code) => {
                let said = String::from_utf8_lossy(&answer.stderr);
                let line = madohub_detect::text::clean(said.lines().next().unwrap_or_default());
                Err(format!("`{program} probe` failed with {code}: {line}"))
            }
        };
        match probe {
            Ok(probe) => {
                self.trouble = None;
                self.with_configuration = false;
                Some(probe)
            }
            Err(trouble) => {
                self.failed(&trouble, now);
                None
            }
        }
    }

    fn failed(&mut self, trouble: &str, now: f64) {
        self.trouble = Some(madohub_detect::text::fit(trouble, 200));
        self.not_before = now + LATER;
        self.wanted = true;
    }

    /// When there is something to do without an event.
    pub(crate) fn deadline(&self) -> Option<f64> {
        self.program.as_ref()?;
        match self.running {
            Some((_, since)) => Some(since + LIMIT),
            None => self.wanted.then_some(self.not_before),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::panic, clippy::unwrap_used)]
    use super::*;

    fn answer(call: u64, code: Option<i32>, stdout: &str) -> HelperAnswer {
        HelperAnswer { code, stdout: stdout.into(), stderr: b"bad\x1b[0m".to_vec(), call }
    }

    #[test]
    fn one_call_at_a_time_and_only_when_wanted() {
        let mut helper = Helper::new(Some("h".into()));
        assert_eq!(helper.advance(&[1], 0.0), None);
        helper.want();
        let Some(Effect::RunHelper { argv, call }) = helper.advance(&[1, 2], 1.0) else {
            panic!("a call is due")
        };
        assert_eq!(argv, ["h", "probe", "--json", "--pids", "1,2", "--zellij"]);
        helper.want();
        assert_eq!(helper.advance(&[1, 2], 1.5), None, "one is on its way");
        let text = r#"{"panes":[{"pid":1,"processes":[],"new":1}],"zellij":{"theme":"x"}}"#;
        let probe = helper.answered(&answer(call, Some(0), text), 1.6).unwrap();
        assert_eq!((probe.panes.len(), probe.zellij.unwrap().theme.unwrap()), (1, "x".into()));
        assert!(helper.advance(&[1], 2.1).is_some());
    }

    #[test]
    fn a_failing_helper_is_named_and_left_alone() {
        let failures = [(None, ""), (Some(2), ""), (Some(0), "no json")];
        for (code, stdout) in failures {
            let mut helper = Helper::new(Some("h".into()));
            helper.want();
            helper.advance(&[1], 1.0);
            assert_eq!(helper.answered(&answer(1, code, stdout), 1.1), None);
            assert!(!helper.trouble().unwrap().contains('\u{1b}'));
            helper.want();
            assert_eq!(helper.advance(&[1], 60.0), None);
            assert!(helper.advance(&[1], 130.0).is_some());
        }
    }

    #[test]
    fn a_lost_call_is_given_up_and_its_late_answer_dropped() {
        let mut helper = Helper::new(Some("h".into()));
        helper.want();
        helper.advance(&[1], 1.0);
        assert_eq!(helper.deadline(), Some(6.0));
        assert_eq!(helper.advance(&[1], 6.0), None);
        assert!(helper.trouble().unwrap().contains("no answer"));
        assert_eq!(helper.answered(&answer(1, Some(0), "{}"), 7.0), None);
    }

    #[test]
    fn without_a_helper_nothing_is_run() {
        let mut helper = Helper::new(None);
        helper.want();
        assert_eq!((helper.advance(&[1], 1.0), helper.deadline()), (None, None));
    }
}
