//! One test per row of the table in the module's documentation.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::unnecessary_wraps)]

use super::*;
use crate::detection::StateSource;

fn screen(state: State, reason: Option<&str>) -> Option<ScreenClaim> {
    Some(ScreenClaim {
        says: Says::State(state),
        reason: reason.map(str::to_owned),
        evidence: Evidence::new(Via::Screen, format!("screen.{state}")),
    })
}

fn log(says: LogSays) -> Option<LogVerdict> {
    Some(LogVerdict {
        says,
        reason: None,
        evidence: Evidence::new(Via::SessionLog, "log"),
        time: None,
    })
}

fn registry(status: &str, waiting_for: Option<&str>) -> Registry {
    Registry {
        status: Some(status.to_owned()),
        waiting_for: waiting_for.map(str::to_owned),
        ..Registry::default()
    }
}

fn decide(claims: &Claims<'_>) -> (State, StateSource, Option<String>) {
    decide_for(&Observation::default(), Life::Interactive, claims)
}

fn decide_for(
    seen: &Observation,
    life: Life,
    claims: &Claims<'_>,
) -> (State, StateSource, Option<String>) {
    let who = Evidence::new(Via::Process, "who");
    let verdict = arbitrate(seen, life, &who, claims);
    (verdict.state, verdict.evidence[0].via.state_source(), verdict.reason)
}

const PTY: StateSource = StateSource::PtyScrape;
const LOG: StateSource = StateSource::JsonlWatcher;

#[test]
fn row_1_death_outranks_everything() {
    let busy = registry("busy", None);
    let claims =
        Claims { screen: screen(State::Waiting, None), registry: Some(&busy), ..Claims::default() };
    let dead = Observation { dead: true, exit_status: Some(3), ..Observation::default() };
    assert_eq!(
        decide_for(&dead, Life::Interactive, &claims),
        (State::Exited, PTY, Some("exited".into()))
    );
    let killed = Observation { dead: true, ..Observation::default() };
    assert_eq!(decide_for(&killed, Life::Unseen, &claims).2.as_deref(), Some("killed"));
}

#[test]
fn row_2_a_suspended_agent_is_stopped_whatever_it_wrote_before() {
    let busy = registry("busy", None);
    let claims = Claims { registry: Some(&busy), ..Claims::default() };
    assert_eq!(
        decide_for(&Observation::default(), Life::Suspended, &claims),
        (State::Stopped, PTY, Some("suspended".into()))
    );
}

#[test]
fn row_3_an_open_dialog_outranks_a_registry_that_says_busy() {
    let busy = registry("busy", None);
    let claims = Claims {
        screen: screen(State::Waiting, Some("plan")),
        registry: Some(&busy),
        log: log(LogSays::State(State::Working)),
        ..Claims::default()
    };
    assert_eq!(decide(&claims), (State::Waiting, PTY, Some("plan".into())));
}

#[test]
fn row_4_the_registry_waits_but_not_for_a_view_that_the_person_opened() {
    let asks = registry("waiting", Some("permission prompt"));
    let claims =
        Claims { screen: screen(State::Working, None), registry: Some(&asks), ..Claims::default() };
    assert_eq!(decide(&claims), (State::Waiting, LOG, Some("approval".into())));
    let overlay = registry("waiting", Some("dialog open"));
    let claims = Claims { registry: Some(&overlay), ..Claims::default() };
    assert_eq!(decide(&claims).0, State::Idle);
    let before = Observation {
        previous: Some(crate::Previous { agent: None, state: Some(State::Completed) }),
        ..Observation::default()
    };
    assert_eq!(decide_for(&before, Life::Interactive, &claims).0, State::Completed);
}

#[test]
fn rows_5_and_6_the_registry_says_busy_or_how_the_turn_ended() {
    let busy = registry("busy", None);
    let claims =
        Claims { screen: screen(State::Idle, None), registry: Some(&busy), ..Claims::default() };
    assert_eq!(decide(&claims), (State::Working, LOG, None));
    let idle = registry("idle", None);
    for (says, state) in [
        (LogSays::State(State::Completed), State::Completed),
        (LogSays::State(State::Failed), State::Failed),
        // An open turn in the log of a session that says idle was interrupted.
        (LogSays::State(State::Working), State::Idle),
    ] {
        let claims = Claims { registry: Some(&idle), log: log(says), ..Claims::default() };
        assert_eq!(decide(&claims).0, state);
    }
    let later = Claims {
        screen: screen(State::Stopped, Some("interrupted")),
        registry: Some(&idle),
        log: log(LogSays::State(State::Completed)),
        ..Claims::default()
    };
    assert_eq!(decide(&later), (State::Stopped, PTY, Some("interrupted".into())));
}

