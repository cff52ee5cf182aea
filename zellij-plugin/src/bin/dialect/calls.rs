//! What the plugin writes, as zellij's library reads it.

use crate::Compared;
use madohub_zellij::{Colour, Effect, Mode, wire};
use std::collections::BTreeMap;
use zellij_tile::prelude::plugin_api::plugin_command::ProtobufPluginCommand;
use zellij_tile::prelude::{
    EventType, InputMode, Message as _, MessageToPlugin, PaneId, PermissionType, PluginCommand,
};

pub(crate) fn compare(compared: &mut Compared) {
    for (effect, expected) in effects() {
        let calls: Vec<_> = wire::calls(&effect).iter().map(|call| read(call)).collect();
        let expected: Vec<_> = expected.iter().map(written).collect();
        compared.same(&format!("{effect:?}"), calls, expected);
    }
    let pane = PaneId::Terminal(300);
    let questions = [
        (wire::ids_call(), PluginCommand::GetPluginIds),
        (wire::version_call(), PluginCommand::GetZellijVersion),
        (
            wire::screen_call(300),
            PluginCommand::GetPaneScrollback { pane_id: pane, get_full_scrollback: false },
        ),
        (wire::place_call(300), PluginCommand::GetPaneInfo(pane)),
        (wire::pid_call(300), PluginCommand::GetPanePid { pane_id: pane }),
        (wire::command_call(300), PluginCommand::GetPaneRunningCommand { pane_id: pane }),
        (
            wire::subscribe_call(true),
            subscribe(&[
                EventType::PermissionRequestResult,
                EventType::Timer,
                EventType::Mouse,
                EventType::Visible,
            ]),
        ),
        (wire::subscribe_call(false), subscribe(&CONTROLLER)),
    ];
    for (call, expected) in questions {
        compared.same("question", read(&call), written(&expected));
    }
}

/// What every controller wants.
const CONTROLLER: [EventType; 10] = [
    EventType::SessionUpdate,
    EventType::ModeUpdate,
    EventType::CommandChanged,
    EventType::PaneClosed,
    EventType::PermissionRequestResult,
    EventType::RunCommandResult,
    EventType::Timer,
    EventType::InitialKeybinds,
    EventType::ConfigWasWrittenToDisk,
    EventType::HostTerminalThemeChanged,
];

fn read(call: &[u8]) -> String {
    let command = ProtobufPluginCommand::decode(call).map_err(|error| error.to_string());
    match command.and_then(|command| command.try_into().map_err(str::to_owned)) {
        Ok(command) => written(&command),
        Err(error) => error,
    }
}

/// A command in words. Events are a set without an order.
fn written(command: &PluginCommand) -> String {
    let sorted = |events: &std::collections::HashSet<EventType>| {
        let mut names: Vec<_> = events.iter().map(|event| format!("{event:?}")).collect();
        names.sort();
        names.join(" ")
    };
    match command {
        PluginCommand::Subscribe(events) => format!("subscribe {}", sorted(events)),
        PluginCommand::Unsubscribe(events) => format!("unsubscribe {}", sorted(events)),
        other => format!("{other:?}"),
    }
}

fn subscribe(events: &[EventType]) -> PluginCommand {
    PluginCommand::Subscribe(events.iter().copied().collect())
}

fn effects() -> Vec<(Effect, Vec<PluginCommand>)> {
    let pane = PaneId::Terminal;
    let with_reports = [&CONTROLLER[..], &[EventType::PaneRenderReport]].concat();
    let no_reports = [EventType::PaneRenderReport].into_iter().collect();
    let text = || "a \"b\"\né".to_owned();
    let words = vec!["madohub".to_owned(), "probe".to_owned(), String::new()];
    let context = BTreeMap::from([("madohub-call".to_owned(), "17".to_owned())]);
    vec![
        (Effect::Wake(0.08), vec![PluginCommand::SetTimeout(0.08)]),
        (Effect::ReceiveScreens(true), vec![subscribe(&with_reports)]),
        (
            Effect::ReceiveScreens(false),
            vec![PluginCommand::Unsubscribe(no_reports), subscribe(&CONTROLLER)],
        ),
        (Effect::Configure(text()), vec![PluginCommand::Reconfigure(text(), false)]),
        (
            Effect::Highlight { on: vec![0, 300], off: vec![2] },
            vec![PluginCommand::HighlightAndUnhighlightPanes(
                vec![pane(0), pane(300)],
                vec![pane(2)],
            )],
        ),
        (
            Effect::Highlight { on: Vec::new(), off: vec![2] },
            vec![PluginCommand::HighlightAndUnhighlightPanes(Vec::new(), vec![pane(2)])],
        ),
        (
            Effect::Tint(3, Some(Colour::Rgb(1, 2, 255))),
            vec![PluginCommand::SetPaneColor(pane(3), None, Some("#0102ff".to_owned()))],
        ),
        (Effect::Tint(3, None), vec![PluginCommand::SetPaneColor(pane(3), None, None)]),
        (
            Effect::RenamePane(0, String::new()),
            vec![PluginCommand::RenameTerminalPane(0, String::new())],
        ),
        (Effect::RenameTab(70_000, text()), vec![PluginCommand::RenameTabWithId(70_000, text())]),
        (Effect::SwitchMode(Mode::Normal), vec![PluginCommand::SwitchToMode(InputMode::Normal)]),
        (Effect::SwitchMode(Mode::Locked), vec![PluginCommand::SwitchToMode(InputMode::Locked)]),
        (Effect::SwitchMode(Mode::Scroll), Vec::new()),
        (
            Effect::Broadcast { name: "madohub".to_owned(), payload: text() },
            vec![PluginCommand::MessageToPlugin(
                MessageToPlugin::new("madohub").with_payload(text()),
            )],
        ),
        (
            Effect::Answer { pipe: "id-1".to_owned(), text: text() },
            vec![PluginCommand::CliPipeOutput("id-1".to_owned(), text())],
        ),
        (
            Effect::HoldPipe("id-1".to_owned()),
            vec![PluginCommand::BlockCliPipeInput("id-1".to_owned())],
        ),
        (
            Effect::EndPipe("id-1".to_owned()),
            vec![PluginCommand::UnblockCliPipeInput("id-1".to_owned())],
        ),
        (Effect::Focus(0), vec![PluginCommand::FocusTerminalPane(0, true, false)]),
        (
            Effect::Type(3, vec![0, 27, 13, 255]),
            vec![PluginCommand::WriteToPaneId(vec![0, 27, 13, 255], pane(3))],
        ),
        (
            Effect::RunHelper { argv: words.clone(), call: 17 },
            vec![PluginCommand::RunCommand(words, BTreeMap::new(), ".".into(), context)],
        ),
        (
            Effect::Request,
            vec![PluginCommand::RequestPluginPermissions(vec![
                PermissionType::ReadApplicationState,
                PermissionType::ReadPaneContents,
                PermissionType::ChangeApplicationState,
                PermissionType::Reconfigure,
                PermissionType::ReadCliPipes,
                PermissionType::MessageAndLaunchOtherPlugins,
                PermissionType::WriteToStdin,
                PermissionType::RunCommands,
            ])],
        ),
        (Effect::Selectable(true), vec![PluginCommand::SetSelectable(true)]),
        (Effect::Selectable(false), vec![PluginCommand::SetSelectable(false)]),
        // The program's own business, or a question.
        (Effect::Save(text()), Vec::new()),
        (Effect::Log(text()), Vec::new()),
        (Effect::Render, Vec::new()),
        (Effect::ReadScreen(1), Vec::new()),
    ]
}
