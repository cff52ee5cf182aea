//! One state from all that the sources claim. The table, first row that applies:
//!
//! | # | when | then |
//! |---|---|---|
//! | 1 | the pane or its process is dead | `exited` |
//! | 2 | the agent is suspended by job control | `stopped` (suspended) |
//! | 3 | an open dialog on the screen | `waiting` |
//! | 4 | the agent's entry says `waiting` (not for a view that the person opened) | `waiting` |
//! | 5 | the agent's entry says `busy` | `working` |
//! | 6 | the agent's entry says `idle` or `shell` | how the turn ended, else `idle` |
//! | 7 | a program status report of the agent | its state; an end as the log tells it, else `stopped` |
//! | 8 | a report of the agent's hooks that neither log nor screen contradicts | its state |
//! | 9 | the log waits | `waiting` |
//! | 10 | the screen works, or shows a later end than the log | the screen's state |
//! | 11 | the log works or ended the turn | the log's state |
//! | 12 | a run without an interface | `working` |
//! | 13 | the screen shows an end, and the log holds no turn of this process | `idle` |
//! | 14 | the screen, or the title over a view | its state |
//! | 15 | a view covers the live region | the former state, else `idle` |
//! | 16 | nothing | `unknown` |

use crate::detection::{Evidence, State, Via};
use crate::identify::Life;
use crate::observation::{Observation, ProgramStatus, Registry};
use crate::rules::{LogSays, Says};
use crate::session_log::LogVerdict;

/// The rule in the evidence of an end that is older than the process; the end's own comes next.
pub(crate) const RULE_NO_TURN_YET: &str = "session-log.no-turn-yet";

/// What the sources claim about an agent.
#[derive(Debug, Default)]
pub(crate) struct Claims<'a> {
    pub(crate) screen: Option<ScreenClaim>,
    pub(crate) registry: Option<&'a Registry>,
    pub(crate) log: Option<LogVerdict>,
    /// By the log, no turn has run in the agent's process.
    pub(crate) no_turn_yet: bool,
    pub(crate) program_status: Option<&'a ProgramStatus>,
    pub(crate) hook: Option<LogVerdict>,
}

/// The claim of the first screen or title rule that matched.
#[derive(Debug, Clone)]
pub(crate) struct ScreenClaim {
    pub(crate) says: Says,
    pub(crate) reason: Option<String>,
    pub(crate) evidence: Evidence,
}

/// The state and the claims behind it, the deciding one first.
#[derive(Debug)]
pub(crate) struct Verdict {
    pub(crate) state: State,
    pub(crate) reason: Option<String>,
    pub(crate) evidence: Vec<Evidence>,
    pub(crate) held: bool,
}

impl Verdict {
    pub(crate) fn new(state: State, reason: Option<&str>, evidence: Evidence) -> Self {
        let reason = reason.map(str::to_owned);
        Self { state, reason, evidence: vec![evidence], held: false }
    }
}

pub(crate) fn arbitrate(
    seen: &Observation,
    life: Life,
    who: &Evidence,
    claims: &Claims<'_>,
) -> Verdict {
    if seen.dead {
        return exited(seen);
    }
    if life == Life::Suspended {
        return Verdict::new(State::Stopped, Some("suspended"), who.clone());
    }
    let mut verdict = claims.decide(seen, life, who);
    // The losers are told too: `explain` and people want to know who disagreed.
    let others = claims.screen.iter().map(|c| &c.evidence);
    let records = claims.log.iter().chain(&claims.hook).map(|l| &l.evidence);
    for other in others.chain(records) {
        if !verdict.evidence.contains(other) {
            verdict.evidence.push(other.clone());
        }
    }
    verdict
}

/// A dead pane, with its exit status as the reason.
pub(crate) fn exited(seen: &Observation) -> Verdict {
    let status = seen.exit_status.map(|s| format!("status {s}"));
    let evidence = Evidence::new(Via::Process, "pane.dead")
        .with_text(status.as_deref().unwrap_or("no exit status"));
    let reason = if seen.exit_status.is_none() { "killed" } else { "exited" };
    Verdict::new(State::Exited, Some(reason), evidence)
}

