//! End-to-end tests in real terminal multiplexers.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "tests report by panicking"
)]

mod documents;
mod fleet;
mod harness;
mod plugin_corpus;
mod plugin_dialect;
mod tmux_borders;
mod tmux_colours;
mod tmux_dash;
mod tmux_doctor;
mod tmux_entry;
mod tmux_events;
mod tmux_hooks;
mod tmux_hostile;
mod tmux_lifecycle;
mod tmux_notify;
mod tmux_options;
mod tmux_outputs;
mod tmux_panes;
mod tmux_record;
mod tmux_redraws;
mod tmux_routes;
mod tmux_run;
mod tmux_secrets;
mod tmux_segment;
mod tmux_send;
mod tmux_versions;
mod zellij_dash;
mod zellij_fallbacks;
mod zellij_frames;
mod zellij_helper;
mod zellij_places;
mod zellij_run;
mod zellij_sessions;
mod zellij_themes;
mod zellij_zjstatus;
