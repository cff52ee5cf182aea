//! The library's wishes as calls of zellij.

use crate::host::{ask, tell};
use madohub_zellij::{Effect, Event, Instance, PaneFacts, PaneId, wire};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Folder that zellij keeps for the plugin, on this side of the sandbox.
const CACHE: &str = "/cache";
/// States of servers that are this old are removed.
const KEPT: Duration = Duration::from_hours(168);

/// Which instance this is.
pub(crate) fn instance() -> Instance {
    let ids = ask(&wire::ids_call()).and_then(|reply| wire::ids_reply(&reply));
    let (plugin, client, server_pid) = ids.unwrap_or_default();
    let version = ask(&wire::version_call()).and_then(|reply| wire::version_reply(&reply));
    Instance { plugin, client, server_pid, version: version.unwrap_or_default() }
}

/// What an earlier instance under the same server kept.
pub(crate) fn saved(me: &Instance) -> Option<String> {
    let own = state_file(me);
    for entry in fs::read_dir(CACHE).into_iter().flatten().flatten() {
        let path = entry.path();
        let age = entry.metadata().and_then(|m| m.modified()).ok().and_then(|t| t.elapsed().ok());
        let ours = path.extension().is_some_and(|ext| ext == "json");
        if ours && path != own && age.is_some_and(|age| age > KEPT) {
            // A file that stays costs nothing.
            let _ = fs::remove_file(path);
        }
    }
    fs::read_to_string(own).ok()
}

fn state_file(me: &Instance) -> PathBuf {
    Path::new(CACHE).join(format!("state-{}.json", me.server_pid))
}

/// Does one thing, and brings what zellij answers to it. Before the user `granted` it, zellij says
/// nothing about panes.
pub(crate) fn perform(effect: Effect, me: &Instance, granted: bool) -> Option<Event> {
    match effect {
        Effect::ReadScreen(pane) => {
            let reply = ask(&wire::screen_call(pane)).and_then(|reply| wire::screen_reply(&reply));
            Some(Event::ScreenRead(pane, reply.ok().flatten()))
        }
        Effect::ReadTitle(pane) => {
            Some(Event::TitleRead(pane, place(pane, granted).map(|facts| facts.title)))
        }
        Effect::ReadPlaces(panes) => {
            // All are panes of one tab; which one does not matter to who asks.
            let facts = panes.into_iter().filter_map(|pane| place(pane, granted));
            Some(Event::PlacesRead(facts.collect()))
        }
        Effect::ReadPid(pane) => {
            let reply = ask(&wire::pid_call(pane)).and_then(|reply| wire::pid_reply(&reply));
            Some(Event::PidRead(pane, reply.ok().flatten()))
        }
        Effect::ReadCommand(pane) => {
            let reply =
                ask(&wire::command_call(pane)).and_then(|reply| wire::command_reply(&reply));
            Some(Event::CommandRead(pane, reply.ok().flatten()))
        }
        Effect::Save(text) => {
            // Without it a reload starts from what is on the screens, which is no harm.
            let _ = fs::write(state_file(me), text);
            None
        }
        Effect::Log(line) => {
            eprintln!("madohub: {line}");
            None
        }
        effect => {
            for call in wire::calls(&effect) {
                tell(&call);
            }
            None
        }
    }
}

fn place(pane: PaneId, granted: bool) -> Option<PaneFacts> {
    let reply = granted.then(|| ask(&wire::place_call(pane)))?;
    reply.and_then(|reply| wire::place_reply(&reply)).ok()?
}