/// `claude --continue` in 2.1.332: its screen and its log show the end of a turn of a process that
/// is gone.
#[test]
fn row_6_a_resumed_session_is_idle_until_a_turn_has_run_in_it() {
    let resumed = |after: f64| Registry {
        started_at: Some(1_796_046_495_874.0),
        status_updated_at: Some(1_796_046_495_874.0 + after),
        ..registry("idle", None)
    };
    for (after, state) in [(67.0, State::Idle), (12_500.0, State::Completed)] {
        let idle = resumed(after);
        let claims = Claims {
            screen: screen(State::Stopped, None),
            registry: Some(&idle),
            log: log(LogSays::State(State::Completed)),
            ..Claims::default()
        };
        assert_eq!(decide(&claims).0, state, "{after} ms");
    }
}

#[test]
fn row_7_program_status_never_says_completed_or_failed() {
    for (report, state) in [
        ("working", State::Working),
        ("blocked", State::Waiting),
        ("done", State::Stopped),
        ("error", State::Stopped),
        ("idle", State::Idle),
    ] {
        let status = ProgramStatus { state: report.into(), ..ProgramStatus::default() };
        let claims = Claims {
            screen: screen(State::Idle, None),
            program_status: Some(&status),
            ..Claims::default()
        };
        assert_eq!((decide(&claims).0, decide(&claims).1), (state, PTY), "{report}");
    }
    // After an Esc, Codex 0.171 reports `idle` and no end.
    let status = ProgramStatus { state: "idle".into(), ..ProgramStatus::default() };
    let claims = Claims {
        screen: screen(State::Stopped, Some("interrupted")),
        program_status: Some(&status),
        ..Claims::default()
    };
    assert_eq!(decide(&claims), (State::Stopped, PTY, Some("interrupted".into())));
    let status = ProgramStatus { state: "done".into(), ..ProgramStatus::default() };
    for (says, state) in [
        (LogSays::State(State::Completed), State::Completed),
        (LogSays::State(State::Failed), State::Failed),
        (LogSays::State(State::Working), State::Stopped),
    ] {
        let claims = Claims { program_status: Some(&status), log: log(says), ..Claims::default() };
        assert_eq!(decide(&claims).0, state, "done, and the log says {says:?}");
    }
    let clear = ProgramStatus { state: "clear".into(), ..ProgramStatus::default() };
    let claims = Claims { program_status: Some(&clear), ..Claims::default() };
    assert_eq!(decide(&claims).0, State::Unknown);
}

fn hook(says: LogSays, time: Option<f64>) -> Option<LogVerdict> {
    Some(LogVerdict { says, reason: None, evidence: Evidence::new(Via::Hook, "hook"), time })
}

#[test]
fn row_8_a_hook_holds_until_something_contradicts_it() {
    use State::{Completed, Failed, Idle, Stopped, Waiting, Working};
    for (report, seen, state) in [
        // Nothing else is known, or what is known agrees.
        (Waiting, None, Waiting),
        (Working, None, Working),
        (Working, Some((Working, None)), Working),
        (Completed, None, Completed),
        (Completed, Some((Idle, None)), Completed),
        (Completed, Some((Stopped, None)), Completed),
        (Failed, Some((Stopped, Some("api-error"))), Failed),
        // An Esc and an answer call no hook; the screen shows them.
        (Waiting, Some((Idle, None)), Idle),
        (Waiting, Some((Working, None)), Working),
        (Waiting, Some((Stopped, Some("rejected"))), Stopped),
        (Working, Some((Stopped, Some("interrupted"))), Stopped),
        (Working, Some((Idle, None)), Idle),
        (Completed, Some((Stopped, Some("interrupted"))), Stopped),
        // A turn that runs, and a dialog.
        (Completed, Some((Working, None)), Working),
        (Completed, Some((Waiting, None)), Waiting),
        (Idle, Some((Working, None)), Working),
    ] {
        let claims = Claims {
            screen: seen.and_then(|(state, reason)| screen(state, reason)),
            hook: hook(LogSays::State(report), None),
            ..Claims::default()
        };
        assert_eq!(decide(&claims).0, state, "{report} and {seen:?}");
    }
    let told = Claims { hook: hook(LogSays::State(Completed), None), ..Claims::default() };
    assert_eq!(decide(&told), (Completed, LOG, None));
}

