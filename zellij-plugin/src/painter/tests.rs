#![allow(clippy::unwrap_used)]

use super::*;
use crate::event::ModeInfo;
use crate::theme::tests::palette;

mod interleaved;

const ORANGE: Colour = Colour::Rgb(255, 160, 0);
const GREEN: Colour = Colour::Rgb(80, 200, 120);

fn info(palette: Palette) -> ModeInfo {
    ModeInfo { mode: Mode::Normal, base: Mode::Normal, palette }
}

fn wants(panes: &[(PaneId, usize, Colour)]) -> BTreeMap<PaneId, Want> {
    panes.iter().map(|(p, rank, colour)| (*p, Want { rank: *rank, colour: *colour })).collect()
}

fn ready() -> Painter {
    let mut painter = Painter::new(Frames::Colour, None);
    assert!(painter.told(info(palette()), 0.0).is_empty());
    painter
}

/// The highlight colour of the theme in a configuration.
fn highlight_in(effects: &[Effect]) -> Option<String> {
    let [Effect::Configure(text)] = effects else { return None };
    let section = text.split("frame_highlight {").nth(1)?;
    section.lines().find_map(|l| l.strip_prefix("emphasis_0 ")).map(str::to_owned)
}

#[test]
fn each_colour_is_applied_acknowledged_painted_and_put_back() {
    let mut painter = ready();
    painter.want(wants(&[(1, 3, GREEN), (2, 0, ORANGE), (3, 3, GREEN)]));
    assert_eq!(highlight_in(&painter.advance(1.0)).as_deref(), Some("255 160 0"), "neediest first");
    assert!(painter.advance(1.1).is_empty(), "nothing is painted before the acknowledgement");
    let then = painter.configured(1.2);
    assert_eq!(then.first(), Some(&Effect::Highlight { on: vec![2], off: vec![] }));
    assert_eq!(highlight_in(then.get(1..).unwrap()).as_deref(), Some("80 200 120"));
    assert_eq!(painter.configured(1.3), [Effect::Highlight { on: vec![1, 3], off: vec![] }]);
    assert!(painter.advance(1.5).is_empty());
    assert_eq!(painter.deadline(), Some(2.3));
    assert_eq!(highlight_in(&painter.advance(2.3)).as_deref(), Some("201"), "the user's own");
    assert!(painter.configured(2.4).is_empty());
    assert_eq!((painter.deadline(), painter.advance(99.0)), (None, vec![]), "and then rest");
}

#[test]
fn a_frame_that_nobody_wants_coloured_gets_its_own_look_without_a_theme_change() {
    let mut painter = ready();
    painter.want(wants(&[(1, 0, ORANGE)]));
    painter.advance(1.0);
    painter.configured(1.1);
    painter.advance(3.0);
    painter.configured(3.1);
    painter.want(BTreeMap::new());
    assert_eq!(painter.advance(4.0), [Effect::Highlight { on: vec![], off: vec![1] }]);
    assert_eq!(painter.advance(9.0), []);
}

#[test]
fn a_missing_acknowledgement_is_survived_and_three_fall_back_to_one_colour() {
    let mut painter = ready();
    for (n, at) in [(1, 10.0), (2, 20.0), (3, 40.0)] {
        let colour = Colour::Rgb(n, 0, 0);
        painter.want(wants(&[(1, 0, colour)]));
        assert!(highlight_in(&painter.advance(at)).is_some());
        let deadline = painter.deadline().unwrap();
        assert!(!painter.advance(deadline).is_empty(), "painted all the same");
    }
    assert!(painter.fell_back());
    painter.want(wants(&[(1, 0, GREEN), (2, 0, ORANGE)]));
    assert_eq!(
        painter.advance(80.0).first(),
        Some(&Effect::Highlight { on: vec![1, 2], off: vec![] })
    );
    let later = painter.advance(140.0);
    assert_eq!(highlight_in(&later).as_deref(), Some("80 200 120"), "and tried again later");
}

#[test]
fn a_mode_switch_in_the_middle_does_not_make_our_colour_the_users() {
    let mut painter = ready();
    painter.want(wants(&[(1, 0, ORANGE)]));
    painter.advance(1.0);
    painter.told(info(palette().with_highlight(ORANGE)), 1.05);
    painter.configured(1.1);
    painter.told(info(palette().with_highlight(ORANGE)), 1.2);
    assert_eq!(highlight_in(&painter.advance(3.0)).as_deref(), Some("201"));
}

