//! The user saves another theme while frames are painted, at every moment: zellij's threads and the
//! plugin take turns in every order.
#![allow(clippy::panic, clippy::large_enum_variant)]

use super::{GREEN, ORANGE, wants};
use crate::colour::Colour;
use crate::effect::Effect;
use crate::event::{Mode, ModeInfo, PaneId};
use crate::painter::Painter;
use crate::settings::Frames;
use crate::theme::tests::palette;
use crate::theme::{Palette, ThemeNames};
use std::collections::{BTreeMap, VecDeque};

/// Turns that are taken in every order; the rest is done first come, first served.
const TURNS: u32 = 6;

/// What the plugin is told.
enum Told {
    Configured,
    Saved,
    Mode(Palette),
    Names(ThemeNames),
}

/// What reaches the thread that draws.
enum Draw {
    Theme(Palette),
    Highlight(Vec<PaneId>),
    AskMode,
}

struct Zellij {
    painter: Painter,
    now: f64,
    /// The user saved the second theme.
    saved: bool,
    helper: bool,
    server: VecDeque<Option<String>>,
    screen: VecDeque<Draw>,
    told: VecDeque<Told>,
    /// The theme in force, and of each frame the colour.
    theme: Palette,
    frames: BTreeMap<PaneId, Colour>,
}

fn names(theme: &str) -> ThemeNames {
    ThemeNames { theme: Some(theme.to_owned()), ..ThemeNames::default() }
}

fn dusk() -> Palette {
    palette()
}

/// The second theme differs in the highlight colour and in another one.
fn dawn() -> Palette {
    let mut dawn = palette().with_highlight(Colour::Indexed(99));
    dawn.frame_selected.base = Colour::Rgb(1, 1, 1);
    dawn
}

impl Zellij {
    fn new(helper: bool) -> Self {
        let known = helper.then(|| names("dusk"));
        let mut painter = Painter::new(Frames::Colour, known);
        painter.told(ModeInfo { mode: Mode::Normal, base: Mode::Normal, palette: dusk() }, 0.0);
        painter.want(wants(&[(1, 0, ORANGE), (2, 3, GREEN)]));
        let mut zellij = Self {
            painter,
            now: 1.0,
            saved: false,
            helper,
            server: VecDeque::new(),
            screen: VecDeque::new(),
            told: VecDeque::new(),
            theme: dusk(),
            frames: BTreeMap::new(),
        };
        let effects = zellij.painter.advance(1.0);
        zellij.take(effects);
        zellij
    }

    fn take(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Configure(text) => self.server.push_back(Some(text)),
                Effect::Highlight { on, .. } => self.screen.push_back(Draw::Highlight(on)),
                Effect::SwitchMode(_) => self.screen.push_back(Draw::AskMode),
                other => panic!("{other:?}"),
            }
        }
    }

    /// The theme that a configuration of ours brings.
    fn theme_of(text: &str) -> Palette {
        if !text.contains("themes {") {
            return if text.contains("\"dawn\"") { dawn() } else { dusk() };
        }
        let of = if text.contains("base 1 1 1") { dawn() } else { dusk() };
        let section = text.split("frame_highlight {").nth(1).unwrap();
        let value = section.lines().find_map(|l| l.strip_prefix("emphasis_0 ")).unwrap();
        let all = [ORANGE, GREEN, dusk().highlight(), dawn().highlight()];
        of.with_highlight(all.into_iter().find(|colour| colour.kdl() == value).unwrap())
    }

    /// One turn of somebody who has something to do: the `n`-th of them; false when nobody has.
    fn turn(&mut self, n: usize) -> bool {
        let able = [
            (!self.told.is_empty(), 0),
            (!self.screen.is_empty(), 1),
            (!self.server.is_empty(), 2),
            (!self.saved, 3),
        ];
        let able: Vec<i32> = able.iter().filter(|(able, _)| *able).map(|(_, who)| *who).collect();
        if able.is_empty() {
            return false;
        }
        self.now += 0.01;
        match able.get(n % able.len()) {
            Some(0) => self.plugin(),
            Some(1) => self.draw(),
            Some(2) => self.configure(),
            _ => {
                self.saved = true;
                self.server.push_back(None);
            }
        }
        true
    }

    fn plugin(&mut self) {
        let now = self.now;
        let effects = match self.told.pop_front().unwrap() {
            Told::Configured => self.painter.configured(now),
            Told::Saved => {
                self.painter.saved(now);
                if self.helper {
                    self.told.push_back(Told::Names(names("dawn")));
                }
                self.painter.advance(now)
            }
            Told::Mode(palette) => {
                let info = ModeInfo { mode: Mode::Normal, base: Mode::Normal, palette };
                self.painter.told(info, now)
            }
            Told::Names(names) => {
                self.painter.set_names(names);
                self.painter.advance(now)
            }
        };
        self.take(effects);
    }

    fn configure(&mut self) {
        if let Some(text) = self.server.pop_front().unwrap() {
            self.screen.push_back(Draw::Theme(Self::theme_of(&text)));
            self.told.push_back(Told::Configured);
        } else {
            self.screen.push_back(Draw::Theme(dawn()));
            self.told.extend([Told::Configured, Told::Saved]);
        }
    }

    fn draw(&mut self) {
        match self.screen.pop_front().unwrap() {
            Draw::Theme(theme) => self.theme = theme,
            Draw::AskMode => self.told.push_back(Told::Mode(self.theme.clone())),
            Draw::Highlight(on) => {
                let colour = self.theme.highlight();
                self.frames.extend(on.into_iter().map(|pane| (pane, colour)));
            }
        }
    }

    /// Takes turns in the order that the number stands for, then until nothing happens any more.
    fn run(&mut self, order: usize) {
        let mut rest = order;
        for _ in 0..TURNS {
            self.turn(rest % 4);
            rest /= 4;
        }
        for _ in 0..200 {
            if self.turn(0) {
                continue;
            }
            let Some(at) = self.painter.deadline() else { return };
            self.now = self.now.max(at);
            let effects = self.painter.advance(self.now);
            self.take(effects);
        }
        panic!("it never rests");
    }
}

#[test]
fn a_theme_that_is_saved_at_any_moment_is_in_force_in_the_end() {
    let right = BTreeMap::from([(1, ORANGE), (2, GREEN)]);
    let mut hidden = 0;
    for helper in [true, false] {
        for order in 0..4_usize.pow(TURNS) {
            let mut zellij = Zellij::new(helper);
            zellij.run(order);
            let context = format!("order {order}, helper {helper}: {:?}", zellij.painter);
            assert_eq!(zellij.frames, right, "{context}");
            let said = zellij.painter.hides_a_theme();
            assert_eq!(zellij.theme != dawn(), said, "{context}");
            assert!(!said || !helper, "{context}");
            hidden += usize::from(said);
        }
    }
    assert!(hidden > 0, "an order that hides the theme without the helper");
}
