#![allow(clippy::unwrap_used, clippy::panic)]

use super::*;
use crate::detection::{AgentId, Detection, Evidence, StateSource, Via};
use crate::identify::{RULE_SHELL_COMMAND, RULE_SHELL_PROMPT};

fn tracked(agent: &str, state: State, turn: u64) -> Tracked {
    let detection = Detection {
        id: String::new(),
        agent: AgentId::new(agent),
        agent_name: None,
        agent_version: None,
        state,
        state_source: StateSource::PtyScrape,
        reason: None,
        background: 0,
        evidence: Vec::new(),
        held: false,
    };
    Tracked { detection, since: 0.0, turn, acknowledged: false }
}

fn shell(rule: &str) -> Tracked {
    let mut tracked = tracked("shell", State::Idle, 0);
    tracked.detection.evidence = vec![Evidence::new(Via::Process, rule)];
    tracked
}

const READY: Sight = Sight {
    same_occupant: true,
    shows: State::Idle,
    composer: Some(Composer::Empty),
    hands_off: None,
};
const FILLED: Sight = Sight { composer: Some(Composer::Holds), ..READY };

fn delivery(wait: bool) -> Delivery {
    Delivery::new(Terms { wait, until: 1800.0, shell: false, tries: 3 })
}

/// The name of an act, and the reason in it.
fn name(act: &Act) -> String {
    match act {
        Act::Wait => "wait".to_owned(),
        Act::Paste => "paste".to_owned(),
        Act::Enter => "enter".to_owned(),
        Act::End(outcome) => format!("{outcome:?}"),
    }
}

/// Second, state and turn that are known, what is seen, and what is done.
type Frame<'a> = (f64, State, u64, Sight, &'a str);