#[test]
fn a_new_theme_of_the_user_is_asked_for_and_used() {
    let mut painter = ready();
    assert_eq!(painter.configured(5.0), [], "the user's own change; nothing to paint");
    painter.want(wants(&[(1, 0, ORANGE)]));
    assert_eq!(painter.advance(5.1), [Effect::SwitchMode(Mode::Normal)]);
    let theirs = palette().with_highlight(Colour::Indexed(99));
    assert!(highlight_in(&painter.told(info(theirs), 5.2)).is_some());
    painter.configured(5.3);
    assert_eq!(highlight_in(&painter.advance(9.0)).as_deref(), Some("99"));
}

#[test]
fn the_theme_is_asked_for_once_and_the_mode_put_back() {
    let mut painter = Painter::new(Frames::Colour, None);
    painter.want(wants(&[(1, 0, ORANGE)]));
    assert_eq!(painter.advance(1.0), [Effect::SwitchMode(Mode::Normal)]);
    assert_eq!(painter.advance(1.1), []);
    let unlocked = ModeInfo { base: Mode::Locked, ..info(palette()) };
    let then = painter.told(unlocked, 1.2);
    assert_eq!(then.first(), Some(&Effect::SwitchMode(Mode::Locked)));
    assert!(highlight_in(then.get(1..).unwrap()).is_some());
}

#[test]
fn a_bell_repaints_once_and_our_own_reports_do_not() {
    let mut painter = ready();
    painter.want(wants(&[(1, 0, ORANGE)]));
    painter.advance(1.0);
    painter.configured(1.1);
    painter.reported_unchanged(1.15);
    painter.advance(3.0);
    painter.configured(3.1);
    assert_eq!(painter.deadline(), None, "the report of our own call is no bell");
    painter.reported_unchanged(5.0);
    assert_eq!(painter.deadline(), Some(5.5));
    assert!(highlight_in(&painter.advance(5.5)).is_some());
    assert_eq!(painter.configured(5.6), [Effect::Highlight { on: vec![1], off: vec![] }]);
}

#[test]
fn a_successor_knows_the_users_highlight_colour() {
    let mut first = ready();
    first.want(wants(&[(1, 0, ORANGE)]));
    first.advance(1.0);
    first.configured(1.1);
    let painted = first.painted();
    let mut second = Painter::new(Frames::Colour, None);
    second.take_over(&painted);
    second.told(info(palette().with_highlight(ORANGE)), 2.0);
    second.want(wants(&[(1, 0, ORANGE)]));
    assert_eq!(second.advance(2.1), [Effect::Highlight { on: vec![1], off: vec![] }]);
    assert_eq!(highlight_in(&second.advance(4.0)).as_deref(), Some("201"));
}

#[test]
fn off_paints_nothing() {
    let mut painter = Painter::new(Frames::Off, None);
    painter.want(wants(&[(1, 0, ORANGE)]));
    assert_eq!(painter.advance(1.0), []);
}

#[test]
fn another_theme_in_the_users_configuration_is_put_in_force() {
    let mut painter = ready();
    let names = |theme: &str| ThemeNames { theme: Some(theme.to_owned()), ..ThemeNames::default() };
    painter.set_names(names("dusk"));
    assert_eq!(painter.advance(5.0), [], "nothing is known to have changed");
    painter.set_names(names("dawn"));
    let own = |effect: &Effect| matches!(effect, Effect::Configure(text) if text.starts_with("theme \"dawn\""));
    assert!(painter.advance(6.0).iter().all(own));
    assert_eq!(painter.phase, Phase::Applying { colour: None, since: 6.0 });
    painter.configured(6.1);
    assert_eq!(painter.advance(9.0), []);
}

#[test]
fn a_frame_painted_upon_another_ones_answer_is_painted_again_when_ones_own_is_late() {
    let mut painter = ready();
    painter.want(wants(&[(1, 0, GREEN)]));
    painter.advance(1.0);
    // Somebody else's configuration came into force, and green is not there yet.
    assert_eq!(painter.configured(1.1), [Effect::Highlight { on: vec![1], off: vec![] }]);
    assert_eq!(highlight_in(&painter.advance(2.1)).as_deref(), Some("201"));
    painter.configured(4.0);
    // One answer more than there were questions.
    painter.configured(4.1);
    painter.told(info(palette()), 4.2);
    assert_eq!(painter.phase, Phase::Applying { colour: Some(GREEN), since: 4.2 });
    assert_eq!(painter.configured(4.4), [Effect::Highlight { on: vec![1], off: vec![] }]);
}
