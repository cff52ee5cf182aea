//! What the plugin asks of zellij, as `PluginCommand` has it: the command's number, and in a field
//! of its own what goes with it.

use super::events::kind;
use super::message::Message;
use super::style::mode_number;
use crate::effect::{Effect, Permission};
use crate::event::PaneId;

/// Key of the call number among the context of a run of the helper.
pub(super) const CALL: &str = "madohub-call";

/// Events that a bar wants.
const BAR: [u64; 4] = [kind::PERMISSION_REQUEST_RESULT, kind::TIMER, kind::MOUSE, kind::VISIBLE];

/// What a controller always wants. Every subscription has to name all of it: zellij 0.45.1 tells
/// a plugin in the background modes and themes only when its last subscription named them.
const CONTROLLER: [u64; 10] = [
    kind::SESSION_UPDATE,
    kind::MODE_UPDATE,
    kind::COMMAND_CHANGED,
    kind::PANE_CLOSED,
    kind::PERMISSION_REQUEST_RESULT,
    kind::RUN_COMMAND_RESULT,
    kind::TIMER,
    // Of configurations, saved files and themes.
    kind::INITIAL_KEYBINDS,
    kind::CONFIG_WAS_WRITTEN_TO_DISK,
    kind::HOST_TERMINAL_THEME_CHANGED,
];

/// The calls that do this, in order; none for what is not zellij's to do, and for the questions,
/// which have calls of their own below.
pub fn calls(effect: &Effect) -> Vec<Vec<u8>> {
    let message = Message::default;
    let call = match effect {
        Effect::ReceiveScreens(true) => {
            let mut events = CONTROLLER.to_vec();
            events.push(kind::PANE_RENDER_REPORT);
            subscribe(&events)
        }
        Effect::ReceiveScreens(false) => {
            let off = command(1, 3, &events(&[kind::PANE_RENDER_REPORT]));
            return vec![off, subscribe(&CONTROLLER)];
        }
        Effect::Selectable(selectable) => named(2).flag(4, *selectable).into_bytes(),
        Effect::Wake(seconds) => command(12, 12, &message().double(1, *seconds)),
        Effect::SwitchMode(mode) => match mode_number(mode) {
            Some(number) => command(18, 17, &message().number(1, number)),
            None => return Vec::new(),
        },
        // Where it does not float, it stays where it is.
        Effect::Focus(pane) => {
            command(60, 32, &message().number(1, u64::from(*pane)).flag(2, true).flag(3, false))
        }
        Effect::RenamePane(pane, name) => {
            command(62, 34, &message().number(1, u64::from(*pane)).text(2, name))
        }
        Effect::Request => {
            command(66, 38, &message().numbers(1, &Permission::ALL.map(permission_number)))
        }
        Effect::RunHelper { argv, call } => {
            let words = argv.iter().fold(message(), |all, word| all.text(1, word));
            let context = message().text(1, CALL).text(2, &call.to_string());
            command(71, 43, &words.text(3, ".").message(4, &context))
        }
        Effect::EndPipe(pipe) => named(76).text(47, pipe).into_bytes(),
        Effect::HoldPipe(pipe) => named(77).text(48, pipe).into_bytes(),
        Effect::Answer { pipe, text } => command(78, 49, &message().text(1, pipe).text(2, text)),
        Effect::Broadcast { name, payload } => {
            command(79, 50, &message().text(3, name).text(4, payload))
        }
        // Not to be written to the user's file.
        Effect::Configure(text) => command(87, 63, &message().text(1, text).flag(2, false)),
        Effect::Type(pane, bytes) => {
            command(94, 70, &message().bytes(1, bytes).message(2, &pane_id(*pane)))
        }
        Effect::Highlight { on, off } => {
            let all = on.iter().fold(message(), |all, pane| all.message(1, &pane_id(*pane)));
            let all = off.iter().fold(all, |all, pane| all.message(2, &pane_id(*pane)));
            command(129, 103, &all)
        }
        Effect::RenameTab(tab, name) => command(195, 146, &message().number(1, *tab).text(2, name)),
        Effect::Tint(pane, colour) => {
            let all = message().message(1, &pane_id(*pane));
            let all = match colour {
                Some(colour) => all.text(3, &colour.to_string()),
                None => all,
            };
            command(206, 157, &all)
        }
        Effect::ReadScreen(_)
        | Effect::ReadTitle(_)
        | Effect::ReadPid(_)
        | Effect::ReadCommand(_)
        | Effect::ReadPlaces(_)
        | Effect::Save(_)
        | Effect::Render
        | Effect::Log(_) => return Vec::new(),
    };
    vec![call]
}

/// `Subscribe`, with what an instance wants from its start.
pub fn subscribe_call(bar: bool) -> Vec<u8> {
    let wanted: &[u64] = if bar { &BAR } else { &CONTROLLER };
    subscribe(wanted)
}

/// `GetPluginIds`
pub fn ids_call() -> Vec<u8> {
    named(3).into_bytes()
}

/// `GetZellijVersion`
pub fn version_call() -> Vec<u8> {
    named(4).into_bytes()
}

/// `GetPaneScrollback`: what is visible of a pane, not its scrollback.
pub fn screen_call(pane: PaneId) -> Vec<u8> {
    command(163, 113, &of_pane(pane).flag(2, false))
}

/// `GetPanePid`
pub fn pid_call(pane: PaneId) -> Vec<u8> {
    command(173, 123, &of_pane(pane))
}

/// `GetPaneInfo`
pub fn place_call(pane: PaneId) -> Vec<u8> {
    command(188, 139, &of_pane(pane))
}

/// `GetPaneRunningCommand`
pub fn command_call(pane: PaneId) -> Vec<u8> {
    command(190, 141, &of_pane(pane))
}

fn subscribe(kinds: &[u64]) -> Vec<u8> {
    command(0, 2, &events(kinds))
}

fn events(kinds: &[u64]) -> Message {
    Message::default().message(1, &Message::default().numbers(1, kinds))
}

/// `PaneId` of a terminal.
fn pane_id(pane: PaneId) -> Message {
    Message::default().number(1, 0).number(2, u64::from(pane))
}

fn of_pane(pane: PaneId) -> Message {
    Message::default().message(1, &pane_id(pane))
}

/// The start of a command with this number.
fn named(number: u64) -> Message {
    Message::default().number(1, number)
}

/// A command with a message in a field of its own.
fn command(number: u64, field: u32, payload: &Message) -> Vec<u8> {
    named(number).message(field, payload).into_bytes()
}

/// `PermissionType`
fn permission_number(permission: Permission) -> u64 {
    match permission {
        Permission::ReadApplicationState => 0,
        Permission::ChangeApplicationState => 1,
        Permission::RunCommands => 3,
        Permission::WriteToStdin => 5,
        Permission::ReadCliPipes => 7,
        Permission::MessageAndLaunchOtherPlugins => 8,
        Permission::Reconfigure => 9,
        Permission::ReadPaneContents => 13,
    }
}
