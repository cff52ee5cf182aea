//! Following the panes through one life of a tmux server.

use super::activity::Activity;
use super::pace::{Mood, Pace, Step};
use super::paint::{Painter, Scene, Shown, UserValues};
use super::pulse::Pulse;
use super::store::Stored;
use super::watch::Setup;
use crate::cli::PaneRef;
use crate::fault;
use crate::logs::SessionLogs;
use crate::notify::Screen;
use crate::output::{ListedPane, by_need};
use crate::processes;
use crate::registry::RegistryReader;
use crate::reports::Reports;
use crate::scan::{Looked, Reach, Scanner};
use crate::tmux::names::environment;
use crate::tmux::{Batch, Client, Identity, PaneId, Replies, Server, Support, TmuxError};
use crate::verdict::{Verdicts, listed};
use madohub_detect::{Announcer, Change, State, Tracked};
use std::collections::{HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
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
    rows: HashMap<PaneId, ListedPane>,
    sorted: Arc<Vec<ListedPane>>,
}

/// What a step found.
#[derive(Debug, Default)]
pub(super) struct Report {
    /// Changes of state, with the time since when the new state holds.
    pub(super) changes: Vec<(Change, f64)>,
    /// What agents said of turns whose ends their panes no longer show.
    pub(super) verdicts: Vec<Change>,
    /// The panes with an agent, sorted by need; nothing where they are as before.
    pub(super) rows: Option<Arc<Vec<ListedPane>>>,
    /// Something changed that a later daemon should know.
    pub(super) store: bool,
    /// tmux was asked.
    pub(super) looked: bool,
}

impl Life {
    /// `stored` is what a former daemon knew.
    pub(super) fn begin(setup: &Setup, identity: Identity, stored: Option<Stored>) -> Self {
        let scratch = setup.files.lock.parent().unwrap_or(Path::new("/"));
        let server = setup.server.clone().for_version(identity.version, scratch);
        let support = identity.version.support();
        let scanner = Scanner::new(
            server.clone(),
            identity.clone(),
            processes::source(),
            RegistryReader::from_env(),
            SessionLogs::from_env(Arc::clone(&setup.rules)),
            Reports::new(&setup.paths),
        );
        let partial = support == Support::Full;
        Self {
            scanner,
            verdicts: Verdicts::new(Arc::clone(&setup.rules), setup.config.tracking),
            painter: Painter::new(setup.config.clone(), support, &setup.paths),
            pulse: Pulse::default(),
            pace: Pace::new(setup.config.pace, partial),
            activity: Activity::of(identity.pid),
            stored,
            hot_until: 0.0,
            borders: setup.config.border.enabled && partial,
            pulses: setup.config.border.pulse,
            working: HashSet::new(),
            rows: HashMap::new(),
            sorted: Arc::default(),
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

    pub(super) fn scanner(&self) -> &Scanner {
        &self.scanner
    }

    pub(super) fn scanner_mut(&mut self) -> &mut Scanner {
        &mut self.scanner
    }

    pub(super) fn verdicts(&self) -> &Verdicts {
        &self.verdicts
    }

    /// What is listed of a pane, where it holds an agent.
    pub(super) fn row(&self, id: PaneId) -> Option<&ListedPane> {
        self.rows.get(&id)
    }

    pub(super) fn server(&self) -> &Server {
        &self.server
    }

    /// The pane that is meant, if it is there.
    pub(super) fn find(&self, wanted: &PaneRef) -> Option<PaneId> {
        self.scanner.panes().map(|seen| &seen.pane).find(|pane| wanted.means(pane)).map(|p| p.id)
    }

    /// Process of a pane.
    pub(super) fn pid_of(&self, pane: &str) -> Option<i64> {
        pane.parse().ok().and_then(|id| self.scanner.pane(id)).map(|seen| seen.pane.pid)
    }

    pub(super) fn pane_count(&self) -> usize {
        self.scanner.panes().count()
    }

    pub(super) fn client_count(&self) -> usize {
        self.scanner.clients().len()
    }

    /// The first look, after which every pane is known.
    pub(super) fn first_look(&mut self, now: f64) -> Result<Report, TmuxError> {
        self.scanner.watch_records();
        let step = Step::Look(Reach::All);
        self.pace.made(step, Instant::now());
        let mut report = self.look(Reach::All, now)?;
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
            // A clock that was set back does not make it hot for as long.
            hot: (0.0..=HOT).contains(&(self.hot_until - now))
                || self.verdicts.is_agent_moving(&self.scanner, now),
            pulse: self.borders && self.pulse.is_due(&self.scanner, &self.working, start),
            activity: self.activity.is_new(),
            news: self.scanner.has_news(now),
            deaf: !self.scanner.hears_all(),
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
                self.judge(Reach::Moved, None, now)?
            }
            Step::Read => {
                self.scanner.read_records(now);
                self.judge(Reach::Moved, None, now)?
            }
            Step::Look(reach) => self.look(reach, now)?,
        };
        Ok((Duration::from_millis(20), Some(report)))
    }

    fn look(&mut self, reach: Reach, now: f64) -> Result<Report, TmuxError> {
        self.activity.begin_look();
        let mut also = Batch::new();
        if self.borders {
            let beat = SetEnvironment::new().global().hidden().name(environment::BEAT);
            also.tell(beat.value(format!("{}", now.floor())).build());
            self.pulse.add(&self.scanner, &self.working, &mut also, Instant::now());
        }
        let values = (reach == Reach::All).then(|| self.painter.ask_user_values(&mut also));
        let looked = self.scanner.look(reach, also, now)?;
        let mut report = self.judge(reach, Some((&looked, values.flatten())), now)?;
        self.activity.end_look(reach);
        report.looked = true;
        Ok(report)
    }

