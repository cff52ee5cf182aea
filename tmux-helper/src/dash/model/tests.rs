#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a failing test may panic"
)]

use super::*;
use crate::output::example_pane;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::Rect;

fn pane(id: &str, agent: &str, state: State) -> ListedPane {
    let mut pane = example_pane("api", agent, state);
    id.clone_into(&mut pane.row.pane);
    pane
}

fn source(name: &str) -> Source {
    Source::Tmux(name.to_owned())
}

fn told(dash: &mut Dash, panes: Vec<ListedPane>) -> Vec<Effect> {
    dash.update(News::Panes(source("a"), Ok(panes)))
}

fn dash() -> Dash {
    let mut dash = Dash::new(false);
    told(
        &mut dash,
        vec![
            pane("%1", "claude", State::Working),
            pane("%2", "codex", State::Waiting),
            pane("%3", "amp", State::Idle),
            pane("%4", "qwen", State::Completed),
        ],
    );
    dash
}

fn press(dash: &mut Dash, keys: &str) -> Vec<Effect> {
    let mut effects = Vec::new();
    for key in keys.chars() {
        let code = match key {
            '\n' => KeyCode::Enter,
            '\t' => KeyCode::Tab,
            '\x1b' => KeyCode::Esc,
            '\x7f' => KeyCode::Backspace,
            c => KeyCode::Char(c),
        };
        let key = KeyEvent::new(code, KeyModifiers::NONE);
        effects.extend(dash.update(News::Input(Event::Key(key))));
    }
    effects
}

fn chosen(dash: &Dash) -> &str {
    &dash.chosen().unwrap().row.pane
}

fn shown(dash: &Dash) -> Vec<&str> {
    dash.shown().iter().map(|pane| pane.row.pane.as_str()).collect()
}

#[test]
fn the_pane_stays_chosen_wherever_it_goes_in_the_list() {
    let mut dash = dash();
    assert_eq!((shown(&dash), chosen(&dash)), (vec!["%2", "%1", "%4", "%3"], "%2"));
    press(&mut dash, "j");
    assert_eq!(chosen(&dash), "%1");
    told(
        &mut dash,
        vec![pane("%1", "claude", State::Waiting), pane("%2", "codex", State::Working)],
    );
    assert_eq!((shown(&dash), chosen(&dash)), (vec!["%1", "%2"], "%1"));
    // Gone: the one in its row is chosen.
    told(&mut dash, vec![pane("%2", "codex", State::Working)]);
    assert_eq!(chosen(&dash), "%2");
    told(&mut dash, Vec::new());
    assert!(dash.chosen().is_none());
}

#[test]
fn panes_of_all_hosts_are_one_list_and_the_same_id_is_another_pane() {
    let mut dash = dash();
    let mut other = pane("%2", "gemini", State::Failed);
    "/tmp/tmux-1000/other".clone_into(&mut other.row.server);
    dash.update(News::Panes(source("b"), Ok(vec![other])));
    assert_eq!(shown(&dash), ["%2", "%2", "%1", "%4", "%3"]);
    press(&mut dash, "j");
    assert_eq!(dash.chosen().unwrap().row.agent.as_str(), "gemini");
    dash.update(News::Panes(source("b"), Err("it hangs".to_owned())));
    assert_eq!((shown(&dash).len(), dash.note()), (4, Some("it hangs")));
    dash.update(News::Gone(source("b")));
    assert_eq!(dash.note(), None);
}

#[test]
fn what_is_beside_the_list_is_asked_for_when_it_changes_and_only_then() {
    let mut dash = Dash::new(false);
    let first = told(&mut dash, vec![pane("%1", "claude", State::Working)]);
    let key = PaneKey::of(dash.chosen().unwrap());
    let focus = |side| Focus { key: key.clone(), side };
    assert_eq!(first, [Effect::Look(Some(focus(Side::Screen)))]);
    assert_eq!(told(&mut dash, vec![pane("%1", "claude", State::Waiting)]), []);
    assert_eq!(press(&mut dash, "h"), [Effect::Look(Some(focus(Side::History)))]);
    assert_eq!(press(&mut dash, "h"), []);
    assert_eq!(press(&mut dash, "\t"), [Effect::Look(Some(focus(Side::Explanation)))]);
    // An answer that comes too late is not shown for what is wanted now.
    dash.update(News::Beside(focus(Side::History), Beside::History(Vec::new())));
    assert_eq!(dash.beside(), None);
    let text = Beside::Text(vec!["why".to_owned()]);
    dash.update(News::Beside(focus(Side::Explanation), text.clone()));
    assert_eq!(dash.beside(), Some(&text));
    assert_eq!(told(&mut dash, Vec::new()), [Effect::Look(None)]);
}

#[test]
fn the_list_is_narrowed_while_one_types() {
    let mut dash = dash();
    press(&mut dash, "/COD wait");
    assert_eq!((shown(&dash), chosen(&dash)), (vec!["%2"], "%2"));
    press(&mut dash, "x\x7f\n");
    assert_eq!((shown(&dash), &dash.mode), (vec!["%2"], &Mode::Choose));
    press(&mut dash, "\x1b");
    assert_eq!(shown(&dash).len(), 4);
    assert!(press(&mut dash, "\x1b").is_empty(), "back at the start is no way out");
}

