//! The processes of this user that are in no pane: an agent may run in another terminal, and a
//! server of an agent nowhere.

use crate::processes::ProcessSource;
use madohub_detect::Process;
use std::cell::{OnceCell, RefCell};

/// Can list processes.
pub(super) trait List {
    /// The processes.
    fn list(&self) -> &[Process];
}

/// All processes of this user, listed when somebody first asks.
pub(super) struct Everyone<'a> {
    source: RefCell<&'a mut dyn ProcessSource>,
    list: OnceCell<Vec<Process>>,
}

impl std::fmt::Debug for Everyone<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Everyone").field("listed", &self.list.get().map(Vec::len)).finish()
    }
}

impl List for Everyone<'_> {
    fn list(&self) -> &[Process] {
        self.list.get_or_init(|| self.source.borrow_mut().everyone())
    }
}

impl<'a> Everyone<'a> {
    /// Nobody is listed yet; `known` are those of a moment ago.
    pub(super) fn new(source: &'a mut dyn ProcessSource, known: Option<Vec<Process>>) -> Self {
        Self {
            source: RefCell::new(source),
            list: known.map_or_else(OnceCell::new, OnceCell::from),
        }
    }

    /// What was listed, to be known a moment later.
    pub(super) fn into_list(self) -> Option<Vec<Process>> {
        self.list.into_inner()
    }
}
