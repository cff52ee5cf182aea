//! What keys and the mouse mean.

use super::model::{Mode, Side};
use ratatui::crossterm::event::{
    Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEventKind,
};
use ratatui::layout::Position;

/// What the person means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Action {
    /// End the dashboard.
    Leave,
    /// One step out.
    Back,
    /// To the chosen pane.
    Go,
    /// Choose so many rows further down.
    Step(isize),
    /// Choose the first row.
    First,
    /// Choose the last row.
    Last,
    /// Choose the next pane that needs a person.
    NextNeed,
    /// Show this beside the list.
    Show(Side),
    /// Show the next thing beside the list.
    NextSide,
    /// Move what is beside the list down.
    Scroll(isize),
    /// Show all keys.
    Help,
    /// Begin to narrow the list.
    Filter,
    /// Begin a text for the chosen pane.
    Send,
    /// More text.
    Type(String),
    /// Take the last character back.
    Erase,
    /// Take all text back.
    EraseAll,
    /// The text is complete.
    Done,
    /// A click.
    Click(Position),
    /// The wheel, so many rows down.
    Wheel {
        /// Where.
        at: Position,
        /// Rows.
        by: isize,
    },
}

/// Rows of a turn of the wheel.
const NOTCH: isize = 3;
/// Rows of a page.
const PAGE: isize = 10;

/// Every key of the list, for people.
pub(super) const KEYS: [(&str, &str); 14] = [
    ("j ↓  k ↑", "choose a pane"),
    ("g  G", "the first, the last"),
    ("n", "the next that needs you"),
    ("Enter", "go to the pane"),
    ("s", "send it a text"),
    ("/", "show only what holds a text"),
    ("p", "its screen"),
    ("h", "its history"),
    ("e", "why it has its state"),
    ("r", "what routes did"),
    ("Tab", "the next of these"),
    ("J K PgDn PgUp", "move what is beside the list"),
    ("Esc", "back, all panes again"),
    ("q", "leave"),
];

/// What an event means in this mode, if anything.
pub(super) fn action(event: &Event, mode: &Mode) -> Option<Action> {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => pressed(key, mode),
        Event::Paste(text) => match mode {
            Mode::Filter => Some(Action::Type(text.replace(['\r', '\n', '\t'], " "))),
            Mode::Send { .. } => Some(Action::Type(text.replace("\r\n", "\n").replace('\r', "\n"))),
            Mode::Choose | Mode::Help => None,
        },
        Event::Mouse(mouse) => {
            let at = Position::new(mouse.column, mouse.row);
            match mouse.kind {
                MouseEventKind::Down(MouseButton::Left) if *mode == Mode::Help => {
                    Some(Action::Back)
                }
                MouseEventKind::Down(MouseButton::Left) => Some(Action::Click(at)),
                MouseEventKind::ScrollDown => Some(Action::Wheel { at, by: NOTCH }),
                MouseEventKind::ScrollUp => Some(Action::Wheel { at, by: -NOTCH }),
                _ => None,
            }
        }
        _ => None,
    }
}

fn pressed(key: &KeyEvent, mode: &Mode) -> Option<Action> {
    let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
    if is_control && key.code == KeyCode::Char('c') {
        return Some(Action::Leave);
    }
    match mode {
        Mode::Help => Some(Action::Back),
        Mode::Choose => chosen(key, is_control),
        Mode::Filter | Mode::Send { .. } => Some(match key.code {
            KeyCode::Esc => Action::Back,
            KeyCode::Enter
                if key.modifiers.contains(KeyModifiers::ALT) && *mode != Mode::Filter =>
            {
                Action::Type("\n".to_owned())
            }
            KeyCode::Enter => Action::Done,
            KeyCode::Backspace => Action::Erase,
            KeyCode::Char('u') if is_control => Action::EraseAll,
            KeyCode::Down if *mode == Mode::Filter => Action::Step(1),
            KeyCode::Up if *mode == Mode::Filter => Action::Step(-1),
            KeyCode::Char(c) if !is_control => Action::Type(c.to_string()),
            _ => return None,
        }),
    }
}

fn chosen(key: &KeyEvent, is_control: bool) -> Option<Action> {
    Some(match key.code {
        KeyCode::Char('d') if is_control => Action::Scroll(PAGE),
        KeyCode::Char('u') if is_control => Action::Scroll(-PAGE),
        _ if is_control => return None,
        KeyCode::Char('q') => Action::Leave,
        KeyCode::Esc => Action::Back,
        KeyCode::Enter => Action::Go,
        KeyCode::Char('j') | KeyCode::Down => Action::Step(1),
        KeyCode::Char('k') | KeyCode::Up => Action::Step(-1),
        KeyCode::Char('g') | KeyCode::Home => Action::First,
        KeyCode::Char('G') | KeyCode::End => Action::Last,
        KeyCode::Char('n') => Action::NextNeed,
        KeyCode::Char('p') => Action::Show(Side::Screen),
        KeyCode::Char('h') => Action::Show(Side::History),
        KeyCode::Char('e') => Action::Show(Side::Explanation),
        KeyCode::Char('r') => Action::Show(Side::Routes),
        KeyCode::Tab => Action::NextSide,
        KeyCode::Char('J') => Action::Scroll(1),
        KeyCode::Char('K') => Action::Scroll(-1),
        KeyCode::PageDown => Action::Scroll(PAGE),
        KeyCode::PageUp => Action::Scroll(-PAGE),
        KeyCode::Char('?') => Action::Help,
        KeyCode::Char('/') => Action::Filter,
        KeyCode::Char('s') => Action::Send,
        _ => return None,
    })
}
