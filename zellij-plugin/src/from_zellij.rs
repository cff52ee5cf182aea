//! zellij's events in the library's types.

use madohub_zellij::{
    Colour, Event, HelperAnswer, Ink, Mode, ModeInfo, Palette, PaneFacts, PaneId, Pipe, PipeSource,
    Screen, Session, TabFacts,
};
use std::collections::BTreeMap;
use zellij_tile::prelude as zellij;

/// Key of the call number among the context of a run of the helper.
pub(crate) const CALL: &str = "madohub-call";

/// An event that the library knows; none for any other.
pub(crate) fn event(event: zellij::Event) -> Option<Event> {
    Some(match event {
        zellij::Event::Timer(_) => Event::Timer,
        zellij::Event::PermissionRequestResult(status) => {
            Event::Permissions(status == zellij::PermissionStatus::Granted)
        }
        zellij::Event::SessionUpdate(sessions, _) => {
            Event::Session(session(sessions.into_iter().find(|s| s.is_current_session)?))
        }
        zellij::Event::PaneRenderReport(panes) => {
            let screens = panes
                .into_iter()
                .filter_map(|(id, contents)| Some((terminal(id)?, screen(contents))));
            Event::Screens(screens.collect())
        }
        zellij::Event::CommandChanged(pane, argv, foreground, _) => {
            Event::Command(terminal(pane)?, argv, Some(!foreground))
        }
        zellij::Event::PaneClosed(pane) => Event::PaneClosed(terminal(pane)?),
        zellij::Event::ModeUpdate(info) => Event::Mode(Box::new(mode_info(&info))),
        zellij::Event::InitialKeybinds(_) => Event::Configured,
        zellij::Event::ConfigWasWrittenToDisk => Event::Saved,
        zellij::Event::HostTerminalThemeChanged(mode) => {
            Event::TerminalDark(mode == zellij::HostTerminalThemeMode::Dark)
        }
        zellij::Event::RunCommandResult(code, stdout, stderr, context) => {
            let call = context.get(CALL)?.parse().ok()?;
            Event::Helper(HelperAnswer { code, stdout, stderr, call })
        }
        zellij::Event::Mouse(zellij::Mouse::LeftClick(_, column)) => Event::Click(column),
        zellij::Event::Visible(visible) => Event::Visible(visible),
        _ => return None,
    })
}

/// A message.
pub(crate) fn pipe(message: zellij::PipeMessage) -> Pipe {
    Pipe {
        source: match message.source {
            zellij::PipeSource::Cli(id) => PipeSource::Cli(id),
            zellij::PipeSource::Plugin(id) => PipeSource::Plugin(id),
            zellij::PipeSource::Keybind => PipeSource::Key,
        },
        name: message.name,
        payload: message.payload,
        args: message.args,
    }
}

/// The visible text of a pane.
pub(crate) fn screen(contents: zellij::PaneContents) -> Screen {
    Screen { rows: contents.viewport, cursor: contents.cursor }
}

fn terminal(pane: zellij::PaneId) -> Option<PaneId> {
    match pane {
        zellij::PaneId::Terminal(id) => Some(id),
        zellij::PaneId::Plugin(_) => None,
    }
}

fn session(info: zellij::SessionInfo) -> Session {
    let tabs: Vec<TabFacts> = info.tabs.into_iter().map(tab).collect();
    let (mut panes, mut plugins) = (Vec::new(), Vec::new());
    for (tab, all) in info.panes.panes {
        plugins.extend(all.iter().filter(|p| p.is_plugin).map(|p| p.id));
        panes.extend(all.into_iter().filter(|p| !p.is_plugin).map(|p| facts(tab, p)));
    }
    panes.sort_by_key(|pane| pane.id);
    plugins.sort_unstable();
    let attached: Vec<u16> = tabs.iter().flat_map(|tab| tab.clients.clone()).collect();
    let mut focus = BTreeMap::new();
    for client in attached {
        let last = info.pane_history.get(&client).and_then(|panes| panes.last());
        if let Some(pane) = last.and_then(|pane| terminal(*pane)) {
            focus.insert(client, pane);
        }
    }
    Session { name: info.name, tabs, panes, plugins, focus }
}

fn tab(info: zellij::TabInfo) -> TabFacts {
    let mut clients = info.other_focused_clients;
    clients.sort_unstable();
    TabFacts {
        id: u64::try_from(info.tab_id).unwrap_or(u64::MAX),
        position: info.position,
        name: info.name,
        clients,
        floating_visible: info.are_floating_panes_visible,
        bell: info.has_bell_notification || info.is_flashing_bell,
    }
}

/// What is known of a pane in the tab at this position.
pub(crate) fn facts(tab: usize, info: zellij::PaneInfo) -> PaneFacts {
    PaneFacts {
        id: info.id,
        tab,
        title: info.title,
        focused: info.is_focused,
        floating: info.is_floating,
        suppressed: info.is_suppressed,
        exited: info.exited,
        held: info.is_held,
        exit_status: info.exit_status.map(i64::from),
        terminal_command: info.terminal_command,
        size: (info.pane_content_columns, info.pane_content_rows),
        content_offset: (
            info.pane_content_x.saturating_sub(info.pane_x),
            info.pane_content_y.saturating_sub(info.pane_y),
        ),
        background: info.default_bg,
    }
}

fn mode_info(info: &zellij::ModeInfo) -> ModeInfo {
    ModeInfo {
        mode: mode(info.mode),
        base: info.base_mode.map_or(Mode::Normal, mode),
        palette: palette(&info.style.colors),
    }
}

fn mode(mode: zellij::InputMode) -> Mode {
    match mode {
        zellij::InputMode::Normal => Mode::Normal,
        zellij::InputMode::Locked => Mode::Locked,
        zellij::InputMode::Scroll | zellij::InputMode::Search | zellij::InputMode::EnterSearch => {
            Mode::Scroll
        }
        other => Mode::Other(format!("{other:?}")),
    }
}

fn colour(colour: zellij::PaletteColor) -> Colour {
    match colour {
        zellij::PaletteColor::Rgb((r, g, b)) => Colour::Rgb(r, g, b),
        zellij::PaletteColor::EightBit(n) => Colour::Indexed(n),
    }
}

fn ink(style: &zellij::StyleDeclaration) -> Ink {
    Ink {
        base: colour(style.base),
        background: colour(style.background),
        emphasis: [style.emphasis_0, style.emphasis_1, style.emphasis_2, style.emphasis_3]
            .map(colour),
    }
}

fn palette(style: &zellij::Styling) -> Palette {
    let players = &style.multiplayer_user_colors;
    Palette {
        text_unselected: ink(&style.text_unselected),
        text_selected: ink(&style.text_selected),
        ribbon_unselected: ink(&style.ribbon_unselected),
        ribbon_selected: ink(&style.ribbon_selected),
        table_title: ink(&style.table_title),
        table_cell_unselected: ink(&style.table_cell_unselected),
        table_cell_selected: ink(&style.table_cell_selected),
        list_unselected: ink(&style.list_unselected),
        list_selected: ink(&style.list_selected),
        frame_unselected: style.frame_unselected.as_ref().map(ink),
        frame_selected: ink(&style.frame_selected),
        frame_highlight: ink(&style.frame_highlight),
        exit_code_success: ink(&style.exit_code_success),
        exit_code_error: ink(&style.exit_code_error),
        players: [
            players.player_1,
            players.player_2,
            players.player_3,
            players.player_4,
            players.player_5,
            players.player_6,
            players.player_7,
            players.player_8,
            players.player_9,
            players.player_10,
        ]
        .map(colour),
    }
}
