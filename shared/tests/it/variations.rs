//! Changes of a recorded moment that leave its truth as it is: what the recordings do not hold,
//! but people's panes do.

use crate::report::{Tally, show};
use crate::suites::{Suite, questions};
use madohub_detect::{Observation, RuleSet, detect};
use regex::Regex;

/// Least share of verdicts that stay right, in per cent.
const FLOOR: f64 = 99.0;

/// One change; `None` where it finds nothing to change.
type Change = fn(&Observation) -> Option<Observation>;

const CHANGES: [(&str, Change); 11] = [
    ("quoted dialog above", |seen| write_above(seen, &QUOTED_DIALOG)),
    ("quoted status rows above", |seen| write_above(seen, &QUOTED_STATUS)),
    ("first row gone", |seen| edit(seen, |rows| drop(rows.remove(0)))),
    ("blank rows above", |seen| {
        edit(seen, |rows| drop(rows.splice(0..0, [const { String::new() }; 8])))
    }),
    ("other spinner glyph", |seen| replace(seen, r"^(\s*)[·✢✳✶✻✽∗*] (\p{Lu}\S*…)", "$1✢ $2")),
    ("other verb", |seen| replace(seen, r"^(\s*[·✢✳✶✻✽∗*]) \p{Lu}\S*…", "$1 Übersetzend…")),
    ("minutes in the status row", |seen| replace(seen, r"\(\d+s( [·•])", "(1m 38s$1")),
    ("no-break space after the prompt", |seen| replace(seen, r"^([❯›>]) ", "$1\u{a0}")),
    ("status line of the user", |seen| {
        replace(seen, r"^(  \? for shortcuts.*)", "  ~/src main* 41% of 200k\n$1")
    }),
    ("cursor not known", |seen| Some(Observation { cursor: None, ..seen.clone() })),
    ("size not known", |seen| Some(Observation { cols: None, rows: None, ..seen.clone() })),
];

const QUOTED_DIALOG: [&str; 7] = [
    "  The dialog reads:",
    "",
    "  Do you want to proceed?",
    "  ❯ 1. Yes",
    "    2. No",
    "",
    "  Esc to cancel",
];

const QUOTED_STATUS: [&str; 5] = [
    "  While it runs it shows one of",
    "",
    "✻ Pondering… (12s · esc to interrupt)",
    "• Working (3s • esc to interrupt)",
    "",
];

#[test]
fn changes_that_leave_the_truth_leave_the_verdict() {
    let rules = RuleSet::builtin().unwrap();
    let mut questions = questions();
    questions.retain(|q| q.suite == Suite::Host && q.is_right(&detect(&rules, &q.seen)));
    let (mut all, mut lines) = (Tally::default(), Vec::new());
    for (name, change) in CHANGES {
        let mut kept = Tally::default();
        for question in &questions {
            let Some(changed) = change(&question.seen) else { continue };
            let after = detect(&rules, &changed);
            for tally in [&mut kept, &mut all] {
                tally.count(question.is_right(&after));
            }
            if !question.is_right(&after) {
                let rule = after.evidence.first().map_or("no rule", |e| e.rule.as_str());
                println!("{name}: {} becomes {} by {rule}", question.seen.id, after.state);
            }
        }
        assert!(kept.all > 0, "{name}: nothing to change");
        lines.push(format!(
            "{name:<34}{:>5}/{:<5}{:7.2} %\n",
            kept.right,
            kept.all,
            kept.percent()
        ));
    }
    show(&format!("\nright before and after\n{}", lines.concat()));
    assert!(all.percent() >= FLOOR, "{:.2} % stay right", all.percent());
}

/// A change of the rows; `None` where it changed none.
fn edit(seen: &Observation, change: impl FnOnce(&mut Vec<String>)) -> Option<Observation> {
    let mut changed = seen.clone();
    change(changed.screen.as_mut().filter(|rows| !rows.is_empty())?);
    (changed.screen != seen.screen).then_some(changed)
}

/// Writes into the transcript, far above the live region.
fn write_above(seen: &Observation, text: &[&str]) -> Option<Observation> {
    edit(seen, |rows| {
        if rows.len() >= 30 {
            rows.splice(..text.len(), text.iter().map(|row| (*row).to_owned()));
        }
    })
}

/// Replaces the first match in every row; a line end in the replacement makes two rows.
fn replace(seen: &Observation, pattern: &str, by: &str) -> Option<Observation> {
    let pattern = Regex::new(pattern).unwrap();
    edit(seen, |rows| {
        let changed: Vec<_> = rows.iter().map(|row| pattern.replace(row, by)).collect();
        *rows = changed.iter().flat_map(|row| row.split('\n')).map(str::to_owned).collect();
    })
}
