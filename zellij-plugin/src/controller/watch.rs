//! Which pane is looked at when, and what became of it.

use super::Controller;
use super::style::{frame_style, samples};
use crate::effect::Effect;
use crate::event::{HelperAnswer, PaneId, Screen, Session};
use crate::observe;
use crate::pane::{self, Pane};
use crate::report::{HELLO, event_line};
use madohub_detect::{Change, State, Told, Tracked};

/// Seconds between two looks at a pane that is known to hold no agent.
const OTHERS: f64 = 1.0;
/// Seconds between two steps of a pane whose state is not settled.
const SETTLING: f64 = 0.25;
/// Seconds after which a bar that was just opened listens.
const SETTLED: f64 = 1.5;
/// Least seconds between two reads of a live title after letters of the text changed, and after
/// nothing but signs did.
const TITLE: f64 = 1.0;
const TITLE_RARELY: f64 = 3.0;
/// Seconds that reports lack a pane until it is gone. zellij says when one closes; on its way to
/// another tab it is nowhere for a moment (0.45.1).
const GONE: f64 = 2.0;
/// Least seconds between two reads of a pane in view, and of one that zellij gives no text of.
const RARELY: f64 = 5.0;

impl Controller {
    pub(super) fn take_session(&mut self, session: Session, now: f64, out: &mut Vec<Effect>) {
        if self.session.is_none() {
            // The first report proves that messages are permitted as well.
            out.push(Effect::Broadcast { name: HELLO.to_owned(), payload: String::new() });
        }
        let unchanged = self.session.as_ref() == Some(&session);
        self.election.set_plugins(&session.plugins);
        self.election.set_clients(session.clients(), now);
        if unchanged {
            if self.election.leads() {
                self.painter.reported_unchanged(now);
            }
            return;
        }
        if self.election.leads() {
            if session.tabs.iter().any(|tab| tab.bell) {
                self.painter.rang(now);
            }
            self.adopt(&session, now, out);
        }
        if self.session.as_ref().is_none_or(|before| before.focus != session.focus) {
            self.jumped = None;
        }
        self.session = Some(session);
    }

    /// Takes over the panes of a session report.
    pub(super) fn adopt(&mut self, session: &Session, now: f64, out: &mut Vec<Effect>) {
        for (id, pane) in &mut self.panes {
            if !session.panes.iter().any(|facts| facts.id == *id) {
                pane.missing.get_or_insert(now);
            }
        }
        for facts in &session.panes {
            let Some(known) = self.panes.get_mut(&facts.id) else {
                self.panes.insert(facts.id, Pane::new(facts.clone()));
                out.push(Effect::ReadPid(facts.id));
                out.push(Effect::ReadCommand(facts.id));
                out.push(Effect::ReadScreen(facts.id));
                continue;
            };
            known.missing = None;
            let mut facts = facts.clone();
            if self.marks.covers_title(facts.id) {
                facts.title.clone_from(&known.facts.title);
            }
            if known.facts.suppressed && !facts.suppressed {
                out.push(Effect::ReadScreen(facts.id));
            }
            known.update(facts);
        }
        let before = self.session.as_ref().map(|s| &s.focus);
        if before != Some(&session.focus) {
            // Focusing a pane whose bell rang clears the colour of its frame.
            for pane in session.focus.values() {
                self.painter.doubt(*pane);
            }
        }
        let before = self.session.as_ref().map(|s| (&s.plugins, s.clients()));
        if before != Some((&session.plugins, session.clients())) {
            self.share(out);
            self.share_at = Some(now + SETTLED);
        }
        self.painter.set_style(frame_style(&session.panes));
        self.painter.set_samples(samples(&session.panes));
    }

    pub(super) fn take_screen(&mut self, pane: PaneId, screen: Screen, now: f64) {
        let Some(known) = self.panes.get_mut(&pane) else { return };
        if known.set_screen(screen, now) && known.has_agent() {
            self.helper.want();
        }
    }

    pub(super) fn take_no_screen(&mut self, pane: PaneId, now: f64) {
        let Some(known) = self.panes.get_mut(&pane) else { return };
        known.set_unreadable(now);
        if known.has_agent() {
            // Its records are all that tells of it.
            self.helper.want();
        }
    }

    pub(super) fn take_title(&mut self, pane: PaneId, title: Option<String>, now: f64) {
        let Some(known) = self.panes.get_mut(&pane) else { return };
        known.title_read = now;
        if let Some(title) = title.filter(|t| t != known.title()) {
            known.title = Some(title);
            known.retitled = true;
            self.news |= self.settings.title_glyph;
        }
    }

