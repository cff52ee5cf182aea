//! tmux's own options that we set on a window, and how they are put back.
//!
//! What the user had is kept inside tmux: [`window::SAVED`] lists the options that we set, each
//! with whether the window had a value of its own; that value is kept in [`Taken::copy`]. So it
//! can be put back byte for byte by anyone, also after the daemon was killed. Copies are made
//! inside tmux (`set -F`), so that no value is ever quoted by us.

use super::batch::{Batch, Replies, Slot};
use super::ids::WindowId;
use super::names::window;
use std::fmt::Write as _;
use tmux_interface::{SetOption, ShowOptions};

/// An option of tmux that we set on windows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// `pane-border-style`
    Border,
    /// `pane-active-border-style`
    ActiveBorder,
    /// `pane-border-format`
    Label,
    /// `pane-border-status`
    Status,
}

impl Taken {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Border, Self::ActiveBorder, Self::Label, Self::Status];

    /// tmux's name of it.
    pub const fn option(self) -> &'static str {
        match self {
            Self::Border => "pane-border-style",
            Self::ActiveBorder => "pane-active-border-style",
            Self::Label => "pane-border-format",
            Self::Status => "pane-border-status",
        }
    }

    /// Our option with the user's own value: of the window where it had one, and global for all
    /// other windows.
    pub const fn copy(self) -> &'static str {
        match self {
            Self::Border => "@madohub_user_border",
            Self::ActiveBorder => "@madohub_user_active_border",
            Self::Label => "@madohub_user_label",
            Self::Status => "@madohub_user_status",
        }
    }

    /// What we set it to.
    const fn ours(self) -> &'static str {
        match self {
            Self::Border => "#{E:@madohub_border}",
            Self::ActiveBorder => "#{E:@madohub_active_border}",
            Self::Label => "#{E:@madohub_label}",
            Self::Status => "top",
        }
    }

    /// Format that says `1` while a window's value of it is ours.
    pub fn is_ours_format(self) -> String {
        // The value itself, not what it expands to.
        format!(
            "#{{==:#{{{}}},{}}}",
            self.option(),
            self.ours().replace('#', "##").replace('}', "#}")
        )
    }

    /// Whether [`window::SAVED`] names the option.
    pub fn is_in(self, saved: &str) -> bool {
        self.saved_as(saved).is_some()
    }

    /// Whether the window had its own value, by [`window::SAVED`].
    fn saved_as(self, saved: &str) -> Option<bool> {
        saved.split(' ').find_map(|entry| {
            let (name, own) = entry.split_once('=')?;
            (name == self.option()).then_some(own == "own")
        })
    }
}

/// The question for a window's own values.
#[derive(Debug)]
pub struct OwnValues {
    window: WindowId,
    slots: Vec<(Taken, Slot)>,
}

impl OwnValues {
    /// Asks for what the window itself has of these options.
    pub fn ask(batch: &mut Batch, id: WindowId, options: &[Taken]) -> Self {
        let ask = |taken: Taken| {
            let show = ShowOptions::new().window().value().target_pane(id.to_string());
            show.option(taken.option()).build()
        };
        let slots = options.iter().map(|taken| (*taken, batch.ask(ask(*taken)))).collect();
        Self { window: id, slots }
    }

    /// Sets the options on the window after what it had is saved. `saved` is what
    /// [`window::SAVED`] says already: an option in it is not saved again.
    pub fn take(&self, replies: &Replies, saved: &str, batch: &mut Batch) -> String {
        let id = self.window;
        let mut list = saved.to_owned();
        for (taken, slot) in &self.slots {
            if taken.is_in(&list) {
                continue;
            }
            // An empty value of its own prints an empty line, no value prints nothing.
            let own = replies.get(*slot).is_some_and(|answer| !answer.is_empty());
            if own {
                batch.tell(copy(id, taken.copy(), taken.option()));
            } else {
                batch.tell(unset(id, taken.copy()));
            }
            let word = if own { "own" } else { "none" };
            if !list.is_empty() {
                list.push(' ');
            }
            let _ = write!(list, "{}={word}", taken.option());
        }
        batch.tell(set(id, window::SAVED, &list));
        for (taken, _) in &self.slots {
            batch.tell(set(id, taken.option(), taken.ours()));
        }
        list
    }
}

/// Puts options of a window back. `saved` is its [`window::SAVED`]; `ours` says whether its value
/// is still the one that we set: what the user changed since is left alone. Answers the rest of
/// the list.
pub fn give_back(
    batch: &mut Batch,
    id: WindowId,
    saved: &str,
    which: &[Taken],
    ours: impl Fn(Taken) -> bool,
) -> String {
    let mut rest = Vec::new();
    for taken in Taken::ALL {
        let Some(own) = taken.saved_as(saved) else { continue };
        if !which.contains(&taken) {
            rest.push(format!("{}={}", taken.option(), if own { "own" } else { "none" }));
            continue;
        }
        if ours(taken) {
            if own {
                batch.tell(copy(id, taken.option(), taken.copy()));
            } else {
                batch.tell(unset(id, taken.option()));
            }
        }
        batch.tell(unset(id, taken.copy()));
    }
    let rest = rest.join(" ");
    if rest.is_empty() {
        batch.tell(unset(id, window::SAVED));
    } else {
        batch.tell(set(id, window::SAVED, &rest));
    }
    rest
}

fn set<'a>(id: WindowId, option: &'a str, value: &'a str) -> tmux_interface::TmuxCommand<'a> {
    SetOption::new().window().target_pane(id.to_string()).option(option).value(value).build()
}

fn unset(id: WindowId, option: &str) -> tmux_interface::TmuxCommand<'_> {
    SetOption::new().window().unset().quiet().target_pane(id.to_string()).option(option).build()
}

/// Copies the value of one option to another, as it is.
fn copy<'a>(id: WindowId, to: &'a str, from: &str) -> tmux_interface::TmuxCommand<'a> {
    let value = format!("#{{{from}}}");
    SetOption::new().window().format().target_pane(id.to_string()).option(to).value(value).build()
}
