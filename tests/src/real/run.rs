//! Runs the situations with one version of an agent.

use super::agent::Agent;
use super::drive::inner;
use super::install::Packages;
use super::judge::judge;
use super::model::{Key, ModelServer, Script};
use super::observer::Observer;
use super::report::{Outcome, Verdict};
use super::situation::{Expect, Situation, Situations, Step};
use super::world;
use crate::env::TestEnv;
use crate::stage::Stage;
use regex::Regex;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Runs the situations (those named in `only`, where there are any); what went wrong is kept below
/// `out`.
pub fn run(
    agent: &Agent,
    version: &str,
    situations: &Situations,
    only: &[String],
    packages: &Packages,
    out: &Path,
) -> Result<Vec<Outcome>, String> {
    let env = TestEnv::new();
    let script = super::data_dir().join("model.toml");
    let text = fs::read_to_string(&script).map_err(|e| format!("{}: {e}", script.display()))?;
    let text = text.replace("{world}", &env.path().join("tmp").display().to_string());
    let script: Script = toml::from_str(&text).map_err(|e| format!("{}: {e}", script.display()))?;
    let name = format!("{}-{version}", agent.id);
    let out = out.join(&name);
    fs::create_dir_all(&out).map_err(|error| format!("{}: {error}", out.display()))?;
    let model = ModelServer::start(script, agent.tools.clone(), &out.join("model.log"));
    let stage = world::build(env, agent, version, packages, &model)?;
    let observer = Observer::start(&stage.madohub, &stage.tmux);
    let (number, decided) = (Cell::new(0), Cell::new(0));
    let session = Session { agent, version, stage, model, observer, out, number, decided };
    let wanted = |s: &&Situation| only.is_empty() || only.contains(&s.name);
    let mut outcomes = Vec::new();
    for situation in situations.situation.iter().filter(wanted) {
        session.situation(situation, &mut outcomes);
    }
    session.keep_files(&outcomes);
    Ok(outcomes)
}

/// A run of the situations with one version.
pub(super) struct Session<'a> {
    pub(super) agent: &'a Agent,
    pub(super) version: &'a str,
    pub(super) stage: Stage,
    pub(super) model: ModelServer,
    pub(super) observer: Observer,
    pub(super) out: PathBuf,
    /// The last number of a scene.
    pub(super) number: Cell<u32>,
    /// Entries of the log of routes that were looked at.
    pub(super) decided: Cell<usize>,
}

/// A pane of a situation.
pub(super) struct Pane {
    pub(super) id: String,
    /// The scene of its last prompt.
    pub(super) key: Option<Key>,
    /// When keys were pressed last.
    pub(super) pressed: Instant,
    /// When the last right answer about it came.
    pub(super) right: Instant,
}

