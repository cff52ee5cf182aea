//! The terminals that are attached to a server.

use super::ids::SessionId;
use super::listing::Listing;
use super::panes::Pane;
use crate::config::Depth;
use std::collections::HashMap;
use termini::{NumberCapability, TermInfo};
use tmux_interface::{ListClients, TmuxCommand};

/// A person's terminal. Control-mode clients are programs and left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Client {
    /// tmux's name of it.
    pub name: String,
    /// The session that it shows.
    pub session: SessionId,
    /// The terminal has the focus, as far as it says so: see [`Clients::in_front`].
    pub focused: bool,
    /// How many colours it shows.
    pub depth: Depth,
    /// Second in which its person did anything last, since the epoch.
    pub activity: i64,
    /// `TERM` of the terminal.
    pub term: String,
    /// What the terminal calls itself, where it said so.
    pub terminal: String,
}

/// All clients of a server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Clients {
    list: Vec<Client>,
    focus_events: bool,
}

/// The question for clients, and how its answer is read.
#[derive(Debug)]
pub struct ClientList {
    listing: Listing<8>,
    depths: HashMap<String, Depth>,
}

impl Default for ClientList {
    fn default() -> Self {
        Self::new()
    }
}

impl ClientList {
    /// The question.
    pub fn new() -> Self {
        Self {
            listing: Listing::new([
                "#{client_name}",
                "#{session_id}",
                "#{client_control_mode}",
                "#{client_flags}",
                "#{client_termname} #{client_termfeatures}",
                "#{client_termtype}",
                "#{focus-events}",
                "#{client_activity}",
            ]),
            depths: HashMap::new(),
        }
    }

    /// All clients.
    pub fn all(&self) -> TmuxCommand<'static> {
        ListClients::new().format(self.listing.format()).build()
    }

    /// Reads the answer.
    pub fn read(&mut self, answer: &str) -> Clients {
        let mut clients = Clients::default();
        for row in self.listing.rows(answer) {
            let [name, session, control, flags, terminal, calls, focus_events, activity] = row;
            clients.focus_events |= matches!(focus_events, "1" | "on");
            let Ok(session) = session.parse() else { continue };
            if control == "1" {
                continue;
            }
            let known = self.depths.get(terminal).copied();
            let depth = known.unwrap_or_else(|| depth(terminal));
            self.depths.insert(terminal.to_owned(), depth);
            let focused = flags.split(',').any(|flag| flag == "focused");
            let activity = activity.parse().unwrap_or(0);
            clients.list.push(Client {
                name: name.to_owned(),
                session,
                focused,
                depth,
                activity,
                term: terminal.split(' ').next().unwrap_or_default().to_owned(),
                terminal: calls.to_owned(),
            });
        }
        clients
    }
}

impl Clients {
    /// Whether no person's terminal is attached.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Client> {
        self.list.iter()
    }

    /// The clients that show the pane's window now.
    pub fn showing<'a>(&'a self, pane: &'a Pane) -> impl Iterator<Item = &'a Client> {
        self.list.iter().filter(|client| {
            pane.places.iter().any(|place| place.current && place.session == client.session)
        })
    }

    /// Whether the pane is the one in front of a person. Whether a terminal window has the focus
    /// is only known where the user set `focus-events`; else every attached one may have it.
    pub fn in_front(&self, pane: &Pane) -> bool {
        pane.active && self.showing(pane).any(|client| client.focused || !self.focus_events)
    }

    /// The least colours of all clients that could show the pane; all there are where none does.
    pub fn depth(&self, pane: &Pane) -> Depth {
        let could = |client: &&Client| pane.places.iter().any(|p| p.session == client.session);
        self.list.iter().filter(could).map(|client| client.depth).min().unwrap_or(Depth::Rgb)
    }

    /// The least colours of all clients; all there are without one.
    pub fn least_depth(&self) -> Depth {
        self.list.iter().map(|client| client.depth).min().unwrap_or(Depth::Rgb)
    }
}

/// Colours of a terminal, by what tmux knows of it and by its terminfo entry. Where nothing says
/// so, eight: tmux itself assumes no more.
fn depth(terminal: &str) -> Depth {
    let (name, features) = terminal.split_once(' ').unwrap_or((terminal, ""));
    let has = |wanted: &str| features.split(',').any(|feature| feature == wanted);
    if has("RGB") || name.ends_with("-direct") {
        return Depth::Rgb;
    }
    if has("256") || name.contains("256color") {
        return Depth::TwoFiftySix;
    }
    let colours = TermInfo::from_name(name)
        .ok()
        .and_then(|info| info.number_cap(NumberCapability::MaxColors));
    match colours {
        Some(256..) => Depth::TwoFiftySix,
        Some(16..) => Depth::Sixteen,
        _ => Depth::Eight,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_come_from_features_then_from_the_name() {
        for (terminal, expected) in [
            ("xterm-256color 256,RGB,title", Depth::Rgb),
            ("xterm-direct ", Depth::Rgb),
            ("tmux-256color ", Depth::TwoFiftySix),
            ("screen title,256", Depth::TwoFiftySix),
            ("no-such-terminal ", Depth::Eight),
            ("", Depth::Eight),
        ] {
            assert_eq!(depth(terminal), expected, "{terminal}");
        }
    }
}