impl Claims<'_> {
    fn decide(&self, seen: &Observation, life: Life, who: &Evidence) -> Verdict {
        if let Some(dialog) = self.screen_state(State::Waiting) {
            return dialog.verdict(State::Waiting);
        }
        if let Some(verdict) = self.registry.and_then(|r| self.by_registry(r, seen)) {
            return verdict;
        }
        if let Some(verdict) = self.program_status.and_then(|status| self.by_program_status(status))
        {
            return verdict;
        }
        if let Some(verdict) = self.by_hook() {
            return verdict;
        }
        if let Some(verdict) = self.by_log() {
            return verdict;
        }
        if life == Life::Headless {
            return Verdict::new(State::Working, None, who.clone());
        }
        self.earlier_end().unwrap_or_else(|| self.by_screen(seen, who))
    }

    /// The screen shows an end, and it is none of this process: a session that goes on is shown
    /// as it was left, also when it was interrupted.
    fn earlier_end(&self) -> Option<Verdict> {
        let stop = self.screen_state(State::Stopped).filter(|_| self.no_turn_yet)?;
        let evidence = Evidence::new(Via::SessionLog, RULE_NO_TURN_YET)
            .with_text("nothing was written since the process began");
        let mut verdict = Verdict::new(State::Idle, None, evidence);
        verdict.evidence.push(stop.evidence.clone());
        Some(verdict)
    }

    fn screen_state(&self, state: State) -> Option<&ScreenClaim> {
        self.screen.as_ref().filter(|c| c.says == Says::State(state))
    }

    fn by_registry(&self, registry: &Registry, seen: &Observation) -> Option<Verdict> {
        let entry = |rule: &str, text: Option<&str>| {
            let evidence = Evidence::new(Via::Registry, format!("registry.{rule}"));
            text.map_or(evidence.clone(), |t| evidence.with_text(t))
        };
        let waiting_for = registry.waiting_for.as_deref();
        match registry.status.as_deref()? {
            // A view that the person opened (/model, /config, /help) counts as a dialog there.
            "waiting" if waiting_for == Some("dialog open") => {
                Some(Self::hold(seen, entry("overlay", waiting_for)))
            }
            "waiting" => {
                let reason = match waiting_for {
                    Some("input needed") => "question",
                    _ => "approval",
                };
                Some(Verdict::new(State::Waiting, Some(reason), entry("waiting", waiting_for)))
            }
            "busy" => {
                let mut verdict = Verdict::new(State::Working, None, entry("busy", None));
                verdict.reason = self.screen_state(State::Working).and_then(|c| c.reason.clone());
                Some(verdict)
            }
            // A resumed session shows, and its log ends with, what an earlier process did.
            "idle" if registry.is_first_status() => {
                Some(Verdict::new(State::Idle, None, entry("first-status", None)))
            }
            "idle" | "shell" => Some(self.at_rest(entry("idle", None))),
            _ => None,
        }
    }

    /// No turn runs, by this evidence: how the last one ended, else nothing is new.
    fn at_rest(&self, evidence: Evidence) -> Verdict {
        if let Some(verdict) = self.turn_over() {
            return verdict;
        }
        let ended = self.hook_that_holds().filter(|hook| {
            matches!(hook.state(), Some(State::Completed | State::Failed)) && !self.is_interrupted()
        });
        if let Some((hook, state)) = ended.and_then(|hook| Some((hook, hook.state()?))) {
            return hook.verdict(state);
        }
        let Some(stop) = self.screen_state(State::Stopped) else {
            return Verdict::new(State::Idle, None, evidence);
        };
        if let Some(mut verdict) = self.earlier_end() {
            verdict.evidence.push(evidence);
            return verdict;
        }
        let mut verdict = stop.verdict(State::Stopped);
        verdict.evidence.push(evidence);
        verdict
    }

    /// How the last turn ended, by the log; unless the screen shows that the person interrupted
    /// a later one.
    fn turn_over(&self) -> Option<Verdict> {
        let log = self.log.as_ref()?;
        match log.state()? {
            State::Completed | State::Failed | State::Idle if self.is_interrupted() => None,
            state @ (State::Completed | State::Failed | State::Stopped | State::Idle) => {
                Some(log.verdict(state))
            }
            _ => None,
        }
    }

    /// The newest report of the agent's hooks, where nothing contradicts it. No hook tells of an
    /// Esc, so that a report holds only until the log says something later, or the screen shows
    /// something else.
    fn by_hook(&self) -> Option<Verdict> {
        let hook = self.hook_that_holds()?;
        let screen = self.screen.as_ref().map(|claim| &claim.says);
        let is = |state| screen == Some(&Says::State(state));
        let shows_a_state = matches!(screen, Some(Says::State(_)));
        match hook.says {
            // An answered dialog is gone: so is the input box, or a turn runs.
            LogSays::State(State::Waiting) if shows_a_state => None,
            LogSays::State(State::Working) if shows_a_state && !is(State::Working) => None,
            LogSays::State(State::Completed | State::Failed | State::Stopped)
                if is(State::Working) || self.is_interrupted() =>
            {
                None
            }
            LogSays::State(State::Idle) | LogSays::Ended | LogSays::Closed | LogSays::Unclear => {
                None
            }
            LogSays::State(state) => Some(hook.verdict(state)),
        }
    }

    /// The report, unless the log has a later word.
    fn hook_that_holds(&self) -> Option<&LogVerdict> {
        let logged = self.log.as_ref().and_then(|log| log.time);
        self.hook
            .as_ref()
            .filter(|hook| logged.zip(hook.time).is_none_or(|(log, hook)| log <= hook))
    }

    fn is_interrupted(&self) -> bool {
        self.screen_state(State::Stopped)
            .is_some_and(|c| matches!(c.reason.as_deref(), Some("interrupted" | "rejected")))
    }

    fn by_log(&self) -> Option<Verdict> {
        let log = self.log.as_ref()?;
        let working = self.screen_state(State::Working);
        let stopped = self.screen_state(State::Stopped);
        match log.says {
            LogSays::State(State::Waiting) => Some(log.verdict(State::Waiting)),
            LogSays::State(State::Working) => {
                // An end that the screen shows is later than a log that was left open.
                let end = stopped.map(|c| c.verdict(State::Stopped));
                Some(end.unwrap_or_else(|| log.verdict(State::Working)))
            }
            LogSays::State(_) => match working {
                Some(live) => Some(live.verdict(State::Working)),
                None => self.turn_over(),
            },
            LogSays::Ended | LogSays::Closed | LogSays::Unclear => match (working, stopped) {
                (Some(live), _) => Some(live.verdict(State::Working)),
                (None, Some(end)) => Some(end.verdict(State::Stopped)),
                (None, None) => {
                    let mut verdict = log.verdict(State::Stopped);
                    // The log says that it ended; that it is `stopped` is our reading.
                    verdict.reason = Some("ended".to_owned());
                    Some(verdict)
                }
            },
        }
    }

    /// A report never says how a turn ended as surely as the agent's record does.
    fn by_program_status(&self, status: &ProgramStatus) -> Option<Verdict> {
        let mut evidence =
            Evidence::new(Via::ProgramStatus, format!("program-status.{}", status.state));
        if let Some(message) = &status.message {
            evidence = evidence.with_text(message);
        }
        let (state, reason) = match (status.state.as_str(), status.kind.as_deref()) {
            ("working", _) => (State::Working, None),
            ("blocked", Some("question")) => (State::Waiting, Some("question")),
            ("blocked", Some("auth")) => (State::Waiting, Some("login")),
            ("blocked", _) => (State::Waiting, Some("approval")),
            ("idle", _) => return Some(self.at_rest(evidence)),
            ("done", _) => (State::Stopped, None),
            ("error", _) => (State::Stopped, Some("api-error")),
            _ => return None,
        };
        if matches!(status.state.as_str(), "done" | "error")
            && let Some(mut verdict) = self.turn_over()
        {
            verdict.evidence.push(evidence);
            return Some(verdict);
        }
        Some(Verdict::new(state, reason, evidence))
    }

    fn by_screen(&self, seen: &Observation, who: &Evidence) -> Verdict {
        match &self.screen {
            Some(claim) => match claim.says {
                Says::State(state) => claim.verdict(state),
                Says::Hold | Says::Identified => Self::hold(seen, claim.evidence.clone()),
            },
            None => Verdict {
                state: State::Unknown,
                reason: Some("no-evidence".to_owned()),
                evidence: vec![who.clone()],
                held: false,
            },
        }
    }

    /// A view covers the live region: the former state holds, and without one nothing is new.
    fn hold(seen: &Observation, evidence: Evidence) -> Verdict {
        let former = seen.previous.as_ref().and_then(|p| p.state);
        let state = former.filter(|s| !matches!(s, State::Exited | State::Unknown));
        let mut verdict = Verdict::new(state.unwrap_or(State::Idle), None, evidence);
        verdict.held = true;
        verdict
    }
}

impl ScreenClaim {
    fn verdict(&self, state: State) -> Verdict {
        Verdict::new(state, self.reason.as_deref(), self.evidence.clone())
    }
}

impl LogVerdict {
    fn verdict(&self, state: State) -> Verdict {
        Verdict::new(state, self.reason.as_deref(), self.evidence.clone())
    }
}

#[cfg(test)]
mod tests;
