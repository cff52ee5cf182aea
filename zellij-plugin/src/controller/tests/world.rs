//! A stand-in for zellij that keeps what it is asked for.

use crate::colour::Colour;
use crate::event::{PaneFacts, Pipe, PipeSource, Screen, TabFacts};
use crate::settings::Settings;
use crate::theme::tests::palette;
use crate::{App, Effect, Event, Instance, Mode, ModeInfo, PaneId, Session};
use std::collections::BTreeMap;

/// Claude Code in each of three states, cut to what decides.
pub(super) fn claude(state: &str) -> Vec<String> {
    let rule = "─".repeat(80);
    let live: &[&str] = match state {
        "working" => &["✻ Pondering… (12s · ↓ 300 tokens · esc to interrupt)", "", "R", "❯ ", "R"],
        "waiting" => &[
            "R",
            " Bash command",
            "",
            "   cargo test",
            "   Run the tests",
            "",
            " Do you want to proceed?",
            " ❯ 1. Yes",
            "   2. Yes, and don't ask again for cargo test commands",
            "   3. No, and tell Claude what to do differently (esc)",
            "",
        ],
        _ => &["R", "❯ ", "R", "  ? for shortcuts"],
    };
    let mut rows =
        vec!["❯ run the tests".to_owned(), String::new(), "⏺ I will run them.".to_owned()];
    rows.extend(live.iter().map(|row| if *row == "R" { rule.clone() } else { (*row).to_owned() }));
    rows
}

pub(super) struct World {
    pub(super) app: App,
    pub(super) now: f64,
    pub(super) session: Session,
    pub(super) screens: BTreeMap<PaneId, Vec<String>>,
    pub(super) titles: BTreeMap<PaneId, String>,
    /// Commands that zellij knows when it is asked.
    pub(super) commands: BTreeMap<PaneId, Vec<String>>,
    /// What was asked for, in order, without timers and reads.
    pub(super) done: Vec<Effect>,
    pub(super) wake: Option<f64>,
    pub(super) theme: crate::Palette,
    /// Colour that each frame has.
    pub(super) frames: BTreeMap<PaneId, String>,
    pub(super) client: u16,
}

impl World {
    pub(super) fn new(settings: &[(&str, &str)]) -> Self {
        Self::for_client(1, settings)
    }

    pub(super) fn for_client(client: u16, settings: &[(&str, &str)]) -> Self {
        let block: BTreeMap<String, String> =
            settings.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        let me = Instance { plugin: 9, client, server_pid: 7, version: "0.45.1".into() };
        let tab = TabFacts { id: 10, name: "work".into(), clients: vec![1], ..TabFacts::default() };
        Self {
            app: App::new(me, Settings::from_block(&block), 1000.0),
            now: 1000.0,
            session: Session { name: "s".into(), tabs: vec![tab], ..Session::default() },
            screens: BTreeMap::new(),
            titles: BTreeMap::new(),
            commands: BTreeMap::new(),
            done: Vec::new(),
            wake: None,
            theme: palette(),
            frames: BTreeMap::new(),
            client,
        }
    }

    /// A pane with an agent in it, first focused if it is the first one.
    pub(super) fn open(&mut self, pane: PaneId, state: &str) {
        self.session.panes.push(PaneFacts {
            id: pane,
            title: "✳ Claude Code".into(),
            size: (80, 24),
            ..PaneFacts::default()
        });
        self.session.focus.entry(1).or_insert(pane);
        self.screens.insert(pane, claude(state));
    }

    pub(super) fn start(&mut self) {
        self.send(Event::Loaded(None));
        self.report();
        self.run(2.0);
    }

    pub(super) fn report(&mut self) {
        self.send(Event::Session(self.session.clone()));
    }

    pub(super) fn show(&mut self, pane: PaneId, state: &str) {
        self.screens.insert(pane, claude(state));
        let screen = Screen { rows: claude(state), cursor: None };
        self.send(Event::Screens(vec![(pane, screen)]));
    }

