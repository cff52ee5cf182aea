//! What the end-to-end tests, the demo, the README picture and the daemon benchmark share: a
//! private world of folders and sockets, real tmux servers and clients in it, agents that replay
//! recorded screens, and a reader for the colours that a terminal shows.
//!
//! Everything here panics with a full account of what it saw when something is not as expected:
//! its callers are tests and tools for which that is the answer.

#![forbid(unsafe_code)]
#![allow(
    clippy::cast_precision_loss,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    clippy::panic,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "a harness reports by panicking and counts in cells"
)]

mod agent;
mod borders;
mod broker;
mod built;
mod corpus;
mod cost;
mod env;
mod mqtt;
mod options;
mod product;
mod proxy;
#[cfg(feature = "real-agents")]
pub mod real;
pub mod recording;
mod reporter;
mod screen;
mod sgr;
mod simulated;
mod stage;
mod svg;
mod talker;
mod tmux;
mod verdicts;
mod versions;
mod wait;
mod zellij;

pub use agent::{Agent, AgentCommand};
pub use borders::{PaneBox, Side};
pub use broker::{Broker, BrokerOptions};
pub use corpus::corpus;
pub use cost::{CpuTime, bytes_read, resident};
pub use env::TestEnv;
pub use mqtt::Mqtt;
pub use options::OptionsSnapshot;
pub use product::{Event, ListRow, Madohub, Watch, assert_ends};
pub use proxy::Proxy;
pub use reporter::Reporter;
pub use screen::{Cell, Colour, Hue, Screen, Style};
pub use simulated::{SimulatedHosts, simulated_pane, simulated_presence};
pub use stage::{ClientRecord, Stage, StageOptions};
pub use svg::{Picture, svg};
pub use talker::TALKER;
pub use tmux::{Tmux, TmuxProgram};
pub use verdicts::{Verdict, as_value, dialect, verdicts};
pub use versions::tmux_programs;
pub use wait::{default_timeout, wait_for, wait_until};
pub use zellij::{
    Listener, STATE_COLOURS, WITNESS, ZellijOptions, ZellijPane, ZellijStage, zellij_program,
};
