//! Arguments of `madohub dash`.

use super::ServerArgs;
use clap::Args;

/// `madohub dash`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Keys:
  j k ↓ ↑ g G    choose a pane            Enter   go to it
  n              the next that needs you  s       send it a text
  /              show only what holds a text
  p h e r Tab    screen, history, explanation, route log beside the list
  J K PgDn PgUp  move what is beside the list
  ?              all keys                 q       leave
A click chooses, a second one goes there; the wheel moves what it is over.

Key bindings:
  bind-key D display-popup -E -w 90% -h 80% 'madohub dash'      in ~/.tmux.conf: prefix + D
  bind \"Alt d\" { Run \"madohub\" \"dash\" { floating true; close_on_exit true; }; }      in zellij

It shows the agents of all tmux servers that have a daemon, and of zellij sessions with the plugin;
with -L or -S those of one tmux server. It approves nothing: whatever you do to a pane, you do.

Exit codes: 0 left, 1 could not go to the pane, 3 no daemon and no session, 4 refused for safety.")]
pub struct DashArgs {
    /// Stay here when you go to a pane
    #[arg(long)]
    pub keep: bool,
    /// Which server.
    #[command(flatten)]
    pub server: ServerArgs,
}
