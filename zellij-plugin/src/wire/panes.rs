//! Sessions, tabs, panes and their texts, and what zellij answers about them.

use super::Malformed;
use super::fields::{Fields, Value};
use crate::event::{ClientId, PaneFacts, PaneId, Screen, Session, TabFacts};
use std::collections::BTreeMap;

/// `SessionUpdatePayload`: the session that the plugin runs in, if it is among them.
pub(super) fn current_session(payload: Fields<'_>) -> Result<Option<Session>, Malformed> {
    for field in payload {
        if let (1, manifest) = field? {
            let fields = manifest.fields()?;
            if is_current(fields.clone())? {
                return session(fields).map(Some);
            }
        }
    }
    Ok(None)
}

fn is_current(manifest: Fields<'_>) -> Result<bool, Malformed> {
    for field in manifest {
        if let (5, current) = field? {
            return current.flag();
        }
    }
    Ok(false)
}

/// `SessionManifest`
fn session(manifest: Fields<'_>) -> Result<Session, Malformed> {
    let mut session = Session::default();
    let mut last = BTreeMap::new();
    for field in manifest {
        match field? {
            (1, name) => session.name = name.text()?,
            (2, tab_info) => session.tabs.push(tab(tab_info.fields()?)?),
            (3, panes) => add_panes(panes.fields()?, &mut session)?,
            (11, history) => {
                let (client, pane) = newest_pane(history.fields()?)?;
                last.insert(client, pane);
            }
            _ => {}
        }
    }
    session.panes.sort_by_key(|pane| pane.id);
    session.plugins.sort_unstable();
    for client in session.clients() {
        if let Some(Some(pane)) = last.get(&client) {
            session.focus.insert(client, *pane);
        }
    }
    Ok(session)
}

/// `TabInfo`
fn tab(info: Fields<'_>) -> Result<TabFacts, Malformed> {
    let mut tab = TabFacts::default();
    for field in info {
        match field? {
            (1, position) => tab.position = position.as_()?,
            (2, name) => tab.name = name.text()?,
            (7, visible) => tab.floating_visible = visible.flag()?,
            (8, clients) => clients.append_to(&mut tab.clients)?,
            (17, id) => tab.id = id.number()?,
            // It rang, and it rings.
            (18 | 19, bell) => tab.bell |= bell.flag()?,
            _ => {}
        }
    }
    tab.clients.sort_unstable();
    Ok(tab)
}

/// `PaneManifest`
fn add_panes(manifest: Fields<'_>, session: &mut Session) -> Result<(), Malformed> {
    let (mut tab, start) = (0, session.panes.len());
    for field in manifest {
        match field? {
            (1, index) => tab = index.as_()?,
            (2, info) => match pane(info.fields()?)? {
                (facts, true) => session.plugins.push(facts.id),
                (facts, false) => session.panes.push(facts),
            },
            _ => {}
        }
    }
    session.panes.iter_mut().skip(start).for_each(|pane| pane.tab = tab);
    Ok(())
}

/// `PaneInfo`, and whether it is a plugin's. Which tab it is in is not told here.
fn pane(info: Fields<'_>) -> Result<(PaneFacts, bool), Malformed> {
    let mut pane = PaneFacts::default();
    let mut plugin = false;
    // Column and row of the pane and of its content.
    let (mut corner, mut content) = ((0_usize, 0_usize), (0_usize, 0_usize));
    for field in info {
        match field? {
            (1, id) => pane.id = id.as_()?,
            (2, flag) => plugin = flag.flag()?,
            (3, flag) => pane.focused = flag.flag()?,
            (5, flag) => pane.floating = flag.flag()?,
            (6, flag) => pane.suppressed = flag.flag()?,
            (7, title) => pane.title = title.text()?,
            (8, flag) => pane.exited = flag.flag()?,
            (9, status) => pane.exit_status = Some(status.signed()?),
            (10, flag) => pane.held = flag.flag()?,
            (11, x) => corner.0 = x.as_()?,
            (12, x) => content.0 = x.as_()?,
            (13, y) => corner.1 = y.as_()?,
            (14, y) => content.1 = y.as_()?,
            (16, rows) => pane.size.1 = rows.as_()?,
            (18, columns) => pane.size.0 = columns.as_()?,
            (20, command) => pane.terminal_command = Some(command.text()?),
            (25, colour) => pane.background = Some(colour.text()?),
            _ => {}
        }
    }
    pane.content_offset = (content.0.saturating_sub(corner.0), content.1.saturating_sub(corner.1));
    Ok((pane, plugin))
}

