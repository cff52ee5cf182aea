//! `demo PATH_TO_MADOHUB [--svg FILE | --dash-svg FILE]`: the main job where nothing else is needed.
//!
//! A private tmux server gets panes in which recorded agents are replayed under their real process
//! names, the daemon watches them, and the answers are compared with the truth.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a demonstration that goes wrong says so and ends"
)]

use madohub_tests::{
    Hue, Madohub, Picture, Screen, Side, Stage, StageOptions, TestEnv, TmuxProgram, svg, wait_for,
    wait_until,
};
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

/// Two panes of 60 columns and a line between them; two rows of panes, each under its own line,
/// and the status line.
const SIZE: (u16, u16) = (121, 43);

struct Part {
    recording: &'static str,
    scene: &'static str,
    state: &'static str,
    hue: Hue,
}

const PARTS: [Part; 4] = [
    Part { recording: "claude-2.1.332", scene: "streaming", state: "working", hue: Hue::Green },
    Part { recording: "codex-0.171.0", scene: "approval", state: "waiting", hue: Hue::Orange },
    Part { recording: "opencode-1.18.33", scene: "finished", state: "stopped", hue: Hue::Red },
    Part { recording: "copilot-1.0.102", scene: "idle", state: "idle", hue: Hue::Default },
];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (program, picture) = match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [program] => (program.to_owned(), None),
        [program, what @ ("--svg" | "--dash-svg"), file] => {
            (program.to_owned(), Some((what == "--dash-svg", file.to_owned())))
        }
        _ => {
            eprintln!("usage: demo PATH_TO_MADOHUB [--svg FILE | --dash-svg FILE]");
            return ExitCode::from(2);
        }
    };
    let show = Show::set_up(Path::new(&program), picture.is_some());
    show.check();
    if let Some((is_dash, file)) = picture {
        if is_dash { show.draw_dash(Path::new(&file)) } else { show.draw(Path::new(&file)) }
    } else if let Err(error) = show.print() {
        // Who reads may have seen enough.
        eprintln!("demo: {error}");
    }
    ExitCode::SUCCESS
}

struct Show {
    stage: Stage,
    panes: Vec<String>,
    /// A shell that shows an agent's screen and is none.
    decoy: String,
}

impl Show {
    /// `still`: for a picture, in which a pulse would be caught at any brightness.
    fn set_up(program: &Path, still: bool) -> Self {
        let env = Arc::new(TestEnv::new());
        let madohub = Madohub::at(&env, program);
        let options = StageOptions {
            program: TmuxProgram::system(),
            size: SIZE,
            rgb: true,
            ..StageOptions::default()
        };
        let stage = Stage::in_env(env, madohub, &options);
        if still {
            stage.configure("[border]\npulse = false\n");
        }
        let tmux = &stage.tmux;
        for (option, value) in [
            ("status-style", "bg=#22262e,fg=#aab2bf"),
            ("status-left", " "),
            ("status-right", "#{E:@madohub_status} "),
            ("status-right-length", "60"),
            ("window-status-current-style", "fg=#e6e9ee,bold"),
            ("pane-border-style", "fg=#4a505c"),
            ("pane-active-border-style", "fg=#8b93a1"),
        ] {
            tmux.run(&["set-option", "-g", option, value]);
        }
        tmux.run(&["rename-window", "-t", "main", "api"]);
        let first = stage.first_pane();
        let split = |way: &str, from: &str| {
            tmux.run(&["split-window", way, "-t", from, "-P", "-F", "#{pane_id}"])
        };
        let second = split("-h", &first);
        let third = split("-v", &first);
        let fourth = split("-v", &second);
        let decoy = tmux.run(&["new-window", "-d", "-n", "notes", "-P", "-F", "#{pane_id}"]);
        tmux.run(&["select-pane", "-t", &first]);
        Self { stage, panes: vec![first, second, third, fourth], decoy }
    }

