//! From what tmux and the system say about one pane to an [`Observation`].

use crate::tmux::Pane;
use madohub_detect::Observation;

/// Takes over what tmux says about the pane; screen, processes and registry stay as they are.
/// Answers whether anything changed that the engine looks at.
pub fn take_pane(seen: &mut Observation, pane: &Pane) -> bool {
    let name = pane.id.to_string();
    let fresh = Observation {
        id: name.clone(),
        cols: Some(pane.cols).filter(|n| *n > 0),
        rows: Some(pane.rows).filter(|n| *n > 0),
        title: Some(pane.title.clone()),
        command: Some(pane.command.clone()).filter(|command| !command.is_empty()),
        pane_pid: Some(pane.pid),
        dead: pane.dead,
        exit_status: exit_status(pane),
        in_mode: pane.in_mode,
        cursor: Some(pane.cursor),
        alternate_screen: Some(pane.alternate),
        pane: Some(name),
        // What else is known does not come from here.
        screen: seen.screen.take(),
        processes: seen.processes.take(),
        registry: seen.registry.take(),
        log: seen.log.take(),
        program_status: seen.program_status.take(),
        hook: seen.hook.take(),
        agent_hint: seen.agent_hint.take(),
        previous: seen.previous.take(),
        now: seen.now,
    };
    let changed = fresh.title != seen.title
        || fresh.command != seen.command
        || fresh.cursor != seen.cursor
        || (fresh.cols, fresh.rows) != (seen.cols, seen.rows)
        || (fresh.dead, fresh.exit_status) != (seen.dead, seen.exit_status)
        || (fresh.in_mode, fresh.alternate_screen) != (seen.in_mode, seen.alternate_screen)
        || fresh.pane_pid != seen.pane_pid;
    *seen = fresh;
    changed
}

/// The rows of a screen as `capture-pane -p` prints them, without trailing blank ones. Nothing
/// for an empty answer: then the pane is gone, because a blank screen still has its newlines.
pub fn rows(captured: &str) -> Option<Vec<String>> {
    if captured.is_empty() {
        return None;
    }
    let mut rows: Vec<String> = captured.lines().map(str::to_owned).collect();
    let last = rows.iter().rposition(|row| !row.trim().is_empty());
    rows.truncate(last.map_or(0, |n| n + 1));
    Some(rows)
}

/// Status of a dead pane's process; 128 and the signal's number where one ended it, as shells do.
fn exit_status(pane: &Pane) -> Option<i64> {
    if pane.dead { pane.exit_status.or(pane.exit_signal.map(|signal| 128 + signal)) } else { None }
}

#[cfg(test)]
mod tests {
    use super::rows;

    #[test]
    fn blank_is_not_gone() {
        assert_eq!(rows(""), None);
        assert_eq!(rows("\n\n"), Some(vec![]));
        assert_eq!(rows("a\n\n  b\n \n\n"), Some(vec!["a".into(), String::new(), "  b".into()]));
    }
}
