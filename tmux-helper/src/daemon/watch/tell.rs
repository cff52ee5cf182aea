//! What the loop found: written down, told, and shown to whoever asks.

use super::super::hub::Picture;
use super::super::life::{Life, Report};
use super::Daemon;
use crate::events::{Source, Telling};
use crate::output::ListedPane;
use crate::protocol::{Event, Hello};
use crate::{fault, time};
use jiff::Zoned;
use madohub_detect::Change;
use std::sync::Arc;

impl Daemon {
    /// Stores and publishes what a step found.
    pub(super) fn tell(&mut self, report: Report, now: f64) {
        self.looks += u64::from(report.looked);
        let has_changes = !report.changes.is_empty() || !report.verdicts.is_empty();
        let at = |name| {
            if has_changes {
                fault::point(name);
            }
        };
        at("shown");
        let Telling { events: entries, refinements } =
            self.events(report.changes, report.verdicts, now);
        at("told");
        // Decided before the state is stored: a daemon that is killed in between hears the word
        // again, and routes know that they did.
        self.routing.refine(&refinements, self.life.as_ref(), now);
        if report.store || has_changes {
            // Before anybody hears of them: a restart must not tell them again.
            self.store();
        }
        at("stored");
        for event in entries.iter().map(|entry| entry.event()) {
            self.policy.take(&event.pane, event.to, self.is_in_front(&event.pane), now);
            tracing::info!(pane = %event.pane, agent = %event.agent, from = %event.from,
                to = %event.to, seq = event.seq, "change");
        }
        for Event { pane, from, to, .. } in &refinements {
            self.policy.refine(pane, *from, *to, self.is_in_front(pane), now);
            tracing::info!(pane, told = %from, is = %to, "a late word");
        }
        // Decided before anybody hears of it, so that a restart knows what was decided.
        self.routing.take(&entries, self.life.as_ref(), now);
        at("decided");
        let last = self.hub.picture();
        let is_news = !entries.is_empty() || !refinements.is_empty() || report.rows.is_some();
        if !is_news && !report.looked {
            return;
        }
        let rows = report.rows.unwrap_or_else(|| Arc::clone(&last.rows));
        let picture = self.picture(rows, now);
        self.hub.publish(&entries, picture);
        at("published");
    }

    /// Writes down what a later daemon must know. Where that cannot be done it is said, and tried
    /// again.
    pub(super) fn store(&mut self) {
        let Some(life) = &self.life else { return };
        let path = &self.setup.files.state;
        match life.store(self.teller.seq(), self.teller.announcer(), path) {
            Ok(()) => self.unwritten = None,
            Err(error) => {
                if self.unwritten.is_none() {
                    tracing::warn!(%error, "cannot store the state");
                }
                self.unwritten = Some(format!("cannot write {}: {error}", path.display()));
            }
        }
    }

    fn is_in_front(&self, pane: &str) -> bool {
        self.life.as_ref().is_some_and(|life| life.is_in_front(pane))
    }

    /// What is to be told of these changes and words now, written down.
    fn events(&mut self, changes: Vec<(Change, f64)>, verdicts: Vec<Change>, now: f64) -> Telling {
        let life = self.life.as_ref();
        let source = Source {
            server: life.map_or(0, |life| life.identity().pid),
            pid: &|pane| life?.pid_of(pane),
        };
        let hub = &self.hub;
        self.teller.tell(changes, verdicts, &source, || hub.ring().kept(), now)
    }

    /// Histories and ends of turns are bounded by the panes that there are.
    pub(super) fn forget_closed_panes(&mut self) {
        let life = self.life.as_ref();
        let is_there = |pane: &str| life.is_some_and(|life| life.pid_of(pane).is_some());
        self.hub.ring().retain_histories(is_there);
        self.teller.retain_ends(is_there);
    }

    /// Tells people what they need to hear of, when it is time to.
    pub(super) fn notify(&mut self) {
        let Some(life) = self.life.as_ref().filter(|_| self.notifier.is_on()) else { return };
        let seen = self.policy.pending().filter(|pane| life.is_in_front(pane));
        for pane in seen.map(str::to_owned).collect::<Vec<_>>() {
            self.policy.seen(&pane);
        }
        let hours = self.setup.config.notify.quiet;
        let quiet = hours.is_some_and(|quiet| quiet.holds(Zoned::now().time()));
        let picture = self.hub.picture();
        if let Some(notice) = self.policy.due(&picture.rows, quiet, time::now()) {
            self.notifier.tell(notice, life.screens());
        }
    }

    /// Shows what is wrong beside what was known.
    pub(super) fn show(&self, now: f64) {
        let last = self.hub.picture();
        let mut picture = self.picture(Arc::clone(&last.rows), now);
        picture.hello.looked = last.hello.looked;
        self.hub.show(picture);
    }

    fn picture(&self, rows: Arc<Vec<ListedPane>>, now: f64) -> Picture {
        let life = self.life.as_ref();
        let hello = Hello {
            pid: std::process::id(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            server: self.teller.scene().server.clone(),
            server_pid: life.map(|life| life.identity().pid),
            tmux: life.map(|life| life.identity().version.to_string()),
            started: self.started,
            looked: now,
            panes: life.map_or(0, Life::pane_count),
            agents: rows.len(),
            clients: life.map_or(0, Life::client_count),
            looks: self.looks,
            warnings: self.setup.warnings.clone(),
            trouble: self.trouble.clone().or_else(|| self.unwritten.clone()),
        };
        let known = self.hub.picture();
        let ends = self.teller.announcer().ends();
        let ends =
            if *known.ends == *ends { Arc::clone(&known.ends) } else { Arc::new(ends.clone()) };
        Picture { hello, rows, ends }
    }
}
