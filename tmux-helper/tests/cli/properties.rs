//! No input makes the program panic, and nothing untrusted reaches the terminal as it is.

use madohub::cli;
use madohub::config::{Border, Colour, Palette, Segment, Template};
use madohub::input::{Line, Lines, observation, parse_processes, screen_rows};
use madohub::output::{clean, fit, for_tmux, since, width};
use madohub_detect::{RuleSet, detect};
use proptest::prelude::*;
use std::ffi::OsString;
use std::sync::LazyLock;

static RULES: LazyLock<RuleSet> = LazyLock::new(|| RuleSet::builtin().unwrap());

/// JSON that is nearly an observation: the right keys, any values.
fn nearly_an_observation() -> impl Strategy<Value = String> {
    let key = "(id|cols|rows|screen|title|command|pane_pid|dead|cursor|processes|registry|log|now|previous)";
    let value = prop_oneof![
        Just("null".to_owned()),
        "-?[0-9]{1,30}(\\.[0-9]{1,5})?(e-?[0-9]{1,3})?",
        "\"[^\"\\\\\\x00-\\x1f]{0,40}\"",
        "\\[(\"[^\"\\\\\\x00-\\x1f]{0,40}\"(,\"[^\"\\\\\\x00-\\x1f]{0,40}\"){0,5})?\\]",
        Just("[{\"pid\":1,\"ppid\":1,\"argv\":[\"\"]}]".to_owned()),
        Just("{\"x\":-1,\"y\":99999999999}".to_owned()),
        Just("{\"path\":\"\",\"records\":[\"{\",\"null\"]}".to_owned()),
    ];
    prop::collection::btree_map(key, value, 0..8).prop_map(|fields| {
        let fields: Vec<String> = fields.iter().map(|(k, v)| format!("\"{k}\":{v}")).collect();
        format!("{{{}}}", fields.join(","))
    })
}

proptest! {
    #[test]
    fn any_command_line_is_parsed_or_refused(
        args in prop::collection::vec(
            "(list|tmux|start|detect|explain|rules|check|status|--[a-z]{1,8}|-[LSh]|%?[0-9]{0,3}|\\PC{0,6})",
            0..6,
        )
    ) {
        let shows = |arg: &String| matches!(arg.as_str(), "help" | "--help" | "--version" | "-V")
            || arg.starts_with("-h");
        prop_assume!(!args.iter().any(shows));
        let line = std::iter::once("madohub".to_owned()).chain(args).map(OsString::from);
        if let Err(error) = cli::parse(line) {
            prop_assert_eq!(error.exit().code(), 2);
            prop_assert!(!error.to_string().is_empty());
        }
    }

    #[test]
    fn any_line_is_an_observation_or_an_error(line in "\\PC*") {
        let _ = observation(&line);
    }

    #[test]
    fn nearly_observations_are_detected_or_refused(line in nearly_an_observation()) {
        if let Ok(seen) = observation(&line) {
            let detection = detect(&RULES, &seen);
            prop_assert_eq!(detection.id, seen.id);
        }
    }

    #[test]
    fn a_line_that_is_cut_anywhere_is_an_error_not_a_crash(
        line in nearly_an_observation(), at in any::<prop::sample::Index>()
    ) {
        let cut: String = line.chars().take(at.index(line.chars().count())).collect();
        prop_assert!(observation(&cut).is_err());
    }

    #[test]
    fn bytes_of_any_kind_are_lines(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let mut lines = Lines::new(&bytes[..]);
        let mut count = 0;
        while let Some(Line::Text(text)) = lines.next_line().unwrap() {
            prop_assert!(!text.contains('\n'));
            count += 1;
        }
        let ends = bytes.split(|byte| *byte == b'\n').count();
        let expected = if bytes.is_empty() || bytes.last() == Some(&b'\n') { ends - 1 } else { ends };
        prop_assert_eq!(count, expected);
    }

    #[test]
    fn any_text_is_processes_or_an_error(
        text in "( *PID .*COMMAND\n)?([ -~\u{e9}\u{3042}]{0,60}\n){0,5}"
    ) {
        let _ = parse_processes(&text);
    }

    #[test]
    fn a_row_of_ps_comes_back_whole(
        pid in 0..99_999i64, comm in "[a-z][a-z-]{0,14}", args in "[a-z/.-]{1,20}( [a-z/.-]{1,20}){0,4}"
    ) {
        let text = format!("{pid:>7} {pid:>7} {pid:>7}      -1 ?        Ss   {comm:<15} {args}\n");
        let process = parse_processes(&text).unwrap().remove(0);
        prop_assert_eq!((process.pid, process.comm), (pid, comm));
        prop_assert_eq!(process.argv.join(" "), args);
    }

    #[test]
    fn rows_hold_no_escape(text in "(\\PC|\u{1b}|\\[|\\]|[0-9;]|m|\u{7}|\n){0,80}") {
        for row in screen_rows(&text) {
            let acts = row.contains(['\u{1b}', '\n', '\r']);
            prop_assert!(!acts, "{row:?}");
        }
    }

    #[test]
    fn what_is_shown_holds_no_control_character(text in ".*", cells in 0..80usize) {
        for shown in [clean(&text), for_tmux(&text), fit(&clean(&text), cells)] {
            prop_assert!(!shown.chars().any(char::is_control), "{:?}", shown);
        }
        prop_assert!(width(&fit(&text, cells)) <= cells);
        // Every `#` is one of a pair, so that none begins a format.
        let tmux = for_tmux(&text);
        prop_assert!(tmux.split("##").all(|part| !part.contains('#')));
    }

    #[test]
    fn any_number_is_a_time(seconds in any::<f64>()) {
        prop_assert!(since(seconds).len() < 24);
    }

    #[test]
    fn any_text_is_a_template_or_an_error(text in "([{}]|\\PC){0,20}") {
        for fields in [&Border::FIELDS[..], &Segment::FIELDS[..]] {
            if let Ok(template) = Template::parse(&text, fields) {
                template.fill(|_| String::new());
            }
        }
    }

    #[test]
    fn every_colour_has_a_form_at_every_depth(text in "(#[0-9a-f]{6}|colour[0-9]{1,3})") {
        if let Ok(colour) = text.parse::<Colour>() {
            let palette = Palette::derive(colour);
            let is_basic = |colour, most| match colour {
                Colour::Default => true,
                Colour::Basic(n) => n < most,
                Colour::Indexed(_) | Colour::Rgb(..) => false,
            };
            prop_assert!(is_basic(palette.c16, 16) && is_basic(palette.c8, 8));
            prop_assert!(!matches!(palette.c256, Colour::Rgb(..)));
        }
    }
}