    pub(super) fn take_pid(&mut self, pane: PaneId, pid: Option<i64>) {
        if let Some(known) = self.panes.get_mut(&pane) {
            known.pid = pid;
            self.helper.want();
        }
    }

    pub(super) fn take_command(&mut self, pane: PaneId, argv: Vec<String>, own: Option<bool>) {
        let (Some(known), Some(rules)) = (self.panes.get_mut(&pane), &self.rules) else { return };
        let foreground = observe::foreground(rules, argv, own);
        if known.foreground.as_ref() != Some(&foreground) {
            known.foreground = Some(foreground);
            // The helper's list is of before.
            known.host = None;
            known.dirty = true;
            self.helper.want();
        }
    }

    pub(super) fn take_closed(&mut self, pane: PaneId, now: f64, out: &mut Vec<Effect>) {
        self.news = true;
        self.panes.remove(&pane);
        self.painter.forget(pane);
        if let Some(change) = self.tracker.remove(&pane::name(pane)) {
            self.tell(change, now, now, out);
        }
    }

    pub(super) fn take_helper(&mut self, answer: &HelperAnswer, now: f64) {
        let Some(probe) = self.helper.answered(answer, now) else { return };
        let names = probe.zellij.and_then(|names| names.usable(&self.me.version));
        if let (Some(names), None) = (names, &self.settings.theme) {
            self.painter.set_names(names);
        }
        for facts in probe.panes {
            let Some(known) = self.panes.values_mut().find(|p| p.pid == Some(facts.pid)) else {
                continue;
            };
            if known.host.as_ref() != Some(&facts) {
                known.host = Some(facts);
                known.dirty = true;
            }
        }
    }

    /// Looks at every pane that is due.
    pub(super) fn watch(&mut self, now: f64, out: &mut Vec<Effect>) {
        let is_gone = |pane: &Pane| pane.missing.is_some_and(|since| now - since >= GONE);
        let gone: Vec<PaneId> =
            self.panes.iter().filter(|(_, pane)| is_gone(pane)).map(|(id, _)| *id).collect();
        for pane in gone {
            self.take_closed(pane, now, out);
        }
        let due: Vec<PaneId> = self
            .panes
            .keys()
            .filter(|id| self.look_due(**id).is_some_and(|at| at <= now))
            .copied()
            .collect();
        for pane in due {
            self.look(pane, now, out);
        }
        for (id, pane) in &mut self.panes {
            let covered = covered(pane, self.session.as_ref(), self.me.client);
            let pace = self.settings.pace;
            let covered = covered && !self.pressure.is_high();
            let every = match (covered, pane.has_agent(), self.election.attached()) {
                // Reports bring every change; this only heals what one may have missed.
                (true, _, _) => pace.away.max(RARELY),
                _ if pane.unreadable => pace.away.max(RARELY),
                (false, true, true) if now - pane.changed < 2.0 && !self.pressure.is_high() => {
                    pace.hot.max(0.3)
                }
                (false, true, _) => pace.calm,
                (false, false, _) => pace.away,
            };
            if now - pane.read >= every {
                pane.read = now;
                out.push(Effect::ReadScreen(*id));
            }
        }
    }

    /// When a pane is to be looked at.
    fn look_due(&self, id: PaneId) -> Option<f64> {
        let pane = self.panes.get(&id)?;
        let gap =
            if pane.seen.is_none() || pane.has_agent() { self.settings.pace.hot } else { OTHERS };
        let settle = pane.unsettled.then_some(pane.looked + SETTLING);
        // A spinner that was looked at a moment ago holds up nothing that matters.
        let dirty = (pane.dirty || pane.retitled).then_some(pane.looked_closely + gap);
        let spun = pane.spun.then_some(pane.looked + gap.max(self.settings.pace.calm));
        [settle, dirty, spun, pane.title_due].into_iter().flatten().min_by(f64::total_cmp)
    }

