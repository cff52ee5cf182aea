//! From what was seen of the panes to their states over time.

use crate::config::Tracking;
use crate::output::{ListedPane, PaneRow, clean, first_line};
use crate::scan::{Scanner, Seen};
use crate::tmux::PaneId;
use madohub_detect::{
    Change, Detection, Observation, Previous, Process, RULE_SHELL_COMMAND, RuleSet, State, Tracked,
    Tracker, detect,
};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The states of all panes.
pub struct Verdicts {
    rules: Arc<RuleSet>,
    shell_jobs: bool,
    tracker: Tracker,
    panes: HashMap<PaneId, Known>,
}

struct Known {
    name: String,
    /// Process that the pane began with.
    pid: i64,
    detection: Detection,
    /// In front of a person, as of the last step.
    focused: bool,
}

/// What a round of judging found.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Changes of state, with the time since when the new state holds.
    pub changes: Vec<(Change, f64)>,
    /// What agents said of turns whose ends their panes no longer show.
    pub verdicts: Vec<Change>,
    /// Panes of which anything is new: what was seen, or what it means.
    pub touched: Vec<PaneId>,
    /// The state of any pane is not what it was.
    pub changed: bool,
    /// A state waits to be believed: look again soon.
    pub unsettled: bool,
}

impl Verdicts {
    /// No pane is known yet.
    pub fn new(rules: Arc<RuleSet>, tracking: Tracking) -> Self {
        Self {
            rules,
            shell_jobs: tracking.shell_jobs,
            tracker: Tracker::new(tracking.settings),
            panes: HashMap::new(),
        }
    }

    /// Judges what changed since the last time, and lets time go on for what waits for it.
    /// `stored` answers what an earlier program knew of a pane by its name and process.
    pub fn judge(
        &mut self,
        scanner: &mut Scanner,
        stored: &dyn Fn(&str, i64) -> Option<Tracked>,
        now: f64,
    ) -> Outcome {
        let mut outcome = Outcome::default();
        let focused: HashSet<PaneId> = scanner
            .panes()
            .filter(|seen| scanner.clients().in_front(&seen.pane))
            .map(|seen| seen.pane.id)
            .collect();
        for seen in scanner.panes_mut() {
            let id = seen.pane.id;
            if self.panes.get(&id).is_some_and(|known| known.pid != seen.pane.pid) {
                // Respawned: what ran there ended.
                outcome.changes.extend(self.forget(id, now));
            }
            if !self.panes.contains_key(&id) {
                let name = id.to_string();
                if let Some(tracked) = stored(&name, seen.pane.pid) {
                    self.tracker.restore(&name, tracked);
                }
                seen.dirty = true;
            }
            let dirty = std::mem::take(&mut seen.dirty);
            if dirty {
                self.detect(seen, now);
            }
            let Some(known) = self.panes.get_mut(&id) else { continue };
            let before = self.tracker.get(&known.name);
            let is_focused = focused.contains(&id);
            let waits = before.is_none_or(|before| known.waits(before));
            if !dirty && !waits && known.focused == is_focused {
                continue;
            }
            known.focused = is_focused;
            let before = before.map(mark);
            let detection = known.detection.clone();
            let step = self.tracker.step(&known.name, detection, is_focused, now);
            let changed = before != Some(mark(&step.tracked));
            outcome.changed |= changed;
            if dirty || changed {
                outcome.touched.push(id);
            }
            outcome.unsettled |= step.tracked.detection.state != known.detection.state
                && step.tracked.detection.state == State::Working;
            outcome.changes.extend(step.change.map(|change| (change, step.tracked.since)));
            outcome.verdicts.extend(step.verdict);
        }
        outcome
    }

    fn detect(&mut self, seen: &mut Seen, now: f64) {
        let id = seen.pane.id;
        let name = id.to_string();
        let before = self.tracker.get(&name).map(|tracked| &tracked.detection);
        seen.observation.previous = before.map(|detection| Previous {
            agent: Some(detection.agent.to_string()),
            state: Some(detection.state),
        });
        seen.observation.now = Some(now);
        let mut detection = detect(&self.rules, &seen.observation);
        let job = detection.evidence.first().is_some_and(|e| e.rule == RULE_SHELL_COMMAND);
        if self.shell_jobs && job && !detection.agent.is_agent() {
            detection.state = State::Working;
        }
        let focused = self.panes.get(&id).is_some_and(|known| known.focused);
        self.panes.insert(id, Known { name, pid: seen.pane.pid, detection, focused });
    }

