//! Everything that a person can have set in a tmux server, to prove that it comes back.

use crate::tmux::Tmux;
use std::collections::BTreeMap;

/// Options, hooks and environment of every scope of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OptionsSnapshot {
    scopes: BTreeMap<String, String>,
}

impl OptionsSnapshot {
    /// Takes the snapshot.
    pub fn take(tmux: &Tmux) -> Self {
        let mut scopes = BTreeMap::new();
        let mut show = |args: &[&str]| {
            let output = tmux.try_run(args);
            // A scope without own values may answer with an error, which then stays the same.
            let text = [output.stdout, output.stderr].concat();
            scopes.insert(args.join(" "), String::from_utf8_lossy(&text).into_owned());
        };
        for scope in ["-s", "-g", "-gw"] {
            show(&["show-options", scope]);
        }
        for hooks in ["-g", "-gw"] {
            show(&["show-hooks", hooks]);
        }
        show(&["show-environment", "-g"]);
        show(&["show-environment", "-gh"]);
        for session in list(tmux, &["list-sessions", "-F", "#{session_id}"]) {
            show(&["show-options", "-t", &session]);
            show(&["show-hooks", "-t", &session]);
            show(&["show-environment", "-t", &session]);
            show(&["show-environment", "-h", "-t", &session]);
        }
        for window in list(tmux, &["list-windows", "-a", "-F", "#{window_id}"]) {
            show(&["show-options", "-w", "-t", &window]);
            show(&["show-hooks", "-w", "-t", &window]);
        }
        for pane in list(tmux, &["list-panes", "-a", "-F", "#{pane_id}"]) {
            show(&["show-options", "-p", "-t", &pane]);
            show(&["show-hooks", "-p", "-t", &pane]);
        }
        Self { scopes }
    }

    /// What differs from `later`, one line each; empty when nothing does.
    pub fn changes(&self, later: &Self) -> Vec<String> {
        let mut changes = Vec::new();
        let all = self.scopes.keys().chain(later.scopes.keys());
        for scope in all.collect::<std::collections::BTreeSet<_>>() {
            let lines = |snapshot: &Self| -> Vec<String> {
                snapshot
                    .scopes
                    .get(scope)
                    .into_iter()
                    .flat_map(|s| s.lines())
                    .map(Into::into)
                    .collect()
            };
            let (before, after) = (lines(self), lines(later));
            let gone = before.iter().filter(|line| !after.contains(line));
            let new = after.iter().filter(|line| !before.contains(line));
            changes.extend(gone.map(|line| format!("{scope}: - {line}")));
            changes.extend(new.map(|line| format!("{scope}: + {line}")));
            if before != after && changes.is_empty() {
                changes.push(format!("{scope}: order or count of lines"));
            }
        }
        changes
    }
}

fn list(tmux: &Tmux, args: &[&str]) -> Vec<String> {
    tmux.run(args).lines().map(ToOwned::to_owned).collect()
}
