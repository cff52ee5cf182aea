//! What is on the borders and is not ours: themes, hooks, and what a killed daemon left there.

use super::finding;
use super::report::Report;
use crate::config::{BorderStatus, Config};
use crate::output::clean;
use crate::scan::Scanner;
use crate::tmux::{Batch, LeftWindow, Leftovers, Server, Taken};
use tmux_interface::ShowHooks;

/// `runs` says whether a daemon watches the server.
pub(super) fn check(
    report: &mut Report,
    server: &Server,
    scanner: &Scanner,
    config: &Config,
    runs: bool,
) {
    let left = match Leftovers::read(server) {
        Ok(left) => left,
        Err(error) => {
            let (what, remedy) = finding(&error.into());
            report.wrong("borders", what, remedy);
            return;
        }
    };
    if !runs {
        if !left.panes.is_empty() || !left.windows.is_empty() {
            report.wrong(
                "borders",
                "a daemon was killed before it could put tmux's options back",
                "Put them back: madohub tmux restore",
            );
        }
        return;
    }
    if !config.border.enabled {
        report.ok("borders", "are left alone, as the settings say");
        return;
    }
    let mut others = false;
    for window in &left.windows {
        for option in Taken::ALL {
            let lost = option.is_in(&window.saved) && !window.ours.has(option);
            if lost || (option == Taken::Status && is_without_lines(window, scanner, config)) {
                others = true;
                let (name, id) = (option.option(), window.id);
                report.note(
                    "borders",
                    format!("something else set {name} of window {id} after the daemon did"),
                    format!(
                        "Look for a theme or a hook that sets it per window; to let it go:\n\
                         tmux set-option -wu -t {id} {name}; madohub tmux restart"
                    ),
                );
            }
        }
    }
    for hook in hooks(server) {
        others = true;
        report.note(
            "borders",
            format!("a hook sets them: {hook}"),
            "Each time that it runs, the borders lose their colours until the next look at them.\n\
             Have it set the global options, set-option -g, which are yours alone.",
        );
    }
    if !others {
        report.ok("borders", "nothing else sets them");
    }
}

/// Whether panes of a window with an agent have no line of their own though they should: the person,
/// or a theme, said so for this window after the daemon had given them one.
fn is_without_lines(window: &LeftWindow, scanner: &Scanner, config: &Config) -> bool {
    if window.state.is_empty() || Taken::Status.is_in(&window.saved) {
        return false;
    }
    let Some(seen) = scanner.panes().find(|seen| seen.pane.window == window.id) else {
        return false;
    };
    let wanted = match config.border.status {
        BorderStatus::Auto => seen.pane.window_panes > 1,
        BorderStatus::Top => true,
        BorderStatus::Off => false,
    };
    wanted && seen.pane.border_status == "off"
}

/// The global hooks that set an option of borders.
fn hooks(server: &Server) -> Vec<String> {
    let mut batch = Batch::new();
    let slot = batch.ask(ShowHooks::new().global().build());
    let Ok(replies) = server.run(&batch) else { return Vec::new() };
    let lines = replies.get(slot).unwrap_or_default().lines();
    let ours = |line: &&str| Taken::ALL.iter().any(|taken| line.contains(taken.option()));
    // Those that set the global ones do what they should.
    let per_window = |line: &&str| !line.contains(" -g ") && !line.contains(" -ag ");
    lines.filter(ours).filter(per_window).map(clean).collect()
}
