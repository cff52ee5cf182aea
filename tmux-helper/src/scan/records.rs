//! What costs no run of tmux: processes, and what agents and programs write down.

use super::{Reach, Scanner};
use crate::logs::PaneQuery;
use crate::tmux::PaneId;
use madohub_detect::agent_process;
use std::collections::HashSet;
use std::path::Path;

/// While a pane moves, its processes are read anew this often, in seconds.
const WALK_MOVING: f64 = 2.0;
/// While nothing says that they changed, its processes are read anew this often, in seconds.
const WALK_STILL: f64 = 30.0;
/// While nothing says that it changed, the process in front is looked at this often, in seconds.
const SIGN_STILL: f64 = 0.9;

impl Scanner {
    pub(super) fn look_at_processes(&mut self, reach: Reach, fresh: &HashSet<PaneId>, now: f64) {
        self.processes.begin();
        self.registry.begin();
        self.reports.begin();
        for (id, seen) in &mut self.panes {
            let has_word = |pid| self.registry.has_entry(pid) || self.reports.has_report(pid);
            let age = |then: Option<f64>| then.map_or(f64::INFINITY, |then| now - then);
            let is_fresh = fresh.contains(id);
            if reach == Reach::Moved && !is_fresh && !seen.has_process(has_word) {
                continue;
            }
            let moving = seen.is_moving(now) || is_fresh;
            let due = age(seen.walked) >= if moving { WALK_MOVING } else { WALK_STILL };
            let is_told = is_fresh || (reach == Reach::All && age(seen.signed) >= SIGN_STILL);
            let sign = if due || is_told {
                seen.signed = Some(now);
                self.processes.sign(seen.pane.pid)
            } else {
                seen.sign.clone()
            };
            if self.processes.fell_short() {
                break;
            }
            if due || sign != seen.sign {
                let tree = if seen.pane.dead { None } else { self.processes.tree(seen.pane.pid) };
                if self.processes.fell_short() {
                    break;
                }
                if tree != seen.observation.processes {
                    let all = tree.as_deref().unwrap_or_default();
                    let agent = agent_process(self.logs.rules(), all, Some(seen.pane.pid));
                    seen.agent = agent.map(|(id, process)| (id, process.pid));
                    seen.observation.processes = tree;
                    seen.dirty = true;
                }
                seen.walked = Some(now);
                seen.sign = sign;
            }
            seen.take_entry(&mut self.registry);
            seen.dirty |= self.reports.take_into(&mut seen.observation, now);
        }
        // What cannot be looked at is no news: everything stays as it is known.
        if !self.processes.fell_short() {
            self.read_logs(now);
        }
    }

    /// From now on file events tell when an agent writes anything down.
    pub fn watch_records(&mut self) {
        self.logs.watch(self.registry.folder().map(Path::to_owned).into_iter().collect());
    }

    /// Whether an agent may have written anything down since its records were read.
    pub fn has_news(&self, now: f64) -> bool {
        self.logs.has_news(now)
    }

    /// Whether file events tell of everything that agents write down.
    pub fn hears_all(&self) -> bool {
        self.logs.hears_all()
    }

    /// Reads the agents' own records: registry and session logs.
    pub fn read_records(&mut self, now: f64) {
        self.registry.begin();
        for seen in self.panes.values_mut().filter(|seen| seen.agent.is_some()) {
            seen.take_entry(&mut self.registry);
        }
        self.read_logs(now);
    }

    fn read_logs(&mut self, now: f64) {
        let queries: Vec<PaneQuery<'_>> = self.panes.values().map(|seen| seen.query(now)).collect();
        for (pane, log) in self.logs.look(&queries, &mut *self.processes, now) {
            let seen = self.panes.values_mut().find(|seen| u64::from(seen.pane.id) == pane);
            if let Some(seen) = seen.filter(|seen| seen.observation.log != log) {
                seen.observation.log = log;
                seen.dirty = true;
            }
        }
    }
}
