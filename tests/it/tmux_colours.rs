//! Borders on terminals with 8, 16 and 256 colours and with all: what tmux really writes to one that
//! says nothing of itself but its type.

use madohub_tests::{
    Colour, Madohub, PaneBox, Reporter, Side, Stage, StageOptions, Style, TestEnv, wait_for,
};
use std::fs;
use std::sync::Arc;

/// Types that not every system has an entry for.
const TERMINFO: &str = r"xterm-16color|sixteen colours,
	colors#16, pairs#256,
	setab=\E[%?%p1%{8}%<%t4%p1%d%e10%p1%{8}%-%d%;m,
	setaf=\E[%?%p1%{8}%<%t3%p1%d%e9%p1%{8}%-%d%;m,
	use=xterm,
xterm-direct|24 bits,
	RGB, colors#0x1000000, pairs#0x10000,
	setab=\E[%?%p1%{8}%<%t4%p1%d%e48:2::%p1%{65536}%/%d:%p1%{256}%/%{255}%&%d:%p1%{255}%&%d%;m,
	setaf=\E[%?%p1%{8}%<%t3%p1%d%e38:2::%p1%{65536}%/%d:%p1%{256}%/%{255}%&%d:%p1%{255}%&%d%;m,
	use=xterm,
";

/// The states that a border shows, in the order of need, and the glyph of each.
const STATES: [(&str, &str); 6] = [
    ("waiting", "?"),
    ("failed", "✗"),
    ("stopped", "■"),
    ("working", "●"),
    ("completed", "✓"),
    ("exited", "○"),
];

/// The style of a line: colour, and `b` for bold, `d` for dim.
fn style((fg, weight): (Colour, &str)) -> Style {
    Style { fg, bold: weight == "b", dim: weight == "d", ..Style::PLAIN }
}

/// The numbers of every sequence that chooses colours and weights.
fn chosen(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let sequence = |rest: &str| {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != ';' && c != ':')?;
        rest[end..].starts_with('m').then(|| rest[..end].to_owned())
    };
    text.split("\x1b[").skip(1).filter_map(sequence).collect()
}

/// What a client of that type writes for the six states.
fn check(term: &'static str, rgb: bool, most: Depth, expected: [(Colour, &str); 6]) {
    let env = Arc::new(TestEnv::new());
    let source = env.home().join("terminals");
    fs::write(&source, TERMINFO).unwrap();
    let mut tic = env.command("tic");
    tic.args(["-x", "-o"]).arg(env.home().join(".terminfo")).arg(&source);
    let tic = tic.output();
    let tic = tic.expect("tic, which ncurses brings");
    assert!(tic.status.success(), "{tic:?}");
    let madohub = Madohub::new(&env);
    let options = StageOptions { term, rgb, answers: false, ..StageOptions::default() };
    let stage = Stage::in_env(env, madohub, &options);
    stage.configure("reduced_motion = true\n");
    stage.tmux.run(&["set-option", "-g", "status-right", "#{E:@madohub_status}"]);
    stage.tmux.run(&["set-option", "-g", "status-style", "default"]);
    let told = stage.record_client();
    let panes = stage.side_by_side(&[("opencode-1.18.33", "finished"), ("codex-0.171.0", "typed")]);
    let own = stage.split();
    stage.tmux.run(&["select-pane", "-t", &panes[1].0]);
    stage.start();
    let agent = Reporter::start(&stage, &own);
    stage.tmux.run(&["select-pane", "-t", &panes[1].0]);
    let seen = |pane: &str, state: &str, glyph: &str| {
        wait_for(&format!("the border of {state} on {term}"), || {
            let screen = stage.screen();
            let place = PaneBox::of(&stage.tmux, pane);
            let line = place.border(&screen, Side::Top);
            // The last cells may be drawn in the colour of the next pane.
            let own = &line[..line.len().saturating_sub(3)];
            let style = own.first().map(|cell| cell.style);
            // The same in the status line.
            let segment = screen.rows.last().and_then(|row| row.iter().find(|c| c.text == glyph));
            let segment = segment.map(|cell| cell.style);
            let is_drawn = place.label(&screen).contains(glyph)
                && own.iter().all(|cell| Some(cell.style) == style)
                && segment == style;
            style.filter(|_| is_drawn).ok_or_else(|| screen.to_string())
        })
    };
    let mut found = Vec::new();
    for (state, glyph) in STATES {
        match state {
            "waiting" => {
                agent.tell("PermissionRequest {\"tool_name\":\"Bash\"}", state, Some("approval"));
            }
            "failed" => {
                agent.tell("StopFailure {\"error\":\"rate_limit\"}", state, Some("usage-limit"));
            }
            "working" => agent.tell("UserPromptSubmit {\"prompt\":\"x\"}", state, None),
            "completed" => agent.tell("Stop {}", state, None),
            "exited" => agent.end(),
            _ => {}
        }
        let pane = if state == "stopped" { &panes[0].0 } else { &own };
        found.push(seen(pane, state, glyph));
    }
    let expected = expected.map(style);
    assert_eq!(found, expected, "{term}");
    // One who sees no colours has the glyphs. One who does not look at glyphs must not take a pane that
    // failed for one that waits, or has stopped.
    let [waiting, failed, stopped, ..] = expected;
    assert_ne!(waiting.fg, failed.fg);
    assert_ne!(failed, stopped);
    for chosen in chosen(&told.bytes()) {
        assert!(Depth::of(&chosen) <= most, "{term}: {chosen}");
    }
}

/// How many colours a terminal must have for what is written to it.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
enum Depth {
    Eight,
    Sixteen,
    TwoFiftySix,
    All,
}

impl Depth {
    fn of(sgr: &str) -> Self {
        let mut numbers = sgr.split([';', ':']).map(|number| number.parse().unwrap_or(0));
        let mut most = Self::Eight;
        while let Some(number) = numbers.next() {
            let one = match number {
                38 | 48 if numbers.next() == Some(5) => Self::TwoFiftySix,
                38 | 48 => return Self::All,
                90..=97 | 100..=107 => Self::Sixteen,
                _ => continue,
            };
            if one == Self::TwoFiftySix {
                numbers.next();
            }
            if one > most {
                most = one;
            }
        }
        most
    }
}

const DEFAULT: (Colour, &str) = (Colour::Default, "d");

fn basic(number: u8, weight: &str) -> (Colour, &str) {
    (Colour::Indexed(number), weight)
}

#[test]
fn with_8_colours() {
    let expected =
        [basic(3, "b"), basic(1, "b"), basic(1, ""), basic(2, ""), basic(2, ""), DEFAULT];
    check("xterm", false, Depth::Eight, expected);
}

#[test]
fn with_16_colours() {
    let expected =
        [basic(3, "b"), basic(9, "b"), basic(1, ""), basic(2, ""), basic(2, ""), basic(8, "d")];
    check("xterm-16color", false, Depth::Sixteen, expected);
}

#[test]
fn with_256_colours() {
    let expected = [(214, "b"), (203, "b"), (167, ""), (78, ""), (78, ""), (243, "d")];
    let expected = expected.map(|(number, weight)| basic(number, weight));
    check("xterm-256color", false, Depth::TwoFiftySix, expected);
}

const ALL: [(Colour, &str); 6] = [
    (Colour::Rgb(255, 160, 0), "b"),
    (Colour::Rgb(255, 60, 60), "b"),
    (Colour::Rgb(220, 80, 70), ""),
    (Colour::Rgb(80, 200, 120), ""),
    (Colour::Rgb(80, 200, 120), ""),
    (Colour::Rgb(120, 120, 120), "d"),
];

#[test]
fn with_all_colours_by_the_settings_of_tmux() {
    check("xterm-256color", true, Depth::All, ALL);
}

#[test]
fn with_all_colours_by_the_type_of_the_terminal() {
    check("xterm-direct", false, Depth::All, ALL);
}
