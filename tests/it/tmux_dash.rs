//! The dashboard in a real terminal.

use madohub_tests::{Agent, Stage, StageOptions, wait_for, wait_until};

const CLAUDE: &str = "claude-2.1.332";

/// A working, a waiting and an idle agent with the daemon running, and the dashboard in a window
/// in front of the person.
struct Scene {
    stage: Stage,
    panes: Vec<(String, Agent)>,
    dash: String,
}

impl Scene {
    fn new(size: (u16, u16), args: &str) -> Self {
        let stage = Stage::with(&StageOptions { size, ..StageOptions::default() });
        let panes = stage.side_by_side(&[
            (CLAUDE, "working"),
            ("codex-0.171.0", "approval"),
            ("opencode-1.18.33", "idle"),
        ]);
        stage.start();
        for ((pane, _), state) in panes.iter().zip(["working", "waiting", "idle"]) {
            stage.wait_state(pane, state);
        }
        let line = format!("exec '{}' dash {args}", stage.madohub.program().display());
        let window = ["new-window", "-t", "main", "-P", "-F", "#{pane_id}", &line];
        let dash = stage.tmux.run(&window);
        let scene = Self { stage, panes, dash };
        scene.shows("Enter go");
        scene
    }

    fn shows(&self, text: &str) {
        wait_for(&format!("`{text}` on the dashboard"), || {
            let screen = self.stage.tmux.capture(&self.dash);
            if screen.contains(text) { Ok(()) } else { Err(screen) }
        });
    }

    fn press(&self, keys: &[&str]) {
        self.stage.tmux.run(&[&["send-keys", "-t", &self.dash], keys].concat());
    }

    fn type_text(&self, text: &str) {
        self.stage.tmux.run(&["send-keys", "-t", &self.dash, "-l", text]);
    }

    /// The list's rows: what stands between the heading and what is below.
    fn rows(&self) -> Vec<String> {
        let screen = self.stage.tmux.capture(&self.dash);
        let rows = screen.lines().skip(1).take_while(|row| !row.starts_with("──"));
        let rows = rows.filter(|row| !row.is_empty());
        rows.map(str::to_owned).collect()
    }

    fn in_front(&self) -> String {
        self.stage.tmux.run(&["list-clients", "-F", "#{pane_id}"])
    }
}

#[test]
fn it_shows_who_needs_a_person_and_follows() {
    let scene = Scene::new((100, 30), "");
    scene.shows("? 1 waiting  ● 1 working  · 1 idle");
    let agents = |rows: &[String]| {
        let agent = |row: &String| row.split_whitespace().nth(3).unwrap_or_default().to_owned();
        rows.iter().map(agent).collect::<Vec<_>>()
    };
    assert_eq!(agents(&scene.rows()), ["codex", "claude", "opencode"]);
    scene.panes[0].1.show("approval");
    scene.shows("? 2 waiting  · 1 idle");
    wait_until(
        "the row to follow",
        || scene.rows().join("\n"),
        |rows| rows.lines().nth(1).is_some_and(|row| row.starts_with("? waiting")),
    );
    // The chosen pane's screen, its history, why it has its state, and what routes did.
    let shown = scene.stage.tmux.capture(&scene.panes[1].0);
    let row = shown.lines().rfind(|row| row.trim().len() > 8).unwrap().trim().to_owned();
    scene.shows(&row);
    scene.press(&["j", "h"]);
    scene.shows("working   → ? waiting");
    scene.press(&["e"]);
    scene.shows("rules tried");
    scene.press(&["r"]);
    scene.shows("No route of this server did anything yet.");
    scene.press(&["?"]);
    scene.shows("the next that needs you");
    scene.press(&["q", "/"]);
    scene.type_text("OPENCODE idle");
    wait_until(
        "one row",
        || scene.stage.tmux.capture(&scene.dash),
        |_| agents(&scene.rows()) == ["opencode"],
    );
    scene.press(&["Enter", "Escape"]);
    wait_until("all rows", || scene.rows().len(), |rows| *rows == 3);
}

#[test]
fn a_key_goes_to_the_pane_and_the_dashboard_is_gone() {
    let scene = Scene::new((100, 30), "");
    scene.press(&["n", "Enter"]);
    wait_until("the pane in front", || scene.in_front(), |pane| *pane == scene.panes[1].0);
    let all = || scene.stage.tmux.run(&["list-panes", "-a", "-F", "#{pane_id}"]);
    wait_until("the dashboard to be gone", all, |panes| {
        panes.lines().all(|pane| *pane != scene.dash)
    });
}

#[test]
fn it_stays_on_request_and_fits_a_popup() {
    let scene = Scene::new((60, 15), "--keep");
    scene.press(&["Enter"]);
    wait_until("the pane in front", || scene.in_front(), |pane| *pane == scene.panes[1].0);
    scene.shows("Went to");
    scene.stage.tmux.run(&["select-window", "-t", &scene.dash]);
    scene.stage.tmux.run(&["resize-window", "-t", &scene.dash, "-x", "40", "-y", "9"]);
    scene.press(&["j"]);
    wait_until(
        "nothing but the list",
        || scene.stage.tmux.capture(&scene.dash),
        |screen| !screen.contains("──") && screen.lines().all(|row| row.chars().count() <= 40),
    );
    scene.press(&["q"]);
}

#[test]
fn a_text_goes_into_the_input_box_of_the_chosen_pane() {
    let scene = Scene::new((100, 30), "");
    scene.press(&["G", "s"]);
    scene.shows("to main:");
    scene.type_text("Run the tests.");
    scene.press(&["Enter"]);
    scene.shows("Delivered to main:");
    assert_eq!(scene.panes[2].1.prompts(), ["Run the tests."]);
    assert_eq!(scene.panes[1].1.prompts(), Vec::<String>::new());
}

#[test]
fn the_terminal_is_left_as_it_was() {
    let stage = Stage::new();
    let pane = stage.first_pane();
    stage.start();
    let program = stage.madohub.program().display().to_string();
    let shell = || stage.tmux.capture(&pane);
    stage.type_line(&pane, &format!("clear; {program} dash; echo \"le\"\"ft\" $?"));
    wait_until("the dashboard", shell, |screen| screen.contains("No agent runs."));
    stage.tmux.run(&["send-keys", "-t", &pane, "q"]);
    wait_until("the end", shell, |screen| screen.contains("left 0"));
    assert!(!shell().contains("madohub  "), "{}", shell());
    let modes = "#{alternate_on} #{mouse_any_flag} #{cursor_flag}";
    assert_eq!(stage.tmux.get(&pane, modes), "0 0 1");
    // Also when it is ended from outside.
    stage.type_line(&pane, &format!("clear; timeout 1 {program} dash; echo \"en\"\"ded\""));
    wait_until("the dashboard", shell, |screen| screen.contains("No agent runs."));
    wait_until("its end", shell, |screen| screen.contains("ended"));
    assert_eq!(stage.tmux.get(&pane, modes), "0 0 1");
    stage.madohub.tmux("stop", &stage.tmux);
    let nobody = format!("clear; {program} dash -L inner; echo \"le\"\"ft\" $?");
    stage.type_line(&pane, &nobody);
    wait_until("no daemon", shell, |screen| screen.contains("left 3"));
    let piped = stage.madohub.try_run(&["dash"]);
    assert_eq!(piped.status.code(), Some(2));
}
