//! The user's theme in a real zellij: switched while the plugin works, kept as a pair, kept over a
//! reload of the plugin.

use madohub_tests::{
    Colour, Madohub, STATE_COLOURS, ZellijOptions, ZellijStage, wait_for, wait_until,
};
use serde_json::Value;
use std::fs;
use std::time::{Duration, Instant};

const GREEN: Colour = STATE_COLOURS[0];
const ORANGE: Colour = STATE_COLOURS[1];
/// What the two themes give the frame of the focused pane.
const DUSK: Colour = Colour::Rgb(10, 200, 250);
const DAWN: Colour = Colour::Rgb(250, 10, 200);

/// How long a saved configuration may show nothing until it is saved again.
const SAVED_AGAIN: Duration = Duration::from_secs(8);

/// Two themes and a choice among them.
fn themed(choice: &str) -> String {
    let theme = |name: &str, green: &str| {
        format!(
            "{name} {{\nfg 220 220 220\nbg 20 20 20\nblack 0 0 0\nred 9 1 1\ngreen {green}\n\
             yellow 9 9 1\nblue 1 1 9\nmagenta 9 1 9\ncyan 1 9 9\nwhite 9 9 9\norange 9 5 1\n}}\n"
        )
    };
    let (dusk, dawn) = (theme("dusk", "10 200 250"), theme("dawn", "250 10 200"));
    format!("pane_frame_style \"full\"\nthemes {{\n{dusk}{dawn}}}\n{choice}")
}

/// The first pane is focused and idle: its frame is the theme's.
fn stage(config: String, helper: &str) -> ZellijStage {
    let stage = ZellijStage::new(&ZellijOptions {
        agents: vec![
            ("claude-2.1.332", "idle"),
            ("claude-2.1.332", "working"),
            ("codex-0.171.0", "approval"),
        ],
        settings: format!("helper \"{helper}\"\nborder.focused \"same\""),
        config,
        ..ZellijOptions::default()
    });
    stage.wait_states(&[(0, "idle"), (1, "working"), (2, "waiting")]);
    stage
}

/// All three frames, exactly.
#[track_caller]
fn wait_exactly(stage: &ZellijStage, wanted: [Colour; 3]) {
    wait_until(
        &format!("{wanted:?}"),
        || format!("{:?}", stage.frames("one", 3)),
        |frames| *frames == format!("{wanted:?}"),
    );
}

/// A change of state costs a change of the running theme, and the user's comes back.
#[track_caller]
fn wait_through_a_change(stage: &ZellijStage, own: Colour) {
    stage.agents[1].show("approval");
    wait_exactly(stage, [own, ORANGE, ORANGE]);
    stage.agents[1].show("working");
    wait_exactly(stage, [own, GREEN, ORANGE]);
}

#[test]
fn a_theme_that_is_switched_while_the_plugin_works_is_kept() {
    let helper = Madohub::of_workspace();
    let stage = stage(themed("theme \"dusk\""), helper.to_str().unwrap());
    wait_through_a_change(&stage, DUSK);
    let path = stage.env.path().join("config/zellij/config.kdl");
    let config = fs::read_to_string(&path).unwrap();
    let config = config.replace("theme \"dusk\"", "theme \"dawn\"");
    let mut written: Option<Instant> = None;
    wait_for("the other theme", || {
        // zellij 0.45.1 looks at the file's time once a second, in whole seconds from when its watch
        // began, and may miss a write. Who saves and sees nothing saves again.
        if written.is_none_or(|at| at.elapsed() > SAVED_AGAIN) {
            fs::write(&path, &config).unwrap();
            written = Some(Instant::now());
        }
        let frames = stage.frames("one", 3);
        if frames == [DAWN, GREEN, ORANGE] { Ok(()) } else { Err(format!("{frames:?}")) }
    });
    wait_through_a_change(&stage, DAWN);
    stage.ask("pause");
    wait_until(
        "the theme on every frame",
        || format!("{:?}", stage.frames("one", 3)),
        |_| {
            let frames = stage.frames("one", 3);
            frames[0] == DAWN && !frames.contains(&GREEN) && !frames.contains(&ORANGE)
        },
    );
}

#[test]
fn a_pair_for_dark_and_light_terminals_stays_a_pair() {
    // Its names are the helper's to find.
    let helper = Madohub::of_workspace();
    let pair = themed("theme_dark \"dusk\"\ntheme_light \"dawn\"");
    let stage = stage(pair, helper.to_str().unwrap());
    if !stage.is_at_least((0, 45)) {
        // It waits for the terminal's own word, and this one has none.
        stage.action(&["set-dark-theme"]);
        wait_exactly(&stage, [DUSK, GREEN, ORANGE]);
    }
    wait_through_a_change(&stage, DUSK);
    for (action, own) in [("set-light-theme", DAWN), ("set-dark-theme", DUSK)] {
        stage.action(&[action]);
        wait_exactly(&stage, [own, GREEN, ORANGE]);
        wait_through_a_change(&stage, own);
    }
}

#[test]
fn a_reload_of_the_plugin_keeps_colours_and_knows_since_when() {
    let stage = stage(themed("theme \"dusk\""), "off");
    wait_exactly(&stage, [DUSK, GREEN, ORANGE]);
    let sinces = || {
        let rows: Value = serde_json::from_str(&stage.ask("list --json")).unwrap();
        let since = |row: &Value| (row["pane"].to_string(), row["since"].to_string());
        rows.as_array().unwrap().iter().map(since).collect::<Vec<_>>()
    };
    let before = sinces();
    let loads = || stage.whole_log().matches("Loaded plugin").count();
    let loaded = loads();
    let url = format!("file:{}", stage.plugin().display());
    let block = "helper=off,border.focused=same";
    stage.action(&["start-or-reload-plugin", &url, "--configuration", block]);
    wait_for("the reloaded plugin, and every colour all the while", || {
        assert_eq!(stage.frames("one", 3), [DUSK, GREEN, ORANGE]);
        if loads() > loaded { Ok(()) } else { Err(stage.log()) }
    });
    assert_eq!(sinces(), before);
    wait_through_a_change(&stage, DUSK);
}