/// `ClientPaneHistory`: the client, and the pane it was in last, if that is a terminal.
fn newest_pane(history: Fields<'_>) -> Result<(ClientId, Option<PaneId>), Malformed> {
    let (mut client, mut newest) = (0, None);
    for field in history {
        match field? {
            (1, id) => client = id.as_()?,
            (2, pane) => newest = terminal(pane)?,
            _ => {}
        }
    }
    Ok((client, newest))
}

/// `PaneId` of a terminal; none for a plugin's.
pub(super) fn terminal(pane: Value<'_>) -> Result<Option<PaneId>, Malformed> {
    let (mut kind, mut id) = (0, 0);
    for field in pane.fields()? {
        match field? {
            (1, value) => kind = value.number()?,
            (2, value) => id = value.as_()?,
            _ => {}
        }
    }
    Ok((kind == 0).then_some(id))
}

/// `PaneRenderReportPayload`
pub(super) fn screens(report: Fields<'_>) -> Result<Vec<(PaneId, Screen)>, Malformed> {
    let mut screens = Vec::new();
    for field in report {
        let (1, entry) = field? else { continue };
        let (mut pane, mut contents) = (None, Screen::default());
        for field in entry.fields()? {
            match field? {
                (1, id) => pane = terminal(id)?,
                (2, text) => contents = screen(text.fields()?)?,
                _ => {}
            }
        }
        screens.extend(pane.map(|pane| (pane, contents)));
    }
    Ok(screens)
}

/// `PaneContents`
fn screen(contents: Fields<'_>) -> Result<Screen, Malformed> {
    let mut screen = Screen::default();
    for field in contents {
        match field? {
            (1, row) => screen.rows.push(row.text()?),
            (5, cursor) => {
                let (row, column) = position(cursor)?;
                screen.cursor = Some((column, row));
            }
            _ => {}
        }
    }
    Ok(screen)
}

/// `Position`: row and column.
pub(super) fn position(position: Value<'_>) -> Result<(usize, usize), Malformed> {
    let (mut row, mut column) = (0, 0);
    for field in position.fields()? {
        match field? {
            // A click on a frame may be above the content.
            (1, value) => row = usize::try_from(value.signed()?).unwrap_or(0),
            (2, value) => column = value.as_()?,
            _ => {}
        }
    }
    Ok((row, column))
}

/// `PaneScrollbackResponse`: the visible text; none where the pane is gone.
pub fn screen_reply(reply: &[u8]) -> Result<Option<Screen>, Malformed> {
    for field in Fields::of(reply) {
        if let (1, contents) = field? {
            return screen(contents.fields()?).map(Some);
        }
    }
    Ok(None)
}

/// `GetPaneInfoResponse`: the facts, without the tab; none where the pane is gone.
pub fn place_reply(reply: &[u8]) -> Result<Option<PaneFacts>, Malformed> {
    for field in Fields::of(reply) {
        if let (1, info) = field? {
            return Ok(Some(pane(info.fields()?)?.0));
        }
    }
    Ok(None)
}

/// `GetPanePidResponse`: the process; none where there is none.
pub fn pid_reply(reply: &[u8]) -> Result<Option<i64>, Malformed> {
    for field in Fields::of(reply) {
        if let (1, pid) = field? {
            return pid.signed().map(Some);
        }
    }
    Ok(None)
}

/// `GetPaneRunningCommandResponse`: the command line; none where there is none.
pub fn command_reply(reply: &[u8]) -> Result<Option<Vec<String>>, Malformed> {
    for field in Fields::of(reply) {
        if let (1, command) = field? {
            return texts(command.fields()?).map(Some);
        }
    }
    Ok(None)
}

/// A message that holds texts alone.
fn texts(fields: Fields<'_>) -> Result<Vec<String>, Malformed> {
    let mut texts = Vec::new();
    for field in fields {
        if let (1, text) = field? {
            texts.push(text.text()?);
        }
    }
    Ok(texts)
}

/// `PluginIds`: plugin, client and the process of the server.
pub fn ids_reply(reply: &[u8]) -> Result<(u32, ClientId, u32), Malformed> {
    let mut ids = (0, 0, 0);
    for field in Fields::of(reply) {
        match field? {
            (1, plugin) => ids.0 = plugin.as_()?,
            (2, server) => ids.2 = server.as_()?,
            (4, client) => ids.1 = client.as_()?,
            _ => {}
        }
    }
    Ok(ids)
}

/// `ZellijVersion`
pub fn version_reply(reply: &[u8]) -> Result<String, Malformed> {
    Ok(texts(Fields::of(reply))?.into_iter().next().unwrap_or_default())
}