    /// State that this observation shows by itself, without what was before.
    pub fn shows(&self, observation: &Observation) -> State {
        detect(&self.rules, observation).state
    }

    /// The rules in force.
    pub fn rules(&self) -> &RuleSet {
        &self.rules
    }

    /// The pane is closed, or another process took its place.
    pub fn forget(&mut self, id: PaneId, now: f64) -> Option<(Change, f64)> {
        let known = self.panes.remove(&id)?;
        self.tracker.remove(&known.name).map(|change| (change, now))
    }

    /// State of a pane.
    pub fn tracked(&self, id: PaneId) -> Option<&Tracked> {
        self.tracker.get(&self.panes.get(&id)?.name)
    }

    /// Whether people get to see the pane: it holds an agent, or a job of a shell where the
    /// settings want those.
    pub fn is_shown(&self, tracked: &Tracked) -> bool {
        let job = self.shell_jobs && tracked.detection.state == State::Working;
        tracked.detection.agent.is_agent() || job
    }

    /// The panes with an agent in this state.
    pub fn in_state(&self, state: State) -> HashSet<PaneId> {
        let is = |known: &Known| {
            self.tracker
                .get(&known.name)
                .is_some_and(|tracked| tracked.detection.state == state && self.is_shown(tracked))
        };
        self.panes.iter().filter(|(_, known)| is(known)).map(|(id, _)| *id).collect()
    }

    /// Whether the screen of a pane with an agent changes.
    pub fn is_agent_moving(&self, scanner: &Scanner, now: f64) -> bool {
        scanner.panes().any(|seen| {
            seen.is_moving(now)
                && self.tracked(seen.pane.id).is_some_and(|tracked| self.is_shown(tracked))
        })
    }
}

impl Known {
    /// Whether time alone may change the state: one waits to be believed, or to be seen.
    fn waits(&self, tracked: &Tracked) -> bool {
        let settles =
            matches!(tracked.detection.state, State::Stopped | State::Completed | State::Failed);
        tracked.detection.state != self.detection.state
            || tracked.detection.agent != self.detection.agent
            || (settles && !tracked.acknowledged)
    }
}

/// What makes a state another one.
fn mark(tracked: &Tracked) -> (String, State, u64, u64, bool) {
    let Tracked { detection, since, turn, acknowledged } = tracked;
    (detection.agent.to_string(), detection.state, since.to_bits(), *turn, *acknowledged)
}

/// The pane as the list shows it.
pub fn listed(server: &str, seen: &Seen, tracked: &Tracked) -> ListedPane {
    let pane = &seen.pane;
    let detection = &tracked.detection;
    let place = pane.places.first();
    let process = agent_process(&seen.observation);
    let detail = seen.observation.log.as_ref().map(|log| log.detail.clone()).unwrap_or_default();
    let row = PaneRow {
        mux: "tmux".to_owned(),
        server: server.to_owned(),
        session: place.map(|place| place.session_name.clone()).unwrap_or_default(),
        window: place.map_or(0, |place| place.window_index),
        window_name: pane.window_name.clone(),
        pane: pane.id.to_string(),
        agent: detection.agent.clone(),
        agent_name: detection.agent_name.clone(),
        agent_version: detection.agent_version.clone(),
        state: detection.state,
        state_source: detection.state_source,
        reason: detection.reason.clone(),
        background: detection.background,
        since: tracked.since,
        title: Some(pane.title.clone()).filter(|title| !title.is_empty()),
        cwd: process.and_then(|process| process.cwd.clone()),
        pid: process.map(|process| process.pid),
        model: detail.model.as_deref().map(clean),
        last_message: detail.last_message.as_deref().and_then(first_line),
        context_left: detail.context_left,
        turn_ms: detail.turn_ms,
        retry: detail.retry,
        limit_resets: detail.limit_resets,
    };
    ListedPane { pane_index: pane.index, host: None, row }
}

/// The process that a person would call the agent: the one of the registry, else the leader of
/// the foreground group, else the pane's own.
pub(crate) fn agent_process(observation: &Observation) -> Option<&Process> {
    let processes = observation.processes.as_deref()?;
    let registered = observation.registry.as_ref().and_then(|entry| entry.pid);
    processes
        .iter()
        .find(|process| Some(process.pid) == registered)
        .or_else(|| processes.iter().find(|p| p.foreground == Some(true) && p.pgid == Some(p.pid)))
        .or_else(|| processes.first())
}
