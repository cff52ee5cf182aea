//! What is done to a pane, and how it is known when something is true of it.

use super::model::{Key, What};
use super::run::{Pane, Session};
use super::situation::Since;
use regex::Regex;
use rustix::process::{Pid, Signal, kill_process_group};
use std::fs;
use std::thread;
use std::time::{Duration, Instant};

/// How long an agent may take for its part: to start, to ask the model, to draw.
const PATIENCE: Duration = Duration::from_secs(30);
/// Keys that follow each other more quickly are taken for a paste, in which Enter is text.
const HUMAN: Duration = Duration::from_millis(300);
/// How often a pane is looked at for what it shows.
const LOOK: Duration = Duration::from_millis(20);

impl Session<'_> {
    pub(super) fn next(&self, scene: &str) -> Key {
        self.number.set(self.number.get() + 1);
        Key { scene: scene.to_owned(), number: self.number.get() }
    }

    pub(super) fn start(
        &self,
        pane: &mut Pane,
        command: &str,
        scene: Option<&str>,
    ) -> Result<(), String> {
        let commands = &self.agent.commands;
        let line = commands.get(command).or_else(|| commands.get("default"));
        let line = line.ok_or("the agent has no command line")?;
        let key = scene.map(|scene| self.next(scene));
        let prompt = key.as_ref().map_or(String::new(), prompt);
        self.shell_prompt(pane)?;
        // What an earlier run left on the screen must not be taken for this one's.
        self.keys(pane, &["C-l"]);
        self.letters(pane, &self.filled(line).replace("{prompt}", &prompt));
        self.keys(pane, &["Enter"]);
        pane.key = key.or(pane.key.take());
        Ok(())
    }

    /// A command line with the product's and the agent's executable in their places.
    pub(super) fn filled(&self, line: &str) -> String {
        let madohub = self.stage.madohub.program().display().to_string();
        line.replace("{madohub}", &madohub).replace("{agent}", &self.agent.id)
    }

    /// Types a prompt as a person does, and waits until it has reached the model.
    pub(super) fn prompt(&self, pane: &mut Pane, scene: &str) -> Result<(), String> {
        let key = self.next(scene);
        let begin = Instant::now();
        self.letters(pane, &prompt(&key));
        self.wait_shows(pane, &Regex::new(&format!("scene:{key}")).map_err(|e| e.to_string())?)?;
        thread::sleep(HUMAN);
        pane.key = Some(key.clone());
        // A first Enter may have completed a word, or come too early.
        for _ in 0..3 {
            self.keys(pane, &["Enter"]);
            let asked = self.model.truth.wait(&key, What::Asked, begin, Duration::from_secs(8));
            if asked.is_some() {
                return Ok(());
            }
        }
        Err(format!("{key} did not reach the model"))
    }

    pub(super) fn press(&self, pane: &mut Pane, what: &str) -> Result<(), String> {
        let keys = self.agent.keys.get(what);
        let keys = keys.ok_or_else(|| format!("the agent has no keys for {what}"))?;
        for (at, key) in keys.iter().enumerate() {
            if at > 0 {
                thread::sleep(HUMAN);
            }
            match key.strip_prefix("text:") {
                Some(text) => self.letters(pane, text),
                None => self.keys(pane, &[key]),
            }
        }
        Ok(())
    }

    pub(super) fn keys(&self, pane: &mut Pane, keys: &[&str]) {
        pane.pressed = Instant::now();
        self.stage.tmux.run(&[&["send-keys", "-t", &pane.id], keys].concat());
    }

    pub(super) fn letters(&self, pane: &mut Pane, text: &str) {
        self.keys(pane, &["-l", text]);
    }

    /// Lets a scene go on: the model's part of it, and the command's.
    pub(super) fn release(&self, key: &Key) {
        self.model.truth.release(key);
        let gate = self.stage.env.path().join(format!("tmp/gate-{}", key.number));
        fs::write(gate, "").expect("a file of this world");
    }

    /// Kills the foreground process group: the agent, and its launcher where it has one.
    pub(super) fn kill(&self, pane: &mut Pane) -> Result<(), String> {
        let shell = self.stage.tmux.get(&pane.id, "#{pane_pid}");
        let stat = fs::read_to_string(format!("/proc/{shell}/stat"));
        let stat = stat.map_err(|error| format!("process {shell}: {error}"))?;
        // The sixth field behind the name is the foreground group of the terminal.
        let fields = stat.rsplit(')').next().unwrap_or_default();
        let group = fields.split_whitespace().nth(5).and_then(|group| group.parse().ok());
        let group = group.filter(|group: &i32| group.to_string() != shell);
        let group = group.and_then(Pid::from_raw).ok_or("only the shell is in the foreground")?;
        pane.pressed = Instant::now();
        kill_process_group(group, Signal::KILL).map_err(|error| format!("kill: {error}"))
    }

    /// When that became true; an error when it does not.
    pub(super) fn since(&self, pane: &Pane, since: &Since) -> Result<Instant, String> {
        let key = || pane.key.clone().ok_or("no scene was asked for");
        let told = |key: Key, what| {
            let truth = &self.model.truth;
            truth
                .wait(&key, what, pane.right, Duration::ZERO)
                .or_else(|| truth.wait(&key, what, pane.right, PATIENCE))
                .ok_or_else(|| format!("{key}: {what:?} did not happen"))
        };
        match since {
            Since::Asked => told(key()?, What::Asked),
            Since::InnerAsked => told(inner(pane)?, What::Asked),
            Since::Answered => told(key()?, What::Answered),
            Since::Failed => {
                told(key()?, What::Failed)?;
                self.last_failure(&key()?)
            }
            Since::Pressed => Ok(pane.pressed),
            Since::Now => Ok(Instant::now()),
            Since::Runs => {
                let began = self.stage.env.path().join(format!("tmp/began-{}", key()?.number));
                self.wait("the command to run", || began.exists().then_some(()))
            }
            Since::Shell => self.wait("the shell to be back", || {
                let command = self.stage.tmux.get(&pane.id, "#{pane_current_command}");
                (command == "bash").then_some(())
            }),
            Since::Shows(what) => {
                let pattern = self.agent.shows.get(what);
                let pattern = pattern.ok_or_else(|| format!("{what} is not described"))?;
                self.wait_shows(pane, &Regex::new(pattern).map_err(|e| e.to_string())?)
            }
        }
    }

    /// The last of the errors that an agent gets: it tries again for a while.
    pub(super) fn last_failure(&self, key: &Key) -> Result<Instant, String> {
        let quiet = Duration::from_secs(6);
        let deadline = Instant::now() + PATIENCE;
        loop {
            let last = self.model.truth.last(key, What::Failed).ok_or("no error")?;
            if last.elapsed() > quiet {
                return Ok(last);
            }
            if Instant::now() > deadline {
                return Err(format!("{key}: the agent tries again and again"));
            }
            thread::sleep(LOOK);
        }
    }

    pub(super) fn wait_shows(&self, pane: &Pane, pattern: &Regex) -> Result<Instant, String> {
        let shows = || {
            let screen = self.stage.tmux.try_run(&["capture-pane", "-p", "-t", &pane.id]).stdout;
            pattern.is_match(&String::from_utf8_lossy(&screen)).then_some(())
        };
        self.wait(&format!("the pane to show {pattern}"), shows)
    }

    /// Waits until the shell's prompt is right before the cursor; an agent may have left something
    /// behind it.
    pub(super) fn shell_prompt(&self, pane: &Pane) -> Result<(), String> {
        let at_prompt = || {
            let place = self.stage.tmux.get(&pane.id, "#{cursor_x} #{cursor_y}");
            let (column, row) = place.split_once(' ')?;
            let row = ["capture-pane", "-p", "-t", &pane.id, "-S", row, "-E", row];
            let row = self.stage.tmux.try_run(&row).stdout;
            let row = String::from_utf8_lossy(&row).into_owned();
            let before: String = row.chars().take(column.parse().ok()?).collect();
            before.trim_end().ends_with('$').then_some(())
        };
        self.wait("a shell prompt", at_prompt).map(|_| ())
    }

    #[expect(clippy::unused_self, reason = "waits are the session's business")]
    pub(super) fn wait(
        &self,
        what: &str,
        mut holds: impl FnMut() -> Option<()>,
    ) -> Result<Instant, String> {
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            if holds().is_some() {
                return Ok(Instant::now());
            }
            thread::sleep(LOOK);
        }
        Err(format!("waited {} s for {what}", PATIENCE.as_secs()))
    }
}

fn prompt(key: &Key) -> String {
    format!("Please do scene:{key}")
}

pub(super) fn inner(pane: &Pane) -> Result<Key, String> {
    let key = pane.key.as_ref().ok_or("no scene was asked for")?;
    Ok(Key { scene: "inner".to_owned(), number: key.number })
}
