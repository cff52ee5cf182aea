//! The detectors of tmai on our recorded screens: see [`common`].
#![allow(clippy::unwrap_used, reason = "a benchmark may fail loudly")]

#[path = "../../common.rs"]
mod common;

use madohub_detect::State;
use tmai_core::agents::{AgentStatus, AgentType};
use tmai_core::detectors::get_detector;

fn main() {
    common::compare("tmai-core 1.7.0", |case| {
        let agent = match case.agent.as_str() {
            "claude" => AgentType::ClaudeCode,
            "codex" => AgentType::CodexCli,
            "gemini" => AgentType::GeminiCli,
            _ => AgentType::OpenCode,
        };
        match get_detector(&agent).detect_status(&case.title, &case.text) {
            AgentStatus::Idle => common::ends(),
            AgentStatus::Processing { .. } => vec![State::Working],
            AgentStatus::AwaitingApproval { .. } => vec![State::Waiting],
            AgentStatus::Error { .. } => vec![State::Failed, State::Stopped],
            AgentStatus::Offline | AgentStatus::Unknown => vec![State::Unknown],
        }
    });
}
