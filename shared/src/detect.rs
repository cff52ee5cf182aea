//! From one observation to one detection.

use crate::arbitrate::{Claims, ScreenClaim, Verdict, arbitrate, exited};
use crate::detection::{AgentId, Detection, Evidence, State};
use crate::identify::{Life, Occupant, identify};
use crate::observation::{Observation, ProgramStatus, Registry};
use crate::rules::{Agent, Region, RuleSet, Says};
use crate::scan::{Scan, Sight, Tried};
use crate::screen::{Screen, clean_line};
use crate::session_log;

/// The engine's verdict on one observation. Total: never fails, never panics.
pub fn detect(rules: &RuleSet, seen: &Observation) -> Detection {
    let sight = Sight::of(seen);
    run(rules, seen, &sight, &mut Tried::default()).0
}

/// The one path of `detect` and `explain`; the scan is what the screen rules saw.
pub(crate) fn run<'a>(
    rules: &'a RuleSet,
    seen: &'a Observation,
    sight: &'a Sight,
    tried: &mut Tried,
) -> (Detection, Option<Scan<'a>>) {
    let (occupant, scan) = identify(rules, seen, sight, tried);
    match occupant {
        Occupant::Agent { agent, life, evidence } => {
            let scan = scan.unwrap_or_else(|| Scan::new(agent, sight));
            let claims = Claims {
                screen: screen_claim(agent, &scan, tried),
                registry: seen.registry.as_ref().filter(|entry| is_of_this_pane(entry, seen)),
                log: seen
                    .log
                    .as_ref()
                    .and_then(|log| session_log::read(agent, log, seen.now, tried)),
                no_turn_yet: seen.log.as_ref().is_some_and(|log| log.no_turn_yet),
                program_status: seen
                    .program_status
                    .as_ref()
                    .filter(|status| life != Life::Unseen && is_of_foreground(status, seen)),
                hook: seen
                    .hook
                    .as_ref()
                    .filter(|_| life != Life::Unseen)
                    .and_then(|hook| session_log::read_hook(agent, hook, tried)),
            };
            let life = without_interface(rules, seen, sight, life, &claims);
            let mut verdict = arbitrate(seen, life, &evidence, &claims);
            if !verdict.evidence.contains(&evidence) {
                verdict.evidence.push(evidence);
            }
            let mut detection = detection(seen, agent, verdict);
            // The screen counts the same work, and shells too.
            let logged = seen.log.as_ref().map_or(0, |log| log.background);
            detection.background = scan.background().max(logged);
            detection.agent_version =
                claims.registry.and_then(|entry| entry.version.clone()).or_else(|| scan.version());
            (detection, Some(scan))
        }
        Occupant::Other { evidence } if seen.dead => (gone(rules, seen, evidence), None),
        Occupant::Unknown if seen.dead => {
            let evidence = Evidence::new(crate::Via::Process, "pane.dead");
            (gone(rules, seen, evidence), None)
        }
        Occupant::Other { ref evidence } => {
            let verdict = Verdict::new(State::Idle, None, evidence.clone());
            (plain(seen, occupant.id(), verdict), None)
        }
        Occupant::Unknown => {
            let verdict = Verdict {
                state: State::Unknown,
                reason: Some("no-evidence".to_owned()),
                evidence: Vec::new(),
                held: false,
            };
            (plain(seen, occupant.id(), verdict), None)
        }
    }
}

impl Sight {
    pub(crate) fn of(seen: &Observation) -> Self {
        Self {
            screen: seen.screen.as_deref().map(|s| Screen::new(s, seen.cols)).unwrap_or_default(),
            title: seen.title.as_deref().map(clean_line).unwrap_or_default(),
            ..Self::default()
        }
    }
}

fn screen_claim<'a>(agent: &'a Agent, scan: &Scan<'a>, tried: &mut Tried) -> Option<ScreenClaim> {
    let mut mark = scan.first(&agent.rules, tried)?;
    // A view that the person opened covers the screen, and not the title.
    if mark.rule.says == Says::Hold {
        let later = agent.rules.iter().skip_while(|rule| rule.id != mark.rule.id);
        let titles = later.filter(|rule| rule.region == Region::Title);
        mark = scan.first(titles, tried).unwrap_or(mark);
    }
    Some(ScreenClaim {
        says: mark.rule.says,
        reason: mark.rule.reason.clone(),
        evidence: scan.evidence(&mark),
    })
}

/// An agent that lives while the last thing on the screen is the command line which started it
/// has no interface: it starts up, or runs without one.
fn without_interface(
    rules: &RuleSet,
    seen: &Observation,
    sight: &Sight,
    life: Life,
    claims: &Claims<'_>,
) -> Life {
    let cursor = seen.cursor.and_then(|c| sight.screen.index_of(c.y));
    let bare = life == Life::Interactive
        && claims.screen.is_none()
        && rules.shell_prompt_at_end(&sight.screen, cursor);
    if bare { Life::Headless } else { life }
}

/// Whether an entry belongs to a process of this pane: the same pid, started at the same time.
/// The host ties entries to panes; this catches an entry that outlived its process.
fn is_of_this_pane(entry: &Registry, seen: &Observation) -> bool {
    let (Some(processes), Some(pid)) = (&seen.processes, entry.pid) else { return true };
    processes.iter().any(|process| {
        let start = process.start_time.map(|t| t.to_string());
        let same = start.is_none() || entry.proc_start.is_none() || start == entry.proc_start;
        process.pid == pid && same
    })
}

/// Whether a report was written by what runs in the foreground: anything that ran before in the
/// same terminal may have left one.
fn is_of_foreground(status: &ProgramStatus, seen: &Observation) -> bool {
    let (Some(processes), Some(pgid)) = (&seen.processes, status.pgid) else { return true };
    processes.iter().any(|p| p.pgid == Some(pgid) && p.foreground != Some(false))
}

fn detection(seen: &Observation, agent: &Agent, verdict: Verdict) -> Detection {
    let mut detection = plain(seen, AgentId::new(&agent.id), verdict);
    detection.agent_name = Some(agent.name.clone());
    detection
}

/// The pane's process is dead: the agent that was in it exited.
fn gone(rules: &RuleSet, seen: &Observation, evidence: Evidence) -> Detection {
    let mut verdict = exited(seen);
    if !verdict.evidence.iter().any(|e| e.rule == evidence.rule) {
        verdict.evidence.push(evidence);
    }
    let former = seen.previous.as_ref().and_then(|p| p.agent.as_deref());
    match former.or(seen.agent_hint.as_deref()).and_then(|id| rules.agent(id)) {
        Some(agent) => detection(seen, agent, verdict),
        None => plain(seen, AgentId::shell(), verdict),
    }
}

fn plain(seen: &Observation, agent: AgentId, verdict: Verdict) -> Detection {
    use crate::detection::StateSource;
    let via = verdict.evidence.first().map(|e| e.via);
    Detection {
        id: seen.id.clone(),
        agent,
        agent_name: None,
        agent_version: None,
        state: verdict.state,
        state_source: match verdict.state {
            // Also when a view only holds what the agent's record said before.
            State::Completed | State::Failed => StateSource::JsonlWatcher,
            _ => via.map_or(StateSource::PtyScrape, crate::Via::state_source),
        },
        reason: verdict.reason,
        background: 0,
        evidence: verdict.evidence,
        held: verdict.held,
    }
}
