//! What zellij's library writes, as the plugin reads it.

use crate::Compared;
use madohub_zellij::{
    Colour, Event, HelperAnswer, Ink, Mode, ModeInfo, Palette, PaneFacts, Pipe, PipeSource, Screen,
    Session, TabFacts, wire,
};
use std::collections::{BTreeMap, HashMap};
use zellij_tile::prelude as zellij;
use zellij_tile::prelude::{Message as _, plugin_api};

pub(crate) fn compare(compared: &mut Compared) {
    for (sent, expected) in events() {
        let what = sent.to_string();
        let event = plugin_api::event::ProtobufEvent::try_from(sent).unwrap();
        compared.same(&what, wire::event(&event.encode_to_vec()), Ok(expected));
    }
    for (mode, expected) in modes() {
        let info = zellij::ModeInfo { mode, ..Default::default() };
        let event = plugin_api::event::ProtobufEvent::try_from(zellij::Event::ModeUpdate(info));
        let read = match wire::event(&event.unwrap().encode_to_vec()) {
            Ok(Some(Event::Mode(info))) => Some((info.mode, info.base)),
            _ => None,
        };
        compared.same("mode", read, Some((expected, Mode::Normal)));
    }
    for (sent, expected) in pipes() {
        let message = plugin_api::pipe_message::ProtobufPipeMessage::try_from(sent).unwrap();
        compared.same("pipe", wire::pipe(&message.encode_to_vec()), Ok(expected));
    }
    let block = BTreeMap::from([("role".to_owned(), "bar".to_owned()), ("é".into(), "\n".into())]);
    let pairs = block.iter().map(|(name, value)| plugin_api::action::ProtobufNameAndValue {
        name: name.clone(),
        value: value.clone(),
    });
    let sent = plugin_api::action::ProtobufPluginConfiguration { name_and_value: pairs.collect() };
    compared.same("configuration", wire::configuration(&sent.encode_to_vec()), Ok(block));
}

fn events() -> Vec<(zellij::Event, Option<Event>)> {
    let context = |call: &str| BTreeMap::from([("madohub-call".to_owned(), call.to_owned())]);
    let answer =
        |code, call| HelperAnswer { code, stdout: vec![0, 200, 10], stderr: b"why".to_vec(), call };
    let words = vec!["claude".to_owned(), "--é".to_owned()];
    vec![
        (zellij::Event::Timer(0.25), Some(Event::Timer)),
        (zellij::Event::Visible(true), Some(Event::Visible(true))),
        (zellij::Event::Visible(false), Some(Event::Visible(false))),
        (
            zellij::Event::PermissionRequestResult(zellij::PermissionStatus::Granted),
            Some(Event::Permissions(true)),
        ),
        (
            zellij::Event::PermissionRequestResult(zellij::PermissionStatus::Denied),
            Some(Event::Permissions(false)),
        ),
        (zellij::Event::PaneClosed(zellij::PaneId::Terminal(7)), Some(Event::PaneClosed(7))),
        (zellij::Event::PaneClosed(zellij::PaneId::Terminal(0)), Some(Event::PaneClosed(0))),
        (zellij::Event::PaneClosed(zellij::PaneId::Plugin(7)), None),
        (
            zellij::Event::CommandChanged(
                zellij::PaneId::Terminal(300),
                words.clone(),
                true,
                vec![1],
            ),
            Some(Event::Command(300, words.clone(), false)),
        ),
        (
            zellij::Event::CommandChanged(zellij::PaneId::Terminal(0), Vec::new(), false, vec![]),
            Some(Event::Command(0, Vec::new(), true)),
        ),
        (zellij::Event::CommandChanged(zellij::PaneId::Plugin(1), words, true, vec![]), None),
        (zellij::Event::InitialKeybinds(Vec::new()), Some(Event::Configured)),
        (zellij::Event::ConfigWasWrittenToDisk, Some(Event::Saved)),
        (
            zellij::Event::HostTerminalThemeChanged(zellij::HostTerminalThemeMode::Dark),
            Some(Event::TerminalDark(true)),
        ),
        (
            zellij::Event::HostTerminalThemeChanged(zellij::HostTerminalThemeMode::Light),
            Some(Event::TerminalDark(false)),
        ),
        (
            zellij::Event::RunCommandResult(
                Some(-1),
                vec![0, 200, 10],
                b"why".to_vec(),
                context("12"),
            ),
            Some(Event::Helper(answer(Some(-1), 12))),
        ),
        (
            zellij::Event::RunCommandResult(None, vec![0, 200, 10], b"why".to_vec(), context("0")),
            Some(Event::Helper(answer(None, 0))),
        ),
        (zellij::Event::RunCommandResult(Some(0), vec![], vec![], context("x")), None),
        (zellij::Event::RunCommandResult(Some(0), vec![], vec![], BTreeMap::new()), None),
        (zellij::Event::Mouse(zellij::Mouse::LeftClick(0, 41)), Some(Event::Click(41))),
        (zellij::Event::Mouse(zellij::Mouse::LeftClick(-1, 0)), Some(Event::Click(0))),
        (zellij::Event::Mouse(zellij::Mouse::RightClick(0, 41)), None),
        (zellij::Event::Mouse(zellij::Mouse::ScrollUp(3)), None),
        (zellij::Event::ModeUpdate(mode_info()), Some(Event::Mode(Box::new(expected_mode())))),
        (session_update(true), Some(Event::Session(expected_session()))),
        (session_update(false), None),
        (
            zellij::Event::PaneRenderReport(HashMap::from([
                (zellij::PaneId::Terminal(3), contents(Some((4, 1)))),
                (zellij::PaneId::Plugin(3), contents(None)),
            ])),
            Some(Event::Screens(vec![(3, screen(Some((4, 1))))])),
        ),
        (zellij::Event::PaneRenderReport(HashMap::new()), Some(Event::Screens(Vec::new()))),
        // What the plugin did not ask for.
        (zellij::Event::InputReceived, None),
        (zellij::Event::PastedText("text".to_owned()), None),
    ]
}

