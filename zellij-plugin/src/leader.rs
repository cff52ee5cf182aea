//! Which of several controllers leads.
//!
//! zellij loads the controller once per client and keeps an instance when its client detaches;
//! every one of them gets the session's state. The instance of the lowest attached client leads.
//! While no client is attached, the one that led goes on, and says so now and then.

use crate::event::ClientId;

/// A plugin that was loaded twice has two ids; the lower one goes first.
type PluginId = u32;

/// Seconds between two signs of life while no client is attached.
pub(crate) const BEAT: f64 = 2.0;
/// Seconds without a sign of life until another instance takes over.
const SILENCE: f64 = 6.0;
/// Seconds that a new instance waits for signs of others while no client is attached.
const GRACE: f64 = 0.5;

/// The election as one instance sees it.
#[derive(Debug)]
pub(crate) struct Election {
    me: ClientId,
    plugin: PluginId,
    /// Another plugin of ours with a lower id.
    senior: Option<PluginId>,
    /// When to take over while no client is attached and nobody gives a sign of life.
    patience: f64,
    clients: Option<Vec<ClientId>>,
    heard: Option<(ClientId, f64)>,
    leads: bool,
}

impl Election {
    pub(crate) fn new(me: ClientId, plugin: PluginId, now: f64) -> Self {
        let patience = now + GRACE;
        Self { me, plugin, senior: None, patience, clients: None, heard: None, leads: false }
    }

    /// Another plugin of ours says that it leads.
    pub(crate) fn met(&mut self, plugin: PluginId, now: f64) {
        if plugin < self.plugin {
            self.senior = Some(plugin);
            self.decide(now);
        }
    }

    /// The plugins that live.
    pub(crate) fn set_plugins(&mut self, plugins: &[PluginId]) {
        self.senior = self.senior.filter(|senior| plugins.contains(senior));
    }

    /// Whether this instance leads.
    pub(crate) fn leads(&self) -> bool {
        self.leads
    }

    /// Whether somebody is attached, as far as known.
    pub(crate) fn attached(&self) -> bool {
        self.clients.as_ref().is_some_and(|c| !c.is_empty())
    }

    /// The attached clients, ascending.
    pub(crate) fn set_clients(&mut self, clients: Vec<ClientId>, now: f64) {
        if self.attached() && clients.is_empty() {
            self.patience = now + SILENCE;
        }
        self.clients = Some(clients);
        self.decide(now);
    }

    /// Another instance says that it leads.
    pub(crate) fn heard(&mut self, leader: ClientId, now: f64) {
        if leader != self.me {
            self.heard = Some((leader, now));
            self.decide(now);
        }
    }

    /// Decides anew; true when this instance leads from now on and did not before.
    pub(crate) fn decide(&mut self, now: f64) -> bool {
        let before = self.leads;
        let clients = self.clients.as_deref().unwrap_or_default();
        self.leads = self.senior.is_none()
            && match clients.first() {
                Some(lowest) => *lowest == self.me,
                None => match self.heard {
                    Some((other, at)) if now < at + SILENCE => before && self.me < other,
                    _ => before || now >= self.patience,
                },
            };
        self.leads && !before
    }

    /// When to decide again without an event.
    pub(crate) fn deadline(&self) -> Option<f64> {
        if self.leads || self.attached() {
            return None;
        }
        Some(self.heard.map_or(self.patience, |(_, at)| at + SILENCE).max(self.patience))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_attached_client_leads() {
        let mut one = Election::new(1, 5, 0.0);
        let mut two = Election::new(2, 5, 0.0);
        for e in [&mut one, &mut two] {
            e.set_clients(vec![1, 2], 1.0);
        }
        assert!(one.leads() && !two.leads());
        for e in [&mut one, &mut two] {
            e.set_clients(vec![2], 2.0);
        }
        assert!(!one.leads() && two.leads(), "client 1 detached");
    }

    #[test]
    fn who_led_goes_on_when_everybody_left() {
        let mut one = Election::new(1, 5, 0.0);
        let mut two = Election::new(2, 5, 0.0);
        for e in [&mut one, &mut two] {
            e.set_clients(vec![2], 1.0);
        }
        for e in [&mut one, &mut two] {
            e.set_clients(vec![], 2.0);
        }
        assert!(two.leads());
        one.heard(2, 2.5);
        one.decide(8.0);
        assert!(!one.leads(), "a sign of life is still fresh");
        assert!(one.decide(8.6), "silence: another instance takes over");
    }

    #[test]
    fn a_plugin_that_was_loaded_twice_leads_once() {
        let mut first = Election::new(1, 5, 0.0);
        let mut second = Election::new(1, 8, 0.0);
        for e in [&mut first, &mut second] {
            e.set_clients(vec![1], 1.0);
        }
        first.met(8, 2.0);
        second.met(5, 2.0);
        assert!(first.leads() && !second.leads());
        second.set_plugins(&[8]);
        second.decide(3.0);
        assert!(second.leads(), "the other one was closed");
    }

    #[test]
    fn a_session_without_clients_has_one_leader() {
        let mut only = Election::new(1, 5, 10.0);
        assert!(!only.decide(10.1));
        assert_eq!(only.deadline(), Some(10.5));
        assert!(only.decide(10.5));
        let mut late = Election::new(3, 5, 20.0);
        late.heard(1, 20.1);
        assert!(!late.decide(20.6));
        // Both believed that they lead: the lower one goes on.
        let mut twin = Election::new(2, 5, 0.0);
        twin.decide(1.0);
        twin.heard(1, 1.1);
        assert!(!twin.leads());
        only.heard(2, 1.1);
        assert!(only.leads());
    }
}