    /// Gives every pane its verdict, follows it over time, and shows it.
    fn judge(
        &mut self,
        reach: Reach,
        look: Option<(&Looked, Option<UserValues>)>,
        now: f64,
    ) -> Result<Report, TmuxError> {
        let gone = look.map_or(&[][..], |(looked, _)| &looked.gone);
        let mut report = Report::default();
        for id in gone {
            report.changes.extend(self.verdicts.forget(*id, now));
        }
        let (stored, identity) = (&self.stored, &self.identity);
        let known = |name: &str, pid: i64| stored.as_ref()?.pane(name, pid, identity);
        let outcome = self.verdicts.judge(&mut self.scanner, &known, now);
        // Every pane that a former daemon knew is taken over with the first look.
        self.stored = None;
        report.changes.extend(outcome.changes);
        report.verdicts = outcome.verdicts;
        report.store = outcome.changed || !gone.is_empty();
        if self.pulses && report.store {
            self.working = self.verdicts.in_state(State::Working);
        }
        if outcome.unsettled || !report.changes.is_empty() || !report.verdicts.is_empty() {
            self.hot_until = now + HOT;
        }
        report.rows = self.list(gone, &outcome.touched);
        if !report.changes.is_empty() {
            fault::point("judged");
        }
        let user_values =
            look.and_then(|(looked, values)| values.map(|values| (values, &looked.replies)));
        self.paint(reach, &outcome.touched, report.rows.is_some(), user_values, now)?;
        Ok(report)
    }

    /// Keeps the list; answers it when it changed.
    fn list(&mut self, gone: &[PaneId], touched: &[PaneId]) -> Option<Arc<Vec<ListedPane>>> {
        let mut changed = false;
        for id in gone {
            changed |= self.rows.remove(id).is_some();
        }
        let server = self.server.name();
        for id in touched {
            let row = self.scanner.pane(*id).and_then(|seen| {
                let tracked = self.verdicts.tracked(*id)?;
                self.verdicts.is_shown(tracked).then(|| listed(&server, seen, tracked))
            });
            changed |= match row {
                Some(row) if self.rows.get(id) == Some(&row) => false,
                Some(row) => {
                    self.rows.insert(*id, row);
                    true
                }
                None => self.rows.remove(id).is_some(),
            };
        }
        if !changed && !self.sorted.is_empty() {
            return None;
        }
        let mut sorted: Vec<ListedPane> = self.rows.values().cloned().collect();
        by_need(&mut sorted);
        if *self.sorted == sorted {
            return None;
        }
        self.sorted = Arc::new(sorted);
        Some(Arc::clone(&self.sorted))
    }

    fn paint(
        &mut self,
        reach: Reach,
        touched: &[PaneId],
        listed: bool,
        user_values: Option<(UserValues, &Replies)>,
        now: f64,
    ) -> Result<(), TmuxError> {
        let clients = self.scanner.clients();
        let scene = Scene {
            panes: self
                .scanner
                .panes()
                .map(|seen| Shown {
                    pane: &seen.pane,
                    depth: clients.depth(&seen.pane),
                    row: self.rows.get(&seen.pane.id).map(|listed| &listed.row),
                })
                .collect(),
            touched,
            rows: &self.sorted,
            listed,
            depth: clients.least_depth(),
            reach,
            user_values,
        };
        match self.painter.paint(&self.server, &scene, now) {
            Ok(()) => Ok(()),
            Err(error) if error.is_end() => Err(error),
            // What was found stays found; the painter writes it next time.
            Err(error) => {
                tracing::warn!(%error, "cannot set tmux's options");
                Ok(())
            }
        }
    }

    /// Whether somebody looks at the pane of that name.
    pub(super) fn is_in_front(&self, pane: &str) -> bool {
        let seen = self.scanner.panes().find(|seen| seen.pane.id.to_string() == pane);
        seen.is_some_and(|seen| self.scanner.clients().in_front(&seen.pane))
    }

    /// The terminals of all clients.
    pub(super) fn screens(&self) -> Vec<Screen> {
        let screen = |client: &Client| Screen {
            tty: PathBuf::from(&client.name),
            term: client.term.clone(),
            name: client.terminal.clone(),
        };
        self.scanner.clients().iter().map(screen).collect()
    }

    /// The server is gone: so are all panes.
    pub(super) fn end(mut self) -> Report {
        let now = crate::time::now();
        let ids: Vec<PaneId> = self.scanner.panes().map(|seen| seen.pane.id).collect();
        let changes = ids.into_iter().filter_map(|id| self.verdicts.forget(id, now)).collect();
        Report { changes, rows: Some(Arc::default()), ..Report::default() }
    }

    /// Writes down what a later daemon must know.
    pub(super) fn store(&self, seq: u64, announcer: &Announcer, path: &Path) -> io::Result<()> {
        let panes = self.scanner.panes().filter_map(|seen| {
            let tracked: &Tracked = self.verdicts.tracked(seen.pane.id)?;
            Some((seen.pane.id.to_string(), seen.pane.pid, tracked))
        });
        Stored::new(seq, announcer, &self.identity, panes).write(path)
    }
}