pub(crate) fn contents(cursor: Option<(usize, usize)>) -> zellij::PaneContents {
    let viewport = vec!["✻ Pondering… (12s)".to_owned(), String::new(), "❯ ".to_owned()];
    zellij::PaneContents { viewport, cursor, ..Default::default() }
}

pub(crate) fn screen(cursor: Option<(usize, usize)>) -> Screen {
    Screen { rows: contents(None).viewport, cursor }
}

pub(crate) fn pane(id: u32) -> zellij::PaneInfo {
    zellij::PaneInfo {
        id,
        is_focused: true,
        is_suppressed: true,
        title: "✳ título".to_owned(),
        exited: true,
        exit_status: Some(-9),
        pane_x: 10,
        pane_content_x: 11,
        pane_y: 300,
        pane_content_y: 302,
        pane_rows: 40,
        pane_content_rows: 38,
        pane_columns: 90,
        pane_content_columns: 88,
        cursor_coordinates_in_pane: Some((1, 2)),
        terminal_command: Some("claude --resume".to_owned()),
        is_selectable: true,
        default_bg: Some("#102030".to_owned()),
        ..Default::default()
    }
}

pub(crate) fn facts(id: u32, tab: usize) -> PaneFacts {
    PaneFacts {
        id,
        tab,
        title: "✳ título".to_owned(),
        focused: true,
        floating: false,
        suppressed: true,
        exited: true,
        held: false,
        exit_status: Some(-9),
        terminal_command: Some("claude --resume".to_owned()),
        size: (88, 38),
        content_offset: (1, 2),
        background: Some("#102030".to_owned()),
    }
}

fn session_update(current: bool) -> zellij::Event {
    let other = zellij::SessionInfo { name: "other".to_owned(), ..Default::default() };
    let floating = zellij::PaneInfo {
        id: 2,
        is_floating: true,
        is_held: true,
        pane_content_x: 5,
        ..Default::default()
    };
    let bar = zellij::PaneInfo { id: 9, is_plugin: true, ..Default::default() };
    let tab = |tab_id, position: usize, bells: (bool, bool)| zellij::TabInfo {
        position,
        name: format!("tab {position}"),
        active: true,
        are_floating_panes_visible: position == 1,
        other_focused_clients: if position == 1 { vec![300, 2] } else { Vec::new() },
        tab_id,
        has_bell_notification: bells.0,
        is_flashing_bell: bells.1,
        ..Default::default()
    };
    let session = zellij::SessionInfo {
        name: "here".to_owned(),
        tabs: vec![
            tab(0, 0, (true, false)),
            tab(70_000, 1, (false, true)),
            tab(1, 2, (false, false)),
        ],
        panes: zellij::PaneManifest {
            panes: HashMap::from([(0, vec![pane(7), bar]), (1, vec![floating])]),
        },
        connected_clients: 2,
        is_current_session: current,
        pane_history: BTreeMap::from([
            (2, vec![zellij::PaneId::Terminal(2), zellij::PaneId::Terminal(7)]),
            (300, vec![zellij::PaneId::Terminal(7), zellij::PaneId::Plugin(9)]),
            (5, vec![zellij::PaneId::Terminal(2)]),
        ]),
        ..Default::default()
    };
    zellij::Event::SessionUpdate(vec![other, session], Vec::new())
}

fn expected_session() -> Session {
    let tab = |id, position: usize, bell| TabFacts {
        id,
        position,
        name: format!("tab {position}"),
        clients: if position == 1 { vec![2, 300] } else { Vec::new() },
        floating_visible: position == 1,
        bell,
    };
    let floating = PaneFacts {
        id: 2,
        tab: 1,
        floating: true,
        held: true,
        content_offset: (5, 0),
        ..PaneFacts::default()
    };
    Session {
        name: "here".to_owned(),
        tabs: vec![tab(0, 0, true), tab(70_000, 1, true), tab(1, 2, false)],
        panes: vec![floating, facts(7, 0)],
        plugins: vec![9],
        // The other attached client is in a plugin's pane; the third one is not attached.
        focus: BTreeMap::from([(2, 7)]),
    }
}

