//! From what is known of a pane to the engine's observation and verdict.

use crate::pane::{self, CommandSays, Foreground, HostFacts, Pane};
use madohub_detect::{
    Cursor, Detection, Explanation, Observation, Previous, Process, RuleSet, State, detect, explain,
};

/// Programs that show text of other programs: a transcript in them is no agent.
const VIEWERS: [&str; 22] = [
    "less",
    "more",
    "most",
    "cat",
    "bat",
    "tail",
    "head",
    "man",
    "watch",
    "vi",
    "vim",
    "nvim",
    "view",
    "nano",
    "emacs",
    "emacsclient",
    "hx",
    "helix",
    "kak",
    "micro",
    "git",
    "tig",
];

/// Shells at whose prompt nothing else runs.
const SHELLS: [&str; 14] = [
    "bash", "zsh", "fish", "sh", "dash", "ash", "ksh", "mksh", "tcsh", "csh", "nu", "elvish",
    "xonsh", "pwsh",
];

/// Reads what the multiplexer says of the foreground command. `own` tells that it is the process
/// that the pane was opened with; zellij does not always say.
pub(crate) fn foreground(rules: &RuleSet, argv: Vec<String>, own: Option<bool>) -> Foreground {
    let name = base_name(&argv).to_owned();
    let shell = SHELLS.contains(&name.trim_start_matches('-'));
    let own = own.unwrap_or(shell && argv.len() == 1);
    let alone =
        Observation { processes: Some(vec![process(&argv, None)]), ..Observation::default() };
    let says = if detect(rules, &alone).agent.is_agent() {
        CommandSays::Agent
    } else if VIEWERS.contains(&name.as_str()) || (shell && own) {
        CommandSays::NoAgent
    } else {
        CommandSays::Nothing
    };
    Foreground { argv, own, says }
}

fn base_name(argv: &[String]) -> &str {
    let first = argv.first().map_or("", String::as_str);
    first.rsplit('/').next().unwrap_or(first)
}

/// The one process that zellij itself names.
fn process(argv: &[String], pid: Option<i64>) -> Process {
    let name = base_name(argv).trim_start_matches('-');
    Process {
        pid: pid.unwrap_or(1),
        comm: name.chars().take(15).collect(),
        argv: argv.to_vec(),
        foreground: Some(true),
        ..Process::default()
    }
}

/// The observation of a pane at `now`. `previous` is what it was before.
pub(crate) fn observation(pane: &Pane, previous: Option<&Detection>, now: f64) -> Observation {
    let size = |n: usize| u16::try_from(n).ok().filter(|n| *n > 0);
    let count = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
    let screen = pane.screen.as_ref();
    let mut seen = Observation {
        id: pane::name(pane.facts.id),
        pane: Some(pane::name(pane.facts.id)),
        cols: size(pane.facts.size.0),
        rows: size(pane.facts.size.1),
        screen: screen.map(|s| s.rows.clone()),
        title: Some(pane.title().to_owned()),
        pane_pid: pane.pid,
        dead: pane.dead(),
        exit_status: pane.facts.exit_status,
        in_mode: pane.scrolled,
        cursor: screen.map(|s| {
            let (x, y) = s.cursor.unwrap_or_default();
            Cursor { x: count(x), y: count(y), visible: s.cursor.is_some() }
        }),
        previous: previous.map(|p| Previous {
            agent: Some(p.agent.as_str().to_owned()),
            state: (p.state != State::Unknown).then_some(p.state),
        }),
        now: Some(now),
        ..Observation::default()
    };
    if pane.unreadable && has_records(pane) {
        // What was on it before says less than the agent's own records.
        (seen.screen, seen.cursor) = (None, None);
    }
    // zellij does not say where a hidden cursor is.
    if screen.is_some_and(|s| s.cursor.is_none()) {
        seen.cursor = None;
    }
    if pane.dead() {
        return seen;
    }
    match (&pane.host, &pane.foreground) {
        (Some(host), _) if !host.processes.is_empty() => {
            seen.processes = Some(host.processes.clone());
            seen.registry.clone_from(&host.registry);
            seen.log.clone_from(&host.log);
            seen.program_status.clone_from(&host.program_status);
            seen.hook.clone_from(&host.hook);
        }
        (_, Some(foreground)) => {
            if foreground.says == CommandSays::Nothing {
                seen.command = Some(base_name(&foreground.argv).to_owned());
            } else {
                seen.processes = Some(vec![process(&foreground.argv, pane.pid)]);
            }
        }
        _ => {}
    }
    seen
}

/// Whether the agent's own records tell what it does.
fn has_records(pane: &Pane) -> bool {
    let told = |host: &HostFacts| {
        host.registry.is_some()
            || host.log.is_some()
            || host.program_status.is_some()
            || host.hook.is_some()
    };
    pane.host.as_ref().is_some_and(told)
}

/// The verdict on a pane.
pub(crate) fn look(
    rules: &RuleSet,
    pane: &Pane,
    previous: Option<&Detection>,
    now: f64,
) -> Detection {
    let mut detection = detect(rules, &observation(pane, previous, now));
    if pane.scrolled && !detection.held {
        // The user reads older text: the state stays what it was.
        if let Some(before) = previous.filter(|p| p.agent == detection.agent) {
            detection.state = before.state;
            detection.reason.clone_from(&before.reason);
            detection.held = true;
        }
    }
    detection
}

/// The verdict with every rule tried.
pub(crate) fn explanation(
    rules: &RuleSet,
    pane: &Pane,
    previous: Option<&Detection>,
    now: f64,
) -> Explanation {
    explain(rules, &observation(pane, previous, now))
}
