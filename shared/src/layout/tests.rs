//! Screens as pictures: where the live region is, and where it only seems to be.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::rules::RowPattern;

fn pattern(p: &str) -> RowPattern {
    RowPattern::known_good(p)
}

/// A prompt between two rules, indented rows above it skipped, replies that end a dialog.
fn layout() -> Layout {
    let ruled = InputBox {
        top: Some(pattern("^─{4,}")),
        prompt: pattern("^> ?"),
        bottom: Some(pattern("^─{4,}")),
        inside: None,
        not_followed_by: None,
        footer: None,
        max_rows: 8,
        footer_rows: 3,
    };
    Layout {
        boxes: vec![ruled],
        status_skip: Some(pattern(r"^\s{2,}")),
        status_goes_on: Some(pattern(r"^\w")),
        status_rows: 10,
        dialog_after: Some(pattern("^● ")),
        dialog_rows: 10,
    }
}

fn find(picture: &str, layout: &Layout, cols: Option<u16>) -> (Screen, Regions) {
    let rows: Vec<String> = picture.trim_matches('\n').lines().map(str::to_owned).collect();
    let screen = Screen::new(&rows, cols);
    let regions = Regions::find(&screen, layout);
    (screen, regions)
}

fn text(picture: &str, region: Region) -> Option<String> {
    let (screen, regions) = find(picture, &layout(), None);
    regions.text(&screen, region).map(|found| found.text.to_owned())
}

#[test]
fn the_status_row_is_found_above_tips_panels_and_blanks() {
    let picture = "
● an answer that quotes
  ✻ Working… (3s)

✻ Brewing… (12s)
  tip: press a key
  ◻ a task

────────
> 
────────
  footer
";
    assert_eq!(text(picture, Region::Status).as_deref(), Some("✻ Brewing… (12s)"));
    assert_eq!(text(picture, Region::Footer).as_deref(), Some("  footer"));
    assert_eq!(text(picture, Region::InputBox).as_deref(), Some(">"));
    assert!(text(picture, Region::Block).unwrap().ends_with("◻ a task\n"));
    assert_eq!(text(picture, Region::Dialog), None, "no dialog beside a live input box");
}

#[test]
fn an_input_box_with_a_transcript_below_it_is_past() {
    let picture = "
────────
> old
────────
one
two
three
four
";
    assert_eq!(text(picture, Region::InputBox), None);
    assert!(text(picture, Region::Tail).unwrap().ends_with("four"));
}

#[test]
fn two_rules_without_a_prompt_are_no_input_box() {
    let picture = "
────────
 ☐ Color
> 1. Red
────────
  2. Blue
";
    assert_eq!(text(picture, Region::InputBox), None);
    assert!(text(picture, Region::Dialog).unwrap().contains("1. Red"));
}

#[test]
fn a_reply_below_a_dialog_ends_it() {
    let picture = "
Proceed?
> 1. Yes
● Done.
rest
";
    assert_eq!(text(picture, Region::Dialog).as_deref(), Some("rest"));
}

#[test]
fn a_status_row_that_a_narrow_pane_breaks_is_one_row() {
    let picture = "
✶ Refactoring… (22m 8s
↓ 44.7k tokens)
────────
>
────────
";
    assert_eq!(
        text(picture, Region::Status).as_deref(),
        Some("✶ Refactoring… (22m 8s\n↓ 44.7k tokens)")
    );
}

#[test]
fn rows_that_go_on_from_a_full_row_are_no_status_row() {
    let picture = "
✗ error: the request
is invalid
────────
>
────────
";
    let (screen, regions) = find(picture, &layout(), Some(21));
    let status = regions.text(&screen, Region::Status).unwrap();
    assert_eq!(status.text, "✗ error: the request");
}

#[test]
fn what_the_agent_broke_for_another_width_goes_on_from_the_row_above() {
    let picture = "
word

✗ error: the request that was sent
is not one
that can be read

────────
>
────────
";
    let status = text(picture, Region::Status);
    assert_eq!(status.as_deref(), Some("✗ error: the request that was sent"));
    let alone = picture.replace("✗ error: the request that was sent\nis not one\n", "");
    assert_eq!(text(&alone, Region::Status).as_deref(), Some("that can be read"));
}

#[test]
fn an_empty_screen_has_no_regions() {
    let (screen, regions) = find("", &layout(), None);
    for (region, name) in Region::ALL {
        assert!(regions.text(&screen, region).is_none(), "{name}");
    }
}

#[test]
fn a_box_without_a_lower_border_needs_a_footer_that_fits() {
    let open = InputBox {
        top: None,
        bottom: None,
        prompt: pattern("^›"),
        footer: Some(pattern(r"^\s{2}")),
        ..layout().boxes.remove(0)
    };
    let layout = Layout { boxes: vec![open], ..layout() };
    let (_, regions) = find("• done\n\n› \n\n  footer", &layout, None);
    assert_eq!(regions.input_box, Some(2..3));
    let (_, regions) = find("› message\n\n• an answer", &layout, None);
    assert_eq!(regions.input_box, None);
}