/// Colours that tell which place they were in.
fn declaration(n: u8) -> zellij::StyleDeclaration {
    zellij::StyleDeclaration {
        base: zellij::PaletteColor::Rgb((n, 0, 255)),
        background: zellij::PaletteColor::EightBit(n),
        emphasis_0: zellij::PaletteColor::EightBit(0),
        emphasis_1: zellij::PaletteColor::Rgb((0, n, 0)),
        emphasis_2: zellij::PaletteColor::Rgb((0, 0, 0)),
        emphasis_3: zellij::PaletteColor::EightBit(255),
    }
}

fn ink(n: u8) -> Ink {
    Ink {
        base: Colour::Rgb(n, 0, 255),
        background: Colour::Indexed(n),
        emphasis: [
            Colour::Indexed(0),
            Colour::Rgb(0, n, 0),
            Colour::Rgb(0, 0, 0),
            Colour::Indexed(255),
        ],
    }
}

fn mode_info() -> zellij::ModeInfo {
    let player = zellij::PaletteColor::EightBit;
    let colors = zellij::Styling {
        text_unselected: declaration(1),
        text_selected: declaration(2),
        ribbon_unselected: declaration(3),
        ribbon_selected: declaration(4),
        table_title: declaration(5),
        table_cell_unselected: declaration(6),
        table_cell_selected: declaration(7),
        list_unselected: declaration(8),
        list_selected: declaration(9),
        frame_unselected: None,
        frame_selected: declaration(11),
        frame_highlight: declaration(12),
        exit_code_success: declaration(13),
        exit_code_error: declaration(14),
        multiplayer_user_colors: zellij::MultiplayerColors {
            player_1: player(1),
            player_2: player(2),
            player_3: player(3),
            player_4: player(4),
            player_5: player(5),
            player_6: player(6),
            player_7: player(7),
            player_8: player(8),
            player_9: player(9),
            player_10: player(10),
        },
    };
    zellij::ModeInfo {
        mode: zellij::InputMode::RenamePane,
        base_mode: Some(zellij::InputMode::Locked),
        style: zellij::Style { colors, rounded_corners: true, hide_session_name: true },
        session_name: Some("here".to_owned()),
        ..Default::default()
    }
}

fn expected_mode() -> ModeInfo {
    ModeInfo {
        mode: Mode::Other("RenamePane".to_owned()),
        base: Mode::Locked,
        palette: Palette {
            text_unselected: ink(1),
            text_selected: ink(2),
            ribbon_unselected: ink(3),
            ribbon_selected: ink(4),
            table_title: ink(5),
            table_cell_unselected: ink(6),
            table_cell_selected: ink(7),
            list_unselected: ink(8),
            list_selected: ink(9),
            frame_unselected: None,
            frame_selected: ink(11),
            frame_highlight: ink(12),
            exit_code_success: ink(13),
            exit_code_error: ink(14),
            players: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map(Colour::Indexed),
        },
    }
}

fn modes() -> Vec<(zellij::InputMode, Mode)> {
    use zellij::InputMode as Theirs;
    let other = [
        Theirs::Resize,
        Theirs::Pane,
        Theirs::Tab,
        Theirs::RenameTab,
        Theirs::RenamePane,
        Theirs::Session,
        Theirs::Move,
        Theirs::Prompt,
        Theirs::Tmux,
    ];
    let named = other.map(|mode| (mode, Mode::Other(format!("{mode:?}"))));
    let known = [
        (Theirs::Normal, Mode::Normal),
        (Theirs::Locked, Mode::Locked),
        (Theirs::Scroll, Mode::Scroll),
        (Theirs::Search, Mode::Scroll),
        (Theirs::EnterSearch, Mode::Scroll),
    ];
    known.into_iter().chain(named).collect()
}

fn pipes() -> Vec<(zellij::PipeMessage, Pipe)> {
    let args = BTreeMap::from([("pane".to_owned(), "3".to_owned()), ("b".into(), String::new())]);
    let sources = [
        (zellij::PipeSource::Cli("id-1".to_owned()), PipeSource::Cli("id-1".to_owned())),
        (zellij::PipeSource::Plugin(0), PipeSource::Plugin(0)),
        (zellij::PipeSource::Plugin(300), PipeSource::Plugin(300)),
        (zellij::PipeSource::Keybind, PipeSource::Key),
    ];
    let payloads = [None, Some(String::new()), Some("list --json\n❯".to_owned())];
    let mut all = Vec::new();
    for (theirs, ours) in sources {
        for payload in &payloads {
            let name = "madohub".to_owned();
            let sent = zellij::PipeMessage {
                source: theirs.clone(),
                name: name.clone(),
                payload: payload.clone(),
                args: args.clone(),
                is_private: true,
            };
            let payload = payload.clone();
            all.push((sent, Pipe { source: ours.clone(), name, payload, args: args.clone() }));
        }
    }
    all
}
