//! `bench_daemon PATH_TO_MADOHUB [--seconds N] [--panes N] [--changes N] [--peer PROGRAM]`: what the
//! daemon costs, and beside it what another program costs that watches the same panes in a terminal.
//!
//! The same panes are measured without anything that watches them, with one plain
//! `tmux list-panes -a` a second (the least that any tool does which polls), and with the daemon.
//! CPU is what the kernel counted for the watcher with its finished children, and for the tmux
//! server; so other load on the machine hardly counts.
#![allow(
    clippy::cast_precision_loss,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a benchmark that goes wrong says so and ends"
)]

use madohub_tests::{
    Agent, CpuTime, Hue, Madohub, PaneBox, Side, Stage, StageOptions, TestEnv, Tmux, bytes_read,
    resident, wait_for, wait_until,
};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// Panes in one window; more do not fit beside each other.
const PER_WINDOW: usize = 10;
/// Of all panes, one in so many animates in most scenes.
const ANIMATED: usize = 5;
/// How long runs of tmux are counted.
const COUNTED: Duration = Duration::from_secs(6);

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (mut program, mut peer) = (None, None);
    let (mut seconds, mut panes, mut changes) = (20, 50, 21);
    let mut words = args.iter();
    while let Some(word) = words.next() {
        let mut number = || words.next().and_then(|n| n.parse::<usize>().ok()).expect("a number");
        match word.as_str() {
            "--seconds" => seconds = number(),
            "--panes" => panes = number(),
            "--changes" => changes = number(),
            "--peer" => peer = words.next().cloned(),
            path => program = Some(path.to_owned()),
        }
    }
    let Some(program) = program else {
        eprintln!(
            "usage: bench_daemon PATH_TO_MADOHUB [--seconds N] [--panes N] [--changes N] \
             [--peer PROGRAM]"
        );
        return ExitCode::from(2);
    };
    let time = Duration::from_secs(seconds as u64);
    let bench = Bench { changes, peer, ..Bench::set_up(Path::new(&program), panes, time) };
    bench.run();
    ExitCode::SUCCESS
}

struct Bench {
    stage: Stage,
    agents: Vec<Agent>,
    time: Duration,
    /// Changes that are timed.
    changes: usize,
    /// A program that watches agents in the tmux server which `TMUX` names.
    peer: Option<String>,
}

/// CPU in percent of one core.
#[derive(Clone, Copy)]
struct Cost {
    watcher: f64,
    /// Of it, what its finished children took: the tmux clients that it ran.
    children: f64,
    server: f64,
}

impl Bench {
    fn set_up(program: &Path, panes: usize, time: Duration) -> Self {
        let env = Arc::new(TestEnv::new());
        let madohub = Madohub::at(&env, program);
        let options = StageOptions { size: (200, 50), ..StageOptions::default() };
        let stage = Stage::in_env(env, madohub, &options);
        let mut ids = vec![stage.first_pane()];
        while ids.len() < panes {
            let args: &[&str] = if ids.len() % PER_WINDOW == 0 {
                &["new-window", "-d", "-t", "main:", "-P", "-F", "#{pane_id}"]
            } else {
                &["split-window", "-d", "-t", ids.last().unwrap(), "-P", "-F", "#{pane_id}"]
            };
            ids.push(stage.tmux.run(args));
            stage.tmux.run(&["select-layout", "-t", ids.last().unwrap(), "tiled"]);
        }
        let start = |pane: &String| stage.agent(pane, "claude-2.1.332", "idle");
        let agents = ids.iter().map(start).collect();
        Self { stage, agents, time, changes: 0, peer: None }
    }

