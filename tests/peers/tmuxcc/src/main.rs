//! The detectors of tmuxcc on our recorded screens: see [`common`].
#![allow(clippy::unwrap_used, reason = "a benchmark may fail loudly")]

#[path = "../../common.rs"]
mod common;

use madohub_detect::State;
use tmuxcc::agents::AgentStatus;
use tmuxcc::parsers::{
    AgentParser, ClaudeCodeParser, CodexCliParser, GeminiCliParser, OpenCodeParser,
};

fn main() {
    let claude = ClaudeCodeParser::new();
    let codex = CodexCliParser::new();
    let gemini = GeminiCliParser::new();
    let opencode = OpenCodeParser::new();
    common::compare("tmuxcc 0.1.7", |case| {
        let parser: &dyn AgentParser = match case.agent.as_str() {
            "claude" => &claude,
            "codex" => &codex,
            "gemini" => &gemini,
            _ => &opencode,
        };
        match parser.parse_status(&case.text) {
            AgentStatus::Idle => common::ends(),
            AgentStatus::Processing { .. } => vec![State::Working],
            AgentStatus::AwaitingApproval { .. } => vec![State::Waiting],
            AgentStatus::Error { .. } => vec![State::Failed, State::Stopped],
            AgentStatus::Unknown => vec![State::Unknown],
        }
    });
}
