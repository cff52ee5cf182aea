#![expect(clippy::unwrap_used, reason = "a failing test may panic")]

use super::*;
use crate::config::Depth;
use crate::routes::Limits;

fn read(text: &str) -> Result<Config, Error> {
    parse(text, Path::new("/c/config.toml"))
}

/// The template with every key in force.
fn uncommented() -> String {
    let key = |line: &str| {
        let code = line.strip_prefix('#')?;
        let is_code = code.starts_with('[')
            || code.split_once(" = ").is_some_and(|(key, _)| {
                !key.is_empty()
                    && key.chars().all(|c| c.is_ascii_lowercase() || "_0123456789".contains(c))
            });
        is_code.then(|| code.to_owned())
    };
    let lines: Vec<String> =
        Config::TEMPLATE.lines().map(|line| key(line).unwrap_or_else(|| line.to_owned())).collect();
    lines.join("\n")
}

#[test]
fn the_template_changes_nothing_as_it_is() {
    assert_eq!(read(Config::TEMPLATE).unwrap(), Config::default());
    assert_eq!(read("").unwrap(), Config::default());
}

#[test]
fn the_template_shows_every_default_as_it_is() {
    // The format is only taken with the preset that uses it.
    let text = uncommented();
    assert!(text.contains("\nformat = "), "{text}");
    let text = text.replace("\nformat = ", "\n#format = ");
    let mut config = read(&text).unwrap();
    // There is no route by default; one that sets nothing has what the template shows.
    let route = config.routes.pop().unwrap();
    assert_eq!((route.limits, &route.on[..]), (Limits::default(), &[State::Completed][..]));
    assert_eq!(config, Config::default());
}

#[test]
fn the_template_shows_every_key() {
    // An unknown key answers with the keys that there are.
    for (table, header) in [
        ("", String::new()),
        ("state.working", "[state.working]".to_owned()),
        ("border", "[border]".to_owned()),
        ("segment", "[segment]".to_owned()),
        ("pace", "[pace]".to_owned()),
        ("tracking", "[tracking]".to_owned()),
        ("route", "[[route]]".to_owned()),
        ("fleet", "[fleet]".to_owned()),
    ] {
        let error = read(&format!("{header}\nnosuch = 1")).unwrap_err();
        let error = error.message();
        let keys: Vec<&str> = error.split('`').skip(1).step_by(2).skip(1).collect();
        assert!(keys.len() > 2, "{table}: {error}");
        for key in keys {
            let shown = uncommented();
            let found = shown.lines().any(|line| {
                line.starts_with(&format!("{key} = "))
                    || line.starts_with(&format!("[{key}"))
                    || line.starts_with(&format!("[{key}."))
                    || line.starts_with(&format!("[[{key}"))
            });
            assert!(found, "{table}: `{key}` is not in the template");
        }
    }
}

#[test]
fn keys_change_what_they_name_and_nothing_else() {
    let config = read(
        "glyphs = \"ascii\"\n\
         [state.waiting]\ncolour = \"magenta\"\ncolour_8 = \"white\"\nbold = false\n\
         [state.idle]\ncolour = \"blue\"\nglyph = \"zz\"\n\
         [state.exited]\ncolour = \"none\"\n\
         [border]\nstatus = \"top\"\nlabel = \"{agent}: {state}\"\n\
         [segment]\nformat = \"{waiting}/{total}\"\n\
         [pace]\nhot = 0.15\n\
         [tracking]\nsettle = 90\nbackground = \"working\"\nshell_jobs = true\n",
    )
    .unwrap();
    let look = |state| config.looks.of(state);
    assert_eq!(look(State::Waiting).tmux_style(Depth::Rgb), "fg=magenta");
    assert_eq!(look(State::Waiting).tmux_style(Depth::Eight), "fg=white");
    assert_eq!(look(State::Idle).tmux_style(Depth::Sixteen), "fg=blue");
    assert_eq!(
        (look(State::Idle).glyph.as_str(), look(State::Working).glyph.as_str()),
        ("zz", "*")
    );
    assert_eq!(look(State::Exited).palette, None);
    assert_eq!(config.border.status, BorderStatus::Top);
    assert!(config.border.label.uses("state") && config.border.pulse);
    assert!(matches!(&config.segment.preset, SegmentPreset::Custom(t) if t.uses("total")));
    assert_eq!(config.pace.hot, Duration::from_millis(150));
    assert_eq!(config.tracking.settings.settle, Settle::After(90.0));
    assert!(config.tracking.settings.background_works && config.tracking.shell_jobs);
    assert_eq!(config.tracking.settings.hold.to_bits(), Settings::default().hold.to_bits());
}

