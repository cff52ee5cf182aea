//! What panes show, for people.

use super::batch::Batch;
use super::server::{Server, TmuxError};
use tmux_interface::CapturePane;

impl Server {
    /// What each of these panes shows, with colours as escape sequences, in one run; nothing for a
    /// pane that tmux does not answer for.
    pub fn screens<'a>(
        &self,
        panes: impl IntoIterator<Item = &'a str>,
    ) -> Result<Vec<Option<String>>, TmuxError> {
        let mut batch = Batch::new();
        let capture = |pane| {
            let capture = CapturePane::new().stdout().escape_sequences();
            batch.ask(capture.target_pane(pane).build())
        };
        let slots: Vec<_> = panes.into_iter().map(capture).collect();
        let replies = self.run(&batch)?;
        Ok(slots.into_iter().map(|slot| replies.get(slot).map(str::to_owned)).collect())
    }
}
