//! The segment in status lines of many makes, as the documents tell people to set it up.

use madohub_tests::{Hue, Screen, Stage, StageOptions, wait_until};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    fs::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).unwrap()
}

/// A server with a wide status line, a home with the checkout in it, and nothing else in the line.
fn stage(options: &StageOptions) -> Stage {
    let stage = Stage::with(options);
    std::os::unix::fs::symlink(root(), stage.env.home().join("checkout")).unwrap();
    for (option, value) in [
        ("status-left", ""),
        ("window-status-format", ""),
        ("window-status-current-format", ""),
        ("status-right-length", "120"),
        ("status-interval", "1"),
    ] {
        stage.tmux.run(&["set-option", "-g", option, value]);
    }
    stage
}

fn source(stage: &Stage, text: &str) {
    let file = stage.env.home().join("tmux.conf");
    fs::write(&file, text).unwrap();
    stage.tmux.run(&["source-file", file.to_str().unwrap()]);
}

fn line(screen: &Screen) -> String {
    screen.row_text(screen.rows.len() - 1)
}

/// Closes the only pane that holds an agent; another window keeps the session.
fn close(stage: &Stage) {
    let pane = stage.first_pane();
    stage.tmux.run(&["new-window"]);
    stage.tmux.run(&["kill-pane", "-t", &pane]);
}

/// The block without a language below this heading of the document.
fn block(heading: &str) -> String {
    let document = fs::read_to_string(root().join("docs/segment.md")).unwrap();
    let below = document.split(&format!("## {heading}\n")).nth(1).unwrap();
    let from = below.split("\n\n```\n").nth(1).unwrap();
    from.split("\n```").next().unwrap().to_owned()
}

#[track_caller]
fn wait_line(stage: &Stage, wanted: impl Fn(&str) -> bool) -> Screen {
    wait_until("the status line", || stage.screen(), |screen| wanted(&line(screen)))
}

/// The cell of the status line that shows this text.
fn cell_of<'a>(screen: &'a Screen, text: &str) -> &'a madohub_tests::Cell {
    let row = &screen.rows[screen.rows.len() - 1];
    row.iter().find(|cell| cell.text == text).unwrap_or_else(|| panic!("no {text} in\n{screen}"))
}

#[test]
fn the_segment_takes_as_many_cells_as_its_text_and_none_without_an_agent() {
    let stage = stage(&StageOptions::default());
    source(&stage, "set -g status-right '<#{?@madohub_status,#{@madohub_status} ,}>'\n");
    stage.start();
    wait_line(&stage, |line| line.trim() == "<>");
    stage.agent(&stage.first_pane(), "codex-0.171.0", "approval");
    let screen = wait_line(&stage, |line| line.trim() == "<?1 >");
    assert_eq!(cell_of(&screen, "?").style.fg.hue(), Hue::Orange);
    // tmux puts it at the very right: the styles were not counted as cells.
    assert!(line(&screen).ends_with("<?1 >"), "{screen}");
    close(&stage);
    wait_line(&stage, |line| line.trim() == "<>");
}

#[test]
fn a_text_of_ones_own_says_nothing_without_an_agent_either() {
    let stage = stage(&StageOptions::default());
    stage.configure("[segment]\npreset = \"custom\"\nformat = \"{working}/{total} run\"\n");
    source(&stage, "set -g status-right '<#{@madohub_status}>'\n");
    stage.start();
    wait_line(&stage, |line| line.trim() == "<>");
    stage.agent(&stage.first_pane(), "codex-0.171.0", "approval");
    wait_line(&stage, |line| line.trim() == "<0/1 run>");
}

#[test]
fn every_pane_has_its_icon_in_the_list_of_windows() {
    let stage = stage(&StageOptions::default());
    source(&stage, "source-file ~/checkout/docs/examples/window-icons.conf\n");
    stage.tmux.run(&["rename-window", "-t", "main", "web"]);
    stage.tmux.run(&["new-window", "-d", "-n", "plain"]);
    stage.side_by_side(&[("claude-2.1.332", "working"), ("codex-0.171.0", "approval")]);
    stage.start();
    let screen = wait_line(&stage, |line| line.contains(":web*●? 1:plain "));
    assert_eq!(cell_of(&screen, "●").style.fg.hue(), Hue::Green);
    assert_eq!(cell_of(&screen, "?").style.fg.hue(), Hue::Orange);
}

