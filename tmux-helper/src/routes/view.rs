//! Panes as routes see them.

use crate::output::ListedPane;
use madohub_detect::Tracked;

/// One pane, whether it holds an agent or not.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PaneView {
    /// Its id, `%3`.
    pub id: String,
    /// `session:window.pane`, once for every session that shows it.
    pub places: Vec<String>,
    /// What the user called it, in the option `@madohub_role`.
    pub role: String,
    /// Name of its session.
    pub session: String,
    /// Name of its window.
    pub window: String,
    /// Title that its program set.
    pub title: String,
    /// Working directory of its agent.
    pub cwd: Option<String>,
    /// Process that it is known by.
    pub occupant: i64,
    /// State over time.
    pub tracked: Option<Tracked>,
    /// What is listed of it, where it holds an agent.
    pub listed: Option<ListedPane>,
}

impl PaneView {
    /// Whether it holds an agent.
    pub fn has_agent(&self) -> bool {
        self.tracked.as_ref().is_some_and(|tracked| tracked.detection.agent.is_agent())
    }

    /// Whether this is one of its names.
    pub fn is_called(&self, name: &str) -> bool {
        self.is_exactly(name) || [&self.role, &self.title, &self.window].iter().any(|n| *n == name)
    }

    /// Whether this is a name that only one pane can have.
    fn is_exactly(&self, name: &str) -> bool {
        self.id == name || self.places.iter().any(|place| place == name)
    }
}

/// The pane that a name means: its id or place; else the one with that role, else with that title,
/// else the one in a window of that name. Of several, the one that holds an agent.
pub fn resolve<'a>(panes: &'a [PaneView], name: &str) -> Result<&'a PaneView, String> {
    if let Some(pane) = panes.iter().find(|pane| pane.is_exactly(name)) {
        return Ok(pane);
    }
    let kinds: [fn(&PaneView) -> &str; 3] = [|p| &p.role, |p| &p.title, |p| &p.window];
    for value in kinds {
        let mut found: Vec<&PaneView> = panes.iter().filter(|pane| value(pane) == name).collect();
        if found.len() > 1 && found.iter().any(|pane| pane.has_agent()) {
            found.retain(|pane| pane.has_agent());
        }
        match found[..] {
            [] => {}
            [pane] => return Ok(pane),
            [..] => return Err(format!("{} panes are called `{name}`", found.len())),
        }
    }
    Err(format!("no pane is called `{name}`"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routes::memory::tests::agent_in;

    fn pane(id: &str, role: &str, title: &str, window: &str) -> PaneView {
        PaneView {
            id: id.to_owned(),
            places: vec![format!("main:1.{}", id.trim_start_matches('%'))],
            role: role.to_owned(),
            title: title.to_owned(),
            window: window.to_owned(),
            ..PaneView::default()
        }
    }

    #[test]
    fn a_name_means_one_pane_or_none() {
        let mut panes = vec![
            pane("%1", "reviewer", "claude", "build"),
            pane("%2", "", "reviewer", "build"),
            pane("%3", "", "twins", "web"),
            pane("%4", "", "twins", "web"),
            pane("%5", "", "shell", "pair"),
            pane("%6", "", "agent", "pair"),
        ];
        if let Some(agent) = panes.last_mut() {
            agent.tracked = Some(agent_in(madohub_detect::State::Idle, 1));
        }
        for (name, expected) in [
            ("%2", Ok("%2")),
            ("main:1.3", Ok("%3")),
            ("reviewer", Ok("%1")),
            ("claude", Ok("%1")),
            ("pair", Ok("%6")),
            ("twins", Err("2 panes are called `twins`")),
            ("build", Err("2 panes are called `build`")),
            ("nobody", Err("no pane is called `nobody`")),
            ("", Err("5 panes")),
        ] {
            let found = resolve(&panes, name).map(|pane| pane.id.as_str());
            match (found, expected) {
                (Ok(found), Ok(expected)) => assert_eq!(found, expected, "{name}"),
                (Err(why), Err(expected)) if !name.is_empty() => assert_eq!(why, expected),
                // The settings refuse an empty name.
                (_, Err(_)) => {}
                (found, _) => assert_eq!(found.ok(), None, "{name}"),
            }
        }
    }
}
