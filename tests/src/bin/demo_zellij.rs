//! `demo_zellij PATH_TO_MADOHUB [--svg FILE]`: the main job in zellij, where nothing else is needed.
//!
//! A private zellij with the plugin gets panes in which recorded agents are replayed under their
//! real process names, and what the plugin says and shows is compared with the truth.
#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a demonstration that goes wrong says so and ends"
)]

use madohub_tests::{
    Picture, STATE_COLOURS, ZellijOptions, ZellijStage, svg, wait_for, wait_until,
};
use std::io::Write as _;
use std::process::ExitCode;

/// Two panes of 60 columns in their frames beside each other, two such rows, and the bar.
const SIZE: (u16, u16) = (124, 45);

/// Recording, scene and state of each pane.
const PARTS: [(&str, &str, &str); 4] = [
    ("claude-2.1.332", "streaming", "working"),
    ("codex-0.171.0", "approval", "waiting"),
    ("opencode-1.18.33", "finished", "stopped"),
    ("copilot-1.0.102", "idle", "idle"),
];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (program, picture) = match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [program] => (program.to_owned(), None),
        [program, "--svg", file] => (program.to_owned(), Some(file.to_owned())),
        _ => {
            eprintln!("usage: demo_zellij PATH_TO_MADOHUB [--svg FILE]");
            return ExitCode::from(2);
        }
    };
    // An end that an agent shows first of all is of an earlier session.
    let first = |scene| if scene == "finished" { "working" } else { scene };
    let stage = ZellijStage::new(&ZellijOptions {
        agents: PARTS.map(|(recording, scene, _)| (recording, first(scene))).to_vec(),
        settings: format!("helper \"{program}\"\nborder.focused \"same\""),
        abreast: 2,
        size: SIZE,
        ..ZellijOptions::default()
    });
    let [working, waiting, stopped, idle] = PARTS.map(|(_, _, state)| state);
    // zellij counts panes column by column.
    stage.wait_states(&[(0, working), (1, working), (2, waiting), (3, idle)]);
    if let Some(agent) = stage.agents.get(2) {
        agent.show("finished");
    }
    stage.wait_states(&[(0, working), (1, stopped), (2, waiting), (3, idle)]);
    let [green, orange, red, ..] = STATE_COLOURS;
    stage.wait_frames("one", &[Some(green), Some(red), Some(orange), None]);
    wait_until(
        "the bar",
        || stage.screen("one").row_text(usize::from(SIZE.1) - 1),
        |bar| bar.contains("? near·codex") && bar.contains("● near·claude"),
    );
    if let Some(file) = picture {
        draw(&stage, &file);
    } else if let Err(error) = print(&stage) {
        // Who reads may have seen enough.
        eprintln!("demo: {error}");
    }
    ExitCode::SUCCESS
}

fn print(stage: &ZellijStage) -> std::io::Result<()> {
    let list = stage.ask("list");
    let mut out = std::io::stdout().lock();
    writeln!(out, "{list}")?;
    for row in stage.screen("one").ansi_rows() {
        writeln!(out, "{row}")?;
    }
    writeln!(out, "\nFour recorded agents in zellij in four states: all right.")
}

fn draw(stage: &ZellijStage, file: &str) {
    // A picture in the middle of a repaint would show a frame of the moment.
    let screen = wait_for("the screen to stand still", || {
        let (first, second) = (stage.screen("one"), stage.screen("one"));
        if first.text() == second.text() { Ok(second) } else { Err(first.text()) }
    });
    let picture = svg(&Picture {
        screen: &screen,
        cols: SIZE.0.into(),
        title: "zellij",
        description: "Four coding agents in zellij, each pane's frame in the colour of what its \
                      agent is doing: Claude Code works, Codex waits for an approval, OpenCode \
                      has stopped, Copilot is idle; a bar at the bottom lists them",
    });
    std::fs::write(file, picture).unwrap_or_else(|error| panic!("{file}: {error}"));
}