#[test]
fn row_8_the_log_has_the_later_word() {
    let (early, late) = (100.0, 105.0);
    for (logged, reported, state) in [
        (Some(late), Some(early), State::Stopped),
        (Some(early), Some(late), State::Working),
        (None, Some(early), State::Working),
    ] {
        let mut log = log(LogSays::State(State::Stopped));
        log.as_mut().unwrap().time = logged;
        let hook = hook(LogSays::State(State::Working), reported);
        let claims = Claims { log, hook, ..Claims::default() };
        assert_eq!(decide(&claims).0, state, "{logged:?} {reported:?}");
    }
    // A registry that says idle does not say how the turn ended; a hook does.
    let idle = registry("idle", None);
    let done = hook(LogSays::State(State::Completed), None);
    let claims = Claims { registry: Some(&idle), hook: done, ..Claims::default() };
    assert_eq!(decide(&claims).0, State::Completed);
}

#[test]
fn rows_9_to_11_the_log_against_the_screen() {
    let table = [
        (LogSays::State(State::Waiting), State::Idle, State::Waiting, LOG),
        (LogSays::State(State::Completed), State::Working, State::Working, PTY),
        (LogSays::State(State::Working), State::Stopped, State::Stopped, PTY),
        (LogSays::State(State::Working), State::Idle, State::Working, LOG),
        (LogSays::State(State::Completed), State::Idle, State::Completed, LOG),
        (LogSays::State(State::Failed), State::Stopped, State::Failed, LOG),
        (LogSays::Ended, State::Stopped, State::Stopped, PTY),
        (LogSays::Ended, State::Working, State::Working, PTY),
    ];
    for (says, shown, state, source) in table {
        let claims = Claims { screen: screen(shown, None), log: log(says), ..Claims::default() };
        let (got, via, _) = decide(&claims);
        assert_eq!((got, via), (state, source), "{says:?} against {shown}");
    }
}

#[test]
fn row_12_a_run_without_an_interface_works_until_it_ends() {
    let seen = Observation::default();
    assert_eq!(decide_for(&seen, Life::Headless, &Claims::default()), (State::Working, PTY, None));
}

#[test]
fn row_13_an_end_that_is_older_than_the_process_is_none() {
    let idle = registry("idle", None);
    for reason in [None, Some("interrupted"), Some("api-error")] {
        for registry in [None, Some(&idle)] {
            let shown =
                || Claims { screen: screen(State::Stopped, reason), registry, ..Claims::default() };
            assert_eq!(decide(&shown()).0, State::Stopped);
            let resumed = Claims { no_turn_yet: true, ..shown() };
            assert_eq!(decide(&resumed), (State::Idle, LOG, None));
        }
    }
    for live in [State::Working, State::Waiting] {
        let claims = Claims { screen: screen(live, None), no_turn_yet: true, ..Claims::default() };
        assert_eq!(decide(&claims), (live, PTY, None));
    }
}

#[test]
fn rows_14_to_16_the_screen_a_view_or_nothing() {
    let claims = Claims { screen: screen(State::Idle, None), ..Claims::default() };
    assert_eq!(decide(&claims), (State::Idle, PTY, None));
    let view = ScreenClaim { says: Says::Hold, ..screen(State::Idle, None).unwrap() };
    let claims = Claims { screen: Some(view), ..Claims::default() };
    assert_eq!(decide(&claims), (State::Idle, PTY, None));
    assert_eq!(decide(&Claims::default()), (State::Unknown, PTY, Some("no-evidence".into())));
}

#[test]
fn the_losers_are_told_too() {
    let busy = registry("busy", None);
    let claims = Claims {
        screen: screen(State::Idle, None),
        registry: Some(&busy),
        log: log(LogSays::State(State::Completed)),
        ..Claims::default()
    };
    let who = Evidence::new(Via::Process, "who");
    let verdict = arbitrate(&Observation::default(), Life::Interactive, &who, &claims);
    let ways: Vec<Via> = verdict.evidence.iter().map(|e| e.via).collect();
    assert_eq!(ways, [Via::Registry, Via::Screen, Via::SessionLog]);
}