impl Session<'_> {
    fn situation(&self, situation: &Situation, outcomes: &mut Vec<Outcome>) {
        let begin = outcomes.len();
        let untried = |row: &str, why: &str, broken| Outcome {
            agent: format!("{} {}", self.agent.id, self.version),
            row: row.to_owned(),
            verdict: Verdict::Untried { why: why.to_owned(), broken },
            story: String::new(),
        };
        let expects: Vec<&Expect> = situation.steps.iter().filter_map(Step::expect).collect();
        if let Some(why) = self.agent.skip(self.version, &situation.name) {
            outcomes.extend(expects.iter().map(|expect| untried(&expect.row, why, false)));
            return;
        }
        println!("{} {}: {}", self.agent.id, self.version, situation.name);
        let mut panes = BTreeMap::new();
        panes.insert(String::new(), self.open(None));
        let mut current = String::new();
        for step in &situation.steps {
            if let Err(why) = self.step(step, &mut panes, &mut current, outcomes) {
                println!("  not brought about: {why}");
                self.keep(&panes[&current], &situation.name, &why);
                let left = expects.iter().skip(outcomes.len() - begin);
                let rows = left.map(|expect| expect.row.as_str());
                // What fails after the last expectation is no less wrong.
                let end = format!("end of {}", situation.name);
                for (at, row) in rows.chain([end.as_str()]).enumerate() {
                    let why = if at == 0 { why.as_str() } else { "came to an end before" };
                    let mut outcome = untried(row, why, true);
                    outcome.story = self.story(&panes[&current]);
                    outcomes.push(outcome);
                }
                break;
            }
        }
        for pane in panes.values() {
            if let Some(key) = &pane.key {
                self.release(key);
            }
            let _ = self.stage.tmux.try_run(&["kill-pane", "-t", &pane.id]);
        }
    }

    /// A shell in the project's folder: in a window of its own, or beside another pane.
    fn open(&self, beside: Option<&str>) -> Pane {
        let dir = world::project(&self.stage.env).display().to_string();
        let mut args = match beside {
            Some(pane) => vec!["split-window", "-h", "-t", pane],
            None => vec!["new-window", "-t", "main:"],
        };
        args.extend(["-c", dir.as_str(), "-P", "-F", "#{pane_id}"]);
        let now = Instant::now();
        Pane { id: self.stage.tmux.run(&args), key: None, pressed: now, right: now }
    }

    fn step(
        &self,
        step: &Step,
        panes: &mut BTreeMap<String, Pane>,
        current: &mut String,
        outcomes: &mut Vec<Outcome>,
    ) -> Result<(), String> {
        if let Step::Pane(name) = step {
            let other = panes[current.as_str()].id.clone();
            current.clone_from(name);
            panes.entry(name.clone()).or_insert_with(|| self.open(Some(&other)));
            return Ok(());
        }
        let pane = panes.get_mut(current.as_str()).ok_or("no pane")?;
        match step {
            Step::Start { command, scene } => self.start(pane, command, scene.as_deref()),
            Step::Prompt(scene) => self.prompt(pane, scene),
            Step::Release {} => {
                self.release(pane.key.as_ref().ok_or("no scene to release")?);
                Ok(())
            }
            Step::ReleaseInner {} => {
                self.release(&inner(pane)?);
                Ok(())
            }
            Step::Press(what) => self.press(pane, what),
            Step::Type(line) => {
                self.shell_prompt(pane)?;
                self.letters(pane, &self.filled(line));
                self.keys(pane, &["Enter"]);
                Ok(())
            }
            Step::Shown(pattern) => {
                let pattern = Regex::new(pattern).map_err(|error| error.to_string())?;
                self.wait_shows(pane, &pattern).map(|_| ())
            }
            Step::Kill {} => self.kill(pane),
            Step::Hook(verb) => self.hook(verb),
            Step::Heard(what) => self.heard(pane, what),
            Step::Reported(state) => self.reported(pane, state),
            Step::Resize { columns, rows } => self.resize(pane, *columns, *rows),
            Step::Role(role) => {
                self.role(pane, role);
                Ok(())
            }
            Step::Routed(outcomes) => self.routed(pane, outcomes),
            Step::Arrived(times) => self.arrived(pane, *times),
            Step::Pane(_) => Ok(()),
            Step::Expect(expect) => {
                let expect = self.agent.expectation(self.version, expect);
                let since = self.since(pane, &expect.since)?;
                outcomes.push(self.expect(pane, &expect, since));
                Ok(())
            }
        }
    }

    fn expect(&self, pane: &mut Pane, expect: &Expect, since: Instant) -> Outcome {
        let before = pane.right;
        let id = &self.agent.id;
        let (verdict, right) = judge(&self.observer, &pane.id, id, expect, before, since);
        pane.right = right;
        let mut story = String::new();
        let Expect { row, state, source, reason, .. } = expect;
        if let Verdict::Right { delay, passing } = &verdict {
            println!("  {row}: {} ms {}", delay.as_millis(), passing.join(", "));
        } else {
            story = format!(
                "wanted {state} ({}, {}); {}",
                reason.as_deref().unwrap_or("any reason"),
                source.as_deref().unwrap_or("any source"),
                self.told(pane, before, since)
            );
            println!("  {row}: {verdict:?}\n    {story}");
            self.keep(pane, row, &story);
        }
        let agent = format!("{id} {}", self.version);
        Outcome { agent, row: expect.row.clone(), verdict, story }
    }
}
