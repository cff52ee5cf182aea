//! The tables of `docs/configuration.md` are made from the code: keys, defaults and what they do
//! from the settings' template, looks and what few colours make of them from the built-in looks.
//!
//! `MADOHUB_UPDATE_DOCS=1 cargo nextest run -p tmux-helper reference` writes them; without it the
//! test fails where they differ.
#![expect(clippy::panic, reason = "a failing test may panic")]

use madohub::config::{Config, Depth, Looks};
use madohub_detect::State;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

const VARIABLE: &str = "MADOHUB_UPDATE_DOCS";
const BEGIN: &str = "<!-- from the code: ";
const END: &str = "<!-- end -->\n";

/// One key as the template has it.
#[derive(Debug)]
struct Key<'a> {
    /// `[border]`; empty for a key above all tables.
    table: &'a str,
    name: &'a str,
    value: &'a str,
    what: String,
}

/// Every key of the template that says what it does.
fn keys() -> Vec<Key<'static>> {
    let mut keys = Vec::new();
    let (mut table, mut what) = ("", String::new());
    for line in Config::TEMPLATE.lines() {
        let code = line.strip_prefix('#').unwrap_or(line);
        if let Some(text) = code.strip_prefix(' ') {
            let gap = if what.is_empty() { "" } else { " " };
            let _ = write!(what, "{gap}{text}");
        } else if code.starts_with('[') {
            table = code;
            what.clear();
        } else if let Some((name, value)) = code.split_once(" = ") {
            // The other states have the keys of the first one.
            if !what.is_empty() {
                keys.push(Key { table, name, value, what: std::mem::take(&mut what) });
            }
        } else {
            what.clear();
        }
    }
    assert!(keys.len() > 40, "{} keys", keys.len());
    keys
}

/// The keys of one table.
fn table(name: &str) -> String {
    let mut out = String::from("| key | default | |\n|---|---|---|\n");
    for key in keys().into_iter().filter(|key| key.table == name) {
        // A default that the sentence names, or a key that each state or route sets for itself.
        let (what, default) = match key.what.split_once(" Default: ") {
            Some((what, default)) => (what.to_owned(), default.trim_end_matches('.').to_owned()),
            None => (key.what.clone(), shown(&key)),
        };
        let _ = writeln!(out, "| `{}` | {default} | {what} |", key.name);
    }
    out
}

fn shown(key: &Key<'_>) -> String {
    match (key.table, key.name) {
        ("[[route]]", "name" | "to" | "send") | ("[segment]", "format") => String::new(),
        ("[[route]]", "from") => "every agent".to_owned(),
        ("[segment]", "separator") => "two blanks".to_owned(),
        ("[state.working]", _) => "see below".to_owned(),
        _ => format!("`{}`", key.value),
    }
}

/// The built-in look of each state at every depth.
fn looks() -> String {
    let mut out = String::from(
        "| state | glyph | ascii | `colour` | 256 | 16 | 8 | |\n|---|---|---|---|---|---|---|---|\n",
    );
    let (unicode, ascii) = (Looks::default(), Looks::new(madohub_detect::Glyphs::Ascii));
    let order = ["working", "idle", "waiting", "stopped", "completed", "failed", "exited"];
    for state in order.map(|name| name.parse::<State>().unwrap()) {
        let look = unicode.of(state);
        let colours = match &look.palette {
            None => "`none` | | |".to_owned(),
            Some(palette) => {
                let at = |depth| format!("`{}`", palette.at(depth));
                let depths = [Depth::Rgb, Depth::TwoFiftySix, Depth::Sixteen, Depth::Eight];
                depths.map(at).join(" | ")
            }
        };
        let weight = match (look.bold, look.dim) {
            (true, _) => "bold",
            (_, true) => "dim",
            _ => "",
        };
        let (glyph, plain) = (&look.glyph, &ascii.of(state).glyph);
        let _ = writeln!(out, "| `{state}` | `{glyph}` | `{plain}` | {colours} | {weight} |");
    }
    out
}

#[test]
fn the_settings_reference_is_what_the_code_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/configuration.md");
    let document = fs::read_to_string(&path).unwrap();
    let mut made = String::new();
    let mut parts = document.split(BEGIN);
    made.push_str(parts.next().unwrap());
    let mut there = BTreeSet::new();
    for part in parts {
        let (name, rest) = part.split_once(" -->\n").unwrap();
        let (_, after) = rest.split_once(END).unwrap_or_else(|| panic!("{name}: no end"));
        let text = match name {
            "looks" => looks(),
            "keys above all tables" => table(""),
            "[state.<name>]" => table("[state.working]"),
            name => table(name),
        };
        there.insert(name.replace("keys above all tables", "").replace("<name>", "working"));
        let _ = write!(made, "{BEGIN}{name} -->\n{text}{END}{after}");
    }
    let missing: BTreeSet<&str> =
        keys().iter().map(|key| key.table).filter(|table| !there.contains(*table)).collect();
    assert!(missing.is_empty(), "tables without a place in the reference: {missing:?}");
    if std::env::var_os(VARIABLE).is_some() {
        fs::write(&path, &made).unwrap();
    } else if made != document {
        let mut rows = made.lines().zip(document.lines());
        let (new, old) = rows.find(|(new, old)| new != old).unwrap_or_default();
        panic!("not as the code says:\n{old}\nbut\n{new}\n{VARIABLE}=1 writes it");
    }
}

/// Contrast of two colours by WCAG 2.2, 1 to 21.
fn contrast(a: [u8; 3], b: [u8; 3]) -> f64 {
    let light = |rgb: [u8; 3]| {
        let [r, g, b] = rgb.map(|level| {
            let level = f64::from(level) / 255.0;
            if level <= 0.04045 { level / 12.92 } else { ((level + 0.055) / 1.055).powf(2.4) }
        });
        0.2126 * r + 0.7152 * g + 0.0722 * b
    };
    let (a, b) = (light(a), light(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

#[test]
fn colours_can_be_read_on_the_background_that_they_are_for() {
    let document = include_str!("../../../docs/configuration.md");
    let below = document.split("### Light backgrounds").nth(1).unwrap();
    let block = below.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    let light = Config::parse(block, Path::new("light.toml")).unwrap().looks;
    for (looks, background) in [(Looks::default(), [30; 3]), (light, [255; 3])] {
        for state in State::BY_NEED {
            let Some(palette) = &looks.of(state).palette else { continue };
            let madohub::config::Colour::Rgb(r, g, b) = palette.rgb else { continue };
            // What 1.4.11 asks of signs that are no text; the text beside them has the same colour.
            let found = contrast([r, g, b], background);
            assert!(found >= 3.0, "{state}: {found:.2}");
        }
        let colour = |state, depth| looks.of(state).palette.as_ref().map(|p| p.at(depth));
        for depth in [Depth::Sixteen, Depth::Eight] {
            assert_ne!(colour(State::Waiting, depth), colour(State::Failed, depth), "{depth:?}");
        }
    }
}