    /// Lets time pass.
    pub(super) fn run(&mut self, seconds: f64) {
        let end = self.now + seconds;
        while let Some(at) = self.wake.filter(|at| *at <= end) {
            self.now = self.now.max(at);
            self.wake = None;
            self.send(Event::Timer);
        }
        self.now = end;
    }

    pub(super) fn send(&mut self, event: Event) {
        let mut events = std::collections::VecDeque::from([event]);
        while let Some(event) = events.pop_front() {
            for effect in self.app.update(event, self.now) {
                if let Some(answer) = self.perform(&effect) {
                    events.push_back(answer);
                }
                self.done.push(effect);
            }
        }
    }

    /// What zellij does and answers.
    pub(super) fn perform(&mut self, effect: &Effect) -> Option<Event> {
        match effect {
            Effect::Wake(seconds) => {
                let at = self.now + seconds;
                self.wake = Some(self.wake.map_or(at, |w| w.min(at)));
                None
            }
            Effect::ReadPlaces(panes) => {
                let lives = |p: &&PaneFacts| panes.contains(&p.id);
                let facts = self.session.panes.iter().filter(lives).cloned().collect();
                Some(Event::PlacesRead(facts))
            }
            Effect::ReadScreen(pane) => {
                let rows = self.screens.get(pane)?.clone();
                Some(Event::ScreenRead(*pane, Some(Screen { rows, cursor: None })))
            }
            Effect::ReadTitle(pane) => {
                Some(Event::TitleRead(*pane, self.titles.get(pane).cloned()))
            }
            Effect::ReadCommand(pane) => {
                Some(Event::CommandRead(*pane, self.commands.get(pane).cloned()))
            }
            Effect::ReadPid(pane) => Some(Event::PidRead(*pane, Some(i64::from(*pane) + 100))),
            Effect::SwitchMode(mode) => Some(Event::Mode(Box::new(ModeInfo {
                mode: mode.clone(),
                base: Mode::Normal,
                palette: self.theme.clone(),
            }))),
            Effect::Configure(text) => {
                let section = text.split("frame_highlight {").nth(1)?;
                let value = section.lines().find_map(|l| l.strip_prefix("emphasis_0 "))?;
                let parts: Vec<u8> = value.split(' ').map(|n| n.parse().unwrap()).collect();
                let colour = match parts.as_slice() {
                    [r, g, b] => Colour::Rgb(*r, *g, *b),
                    [n] => Colour::Indexed(*n),
                    _ => panic!("{value}"),
                };
                self.theme = self.theme.with_highlight(colour);
                Some(Event::Configured)
            }
            Effect::Highlight { on, off } => {
                let colour = self.theme.highlight().kdl();
                self.frames.extend(on.iter().map(|pane| (*pane, colour.clone())));
                self.frames.retain(|pane, _| !off.contains(pane));
                None
            }
            Effect::Broadcast { name, payload } => Some(Event::Pipe(Pipe {
                source: PipeSource::Plugin(9),
                name: name.clone(),
                payload: Some(payload.clone()),
                args: BTreeMap::new(),
            })),
            _ => None,
        }
    }

    pub(super) fn ask(&mut self, command: &str) -> String {
        let before = self.done.len();
        self.send(Event::Pipe(Pipe {
            source: PipeSource::Cli("p".into()),
            name: "madohub".into(),
            payload: Some(command.to_owned()),
            args: BTreeMap::new(),
        }));
        self.answers(before).concat()
    }

    pub(super) fn answers(&self, from: usize) -> Vec<String> {
        let answers = self.done.iter().skip(from).filter_map(|e| match e {
            Effect::Answer { text, .. } => Some(text.clone()),
            _ => None,
        });
        answers.collect()
    }

    pub(super) fn frame(&self, pane: PaneId) -> Option<&str> {
        self.frames.get(&pane).map(String::as_str)
    }

    pub(super) fn asked_for(&self, from: usize, wanted: fn(&Effect) -> bool) -> usize {
        self.done.iter().skip(from).filter(|e| wanted(e)).count()
    }
}
