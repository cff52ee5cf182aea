//! `bench_daemon PATH_TO_MADOHUB [--seconds N] [--panes N] [--peer PROGRAM]`: what the daemon
//! costs, and beside it what another program costs that watches the same panes in a terminal.
//!
//! The same panes are measured without anything that watches them, with one plain
//! `tmux list-panes -a` a second (the least that any tool does which polls), and with the daemon.
//! CPU is user and system time from `/proc`: the watcher with its finished children, and the tmux
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
    Agent, Hue, Madohub, PaneBox, Side, Stage, StageOptions, TestEnv, Tmux, wait_for,
};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// Panes in one window; more do not fit beside each other.
const PER_WINDOW: usize = 10;
/// Of all panes, one in so many animates in the second half.
const ANIMATED: usize = 5;
/// Changes that are timed.
const CHANGES: usize = 21;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (mut program, mut peer) = (None, None);
    let (mut seconds, mut panes) = (20, 50);
    let mut words = args.iter();
    while let Some(word) = words.next() {
        let mut number = || words.next().and_then(|n| n.parse::<usize>().ok()).expect("a number");
        match word.as_str() {
            "--seconds" => seconds = number(),
            "--panes" => panes = number(),
            "--peer" => peer = words.next().cloned(),
            path => program = Some(path.to_owned()),
        }
    }
    let Some(program) = program else {
        eprintln!("usage: bench_daemon PATH_TO_MADOHUB [--seconds N] [--panes N] [--peer PROGRAM]");
        return ExitCode::from(2);
    };
    let time = Duration::from_secs(seconds as u64);
    let bench = Bench { peer, ..Bench::set_up(Path::new(&program), panes, time) };
    bench.run();
    ExitCode::SUCCESS
}

struct Bench {
    stage: Stage,
    agents: Vec<Agent>,
    time: Duration,
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
        Self { stage, agents, time, peer: None }
    }

    fn run(&self) {
        let count = self.agents.len();
        println!(
            "{count} panes, {} s each, tmux {}",
            self.time.as_secs(),
            self.stage.tmux.program.version
        );
        println!("CPU in % of one core\n");
        self.phase(&format!("{count} idle"));
        let animated = count / ANIMATED;
        for agent in self.agents.iter().step_by(ANIMATED) {
            agent.show("streaming");
        }
        self.phase(&format!("{animated} of {count} animate"));
    }

    fn phase(&self, name: &str) {
        let bare = self.measure(None, || thread::sleep(self.time));
        let plain = self.plain_polling();
        let peer = self.peer.as_ref().map(|program| self.peer(program));
        self.stage.start();
        let daemon = self.daemon();
        wait_for("all panes to be known", || {
            let known = self.stage.madohub.list(&self.stage.tmux).len();
            if known == self.agents.len() { Ok(()) } else { Err(format!("{known}")) }
        });
        // What the start costs is not what watching costs.
        thread::sleep(Duration::from_secs(3));
        let watched = self.measure(Some(daemon), || thread::sleep(self.time));
        let memory = rss_kib(daemon);
        let mut delays = self.delays();
        self.agents[1].show("idle");
        self.stage.madohub.tmux("stop", &self.stage.tmux);

        println!(
            "{name:24} watcher  of it tmux clients   server   watcher + what it adds to the server"
        );
        let row = |label: &str, cost: Cost| {
            let total = cost.total(bare);
            let Cost { watcher, children, server } = cost;
            println!("  {label:22} {watcher:7.2} {children:16.2} {server:10.2} {total:12.2}");
            total
        };
        row("nothing watches", bare);
        let floor = row("list-panes -a each 1 s", plain);
        let ours = row("madohub", watched);
        if let Some(peer) = peer {
            let theirs = row("peer", peer);
            println!("  peer / madohub         {:7.2}", theirs / ours);
        }
        println!(
            "  madohub / list-panes   {:7.2} in all, {:.2} the watcher alone; daemon {:.1} MiB\n",
            ours / floor,
            watched.watcher / plain.watcher,
            memory as f64 / 1024.0
        );
        delays.sort_unstable();
        let at = |part: usize| delays[(delays.len() - 1) * part / 100].as_millis();
        println!(
            "  from the agent's bytes to the colour in the terminal: median {} ms, p95 {} ms, \
             max {} ms of {}\n",
            at(50),
            at(95),
            at(100),
            delays.len()
        );
    }

    /// Changes of one agent's state in the window in front, each timed until the terminal around
    /// the client shows the border's new colour.
    fn delays(&self) -> Vec<Duration> {
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
        states.into_iter().cycle().take(CHANGES).map(change).collect()
    }

    /// One `list-panes -a` a second; a tick that comes late is dropped.
    fn plain_polling(&self) -> Cost {
        let own = std::process::id().cast_signed();
        let start = Instant::now();
        let format = "#{pane_id} #{pane_pid} #{pane_current_command} #{pane_title}";
        self.measure_children(own, || {
            let mut next = start;
            while start.elapsed() < self.time {
                self.stage.tmux.run(&["list-panes", "-a", "-F", format]);
                next += Duration::from_secs(1);
                thread::sleep(next.saturating_duration_since(Instant::now()));
            }
        })
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
        let cost = self.measure(Some(pid), || thread::sleep(self.time));
        terminal.kill_server();
        cost
    }

    fn measure(&self, watcher: Option<i32>, run: impl FnOnce()) -> Cost {
        self.between(|| watcher.map_or([0; 4], cpu_ticks), run)
    }

    /// Counts only the finished children of the watcher.
    fn measure_children(&self, watcher: i32, run: impl FnOnce()) -> Cost {
        let children = || {
            let [_, _, user, system] = cpu_ticks(watcher);
            [0, 0, user, system]
        };
        self.between(children, run)
    }

    fn between(&self, watcher: impl Fn() -> [u64; 4], run: impl FnOnce()) -> Cost {
        let server = self.stage.tmux.pid();
        let start = Instant::now();
        let before = (watcher(), cpu_ticks(server));
        run();
        let after = (watcher(), cpu_ticks(server));
        let seconds = start.elapsed().as_secs_f64();
        // A clock tick of `/proc` is 10 ms everywhere on Linux.
        let percent = |after: &[u64], before: &[u64]| {
            (after.iter().sum::<u64>() - before.iter().sum::<u64>()) as f64 / seconds
        };
        Cost {
            watcher: percent(&after.0, &before.0),
            children: percent(&after.0[2..], &before.0[2..]),
            server: percent(&after.1, &before.1),
        }
    }

    fn daemon(&self) -> i32 {
        let is_daemon = |pid: &i32| {
            std::fs::read_to_string(format!("/proc/{pid}/comm"))
                .is_ok_and(|c| c.trim() == "madohub")
        };
        wait_for("the daemon's process", || {
            self.stage.env.processes().into_iter().find(is_daemon).ok_or_else(String::new)
        })
    }
}

impl Cost {
    /// The watcher, and what the server does more than in `bare`.
    fn total(self, bare: Self) -> f64 {
        self.watcher + (self.server - bare.server).max(0.0)
    }
}

/// User and system time of a process, then of its finished children, in clock ticks.
fn cpu_ticks(pid: i32) -> [u64; 4] {
    let line = std::fs::read_to_string(format!("/proc/{pid}/stat")).expect("a living process");
    let fields: Vec<&str> = line.rsplit(')').next().unwrap().split_whitespace().collect();
    [11, 12, 13, 14].map(|at| fields[at].parse().unwrap())
}

fn rss_kib(pid: i32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}
