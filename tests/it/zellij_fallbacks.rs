//! What the plugin shows beside the frames' colours, or instead of them, in a real zellij.

use madohub_tests::{Colour, Screen, ZellijOptions, ZellijPane, ZellijStage, wait_for, wait_until};

/// What the theme gives the one-colour highlight, and unfocused frames' opposite: the focused one.
const HIGHLIGHT: Colour = Colour::Rgb(1, 200, 99);
/// 14 % of the colour of `waiting` on black.
const TINT: Colour = Colour::Rgb(35, 22, 0);

fn stage() -> ZellijStage {
    let theme = "themes {\ndusk {\nfg 220 220 220\nbg 20 20 20\nblack 0 0 0\nred 9 1 1\n\
                 green 10 200 250\nyellow 9 9 1\nblue 1 1 9\nmagenta 1 200 99\ncyan 1 9 9\n\
                 white 9 9 9\norange 9 5 1\n}\n}\ntheme \"dusk\"\n";
    ZellijStage::new(&ZellijOptions {
        agents: vec![
            ("claude-2.1.332", "working"),
            ("claude-2.1.332", "idle"),
            ("codex-0.171.0", "approval"),
        ],
        settings: "helper \"off\"\nborder.frames \"highlight\"\nborder.focused \"same\"\n\
                   border.tint \"true\"\nborder.title_glyph \"true\"\nborder.tab_marker \"true\""
            .to_owned(),
        config: format!("pane_frame_style \"full\"\n{theme}"),
        ..ZellijOptions::default()
    })
}

fn title(screen: &Screen, pane: &ZellijPane) -> String {
    let row = screen.rows[pane.pane_y].iter();
    row.skip(pane.pane_x).take(pane.pane_columns).map(|cell| cell.text.as_str()).collect()
}

/// What one pane shows: highlighted, tinted, and its title.
#[track_caller]
fn wait_pane(stage: &ZellijStage, pane: usize, marked: bool, in_title: &str) {
    wait_for(&format!("pane {pane}: {marked}, {in_title:?}"), || {
        let (screen, panes) = (stage.screen("one"), stage.panes());
        let place = &panes[pane];
        let highlighted = screen.cell(place.pane_x, place.pane_y + 2).style.fg == HIGHLIGHT;
        let ground = screen.cell(place.pane_x + place.pane_columns / 2, place.pane_y + 2).style.bg;
        let title = title(&screen, place);
        let right = highlighted == marked && (ground == TINT) == marked && title.contains(in_title);
        let seen = || format!("{highlighted} {ground:?} {title}\n{}", screen.text());
        if right { Ok(()) } else { Err(seen()) }
    });
}

#[test]
fn one_highlight_colour_tint_title_glyph_and_tab_marker() {
    let stage = stage();
    stage.wait_states(&[(0, "working"), (1, "idle"), (2, "waiting")]);
    let tabs = || stage.action(&["query-tab-names"]);
    wait_pane(&stage, 0, false, "● ✳ Claude Code");
    wait_pane(&stage, 1, false, " ✳ Claude Code");
    wait_pane(&stage, 2, true, "? ");
    wait_until("the tab's mark", tabs, |names| names.trim() == "? near");

    // Every one of them goes with its reason.
    stage.agents[2].show("working");
    stage.agents[1].show("approval");
    wait_pane(&stage, 1, true, "? ✳ Claude Code");
    wait_pane(&stage, 2, false, "● ");
    stage.agents[1].show("idle");
    wait_pane(&stage, 1, false, " ✳ Claude Code");
    wait_until("the tab's other mark", tabs, |names| names.trim() == "● near");
    let titles = || {
        let (screen, panes) = (stage.screen("one"), stage.panes());
        panes.iter().map(|pane| title(&screen, pane)).collect::<Vec<_>>().join("\n")
    };
    stage.ask("pause");
    wait_until("the user's own titles", titles, |all| !all.contains(['●', '?']));
    wait_until("the tab's own name", tabs, |names| names.trim() == "near");
    // A name that a person gave is not lost to the glyph.
    stage.action(&["rename-pane", "--pane-id", "terminal_0", "mine"]);
    wait_until("the name", titles, |all| all.contains(" mine "));
    stage.ask("resume");
    wait_pane(&stage, 0, false, "● mine");
    stage.agents[0].show("idle");
    wait_until("the name alone", titles, |all| all.contains(" mine ") && !all.contains("● mine"));
}
