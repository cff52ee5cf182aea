//! The names that we use inside tmux. Those without a remark are for the formats of users too.

/// Options of a pane that holds an agent.
pub mod pane {
    /// State, `working`.
    pub const STATE: &str = "@madohub_state";
    /// Id of the agent.
    pub const AGENT: &str = "@madohub_agent";
    /// Glyph of the state.
    pub const ICON: &str = "@madohub_icon";
    /// Style of the state, `fg=#ffa000,bold`; empty where the user's own border stays.
    pub const STYLE: &str = "@madohub_style";
    /// When the pane entered the state, seconds since the epoch.
    pub const SINCE: &str = "@madohub_since";
    /// Reason of the state.
    pub const REASON: &str = "@madohub_reason";
    /// Reason where it says more than the state, else the state.
    pub const WHAT: &str = "@madohub_what";
    /// Background work, `+2`.
    pub const BACKGROUND: &str = "@madohub_background";
    /// The other style of a pane that pulses.
    pub const PULSE: &str = "@madohub_pulse";
    /// Cells that the whole label takes.
    pub const WIDE: &str = "@madohub_wide";

    /// All of them.
    pub const ALL: [&str; 10] =
        [STATE, AGENT, ICON, STYLE, SINCE, REASON, WHAT, BACKGROUND, PULSE, WIDE];
}

/// Options that are the user's to set, and that we only read.
pub mod user {
    /// The user's own name for a pane.
    pub const ROLE: &str = "@madohub_role";
}

/// Options of a window that holds an agent.
pub mod window {
    /// State of the pane that needs a person most.
    pub const STATE: &str = "@madohub_window_state";
    /// Which of tmux's own options of this window we set, and whether it had own values before;
    /// an entry for each, `option=own` or `option=none`.
    pub const SAVED: &str = "@madohub_saved";
}

/// Global options.
pub mod global {
    /// The segment as the settings want it, with styles.
    pub const STATUS: &str = "@madohub_status";
    /// One number per state, without styles.
    pub const COUNTS: &str = "@madohub_counts";
    /// Internal: the clock, expanded with `#{T:…}`.
    pub const CLOCK: &str = "@madohub_clock";
    /// Internal: what `pane-border-style` of our windows expands.
    pub const BORDER: &str = "@madohub_border";
    /// Internal: what `pane-active-border-style` of our windows expands.
    pub const ACTIVE_BORDER: &str = "@madohub_active_border";
    /// Internal: what `pane-border-format` of our windows expands.
    pub const LABEL: &str = "@madohub_label";

    /// All of them, but for the copies of the user's own values.
    pub const ALL: [&str; 6] = [STATUS, COUNTS, CLOCK, BORDER, ACTIVE_BORDER, LABEL];
}

/// Variables of tmux's own environment, hidden from the panes.
pub mod environment {
    /// Second of the daemon's last sign of life.
    pub const BEAT: &str = "MADOHUB_BEAT";
    /// Half of the pulse, `0` or `1`.
    pub const PHASE: &str = "MADOHUB_PHASE";

    /// All of them.
    pub const ALL: [&str; 2] = [BEAT, PHASE];
}
