//! Following the panes through one life of a tmux server.

use super::activity::Activity;
use super::pace::{Mood, Pace, Step};
use super::paint::{Painter, Shown};
use super::pulse::Pulse;
use super::store::Stored;
use super::watch::Setup;
use crate::output::{ListedPane, by_need};
use crate::processes;
use crate::registry::RegistryReader;
use crate::scan::{Reach, Scanner};
use crate::tmux::names::environment;
use crate::tmux::{Batch, Identity, PaneId, Server, Support, TmuxError};
use crate::verdict::{Verdicts, listed};
use madohub_detect::{Change, State, Tracked};
use std::collections::HashSet;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tmux_interface::SetEnvironment;

/// After a change the pace stays hot for so many seconds.
const HOT: f64 = 2.0;

/// The panes of one life of a server, and all that is done about them.
pub(super) struct Life {
    server: Server,
    identity: Identity,
    scanner: Scanner,
    verdicts: Verdicts,
    painter: Painter,
    pulse: Pulse,
    pace: Pace,
    activity: Activity,
    stored: Option<Stored>,
    hot_until: f64,
    borders: bool,
    pulses: bool,
    /// The panes that pulse where somebody sees them.
    working: HashSet<PaneId>,
}

/// What a step found.
#[derive(Debug, Default)]
pub(super) struct Report {
    /// Changes of state, with the time since when the new state holds.
    pub(super) changes: Vec<(Change, f64)>,
    /// The panes with an agent, sorted by need.
    pub(super) rows: Vec<ListedPane>,
    /// Something changed that a later daemon should know.
    pub(super) store: bool,
    /// tmux was asked.
    pub(super) looked: bool,
    /// Number of the last event that a former daemon told.
    pub(super) seq: u64,
}

impl Life {
    pub(super) fn begin(setup: &Setup, identity: Identity) -> Self {
        let scratch = setup.files.lock.parent().unwrap_or(Path::new("/"));
        let server = setup.server.clone().for_version(identity.version, scratch);
        let support = identity.version.support();
        let scanner = Scanner::new(
            server.clone(),
            identity.clone(),
            processes::source(),
            RegistryReader::from_env(),
        );
        let partial = support == Support::Full;
        Self {
            scanner,
            verdicts: Verdicts::new(Arc::clone(&setup.rules), setup.config.tracking),
            painter: Painter::new(setup.config.clone(), support),
            pulse: Pulse::default(),
            pace: Pace::new(setup.config.pace, partial),
            activity: Activity::of(identity.pid),
            stored: Stored::read(&setup.files.state),
            hot_until: 0.0,
            borders: setup.config.border.enabled && partial,
            pulses: setup.config.border.pulse,
            working: HashSet::new(),
            server,
            identity,
        }
    }

    pub(super) fn identity(&self) -> &Identity {
        &self.identity
    }

    pub(super) fn support(&self) -> Support {
        self.identity.version.support()
    }

    pub(super) fn pane_count(&self) -> usize {
        self.scanner.panes().count()
    }

    pub(super) fn client_count(&self) -> usize {
        self.scanner.clients().len()
    }

    /// The first look, after which every pane is known.
    pub(super) fn first_look(&mut self, now: f64) -> Result<Report, TmuxError> {
        let step = Step::Look(Reach::All);
        self.pace.made(step, Instant::now());
        let seq = self.stored.as_ref().map_or(0, |stored| stored.seq);
        let mut report = self.look(Reach::All, now)?;
        report.seq = seq;
        report.store = true;
        Ok(report)
    }

    /// Does what is due at `now`. Answers how long to rest, and what was found, if anything was
    /// looked at. An error changes nothing of what is known.
    pub(super) fn step(
        &mut self,
        watched: bool,
        now: f64,
    ) -> Result<(Duration, Option<Report>), TmuxError> {
        let start = Instant::now();
        let mood = Mood {
            hot: now < self.hot_until || self.verdicts.is_agent_moving(&self.scanner, now),
            pulse: self.borders && self.pulse.is_due(&self.scanner, &self.working, start),
            activity: self.activity.is_new(),
            away: self.scanner.clients().is_empty() && !watched,
        };
        let step = self.pace.step(mood, start);
        self.pace.made(step, start);
        let report = match step {
            Step::Wait(pause) => return Ok((pause, None)),
            Step::Peek => {
                if self.scanner.peek(now) {
                    self.pace.hurry();
                }
                self.judge(Reach::Moved, &[], now)?
            }
            Step::Look(reach) => self.look(reach, now)?,
        };
        Ok((Duration::from_millis(20), Some(report)))
    }