    fn run(&self) {
        let count = self.agents.len();
        let seconds = self.time.as_secs();
        println!("{count} panes, {seconds} s each, tmux {}", self.stage.tmux.program.version);
        println!("CPU in % of one core; all else is a second's\n");
        println!(
            "{:28} {:>8} {:>9} {:>8} {:>8} {:>9} {:>6} {:>8} {:>8} {:>6}",
            "",
            "daemon",
            "its tmux",
            "server+",
            "in all",
            "list/1s",
            "runs",
            "KiB read",
            "redrawn",
            "MiB"
        );
        self.scene("idle", Some(self.changes));
        let animated: Vec<&Agent> = self.agents.iter().step_by(ANIMATED).collect();
        for agent in &animated {
            agent.show("streaming");
        }
        let some = animated.len();
        self.scene(&format!("{some} animate"), Some(self.changes));
        self.stage.tmux.run(&["new-window", "-t", "main:"]);
        self.scene(&format!("{some} animate out of sight"), None);
        self.stage.tmux.run(&["detach-client", "-a"]);
        self.stage.tmux.run(&["detach-client", "-s", "main"]);
        wait_until("no client", || self.stage.clients(), String::is_empty);
        self.scene(&format!("{some} animate, no client"), None);
        self.stage.attach();
        self.stage.tmux.run(&["kill-window", "-t", "main:"]);
        for agent in &self.agents {
            agent.show("streaming");
        }
        self.scene("all animate", None);
    }

    /// Measures what goes on now; and how long so many changes take, if any.
    fn scene(&self, name: &str, changes: Option<usize>) {
        let is_attached = !self.stage.clients().is_empty();
        let record = is_attached.then(|| self.stage.record_client());
        let drawn = || record.as_ref().map_or(0, |record| record.bytes().len());
        let pause = || {
            let before = drawn();
            thread::sleep(self.time);
            (drawn() - before) as f64 / self.time.as_secs_f64()
        };
        let (bare, drawn_bare) = self.measure(None, pause);
        let plain = self.plain_polling();
        let peer = self.peer.as_ref().map(|program| self.peer(program));
        self.stage.start();
        let daemon = self.stage.daemon();
        wait_for("all panes to be known", || {
            let known = self.stage.madohub.list(&self.stage.tmux).len();
            if known == self.agents.len() { Ok(()) } else { Err(format!("{known}")) }
        });
        // What the start costs is not what watching costs.
        thread::sleep(Duration::from_secs(4));
        let before = bytes_read(daemon);
        let (watched, drawn_watched) = self.measure(Some(daemon), pause);
        let read = (bytes_read(daemon) - before) as f64 / self.time.as_secs_f64() / 1024.0;
        let runs = self.runs();
        let memory = resident(daemon) as f64 / 1024.0 / 1024.0;
        let delays = changes.filter(|changes| *changes > 0).map(|changes| self.delays(changes));
        self.stage.madohub.tmux("stop", &self.stage.tmux);

        let all = watched.total(bare);
        let Cost { watcher, children, .. } = watched;
        println!(
            "{name:28} {:8.2} {children:9.2} {:8.2} {all:8.2} {:9.2} {runs:6.1} {read:8.1} \
             {:8.0} {memory:6.1}",
            watcher - children,
            (watched.server - bare.server).max(0.0),
            plain.total(bare),
            (drawn_watched - drawn_bare).max(0.0),
        );
        if let Some(peer) = peer {
            let theirs = peer.total(bare);
            println!("  peer: {theirs:.2} in all, {:.2} times ours", theirs / all);
        }
        if let Some(mut delays) = delays {
            delays.sort_unstable();
            let at = |part: usize| delays[(delays.len() - 1) * part / 100].as_millis();
            println!(
                "  from the agent's bytes to the colour in the terminal: median {} ms, p95 {} ms, \
                 p99 {} ms, max {} ms of {}",
                at(50),
                at(95),
                at(99),
                at(100),
                delays.len()
            );
        }
    }

    /// Runs of tmux a second, counted by a script in tmux's place for a while.
    fn runs(&self) -> f64 {
        let count = self.stage.env.path().join("tmp/runs");
        fs::write(&count, "").expect("a file");
        let tmux = which(&self.stage.tmux.program.path);
        let script = format!(
            "#!/bin/sh\nprintf . >> '{}'\nexec '{}' \"$@\"\n",
            count.display(),
            tmux.display()
        );
        let stand_in = self.stage.env.script("tmux", &script);
        let start = Instant::now();
        thread::sleep(COUNTED);
        let runs = fs::metadata(&count).expect("the file").len();
        fs::remove_file(stand_in).expect("the script");
        runs as f64 / start.elapsed().as_secs_f64()
    }