fn play(delivery: &mut Delivery, frames: &[Frame<'_>]) {
    for (second, state, turn, sight, expected) in frames {
        let tracked = tracked("claude", *state, *turn);
        let act = delivery.step(Some(&tracked), Some(sight), *second);
        assert_eq!(name(&act), *expected, "second {second}");
    }
}

#[test]
fn text_then_key_then_proof() {
    play(
        &mut delivery(false),
        &[
            (1.0, State::Idle, 4, READY, "paste"),
            (1.1, State::Idle, 4, FILLED, "wait"),
            (1.4, State::Idle, 4, FILLED, "enter"),
            (1.5, State::Idle, 4, READY, "wait"),
            // The screen is ahead of what is known; the turn has no number yet.
            (1.7, State::Idle, 4, Sight { shows: State::Working, ..READY }, "wait"),
            (2.0, State::Working, 5, READY, "Delivered"),
        ],
    );
}

#[test]
fn a_turn_that_asks_at_once_has_started() {
    let asks = Sight { shows: State::Waiting, composer: Some(Composer::Missing), ..READY };
    play(
        &mut delivery(false),
        &[
            (1.0, State::Idle, 4, READY, "paste"),
            (1.4, State::Idle, 4, FILLED, "enter"),
            (1.6, State::Idle, 4, asks, "Delivered"),
        ],
    );
}

#[test]
fn who_may_be_delivered_to() {
    let suspended = {
        let mut tracked = tracked("claude", State::Stopped, 1);
        tracked.detection.reason = Some("suspended".to_owned());
        tracked
    };
    for (tracked, to_shell, expected) in [
        (tracked("claude", State::Idle, 1), false, "Open"),
        (tracked("claude", State::Stopped, 1), false, "Open"),
        (tracked("claude", State::Completed, 1), false, "Open"),
        (tracked("claude", State::Failed, 1), false, "Open"),
        (tracked("claude", State::Working, 1), false, "Later"),
        (tracked("claude", State::Unknown, 1), false, "Later"),
        (tracked("claude", State::Waiting, 1), false, "Shut"),
        (tracked("claude", State::Exited, 1), false, "Shut"),
        (suspended, false, "Shut"),
        (tracked("unknown", State::Unknown, 1), false, "Shut"),
        (shell(RULE_SHELL_PROMPT), false, "Shut"),
        (shell(RULE_SHELL_PROMPT), true, "Open"),
        (shell(RULE_SHELL_COMMAND), true, "Later"),
        (tracked("claude", State::Idle, 1), true, "Shut"),
    ] {
        let gate = format!("{:?}", gate(&tracked, to_shell));
        assert!(gate.starts_with(expected), "{tracked:?} {to_shell}: {gate}");
    }
}

#[test]
fn what_the_moment_forbids() {
    for (sight, expected) in [
        (READY, "Open"),
        (FILLED, "Later"),
        (Sight { composer: Some(Composer::Missing), ..READY }, "Later"),
        (Sight { composer: None, ..READY }, "Open"),
        (Sight { hands_off: Some(HandsOff::Typing), ..READY }, "Later"),
        (Sight { hands_off: Some(HandsOff::Mode), ..READY }, "Later"),
        (Sight { same_occupant: false, ..READY }, "Shut"),
        (Sight { shows: State::Working, ..READY }, "Later"),
        (Sight { shows: State::Waiting, ..READY }, "Shut"),
        (Sight { shows: State::Exited, ..READY }, "Shut"),
    ] {
        let gate = format!("{:?}", gate_now(sight, false));
        assert!(gate.starts_with(expected), "{sight:?}: {gate}");
    }
}

#[test]
fn an_agent_that_works_is_waited_for_where_that_is_wanted() {
    play(&mut delivery(false), &[(1.0, State::Working, 1, READY, r#"NotNow("is working")"#)]);
    play(
        &mut delivery(true),
        &[
            (1.0, State::Working, 1, READY, "wait"),
            // It asks something in the middle of its turn; the person answers.
            (3.0, State::Waiting, 1, READY, "wait"),
            (9.0, State::Idle, 1, FILLED, "wait"),
            (10.0, State::Idle, 1, READY, "paste"),
        ],
    );
    play(
        &mut delivery(true),
        &[
            (1.0, State::Working, 1, READY, "wait"),
            (1800.0, State::Working, 1, READY, r#"Expired("is working")"#),
        ],
    );
}

#[test]
fn a_pane_that_cannot_take_it_is_not_looked_at_all_the_time() {
    let mut waiting = delivery(true);
    let idle = tracked("claude", State::Idle, 1);
    assert!(waiting.wants_sight(Some(&idle), 1.0));
    assert_eq!(waiting.step(Some(&idle), Some(&FILLED), 1.0), Act::Wait);
    assert!(!waiting.wants_sight(Some(&idle), 1.5));
    assert!(waiting.wants_sight(Some(&idle), 2.0));
    assert!(!waiting.wants_sight(Some(&tracked("claude", State::Working, 1)), 9.0));
}

#[test]
fn nothing_is_typed_where_text_would_do_harm() {
    for state in [State::Waiting, State::Exited] {
        let act = delivery(true).step(Some(&tracked("claude", state, 1)), Some(&READY), 1.0);
        assert!(name(&act).starts_with("Refused"), "{state}: {act:?}");
    }
    let act = delivery(true).step(Some(&shell(RULE_SHELL_PROMPT)), Some(&READY), 1.0);
    assert!(name(&act).starts_with("Refused"), "{act:?}");
    assert!(name(&delivery(true).step(None, None, 1.0)).starts_with("Refused"));
}

#[test]
fn no_key_is_pressed_when_something_came_between() {
    for sight in [
        Sight { same_occupant: false, ..FILLED },
        Sight { shows: State::Waiting, composer: Some(Composer::Missing), ..READY },
    ] {
        let mut begun = delivery(true);
        play(&mut begun, &[(1.0, State::Idle, 1, READY, "paste")]);
        let act = begun.step(Some(&tracked("claude", State::Idle, 1)), Some(&sight), 2.0);
        assert!(name(&act).starts_with("Stopped"), "{act:?}");
    }
    let mut begun = delivery(true);
    play(&mut begun, &[(1.0, State::Idle, 1, READY, "paste")]);
    assert!(name(&begun.step(None, None, 2.0)).starts_with("Stopped"));
}

#[test]
fn a_text_that_does_not_show_is_tried_three_times() {
    play(
        &mut delivery(true),
        &[
            (1.0, State::Idle, 1, READY, "paste"),
            (3.9, State::Idle, 1, READY, "wait"),
            (4.0, State::Idle, 1, READY, "paste"),
            (7.0, State::Idle, 1, READY, "paste"),
            (10.0, State::Idle, 1, READY, r#"Stopped("did not take the text")"#),
        ],
    );
}

#[test]
fn a_key_that_was_swallowed_is_pressed_again() {
    play(
        &mut delivery(true),
        &[
            (1.0, State::Idle, 1, READY, "paste"),
            (1.5, State::Idle, 1, FILLED, "enter"),
            (3.0, State::Idle, 1, FILLED, "wait"),
            (4.5, State::Idle, 1, FILLED, "enter"),
            (7.5, State::Idle, 1, FILLED, "enter"),
            (11.0, State::Idle, 1, FILLED, "wait"),
            (11.5, State::Idle, 1, FILLED, r#"Stopped("has the text in its input box still")"#),
        ],
    );
}

#[test]
fn a_text_that_is_gone_is_never_typed_twice() {
    play(
        &mut delivery(true),
        &[
            (1.0, State::Idle, 1, READY, "paste"),
            (1.5, State::Idle, 1, FILLED, "enter"),
            (5.0, State::Idle, 1, READY, "wait"),
            (12.0, State::Idle, 1, READY, "Unproved"),
        ],
    );
}

/// Wherever a daemon is killed, the one after it goes on from what was stored before the act.
#[test]
fn a_kill_neither_loses_nor_doubles() {
    let stored = |delivery: &Delivery| -> Delivery {
        serde_json::from_str(&serde_json::to_string(delivery).unwrap()).unwrap()
    };
    let mut first = delivery(true);
    play(&mut first, &[(1.0, State::Idle, 1, READY, "paste")]);
    // Killed before the paste: it is made up for. Killed after it: it is not.
    play(&mut stored(&first), &[(60.0, State::Idle, 1, READY, "paste")]);
    play(&mut stored(&first), &[(60.0, State::Idle, 1, FILLED, "enter")]);
    play(&mut first, &[(2.0, State::Idle, 1, FILLED, "enter")]);
    // Killed before the key, after it, and after the turn was over.
    play(&mut stored(&first), &[(60.0, State::Idle, 1, FILLED, "enter")]);
    play(&mut stored(&first), &[(60.0, State::Working, 2, READY, "Delivered")]);
    play(&mut stored(&first), &[(60.0, State::Idle, 1, READY, "Unproved")]);
}

#[test]
fn a_shell_gets_its_line() {
    let mut line = Delivery::new(Terms { wait: true, until: 1800.0, shell: true, tries: 3 });
    let prompt = shell(RULE_SHELL_PROMPT);
    let sight = Sight { composer: None, ..READY };
    assert_eq!(line.step(Some(&prompt), Some(&sight), 1.0), Act::Paste);
    assert_eq!(line.step(Some(&prompt), Some(&sight), 1.5), Act::Enter);
    assert_eq!(line.step(Some(&prompt), Some(&sight), 1.6), Act::End(Outcome::Delivered));
}

#[test]
fn hostile_text_is_harmless() {
    for (text, expected) in [
        ("a\u{1b}[201~\rrm -rf ~\r\nb", "a[201~\nrm -rf ~\nb"),
        ("#(date) $(date) `date` #{x}", "#(date) $(date) `date` #{x}"),
        ("\u{9b}31m\u{7f}\u{8}\0x", "31mx"),
        ("user\u{202e}txt\u{200b}\u{e0041}", "usertxt"),
        ("tab\tstays", "tab\tstays"),
    ] {
        assert_eq!(harmless(text), expected, "{text:?}");
        assert!(!harmless_value(text).contains(['\n', '\t']));
    }
    assert_eq!(harmless_value("  a\n\n b\t"), "a b");
}

#[test]
fn a_clock_that_was_set_back_holds_nothing_up() {
    let mut delivery = delivery(true);
    play(
        &mut delivery,
        &[
            (1000.0, State::Idle, 3, READY, "paste"),
            (10.0, State::Idle, 3, FILLED, "wait"),
            (11.0, State::Idle, 3, FILLED, "enter"),
            (5.0, State::Idle, 3, FILLED, "wait"),
            (8.5, State::Idle, 3, FILLED, "enter"),
            (9.0, State::Working, 4, FILLED, "Delivered"),
        ],
    );
}