    fn look(&mut self, reach: Reach, now: f64) -> Result<Report, TmuxError> {
        self.activity.note();
        let mut also = Batch::new();
        if self.borders {
            let beat = SetEnvironment::new().global().hidden().name(environment::BEAT);
            also.tell(beat.value(format!("{}", now.floor())).build());
            self.pulse.add(&self.scanner, &self.working, &mut also, Instant::now());
        }
        let gone = self.scanner.look(reach, also, now)?;
        let mut report = self.judge(reach, &gone, now)?;
        report.looked = true;
        Ok(report)
    }

    /// Gives every pane its verdict, follows it over time, and shows it.
    fn judge(&mut self, reach: Reach, gone: &[PaneId], now: f64) -> Result<Report, TmuxError> {
        let mut report = Report::default();
        for id in gone {
            report.changes.extend(self.verdicts.forget(*id, now));
        }
        let (stored, identity) = (&self.stored, &self.identity);
        let known = |name: &str, pid: i64| stored.as_ref()?.pane(name, pid, identity);
        let outcome = self.verdicts.judge(&mut self.scanner, reach, &known, now);
        report.changes.extend(outcome.changes);
        report.store = outcome.changed;
        if self.pulses && outcome.changed {
            self.working = self.verdicts.in_state(State::Working);
        }
        if outcome.unsettled || !report.changes.is_empty() {
            self.hot_until = now + HOT;
        }
        // Every pane that a former daemon knew is taken over with the first look.
        self.stored = None;
        let server_name = self.server.name();
        let rows: Vec<(PaneId, ListedPane)> = self
            .scanner
            .panes()
            .filter_map(|seen| {
                let tracked = self.verdicts.tracked(seen.pane.id)?;
                self.verdicts
                    .is_shown(tracked)
                    .then(|| (seen.pane.id, listed(&server_name, seen, tracked)))
            })
            .collect();
        let shown: Vec<Shown<'_>> = self
            .scanner
            .panes()
            .map(|seen| Shown {
                pane: &seen.pane,
                depth: self.scanner.clients().depth(&seen.pane),
                row: rows.iter().find(|(id, _)| *id == seen.pane.id).map(|(_, listed)| &listed.row),
            })
            .collect();
        let mut sorted: Vec<ListedPane> = rows.iter().map(|(_, listed)| listed.clone()).collect();
        by_need(&mut sorted);
        let painted = self.painter.paint(&self.server, &shown, &sorted, reach, now);
        report.rows = sorted;
        match painted {
            Ok(()) => {}
            // What was found stays found; the painter writes it next time.
            Err(error) if error.is_end() => return Err(error),
            Err(error) => tracing::warn!(%error, "cannot set tmux's options"),
        }
        Ok(report)
    }

    /// The server is gone: so are all panes.
    pub(super) fn end(mut self) -> Report {
        let now = crate::time::now();
        let ids: Vec<PaneId> = self.scanner.panes().map(|seen| seen.pane.id).collect();
        let changes = ids.into_iter().filter_map(|id| self.verdicts.forget(id, now)).collect();
        Report { changes, ..Report::default() }
    }

    /// Writes down what a later daemon must know.
    pub(super) fn store(&mut self, seq: u64, path: &Path) -> io::Result<()> {
        let panes = self.scanner.panes().filter_map(|seen| {
            let tracked: &Tracked = self.verdicts.tracked(seen.pane.id)?;
            Some((seen.pane.id.to_string(), seen.pane.pid, tracked))
        });
        Stored::new(seq, &self.identity, panes).write(path)
    }
}
