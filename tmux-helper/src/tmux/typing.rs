//! Putting text into a pane, and pressing the key that sends it.
//!
//! tmux checks the pane's process once more at the moment itself: between our look and our command
//! the pane may have been respawned, have died, or show copy mode, which would take the keys.

use super::batch::Batch;
use super::ids::PaneId;
use std::hash::{BuildHasher as _, RandomState};
use tmux_interface::{DeleteBuffer, IfShell, PasteBuffer, SendKeys, SetBuffer};

/// The commands that put `text` into the pane as one paste, bracketed where its program asked for
/// that. Newlines stay newlines: what takes no bracketed paste gets Ctrl-J, not Enter.
///
/// The text goes through a buffer of a name that nobody else uses, and is gone from there
/// afterwards; the user's own buffers stay as they are.
pub fn paste(batch: &mut Batch, pane: PaneId, pid: i64, text: &str) {
    let word = RandomState::new().hash_one(0_u8);
    let buffer = format!("madohub-{word:016x}");
    batch.tell(SetBuffer::new().buffer_name(buffer.as_str()).data(text));
    let paste = PasteBuffer::new()
        .bracket_codes()
        .no_replacement()
        .buffer_name(buffer.as_str())
        .target_pane(pane.to_string());
    guarded(batch, pane, pid, &words(&paste.build()));
    batch.tell(DeleteBuffer::new().buffer_name(buffer));
}

/// The command that presses Enter in the pane.
pub fn enter(batch: &mut Batch, pane: PaneId, pid: i64) {
    let keys = SendKeys::new().target_pane(pane.to_string()).key("Enter");
    guarded(batch, pane, pid, &words(&keys.build()));
}

/// Runs a command of plain words if the pane is still the one that was looked at.
fn guarded(batch: &mut Batch, pane: PaneId, pid: i64, command: &str) {
    let free = "#{?pane_dead,0,#{?pane_in_mode,0,1}}";
    let same = format!("#{{&&:#{{==:#{{pane_pid}},{pid}}},{free}}}");
    batch.tell(
        IfShell::new()
            .not_execute()
            .target_pane(pane.to_string())
            .shell_command(same)
            .command(command),
    );
}

fn words(command: &tmux_interface::TmuxCommand<'_>) -> String {
    command.to_vec().join(" ")
}