    /// Starts the agents and the daemon, and waits until every answer is right.
    fn check(&self) {
        let stage = &self.stage;
        let quoted =
            madohub_tests::recording::Recording::root().join("claude-2.1.332/approval.ansi");
        stage.type_line(&self.decoy, &format!("cat '{}'", quoted.display()));
        stage.start();
        std::fs::create_dir_all(stage.env.home().join("src/api")).expect("a project");
        for (pane, part) in self.panes.iter().zip(&PARTS) {
            stage.type_line(pane, "cd src/api");
            // An end that an agent shows first of all is of an earlier session.
            let ended = part.scene == "finished";
            let agent =
                stage.agent(pane, part.recording, if ended { "working" } else { part.scene });
            if ended {
                stage.wait_state(pane, "working");
                agent.show(part.scene);
            }
        }
        for (pane, part) in self.panes.iter().zip(&PARTS) {
            stage.wait_state(pane, part.state);
            let what = format!("{}'s border to be {:?}", part.recording, part.hue);
            wait_until(
                &what,
                || stage.screen(),
                |screen| {
                    let own = |side| stage.border_is(screen, pane, side, part.hue);
                    // An idle pane keeps the person's own style.
                    own(Side::Top)
                        || part.hue == Hue::Default
                            && stage.border_is(screen, pane, Side::Top, Hue::Gray)
                },
            );
        }
        wait_for("the shell that shows an agent's screen to be no agent", || {
            match stage.row(&self.decoy) {
                None => Ok(()),
                Some(row) => Err(format!("{row:?}")),
            }
        });
    }

    fn print(&self) -> std::io::Result<()> {
        let mut out = std::io::stdout().lock();
        writeln!(out, "{}", self.stage.madohub.run(&["list", "-L", &self.stage.tmux.socket]))?;
        for row in self.stage.screen().ansi_rows() {
            writeln!(out, "{row}")?;
        }
        writeln!(
            out,
            "\nFour recorded agents in four states and a shell that only looks like one: all right."
        )
    }

    /// Draws the dashboard in a window of its own.
    fn draw_dash(&self, file: &Path) {
        let stage = &self.stage;
        let line =
            format!("exec env COLORTERM=truecolor '{}' dash", stage.madohub.program().display());
        stage.tmux.run(&["new-window", "-n", "dash", &line]);
        // Its preview is there, and time enough has passed that no state is of this second.
        let whole = |screen: &Screen| {
            let rows: Vec<String> = (0..SIZE.1).map(|row| screen.row_text(row.into())).collect();
            rows.iter().any(|row| row.contains("Press enter to confirm"))
                && rows.iter().any(|row| row.contains("? waiting") && row.contains(" 5s "))
        };
        wait_until("the dashboard", || stage.screen(), whole);
        let picture = svg(&Picture {
            screen: &stage.screen(),
            cols: SIZE.0.into(),
            title: "madohub dash",
            description: "The dashboard: four agents, the one that waits for an approval first, and \
                          its screen beside the list",
        });
        std::fs::write(file, picture).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    }

    fn draw(&self, file: &Path) {
        // As long as the recorded Claude says that it works.
        let age = "claude working 7s";
        let drawn_anew = || {
            // Nothing moves here, so that tmux would draw the ages every 15 seconds alone.
            self.stage.tmux.run(&["refresh-client", "-t", &self.stage.client()]);
            self.stage.screen()
        };
        wait_until(age, drawn_anew, |screen| screen.row_text(0).contains(age));
        let picture = svg(&Picture {
            screen: &self.stage.screen(),
            cols: SIZE.0.into(),
            title: "tmux",
            description: "Four coding agents in tmux, each pane's border in the colour of what \
                          its agent is doing: Claude Code works, Codex waits for an approval, \
                          OpenCode has stopped, Copilot is idle",
        });
        std::fs::write(file, picture).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    }
}