#[test]
fn a_text_goes_to_the_pane_that_was_chosen_when_it_was_begun() {
    let mut dash = dash();
    press(&mut dash, "sgo on");
    told(&mut dash, vec![pane("%9", "amp", State::Waiting), pane("%2", "codex", State::Working)]);
    dash.update(News::Input(Event::Paste("\r\nplease q".to_owned())));
    let effects = press(&mut dash, "\n");
    let [Effect::Send { pane, text }] = &effects[..] else { panic!("{effects:?}") };
    assert_eq!((pane.row.pane.as_str(), text.as_str()), ("%2", "go on\nplease q"));
    assert_eq!(dash.mode, Mode::Choose);
    press(&mut dash, "sx");
    told(&mut dash, Vec::new());
    assert_eq!(press(&mut dash, "\n"), []);
    assert!(dash.note().unwrap().contains("gone"));
}

#[test]
fn nothing_is_sent_where_nothing_was_typed_or_it_was_called_off() {
    let mut dash = dash();
    assert_eq!(press(&mut dash, "s  \n"), []);
    assert_eq!(press(&mut dash, "stext\x1b\n").len(), 1, "Enter goes to the pane again");
    assert_eq!(dash.mode, Mode::Choose);
}

#[test]
fn the_next_that_needs_a_person_comes_round() {
    let mut dash = dash();
    press(&mut dash, "n");
    assert_eq!(chosen(&dash), "%4");
    press(&mut dash, "n");
    assert_eq!(chosen(&dash), "%2");
    told(&mut dash, vec![pane("%1", "claude", State::Working)]);
    press(&mut dash, "n");
    assert_eq!((chosen(&dash), dash.note()), ("%1", Some("No pane needs you.")));
}

#[test]
fn one_goes_to_a_pane_and_leaves_or_stays() {
    let mut dash = dash();
    assert!(matches!(&press(&mut dash, "\n")[..], [Effect::Go(pane)] if pane.row.pane == "%2"));
    dash.keep = true;
    assert!(matches!(&press(&mut dash, "\n")[..], [Effect::GoBehind(_)]));
    assert_eq!(press(&mut dash, "q"), [Effect::Leave]);
    assert_eq!(dash.update(News::HungUp), [Effect::Leave]);
}

#[test]
fn a_click_chooses_and_a_second_one_goes() {
    let mut dash = dash();
    dash.places.list = Rect::new(0, 1, 80, 4);
    dash.places.side = Rect::new(0, 5, 80, 10);
    assert!(matches!(&dash.act(Action::Click(Position::new(3, 2)))[..], [Effect::Look(_)]));
    assert_eq!(chosen(&dash), "%1");
    assert!(matches!(&dash.act(Action::Click(Position::new(3, 2)))[..], [Effect::Go(_)]));
    for outside in [Position::new(3, 0), Position::new(3, 7)] {
        assert_eq!(dash.act(Action::Click(outside)), []);
    }
    dash.act(Action::Wheel { at: Position::new(3, 8), by: -3 });
    assert_eq!((chosen(&dash), dash.scroll), ("%1", 3));
    dash.act(Action::Wheel { at: Position::new(3, 2), by: 3 });
    assert_eq!(chosen(&dash), "%3");
}

#[test]
fn the_plugins_panes_are_not_typed_into_from_here() {
    let mut dash = Dash::new(false);
    let mut zellij = pane("terminal_3", "claude", State::Idle);
    "zellij".clone_into(&mut zellij.row.mux);
    dash.update(News::Panes(Source::Zellij("main".to_owned()), Ok(vec![zellij])));
    press(&mut dash, "s");
    assert_eq!(dash.mode, Mode::Choose);
    assert!(dash.note().unwrap().contains("send terminal_3"));
}

#[test]
fn panes_of_other_machines_are_seen_and_not_gone_to() {
    let mut dash = dash();
    let mut remote = pane("%2", "claude", State::Waiting);
    remote.host = Some("zeus".to_owned());
    remote.row.since = 1.0;
    let host = "zeus".to_owned();
    let news = HostNews { host: host.clone(), panes: Some(vec![remote]), is_gone: false };
    dash.update(News::Hosts(vec![news]));
    assert_eq!(dash.shown()[0].place(), "zeus:api:1.0");
    press(&mut dash, "g");
    assert_eq!(PaneKey::of(dash.chosen().unwrap()).host.as_deref(), Some("zeus"));
    assert!(press(&mut dash, "\n").is_empty());
    assert!(dash.note().unwrap().contains("is on zeus"));
    press(&mut dash, "s");
    assert_eq!(dash.mode, Mode::Choose);
    assert!(dash.note().unwrap().contains("madohub fleet send zeus:%2"));
    // One that vanished takes its panes along, and is named.
    dash.update(News::Hosts(vec![HostNews { host: host.clone(), panes: None, is_gone: true }]));
    assert_eq!((dash.shown().len(), dash.gone().collect::<Vec<_>>()), (4, vec!["zeus"]));
    dash.update(News::Hosts(vec![HostNews { host, panes: None, is_gone: false }]));
    assert_eq!(dash.gone().count(), 0);
}