    /// Changes of one agent's state in the window in front, each timed until the terminal around
    /// the client shows the border's new colour.
    fn delays(&self, changes: usize) -> Vec<Duration> {
        let (stage, agent) = (&self.stage, &self.agents[1]);
        let pane = stage.tmux.run(&["list-panes", "-t", "main:0", "-F", "#{pane_id}"]);
        let area = PaneBox::of(&stage.tmux, pane.lines().nth(1).expect("a second pane"));
        let change = |(scene, hue): (&str, Hue)| {
            // Long enough that nothing of the former change is going on.
            thread::sleep(Duration::from_millis(2500));
            agent.show(scene);
            let start = Instant::now();
            wait_for("the border's colour", || {
                let screen = stage.screen();
                let border = area.border(&screen, Side::Top);
                let new = border.len() > 8 && border[..8].iter().all(|c| c.style.fg.hue() == hue);
                if new { Ok(start.elapsed()) } else { Err(screen.to_string()) }
            })
        };
        let states = [("approval", Hue::Orange), ("finished", Hue::Red), ("working", Hue::Green)];
        let delays = states.into_iter().cycle().take(changes).map(change).collect();
        self.agents[1].show("idle");
        delays
    }

    /// One `list-panes -a` a second; a tick that comes late is dropped.
    fn plain_polling(&self) -> Cost {
        let own = std::process::id().cast_signed();
        let start = Instant::now();
        let format = "#{pane_id} #{pane_pid} #{pane_current_command} #{pane_title}";
        let poll = || {
            let mut next = start;
            while start.elapsed() < self.time {
                self.stage.tmux.run(&["list-panes", "-a", "-F", format]);
                next += Duration::from_secs(1);
                thread::sleep(next.saturating_duration_since(Instant::now()));
            }
        };
        let (cost, ()) = self.measure(Some(own), poll);
        Cost { watcher: cost.children, ..cost }
    }

    /// Another program that watches the same panes, in a terminal of another server.
    fn peer(&self, program: &str) -> Cost {
        let watched = &self.stage.tmux;
        let terminal = Tmux::new(&self.stage.env, &watched.program, "peer");
        let server = format!("TMUX={},{},0", watched.socket_path().display(), watched.pid());
        terminal.run(&["new-session", "-d", "-x", "200", "-y", "50", "env", &server, program]);
        let pid = terminal.get("", "#{pane_pid}").parse().expect("the peer's process");
        // What the start costs is not what watching costs.
        thread::sleep(Duration::from_secs(3));
        let (cost, ()) = self.measure(Some(pid), || thread::sleep(self.time));
        terminal.kill_server();
        cost
    }

    fn measure<T>(&self, watcher: Option<i32>, run: impl FnOnce() -> T) -> (Cost, T) {
        let server = self.stage.tmux.pid();
        let watcher = || watcher.map_or_else(CpuTime::default, CpuTime::of);
        let start = Instant::now();
        let before = (watcher(), CpuTime::of(server).own);
        let outcome = run();
        let after = (watcher(), CpuTime::of(server).own);
        let took = start.elapsed();
        let percent = |after: Duration, before: Duration| {
            after.saturating_sub(before).as_secs_f64() / took.as_secs_f64() * 100.0
        };
        let children = percent(after.0.children, before.0.children);
        let cost = Cost {
            watcher: percent(after.0.own, before.0.own) + children,
            children,
            server: percent(after.1, before.1),
        };
        (cost, outcome)
    }
}

/// Where a program of this name is.
fn which(program: &Path) -> PathBuf {
    let search = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&search).map(|dir| dir.join(program));
    found.into_iter().find(|path| path.is_file()).expect("tmux in PATH")
}

impl Cost {
    /// The watcher, and what the server does more than in `bare`.
    fn total(self, bare: Self) -> f64 {
        self.watcher + (self.server - bare.server).max(0.0)
    }
}
