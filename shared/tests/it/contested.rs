//! What the states mean where people disagree, and whom to believe where sources do:
//! `contested.toml`, point by point.

use crate::cases::RECORDED;
use madohub_detect::{
    Observation, Previous, RuleSet, SessionLog, Settings, State, Tracker, detect,
};
use serde::Deserialize;
use std::collections::BTreeSet;

/// The points of each list. 15 of the meanings is an order among states, with a test of its own.
const LISTS: [(&str, u32); 2] = [("meaning", 14), ("trust", 8)];

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Contested {
    case: Vec<Case>,
}

/// One decision, shown.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    of: String,
    point: u32,
    name: String,
    #[serde(default)]
    background_works: bool,
    frames: Vec<Frame>,
}

/// What is seen of the pane at one moment, and what it is said to be.
#[derive(Debug, Deserialize)]
struct Frame {
    /// Seconds since the first one.
    #[serde(default)]
    at: f64,
    /// In front of a person.
    #[serde(default)]
    focused: bool,
    recorded: Option<String>,
    #[serde(default)]
    without: Vec<String>,
    agent: Option<String>,
    screen: Option<String>,
    /// Records of the session log.
    log: Option<Vec<String>>,
    /// What it says of work in the background.
    #[serde(default)]
    log_background: u32,
    /// That it holds no turn of this process.
    #[serde(default)]
    no_turn_yet: bool,
    /// Other parts of the observation, under their own names.
    #[serde(flatten)]
    rest: toml::Table,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expect {
    state: State,
    agent: Option<String>,
    source: Option<String>,
    reason: Option<String>,
    background: Option<u32>,
    /// Ways by which evidence came.
    #[serde(default)]
    tells: Vec<String>,
}

impl Frame {
    fn observation(&self) -> Observation {
        let mut seen = self.recorded.as_ref().map_or_else(Observation::default, |id| {
            let case = RECORDED.iter().find(|case| case.id() == id);
            case.unwrap_or_else(|| panic!("no recorded moment {id}")).observation.clone()
        });
        for part in &self.without {
            match part.as_str() {
                "registry" => seen.registry = None,
                "log" => seen.log = None,
                "title" => seen.title = None,
                other => panic!("{other} cannot be left out"),
            }
        }
        let mut fields = serde_json::to_value(&seen).unwrap();
        for (name, value) in self.rest.iter().filter(|(name, _)| *name != "expect") {
            fields[name.as_str()] = serde_json::to_value(value).unwrap();
        }
        let known: Vec<String> = self.rest.keys().cloned().collect();
        let mut seen: Observation = serde_json::from_value(fields).unwrap();
        let back = serde_json::to_value(&seen).unwrap();
        for name in known.iter().filter(|name| *name != "expect") {
            assert!(!back[name.as_str()].is_null(), "an observation has no {name}");
        }
        if let Some(screen) = &self.screen {
            seen.screen = Some(screen.lines().map(str::to_owned).collect());
        }
        if let Some(records) = &self.log {
            seen.log = Some(SessionLog {
                records: records.clone(),
                background: self.log_background,
                no_turn_yet: self.no_turn_yet,
                ..SessionLog::default()
            });
        }
        seen.agent_hint = self.agent.clone().or(seen.agent_hint);
        seen
    }

    fn expect(&self) -> Expect {
        self.rest["expect"].clone().try_into().unwrap()
    }
}

fn read() -> Vec<Case> {
    let text = include_str!("../contested.toml");
    toml::from_str::<Contested>(text).unwrap().case
}

#[test]
fn every_contested_case_is_decided_as_it_is_written_down() {
    let rules = RuleSet::builtin().unwrap();
    let mut wrong = Vec::new();
    for case in read() {
        let settings = Settings { background_works: case.background_works, ..Settings::default() };
        let mut tracker = Tracker::new(settings);
        for frame in &case.frames {
            let mut seen = frame.observation();
            seen.previous = tracker.get("pane").map(|before| Previous {
                agent: Some(before.detection.agent.as_str().to_owned()),
                state: Some(before.detection.state),
            });
            let now = 1_000_000.0 + frame.at;
            let step = tracker.step("pane", detect(&rules, &seen), frame.focused, now);
            let got = step.tracked.detection;
            let expect = frame.expect();
            let is = |wanted: &Option<String>, got: Option<&str>| {
                wanted.as_deref().is_none_or(|wanted| Some(wanted) == got)
            };
            let tells = |way: &String| got.evidence.iter().any(|e| e.via.as_str() == way);
            let right = got.state == expect.state
                && is(&expect.agent, Some(got.agent.as_str()))
                && is(&expect.source, Some(got.state_source.as_str()))
                && is(&expect.reason, got.reason.as_deref())
                && expect.background.is_none_or(|count| count == got.background)
                && expect.tells.iter().all(tells);
            if !right {
                let Case { of, point, name, .. } = &case;
                wrong.push(format!("{of} {point}, {name}, at {} s: {got:#?}", frame.at));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_point_is_left_out() {
    let shown: BTreeSet<(String, u32)> = read().into_iter().map(|c| (c.of, c.point)).collect();
    for (list, points) in LISTS {
        for point in 1..=points {
            assert!(shown.contains(&(list.to_owned(), point)), "{list} {point} has no case");
        }
    }
}

#[test]
fn meaning_15_the_order_of_need() {
    let order = ["waiting", "failed", "stopped", "working", "completed", "exited", "idle"];
    assert_eq!(State::BY_NEED.map(State::as_str), order);
}