    fn look(&mut self, id: PaneId, now: f64, out: &mut Vec<Effect>) {
        let name = pane::name(id);
        let focused = self.in_front(id);
        let before = self.tracker.get(&name).cloned();
        let former = before.as_ref().map(|tracked| &tracked.detection);
        let (Some(pane), Some(rules)) = (self.panes.get_mut(&id), &self.rules) else { return };
        pane.looked = now;
        if pane.dirty || pane.retitled {
            pane.looked_closely = now;
        }
        if pane.screen.is_none() && !pane.dead() {
            // Nothing was read yet; the first read is on its way.
            pane.no_news();
            return;
        }
        let changed = pane.has_news();
        let detection = match pane.seen.clone().filter(|_| !changed) {
            Some(same) => same,
            None => observe::look(rules, pane, former, now),
        };
        // What changed may have changed the title as well, now or a moment later. Titles spin, too.
        let gap = if pane.dirty { TITLE } else { TITLE_RARELY };
        let due = [pane.title_due, changed.then_some(pane.title_read + gap)];
        pane.title_due = due.into_iter().flatten().min_by(f64::total_cmp);
        pane.no_news();
        if !detection.agent.is_agent() {
            pane.title_due = None;
        }
        let wants_title = pane.title_due.is_some_and(|at| at <= now);
        pane.seen = Some(detection.clone());
        let step = self.tracker.step(&name, detection, focused, now);
        let tracked = &step.tracked;
        self.news |=
            step.verdict.is_some() || before.is_none_or(|before| !tells_the_same(&before, tracked));
        pane.unsettled = pane.seen.as_ref().is_some_and(|seen| {
            let over = matches!(seen.state, State::Stopped | State::Completed | State::Failed);
            seen.state != tracked.detection.state
                || seen.agent != tracked.detection.agent
                || (over && focused)
        }) && tracked.detection.agent.is_agent();
        if wants_title {
            (pane.title_read, pane.title_due) = (now, None);
            out.push(Effect::ReadTitle(id));
        }
        if let Some(change) = step.change {
            self.helper.want();
            let since = step.tracked.since;
            self.tell(change, since, now, out);
        }
        if let Some(verdict) = step.verdict {
            for told in self.announcer.judge(verdict, now, now) {
                self.emit(&told, now, out);
            }
        }
    }

    /// Whether the pane is the one in front of a person.
    pub(super) fn in_front(&self, pane: PaneId) -> bool {
        self.session.as_ref().is_some_and(|s| s.focus.values().any(|p| *p == pane))
    }

    fn tell(&mut self, change: Change, since: f64, now: f64, out: &mut Vec<Effect>) {
        for told in self.announcer.take(change, since, now) {
            self.emit(&told, now, out);
        }
    }

    /// Tells every listener of an event. That an end which was told is better known now is none.
    pub(super) fn emit(&mut self, told: &Told, now: f64, out: &mut Vec<Effect>) {
        if told.refines {
            return;
        }
        self.report.seq += 1;
        let line = event_line(told, self.report.seq, &self.report.session, now);
        for pipe in &self.listeners {
            out.push(Effect::Answer { pipe: pipe.clone(), text: line.clone() });
        }
    }

    /// When [`Self::watch`] has something to do without an event.
    pub(super) fn watch_deadline(&self, now: f64) -> Option<f64> {
        let looks = self.panes.keys().filter_map(|id| self.look_due(*id));
        // The pace of reading is looked after at the finest pace that any pane has.
        let agents = self.panes.values().any(Pane::has_agent);
        let reads = if self.panes.is_empty() {
            None
        } else {
            Some(
                now + if agents {
                    self.settings.pace.calm.min(0.5)
                } else {
                    self.settings.pace.away
                },
            )
        };
        let gone = self.panes.values().filter_map(|pane| Some(pane.missing? + GONE));
        looks.chain(reads).chain(gone).min_by(f64::total_cmp)
    }
}

/// Whether two states of a pane differ in their evidence at most.
fn tells_the_same(a: &Tracked, b: &Tracked) -> bool {
    let all = |tracked: &Tracked| {
        let Tracked { detection: seen, since, turn, acknowledged } = tracked;
        let moment = (since.to_bits(), *turn, *acknowledged, seen.background, seen.held);
        (moment, seen.state, seen.state_source)
    };
    let words = |tracked: &Tracked| {
        let seen = &tracked.detection;
        [&seen.agent_name, &seen.agent_version, &seen.reason].map(Clone::clone)
    };
    all(a) == all(b) && a.detection.agent == b.detection.agent && words(a) == words(b)
}

/// Whether the instance's own reports cover a pane: those of the tab that its client looks at.
fn covered(pane: &Pane, session: Option<&Session>, me: u16) -> bool {
    let Some(session) = session else { return false };
    let tab = session.tabs.iter().find(|t| t.position == pane.facts.tab);
    tab.is_some_and(|tab| {
        tab.clients.contains(&me)
            && !pane.facts.suppressed
            && (!pane.facts.floating || tab.floating_visible)
    })
}
