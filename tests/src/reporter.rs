//! An agent that says itself what it does, through the product's hook command.

use crate::stage::Stage;
use crate::wait::wait_for;

/// Claude Code as far as its hooks go: a line that is typed into it is an event and its JSON.
#[derive(Debug)]
pub struct Reporter<'a> {
    stage: &'a Stage,
    pane: String,
}

impl<'a> Reporter<'a> {
    /// Starts it from the shell of a pane; the daemon runs.
    #[track_caller]
    pub fn start(stage: &'a Stage, pane: &str) -> Self {
        let program = stage.madohub.program().display().to_string();
        // A child of the agent itself, as agents start their hooks: no subshell in between.
        let script = format!(
            "#!/bin/sh\nwhile read -r event json; do\n\
             printf '%s' \"$json\" >\"$0.in\"\n\
             {program} hook \"$event\" --agent claude <\"$0.in\" >\"$0.out\" 2>&1\n\
             echo \"$event: $? $(cat \"$0.out\").\"\ndone\n"
        );
        stage.env.script("claude", &script);
        stage.type_line(pane, "claude");
        wait_for("the agent", || stage.row(pane).ok_or_else(|| "not listed".to_owned()));
        Self { stage, pane: pane.to_owned() }
    }

    /// Tells an event, `Stop {}`, and waits until the pane has that state and reason, and the hook
    /// has succeeded and said nothing.
    #[track_caller]
    pub fn tell(&self, line: &str, state: &str, reason: Option<&str>) {
        let (tmux, pane) = (&self.stage.tmux, self.pane.as_str());
        tmux.run(&["send-keys", "-t", pane, "-l", line]);
        tmux.run(&["send-keys", "-t", pane, "Enter"]);
        let event = line.split(' ').next().unwrap_or_default();
        wait_for(&format!("{state} after {line}"), || {
            let screen = tmux.capture(pane);
            let row = self.stage.row(pane).ok_or_else(|| "not listed".to_owned())?;
            let right = row.state == state && row.reason.as_deref() == reason;
            let silent = screen.contains(&format!("{event}: 0 ."));
            if right && silent { Ok(()) } else { Err(format!("{row:?}\n{screen}")) }
        });
    }

    /// Ends it as its end of input does.
    pub fn end(&self) {
        self.stage.tmux.run(&["send-keys", "-t", &self.pane, "C-d"]);
    }
}
