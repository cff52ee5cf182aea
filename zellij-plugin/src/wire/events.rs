//! What zellij calls the plugin with: events, messages of pipes, its configuration.

use super::fields::{Fields, Value};
use super::panes::{current_session, position, screens, terminal};
use super::style::mode_info;
use super::{Malformed, calls};
use crate::event::{Event, HelperAnswer, Pipe, PipeSource};
use std::collections::BTreeMap;

/// `EventType`: those that the plugin takes.
pub(super) mod kind {
    pub(in super::super) const MODE_UPDATE: u64 = 0;
    pub(in super::super) const MOUSE: u64 = 4;
    pub(in super::super) const TIMER: u64 = 5;
    pub(in super::super) const VISIBLE: u64 = 9;
    pub(in super::super) const PERMISSION_REQUEST_RESULT: u64 = 15;
    pub(in super::super) const SESSION_UPDATE: u64 = 16;
    pub(in super::super) const RUN_COMMAND_RESULT: u64 = 17;
    pub(in super::super) const PANE_CLOSED: u64 = 21;
    pub(in super::super) const CONFIG_WAS_WRITTEN_TO_DISK: u64 = 30;
    pub(in super::super) const PANE_RENDER_REPORT: u64 = 36;
    pub(in super::super) const INITIAL_KEYBINDS: u64 = 44;
    pub(in super::super) const COMMAND_CHANGED: u64 = 45;
    pub(in super::super) const HOST_TERMINAL_THEME_CHANGED: u64 = 46;
}

/// `MouseEventName`: a click with the left button.
const LEFT_CLICK: u64 = 2;

/// `Event`; none for one that the plugin has no use for.
pub fn event(bytes: &[u8]) -> Result<Option<Event>, Malformed> {
    let (mut name, mut payload) = (0, None);
    for field in Fields::of(bytes) {
        match field? {
            (1, value) => name = value.number()?,
            // Of one kind of event this is always the same field.
            (_, value) => payload = Some(value),
        }
    }
    match name {
        kind::TIMER => return Ok(Some(Event::Timer)),
        kind::CONFIG_WAS_WRITTEN_TO_DISK => return Ok(Some(Event::Saved)),
        kind::INITIAL_KEYBINDS => return Ok(Some(Event::Configured)),
        _ => {}
    }
    let Some(payload) = payload else { return Ok(None) };
    Ok(match name {
        kind::MODE_UPDATE => Some(Event::Mode(Box::new(mode_info(payload.fields()?)?))),
        kind::MOUSE => click(payload.fields()?)?.map(Event::Click),
        kind::VISIBLE => Some(Event::Visible(payload.flag()?)),
        kind::PERMISSION_REQUEST_RESULT => {
            Some(Event::Permissions(first_number(payload.fields()?)? != 0))
        }
        kind::SESSION_UPDATE => current_session(payload.fields()?)?.map(Event::Session),
        kind::RUN_COMMAND_RESULT => helper(payload.fields()?)?.map(Event::Helper),
        kind::PANE_CLOSED => match payload.fields()?.next() {
            Some(field) => terminal(field?.1)?.map(Event::PaneClosed),
            None => None,
        },
        kind::PANE_RENDER_REPORT => Some(Event::Screens(screens(payload.fields()?)?)),
        kind::COMMAND_CHANGED => command(payload.fields()?)?,
        kind::HOST_TERMINAL_THEME_CHANGED => {
            Some(Event::TerminalDark(first_number(payload.fields()?)? == 0))
        }
        _ => None,
    })
}

/// The number in a message's first field.
fn first_number(fields: Fields<'_>) -> Result<u64, Malformed> {
    let mut first = 0;
    for field in fields {
        if let (1, value) = field? {
            first = value.number()?;
        }
    }
    Ok(first)
}

/// `MouseEventPayload`: the column of a left click.
fn click(payload: Fields<'_>) -> Result<Option<usize>, Malformed> {
    let (mut name, mut column) = (0, None);
    for field in payload {
        match field? {
            (1, value) => name = value.number()?,
            (3, place) => column = Some(position(place)?.1),
            _ => {}
        }
    }
    Ok(column.filter(|_| name == LEFT_CLICK))
}

/// `RunCommandResultPayload`; none for a run that is not the helper's.
fn helper(payload: Fields<'_>) -> Result<Option<HelperAnswer>, Malformed> {
    let (mut code, mut stdout, mut stderr, mut call) = (None, Vec::new(), Vec::new(), None);
    for field in payload {
        match field? {
            (1, value) => code = i32::try_from(value.signed()?).ok(),
            (2, bytes) => bytes.bytes()?.clone_into(&mut stdout),
            (3, bytes) => bytes.bytes()?.clone_into(&mut stderr),
            (4, item) => match pair(item)? {
                (name, number) if name == calls::CALL => call = number.parse().ok(),
                _ => {}
            },
            _ => {}
        }
    }
    Ok(call.map(|call| HelperAnswer { code, stdout, stderr, call }))
}

/// `CommandChangedPayload`
fn command(payload: Fields<'_>) -> Result<Option<Event>, Malformed> {
    let (mut pane, mut argv, mut foreground) = (None, Vec::new(), false);
    for field in payload {
        match field? {
            (1, id) => pane = terminal(id)?,
            (2, word) => argv.push(word.text()?),
            (3, flag) => foreground = flag.flag()?,
            _ => {}
        }
    }
    Ok(pane.map(|pane| Event::Command(pane, argv, !foreground)))
}

/// `PipeMessage`
pub fn pipe(bytes: &[u8]) -> Result<Pipe, Malformed> {
    let (mut source, mut cli, mut plugin) = (0, None, None);
    let mut pipe =
        Pipe { source: PipeSource::Key, name: String::new(), payload: None, args: BTreeMap::new() };
    for field in Fields::of(bytes) {
        match field? {
            (1, value) => source = value.number()?,
            (2, id) => cli = Some(id.text()?),
            (3, id) => plugin = Some(id.as_()?),
            (4, name) => pipe.name = name.text()?,
            (5, payload) => pipe.payload = Some(payload.text()?),
            (6, item) => pipe.args.extend([pair(item)?]),
            _ => {}
        }
    }
    pipe.source = match source {
        0 => PipeSource::Cli(cli.ok_or(Malformed)?),
        1 => PipeSource::Plugin(plugin.ok_or(Malformed)?),
        2 => PipeSource::Key,
        _ => return Err(Malformed),
    };
    Ok(pipe)
}

/// `PluginConfiguration`: the plugin's block.
pub fn configuration(bytes: &[u8]) -> Result<BTreeMap<String, String>, Malformed> {
    let mut block = BTreeMap::new();
    for field in Fields::of(bytes) {
        if let (1, item) = field? {
            block.extend([pair(item)?]);
        }
    }
    Ok(block)
}

/// A name and its value.
fn pair(item: Value<'_>) -> Result<(String, String), Malformed> {
    let (mut name, mut value) = (String::new(), String::new());
    for field in item.fields()? {
        match field? {
            (1, text) => name = text.text()?,
            (2, text) => value = text.text()?,
            _ => {}
        }
    }
    Ok((name, value))
}
