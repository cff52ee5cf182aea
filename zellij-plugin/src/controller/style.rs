//! The frame style in force, seen from where panes have their content.

use crate::event::{FrameStyle, PaneFacts, PaneId};
use std::collections::BTreeMap;

/// How many panes are looked at to tell the style.
const SAMPLES: usize = 3;

/// Panes that tell the style: tiled ones of the tab that has most of them.
pub(super) fn samples(panes: &[PaneFacts]) -> Vec<PaneId> {
    let tabs = tiled(panes);
    let most = tabs.into_values().max_by_key(Vec::len).unwrap_or_default();
    most.into_iter().take(SAMPLES).map(|pane| pane.id).collect()
}

/// The frame style in force, from where tiled panes have their content; none where it cannot be
/// told (a tab with one pane looks the same in two styles).
pub(super) fn frame_style(panes: &[PaneFacts]) -> Option<FrameStyle> {
    let tabs = tiled(panes);
    let offsets = || tabs.values().flatten().map(|pane| pane.content_offset);
    if offsets().any(|(x, _)| x > 0) {
        return Some(FrameStyle::Full);
    }
    if offsets().any(|(_, y)| y > 0) {
        return Some(FrameStyle::Titles);
    }
    tabs.values().any(|tab| tab.len() > 1).then_some(FrameStyle::None)
}

/// The tiled panes of each tab.
fn tiled(panes: &[PaneFacts]) -> BTreeMap<usize, Vec<&PaneFacts>> {
    let mut tabs = BTreeMap::<usize, Vec<&PaneFacts>>::new();
    for pane in panes.iter().filter(|p| !p.floating && !p.suppressed) {
        tabs.entry(pane.tab).or_default().push(pane);
    }
    tabs
}
