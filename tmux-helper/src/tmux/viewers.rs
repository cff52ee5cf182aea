//! Who looks at what, and taking a person to a pane.

use super::batch::Batch;
use super::ids::PaneId;
use super::listing::Listing;
use super::server::{Server, TmuxError};
use tmux_interface::{ListClients, SwitchClient};

/// A person's terminal and the pane in front of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Viewer {
    /// tmux's name of the terminal.
    pub name: String,
    /// The pane in front.
    pub pane: PaneId,
    /// Second in which its person did anything last, since the epoch.
    pub activity: i64,
}

impl Server {
    /// The terminals that are attached, the most recently used one first.
    pub fn viewers(&self) -> Result<Vec<Viewer>, TmuxError> {
        let listing = Listing::new([
            "#{client_name}",
            "#{client_control_mode}",
            "#{pane_id}",
            "#{client_activity}",
        ]);
        let mut batch = Batch::new();
        let slot = batch.ask(ListClients::new().format(listing.format()).build());
        let replies = self.run(&batch)?;
        let rows = listing.rows(replies.get(slot).unwrap_or_default());
        let mut viewers: Vec<Viewer> = rows
            .filter(|[_, control, ..]| *control != "1")
            .filter_map(|[name, _, pane, activity]| {
                Some(Viewer {
                    name: name.to_owned(),
                    pane: pane.parse().ok()?,
                    activity: activity.parse().unwrap_or(0),
                })
            })
            .collect();
        viewers.sort_by_key(|viewer| std::cmp::Reverse(viewer.activity));
        Ok(viewers)
    }

    /// Brings a pane in front of a terminal: session, window and pane. Answers whether it is.
    pub fn show(&self, pane: PaneId, viewer: &Viewer) -> Result<bool, TmuxError> {
        let mut batch = Batch::new();
        let switch = SwitchClient::new().target_client(viewer.name.as_str());
        batch.tell(switch.target_session(pane.to_string()).build());
        self.run(&batch)?;
        let viewers = self.viewers()?;
        Ok(viewers.iter().any(|now| now.name == viewer.name && now.pane == pane))
    }
}
