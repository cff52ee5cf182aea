//! Frames in a real zellij: each in the colour of its pane's state.

use madohub_tests::{Colour, STATE_COLOURS, ZellijOptions, ZellijStage, wait_until};
use std::fs;

const GREEN: Option<Colour> = Some(STATE_COLOURS[0]);
const ORANGE: Option<Colour> = Some(STATE_COLOURS[1]);

fn three() -> ZellijOptions {
    ZellijOptions {
        agents: vec![
            ("claude-2.1.332", "idle"),
            ("claude-2.1.332", "working"),
            ("codex-0.171.0", "approval"),
        ],
        settings: "helper \"off\"\nborder.focused \"same\"".to_owned(),
        ..ZellijOptions::default()
    }
}

/// Colours of the text and lines in the first row of each pane, in the styles without boxes.
fn first_rows(stage: &ZellijStage) -> Vec<Vec<Colour>> {
    let screen = stage.screen("one");
    let row = |pane: &madohub_tests::ZellijPane| {
        let cells = (pane.pane_x..=pane.pane_x + pane.pane_columns)
            .flat_map(|x| (0..2).map(move |y| (x, y)))
            .map(|(x, y)| screen.cell(x, pane.pane_y + y).style.fg)
            .filter(|colour| STATE_COLOURS.contains(colour));
        let mut colours: Vec<Colour> = cells.collect();
        colours.dedup();
        colours
    };
    stage.panes().iter().map(row).collect()
}

#[test]
fn three_states_have_three_frames_in_every_style() {
    let stage = ZellijStage::new(&three());
    stage.wait_states(&[(0, "idle"), (1, "working"), (2, "waiting")]);
    stage.wait_frames("one", &[None, GREEN, ORANGE]);
    let config = fs::read(stage.env.path().join("config/zellij/config.kdl")).unwrap();

    // A change repaints its own frame and no other.
    let idle = stage.frames("one", 3)[0];
    stage.agents[1].show("approval");
    stage.wait_frames("one", &[None, ORANGE, ORANGE]);
    assert_eq!(stage.frames("one", 3)[0], idle, "the user's own frame is as it was");
    stage.agents[1].show("working");
    stage.wait_frames("one", &[None, GREEN, ORANGE]);

    // A style that is chosen at run time stays, and so do the colours.
    for style in ["titles", "none"] {
        if !stage.set_frame_style(style) {
            continue;
        }
        stage.agents[0].show("approval");
        let seen = || format!("{:?}\n{}", first_rows(&stage), stage.screen("one").text());
        wait_until(style, seen, |_| {
            let rows = first_rows(&stage);
            let has = |n: usize, colour| rows.get(n).is_some_and(|row| row.contains(colour));
            has(0, &STATE_COLOURS[1]) && has(1, &STATE_COLOURS[0])
        });
        assert!(!stage.screen("one").row_text(0).contains('┌'), "{}", stage.screen("one").text());
        stage.agents[0].show("idle");
        wait_until(style, seen, |_| {
            first_rows(&stage).first().is_some_and(|row| !row.contains(&STATE_COLOURS[1]))
        });
    }
    stage.set_frame_style("full");
    stage.wait_frames("one", &[None, GREEN, ORANGE]);

    // Pausing gives every frame back; the configuration was never written.
    assert_eq!(stage.ask("pause"), "paused\n");
    stage.wait_frames("one", &[None, None, None]);
    stage.ask("resume");
    stage.wait_frames("one", &[None, GREEN, ORANGE]);
    assert_eq!(fs::read(stage.env.path().join("config/zellij/config.kdl")).unwrap(), config);
}

#[test]
fn a_bell_takes_no_colour_away_and_the_focused_pane_is_brighter() {
    let mut options = three();
    options.settings = "helper \"off\"".to_owned();
    options.agents[0] = ("claude-2.1.332", "working");
    let stage = ZellijStage::new(&options);
    stage.wait_states(&[(0, "working"), (1, "working"), (2, "waiting")]);
    stage.wait_frames("one", &[None, GREEN, ORANGE]);
    let focused = stage.frames("one", 3)[0];
    assert!(matches!(focused, Colour::Rgb(..)), "a shade of green: {focused:?}");

    // zellij flashes the frame of a pane that rings, and then clears its colour.
    let tty = format!("/proc/{}/fd/1", stage.agents[1].pid());
    let bell = || fs::write(&tty, "\x07").unwrap();
    bell();
    wait_until("zellij's own mark", || stage.screen("one").text(), |s| s.contains("[!]"));
    wait_until(
        "the colour again",
        || format!("{:?}", stage.frames("one", 3)),
        |_| stage.frames("one", 3)[1] == STATE_COLOURS[0],
    );

    // As a person does; the command line's own call acts for the client that it is itself.
    stage.type_keys("one", &["M-Right"]);
    wait_until(
        "the brighter frame to move",
        || format!("{:?}", stage.frames("one", 3)),
        |_| {
            let frames = stage.frames("one", 3);
            frames[0] == STATE_COLOURS[0] && frames[1] == focused
        },
    );
}

#[test]
fn a_bar_shows_who_needs_a_person_and_jumps_there() {
    let mut options = three();
    options.settings = "helper \"off\"".to_owned();
    options.far = vec![("claude-2.1.332", "working")];
    options.config.push_str(
        "\nkeybinds {\nnormal {\nbind \"Ctrl y\" {\n\
         MessagePlugin {\nname \"madohub\"\npayload \"jump\"\n}\n}\n}\n}",
    );
    let stage = ZellijStage::new(&options);
    stage.wait_states(&[(0, "idle"), (1, "working"), (2, "waiting"), (3, "working")]);
    // Who waits longest comes first.
    stage.agents[3].show("approval");
    stage.wait_states(&[(0, "idle"), (1, "working"), (2, "waiting"), (3, "waiting")]);
    let row = || stage.screen("one").row_text(29);
    let shown = wait_until("the bar", row, |bar| {
        bar.contains("? near·codex") && bar.contains("? far·claude")
    });
    assert!(shown.find('?') < shown.find('●'), "needs come first: {shown}");
    // By key, as the plugin's page shows it; by one that is a single byte, because a machine under
    // load tears Escape and a letter apart. The frame of the pane in front is brighter.
    stage.type_keys("one", &["C-y"]);
    let third = || format!("{:?}", stage.frames("one", 4)[2]);
    wait_until("the first one", third, |colour| *colour == "Rgb(255, 202, 114)");
    stage.type_keys("one", &["C-y"]);
    wait_until(
        "the other tab",
        || stage.screen("one").text(),
        |s| s.contains("Do you want to proceed?"),
    );
}

#[test]
fn without_permission_nothing_is_touched_and_the_bar_says_what_is_missing() {
    let mut options = three();
    options.granted = false;
    let stage = ZellijStage::new(&options);
    wait_until("zellij's question", || stage.screen("one").text(), |s| s.contains("Allow?"));
    stage.type_keys("one", &["n"]);
    let bar = || stage.screen("one").text();
    wait_until("the hint", bar, |text| text.contains("load_plugins"));
    stage.wait_frames("one", &[None, None, None]);
}
