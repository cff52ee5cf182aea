//! An explanation for people.

use crate::output::{ListedPane, clean, first_line, fit, since, verdict, width};
use crate::time;
use madohub_detect::{ExplainedLog, Explanation, LogDetail};
use std::fmt::Write as _;

/// Cells of a condition that failed; the whole of it is in the rule file, and in the JSON form.
const CONDITION_MAX: usize = 100;

/// Verdict, what the daemon shows, regions, and every rule tried. The text of the screen only
/// where `text` says so.
pub(super) fn explanation(
    explanation: &Explanation,
    text: bool,
    shown: Option<&ListedPane>,
) -> String {
    let detection = &explanation.detection;
    let mut out = format!("id      {}\n{}", clean(&detection.id), verdict(detection, text));
    if let Some(ListedPane { row, .. }) = shown {
        let reason = row.reason.as_ref().map(|reason| format!(": {}", clean(reason)));
        let age = since(time::now() - row.since);
        let reason = reason.unwrap_or_default();
        let _ = writeln!(out, "shown   {}{reason}, by the daemon, for {age}", row.state);
    }
    match &explanation.log {
        Some(log) => out.push_str(&session_log(log, text)),
        None if detection.agent.is_agent() => out.push_str("log     none was found\n"),
        None => {}
    }
    if explanation.regions.is_empty() {
        out.push_str("\nregions none: the screen shows no live region of an agent\n");
    } else {
        out.push_str("\nregions\n");
        for region in &explanation.regions {
            let (first, last) = region.rows;
            let _ = writeln!(out, "  {:<12} rows {}-{}", region.region, first + 1, last + 1);
            for (row, line) in
                region.text.lines().enumerate().take(if text { usize::MAX } else { 0 })
            {
                let _ = writeln!(out, "  {:>5}  {}", first + row + 1, clean(line));
            }
        }
    }
    if explanation.tried.is_empty() {
        out.push_str("\nrules   none was tried: no agent was found whose rules could be\n");
        return out;
    }
    out.push_str("\nrules tried, in order; the first match decides\n");
    let longest = explanation.tried.iter().map(|tried| width(&tried.rule)).max().unwrap_or(0);
    for tried in &explanation.tried {
        let (mark, outcome) = match &tried.failed {
            None if tried.matched => ("+", "matched".to_owned()),
            None => ("-", "no".to_owned()),
            Some(failed) => ("-", format!("no: {}", fit(&clean(failed), CONDITION_MAX))),
        };
        let _ = writeln!(
            out,
            "  {mark} {:<longest$}  {:<12} {outcome}",
            clean(&tried.rule),
            tried.region
        );
    }
    out
}

/// The session log, by what it is the pane's, and what it tells beside the state; the agent's own
/// words only where `text` says so.
fn session_log(log: &ExplainedLog, text: bool) -> String {
    let tie = log.tie.as_ref().map(|tie| format!(": {}", clean(tie))).unwrap_or_default();
    let mut out = if log.between.is_empty() {
        format!("log     {}{tie}\n", clean(&log.path))
    } else {
        format!("log     none{tie}, because it may be each of\n")
    };
    for path in &log.between {
        let _ = writeln!(out, "        {}", clean(path));
    }
    if log.skipped > 0 {
        let _ = writeln!(out, "        {} records could not be read", log.skipped);
    }
    let said = log.detail.last_message.as_deref().filter(|_| text);
    for line in [detail(&log.detail), said.and_then(first_line)].into_iter().flatten() {
        let _ = writeln!(out, "        {line}");
    }
    out
}

/// Model, context, duration of the turn, retry and limit, as far as they are known.
fn detail(detail: &LogDetail) -> Option<String> {
    let now = time::now();
    let parts = [
        detail.model.as_deref().map(|model| format!("model {}", clean(model))),
        detail.context_left.map(|percent| format!("{percent} % of the context left")),
        detail.turn_ms.map(|ms| format!("last turn took {}", since(seconds(ms)))),
        detail.retry.map(|retry| format!("retry {retry}")),
        detail
            .limit_resets
            .map(|at| format!("limit ends in {}", since((at_time(at) - now).max(0.0)))),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

#[expect(clippy::cast_precision_loss, reason = "nothing lasts that long")]
fn seconds(ms: u64) -> f64 {
    ms as f64 / 1000.0
}

#[expect(clippy::cast_precision_loss, reason = "seconds of any date fit")]
fn at_time(seconds: i64) -> f64 {
    seconds as f64
}