/// What the theme's `utils/status_module.conf` (v2.1) does with the options of a module, as far as a
/// module can see it: colours around the icon, another background behind the text, separators.
const MODULE: &str = r##"
set -ogq "@catppuccin_status_${MODULE_NAME}_icon_fg" "colour16"
set -ogqF "@catppuccin_status_${MODULE_NAME}_icon_bg" "#{@catppuccin_${MODULE_NAME}_color}"
set -gF "@catppuccin_status_${MODULE_NAME}" "#[fg=#{E:@catppuccin_status_${MODULE_NAME}_icon_bg}]("
set -agF "@catppuccin_status_${MODULE_NAME}" "#[fg=#{E:@catppuccin_status_${MODULE_NAME}_icon_fg},bg=#{E:@catppuccin_status_${MODULE_NAME}_icon_bg}]#{@catppuccin_${MODULE_NAME}_icon}"
set -agF "@catppuccin_status_${MODULE_NAME}" "#[fg=colour255,bg=colour237] "
set -ag "@catppuccin_status_${MODULE_NAME}" "#{E:@catppuccin_${MODULE_NAME}_text}"
set -agF "@catppuccin_status_${MODULE_NAME}" ")"
"##;

#[test]
fn it_is_a_module_of_catppuccin() {
    let stage = stage(&StageOptions::default());
    let utils = stage.env.home().join(".config/tmux/plugins/catppuccin/tmux/utils");
    fs::create_dir_all(&utils).unwrap();
    fs::write(utils.join("status_module.conf"), MODULE).unwrap();
    let theme = "set -g @thm_peach '#fab387'\nset -g status-right '<'\n";
    source(
        &stage,
        &format!("{theme}{}\nset -ag status-right '>'\n", block("In catppuccin for tmux")),
    );
    stage.start();
    wait_line(&stage, |line| line.trim() == "<>");
    stage.agent(&stage.first_pane(), "codex-0.171.0", "approval");
    let screen = wait_line(&stage, |line| line.trim() == "<(●  ?1)>");
    // The segment's colour on the module's background, which goes on behind it.
    let (segment, after) = (cell_of(&screen, "?").style, cell_of(&screen, ")").style);
    assert_eq!(segment.fg.hue(), Hue::Orange);
    assert_eq!(segment.bg, madohub_tests::Colour::Indexed(237), "{screen}");
    assert_eq!(after.bg, segment.bg, "{screen}");
    close(&stage);
    wait_line(&stage, |line| line.trim() == "<>");
}

/// What tmux-powerline (3.x, `__process_scripts`) does with a segment: it looks for NAME.sh in the
/// person's folder first, sources it, calls `run_segment`, and leaves out one that prints nothing.
const POWERLINE: &str = r#"#!/usr/bin/env bash
TMUX_POWERLINE_DIR_USER_SEGMENTS=$HOME/.config/tmux-powerline/segments
TMUX_POWERLINE_RIGHT_STATUS_SEGMENTS=()
@THEME@
for entry in "${TMUX_POWERLINE_RIGHT_STATUS_SEGMENTS[@]}"; do
    read -r -a segment <<<"$entry"
    export TMUX_POWERLINE_CUR_SEGMENT_BG=colour${segment[1]} TMUX_POWERLINE_CUR_SEGMENT_FG=colour${segment[2]}
    source "$TMUX_POWERLINE_DIR_USER_SEGMENTS/${segment[0]}.sh"
    output=$(run_segment)
    code=$?
    unset -f run_segment
    [ "$code" = 0 ] || { echo "segment ${segment[0]} failed"; exit 1; }
    [ -z "$output" ] || printf '#[fg=%s,bg=%s] %s ' "$TMUX_POWERLINE_CUR_SEGMENT_FG" "$TMUX_POWERLINE_CUR_SEGMENT_BG" "$output"
