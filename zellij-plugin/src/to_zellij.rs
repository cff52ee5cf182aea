//! The library's wishes as calls of zellij.

use crate::from_zellij::{CALL, facts, screen};
use madohub_zellij::{Effect, Event, Instance, Mode, PaneId, Permission};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use zellij_tile::prelude as zellij;
use zellij_tile::prelude::{EventType, PermissionType};

/// Folder that zellij keeps for the plugin, on this side of the sandbox.
const CACHE: &str = "/cache";
/// States of servers that are this old are removed.
const KEPT: Duration = Duration::from_hours(168);

/// Says which events the instance wants.
pub(crate) fn subscribe(bar: bool, version: &str) {
    if bar {
        zellij::subscribe(&[
            EventType::PermissionRequestResult,
            EventType::Timer,
            EventType::Mouse,
            EventType::Visible,
        ]);
        return;
    }
    zellij::subscribe(&controller_events(version));
}

/// What a controller always wants. Every subscription has to name all of it: zellij 0.45.1 tells
/// a plugin in the background modes and themes only when its last subscription named them.
fn controller_events(version: &str) -> Vec<EventType> {
    let mut events = vec![
        EventType::SessionUpdate,
        EventType::ModeUpdate,
        EventType::CommandChanged,
        EventType::PaneClosed,
        EventType::PermissionRequestResult,
        EventType::RunCommandResult,
        EventType::Timer,
    ];
    // zellij 0.44 does not know all of these.
    if !version.starts_with("0.44.") {
        events.extend([
            EventType::InitialKeybinds,
            EventType::ConfigWasWrittenToDisk,
            EventType::HostTerminalThemeChanged,
        ]);
    }
    events
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

/// Does one thing, and brings what zellij answers to it.
pub(crate) fn perform(effect: Effect, me: &Instance, granted: bool) -> Option<Event> {
    match effect {
        Effect::Wake(seconds) => zellij::set_timeout(seconds),
        Effect::ReceiveScreens(receive) => {
            let mut events = controller_events(&me.version);
            if receive {
                events.push(EventType::PaneRenderReport);
            } else {
                zellij::unsubscribe(&[EventType::PaneRenderReport]);
            }
            zellij::subscribe(&events);
        }
        Effect::ReadScreen(pane) => {
            let contents = zellij::get_pane_scrollback(terminal(pane), false);
            return Some(Event::ScreenRead(pane, contents.ok().map(screen)));
        }
        Effect::ReadTitle(pane) => {
            // zellij 0.45.1's library panics on the refusal.
            let info = if granted { zellij::get_pane_info(terminal(pane)) } else { None };
            return Some(Event::TitleRead(pane, info.map(|info| info.title)));
        }
        Effect::ReadPlaces(panes) => {
            let read = |pane: PaneId| granted.then(|| zellij::get_pane_info(terminal(pane)));
            // All are panes of one tab; which one does not matter to who asks.
            let facts = panes.into_iter().filter_map(|pane| Some(facts(0, read(pane)??)));
            return Some(Event::PlacesRead(facts.collect()));
        }
        Effect::ReadPid(pane) => {
            let pid = zellij::get_pane_pid(terminal(pane));
            return Some(Event::PidRead(pane, pid.ok().map(i64::from)));
        }
        Effect::ReadCommand(pane) => {
            let argv = zellij::get_pane_running_command(terminal(pane)).ok()?;
            return Some(Event::Command(pane, argv, None));
        }
        Effect::Configure(text) => zellij::reconfigure(text, false),
        Effect::Highlight { on, off } => {
            let panes = |ids: Vec<PaneId>| ids.into_iter().map(terminal).collect();
            zellij::highlight_and_unhighlight_panes(panes(on), panes(off));
        }
        Effect::Tint(pane, colour) => {
            zellij::set_pane_color(terminal(pane), None, colour.map(|c| c.to_string()));
        }
        Effect::RenamePane(pane, name) => zellij::rename_pane_with_id(terminal(pane), name),
        Effect::RenameTab(tab, name) => zellij::rename_tab_with_id(tab, name),
        Effect::SwitchMode(mode) => match mode {
            Mode::Normal => zellij::switch_to_input_mode(&zellij::InputMode::Normal),
            Mode::Locked => zellij::switch_to_input_mode(&zellij::InputMode::Locked),
            // The library asks for these two only.
            Mode::Scroll | Mode::Other(_) => {}
        },
        Effect::Broadcast { name, payload } => {
            let message = zellij::MessageToPlugin::new(name).with_payload(payload);
            zellij::pipe_message_to_plugin(message);
        }
        Effect::Answer { pipe, text } => zellij::cli_pipe_output(&pipe, &text),
        Effect::HoldPipe(pipe) => zellij::block_cli_pipe_input(&pipe),
        Effect::EndPipe(pipe) => zellij::unblock_cli_pipe_input(&pipe),
        Effect::Focus(pane) => zellij::focus_pane_with_id(terminal(pane), true, false),
        Effect::Type(pane, bytes) => zellij::write_to_pane_id(bytes, terminal(pane)),
        Effect::RunHelper { argv, call } => {
            let words: Vec<&str> = argv.iter().map(String::as_str).collect();
            zellij::run_command(&words, BTreeMap::from([(CALL.to_owned(), call.to_string())]));
        }
        Effect::Save(text) => {
            // Without it a reload starts from what is on the screens, which is no harm.
            let _ = fs::write(state_file(me), text);
        }
        Effect::Request => zellij::request_permission(&Permission::ALL.map(permission)),
        Effect::Selectable(selectable) => zellij::set_selectable(selectable),
        Effect::Log(line) => eprintln!("madohub: {line}"),
        Effect::Render => {}
    }
    None
}

fn terminal(pane: PaneId) -> zellij::PaneId {
    zellij::PaneId::Terminal(pane)
}

fn permission(permission: Permission) -> PermissionType {
    match permission {
        Permission::ReadApplicationState => PermissionType::ReadApplicationState,
        Permission::ReadPaneContents => PermissionType::ReadPaneContents,
        Permission::ChangeApplicationState => PermissionType::ChangeApplicationState,
        Permission::Reconfigure => PermissionType::Reconfigure,
        Permission::ReadCliPipes => PermissionType::ReadCliPipes,
        Permission::MessageAndLaunchOtherPlugins => PermissionType::MessageAndLaunchOtherPlugins,
        Permission::WriteToStdin => PermissionType::WriteToStdin,
        Permission::RunCommands => PermissionType::RunCommands,
    }
}
