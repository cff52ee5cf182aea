//! Guarded delivery of text to an agent: only into a pane whose agent is ready for a prompt, with
//! proof that a turn started.

use crate::command::Send;
use crate::effect::Effect;
use crate::pane;
use madohub_detect::delivery::{Gate, gate, harmless};
use madohub_detect::{State, Tracked};

/// Seconds between the text and the key that sends it: an agent reads a paste in its own time.
const BEFORE_ENTER: f64 = 0.25;
/// Seconds in which the turn has to start.
const PROOF: f64 = 10.0;
/// Seconds to wait for an idle agent where the user names none.
const PATIENCE: f64 = 1800.0;

/// Where a delivery stands.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Phase {
    Waiting,
    Typed { at: f64, turn: u64 },
    Entered { at: f64, turn: u64 },
}

/// One delivery.
#[derive(Debug)]
pub(crate) struct Delivery {
    /// The pipe that waits for the answer.
    pub(crate) pipe: Option<String>,
    /// What goes where.
    pub(crate) send: Send,
    phase: Phase,
    until: f64,
}

/// How a step went.
#[derive(Debug, PartialEq)]
pub(crate) enum Progress {
    /// Not finished; what to do now.
    Goes(Vec<Effect>),
    /// Finished, with the answer for the user.
    Ends(String),
}

impl Delivery {
    pub(crate) fn new(pipe: Option<String>, send: Send, now: f64) -> Self {
        let until = now + send.timeout.unwrap_or(PATIENCE);
        Self { pipe, send, phase: Phase::Waiting, until }
    }

    /// Does what can be done now. `tracked` is the pane's state, none when there is no such pane.
    pub(crate) fn step(&mut self, tracked: Option<&Tracked>, now: f64) -> Progress {
        let target = pane::name(self.send.pane);
        let Some(tracked) = tracked else {
            return Progress::Ends(format!("refused: no agent is known in {target}\n"));
        };
        let state = tracked.detection.state;
        match self.phase {
            Phase::Waiting => match gate(tracked, false) {
                Gate::Open => {
                    self.phase = Phase::Typed { at: now, turn: tracked.turn };
                    Progress::Goes(vec![Effect::Type(self.send.pane, paste(&self.send.text))])
                }
                Gate::Later(_) if self.send.wait && now < self.until => Progress::Goes(Vec::new()),
                Gate::Later(_) if self.send.wait => {
                    Progress::Ends(format!("expired: {target} was not idle in time\n"))
                }
                Gate::Later(why) => {
                    Progress::Ends(format!("refused: {target} {why}; `--when idle` waits for it\n"))
                }
                Gate::Shut(why) => Progress::Ends(format!("refused: {target} {why}\n")),
            },
            Phase::Typed { at, .. } if now - at < BEFORE_ENTER => Progress::Goes(Vec::new()),
            Phase::Typed { turn, .. } => {
                if state == State::Waiting {
                    // A dialog opened meanwhile: the key would answer it.
                    return Progress::Ends(format!(
                        "stopped: {target} asks something now; the text is in its input box\n"
                    ));
                }
                self.phase = Phase::Entered { at: now, turn };
                Progress::Goes(vec![Effect::Type(self.send.pane, b"\r".to_vec())])
            }
            Phase::Entered { turn, .. }
                if tracked.turn > turn || matches!(state, State::Working | State::Waiting) =>
            {
                Progress::Ends(format!("delivered to {target}\n"))
            }
            Phase::Entered { at, .. } if now - at < PROOF => Progress::Goes(Vec::new()),
            Phase::Entered { .. } => Progress::Ends(format!(
                "unproved: the text went to {target}, but no turn was seen to start\n"
            )),
        }
    }

    /// When to step again without an event.
    pub(crate) fn deadline(&self) -> f64 {
        match self.phase {
            Phase::Waiting => self.until,
            Phase::Typed { at, .. } => at + BEFORE_ENTER,
            Phase::Entered { at, .. } => at + PROOF,
        }
    }
}

/// The text as a bracketed paste: nothing in it is taken for a key.
fn paste(text: &str) -> Vec<u8> {
    format!("\u{1b}[200~{}\u{1b}[201~", harmless(text)).into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use madohub_detect::{AgentId, Detection, StateSource};

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

    fn delivery(text: &str, wait: bool) -> Delivery {
        let send = Send { pane: 3, text: text.to_owned(), wait, timeout: None };
        Delivery::new(None, send, 0.0)
    }

    #[test]
    fn types_then_enters_then_waits_for_the_turn() {
        let mut d = delivery("a\u{1b}[201~\rb\nc", false);
        let idle = tracked("claude", State::Idle, 4);
        let typed = b"\x1b[200~a[201~\nb\nc\x1b[201~".to_vec();
        assert_eq!(d.step(Some(&idle), 1.0), Progress::Goes(vec![Effect::Type(3, typed)]));
        assert_eq!(d.step(Some(&idle), 1.1), Progress::Goes(vec![]));
        let enter = Effect::Type(3, b"\r".to_vec());
        assert_eq!(d.step(Some(&idle), 1.3), Progress::Goes(vec![enter]));
        assert_eq!(d.step(Some(&idle), 1.4), Progress::Goes(vec![]));
        let working = tracked("claude", State::Working, 5);
        assert!(
            matches!(d.step(Some(&working), 2.0), Progress::Ends(t) if t.starts_with("delivered"))
        );
    }

    #[test]
    fn refuses_where_text_would_do_harm() {
        let shut = [
            ("shell", State::Idle),
            ("claude", State::Waiting),
            ("claude", State::Exited),
            ("claude", State::Unknown),
            ("claude", State::Working),
        ];
        for (agent, state) in shut {
            let step = delivery("x", false).step(Some(&tracked(agent, state, 1)), 1.0);
            assert!(
                matches!(step, Progress::Ends(t) if t.starts_with("refused")),
                "{agent} {state}"
            );
        }
        assert!(matches!(delivery("x", false).step(None, 1.0), Progress::Ends(_)));
    }

    #[test]
    fn waits_for_an_idle_agent_but_not_for_ever() {
        let mut d = delivery("x", true);
        let working = tracked("claude", State::Working, 1);
        assert_eq!(d.step(Some(&working), 1.0), Progress::Goes(vec![]));
        assert!(
            matches!(d.step(Some(&working), 1800.0), Progress::Ends(t) if t.starts_with("expired"))
        );
    }

    #[test]
    fn a_dialog_that_opens_meanwhile_is_not_answered() {
        let mut d = delivery("x", false);
        d.step(Some(&tracked("claude", State::Idle, 1)), 1.0);
        let step = d.step(Some(&tracked("claude", State::Waiting, 1)), 2.0);
        assert!(matches!(step, Progress::Ends(t) if t.starts_with("stopped")));
    }

    #[test]
    fn no_turn_is_said() {
        let mut d = delivery("x", false);
        let idle = tracked("claude", State::Idle, 1);
        d.step(Some(&idle), 1.0);
        d.step(Some(&idle), 2.0);
        assert!(
            matches!(d.step(Some(&idle), 12.5), Progress::Ends(t) if t.starts_with("unproved"))
        );
    }
}