done
"#;

#[test]
fn it_is_a_segment_of_tmux_powerline() {
    let stage = stage(&StageOptions::default());
    let segments = stage.env.home().join(".config/tmux-powerline/segments");
    fs::create_dir_all(&segments).unwrap();
    fs::copy(root().join("docs/examples/tmux-powerline.sh"), segments.join("madohub.sh")).unwrap();
    let caller = POWERLINE.replace("@THEME@", &block("In tmux-powerline"));
    let caller = stage.env.script("powerline", &caller);
    source(&stage, &format!("set -g status-right '<#({})#[default]>'\n", caller.display()));
    stage.start();
    wait_line(&stage, |line| line.trim() == "<>");
    stage.agent(&stage.first_pane(), "codex-0.171.0", "approval");
    let screen = wait_line(&stage, |line| line.trim() == "< ?1 >");
    let segment = cell_of(&screen, "?").style;
    assert_eq!(segment.fg.hue(), Hue::Orange);
    assert_eq!(segment.bg, madohub_tests::Colour::Indexed(235), "{screen}");
    assert_eq!(cell_of(&screen, "1").style, segment);
    close(&stage);
    wait_line(&stage, |line| line.trim() == "<>");
}

/// What the bindings of powerline (2.8.3) leave at the right side: styles, the last of which nothing
/// takes back.
const BINDINGS: &str = "set -g status-right '<#[fg=colour16,bg=colour252,bold]vm'\n";

#[test]
fn it_follows_what_powerline_shows() {
    let stage = stage(&StageOptions::default());
    let bindings = stage.env.home().join("powerline.conf");
    fs::write(&bindings, BINDINGS).unwrap();
    let theirs = "/usr/share/powerline/bindings/tmux/powerline.conf";
    let recipe = block("In powerline").replace(theirs, bindings.to_str().unwrap());
    source(&stage, &format!("{recipe}\nset -ga status-right '>'\n"));
    stage.start();
    wait_line(&stage, |line| line.trim() == "<vm>");
    stage.agent(&stage.first_pane(), "codex-0.171.0", "approval");
    let screen = wait_line(&stage, |line| line.trim() == "<vm ?1 >");
    let (theirs, segment) = (cell_of(&screen, "v").style, cell_of(&screen, "?").style);
    assert_eq!(theirs.bg, madohub_tests::Colour::Indexed(252), "{screen}");
    assert_eq!(segment.fg.hue(), Hue::Orange);
    assert_ne!(segment.bg, theirs.bg, "{screen}");
    close(&stage);
    wait_line(&stage, |line| line.trim() == "<vm>");
}

#[test]
fn waiting_and_failed_stay_apart_whatever_the_terminal_can_show() {
    for (term, answers) in [("xterm", false), ("xterm-256color", false), ("screen", true)] {
        let stage = stage(&StageOptions { term, answers, ..StageOptions::default() });
        source(&stage, "set -g status-right '#{@madohub_status}'\n");
        let panes =
            stage.side_by_side(&[("claude-2.1.332", "working"), ("codex-0.171.0", "approval")]);
        stage.start();
        stage.wait_state(&panes[1].0, "waiting");
        // The agent's own record is what says `failed`; here the look of it is what is tested.
        let failed = "#[fg=#ff3c3c,bold]✗1#[default]";
        let screen = wait_line(&stage, |line| line.trim() == "?1 ●1");
        let waiting = cell_of(&screen, "?").style;
        source(&stage, &format!("set -g status-right '{failed}'\n"));
        let screen = wait_line(&stage, |line| line.trim() == "✗1");
        let failed = cell_of(&screen, "✗").style;
        assert_eq!(waiting.fg.hue(), Hue::Orange, "{term}");
        assert_eq!(failed.fg.hue(), Hue::Red, "{term}");
    }
}