#[test]
fn what_is_wrong_is_said_with_file_line_and_key() {
    for (text, line, key, part) in [
        ("\n[border]\npuls = true", 3, "border.puls", "unknown field"),
        ("[border]\npulse = 1", 2, "border.pulse", "boolean"),
        ("[boarder]\n", 1, "boarder", "unknown field"),
        ("[state.busy]\nbold = true", 1, "state.busy", "no state"),
        ("[state.unknown]\n", 1, "state.unknown", "no state"),
        ("[state.idle]\ncolour = \"reddish\"", 2, "state.idle.colour", "#rrggbb"),
        ("[state.idle]\ncolour_8 = \"none\"", 2, "state.idle.colour_8", "no colour"),
        ("[state.idle]\nglyph = \"\\u001b\"", 2, "state.idle.glyph", "printable"),
        ("[border]\nlabel = \"{nosuch}\"", 2, "border.label", "the fields are glyph"),
        ("[border]\nstatus = \"bottom\"", 2, "border.status", "auto"),
        ("[segment]\nformat = \"{working\"", 2, "segment.format", "closing brace"),
        ("[pace]\nhot = 0", 2, "pace.hot", "out of range"),
        ("[pace]\nhot = \"fast\"", 2, "pace.hot", "number of seconds"),
        ("[pace]\nhot = nan", 2, "pace.hot", "out of range"),
        ("[tracking]\nsettle = \"soon\"", 2, "tracking.settle", "focus"),
        ("[tracking]\nsettle = -1", 2, "tracking.settle", "seconds"),
        ("[tracking]\nhold = [1]", 2, "tracking.hold", "number of seconds"),
        ("[tracking]\nhold = ", 2, "tracking.hold", ""),
    ] {
        let error = read(text).unwrap_err();
        let start = format!("/c/config.toml:{line}: {key}: ");
        assert!(error.message().starts_with(&start), "{text:?}: {error}");
        assert!(error.message().contains(part), "{text:?}: {error}");
        assert!(error.hint().unwrap().contains("doctor"));
        assert_eq!(error.exit(), crate::Exit::Usage);
    }
}

#[test]
fn keys_that_contradict_each_other_are_told() {
    for (text, part) in [
        ("[pace]\nhot = 2", "pace: hot"),
        ("[segment]\npreset = \"custom\"", "needs segment.format"),
        ("[segment]\npreset = \"names\"\nformat = \"x\"", "segment.format"),
    ] {
        let error = read(text).unwrap_err();
        assert!(error.message().contains(part), "{text:?}: {error}");
    }
}

#[test]
fn a_missing_file_is_the_defaults_and_a_folder_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(Config::load(&dir.path().join("none.toml")).unwrap(), Config::default());
    let error = Config::load(dir.path()).unwrap_err();
    assert!(error.message().contains(dir.path().to_str().unwrap()));
}

proptest::proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "\\PC*") {
        let _ = read(&text);
    }

    #[test]
    fn no_mistake_in_a_key_makes_it_panic(
        table in "(border|segment|pace|tracking|state\\.[a-z]{1,9})",
        key in "(label|format|hot|hold|settle|colour|colour_8|glyph|status|[a-z_]{1,9})",
        value in "(-?[0-9]{1,20}(\\.[0-9]{1,9})?|\"\\PC{0,12}\"|true|nan|inf|\\[\\]|\\{\\})",
    ) {
        let _ = read(&format!("[{table}]\n{key} = {value}\n"));
    }
}
