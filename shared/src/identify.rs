//! Which agent a pane holds.

/// Rule id of evidence that the pane's shell itself is in the foreground.
pub const RULE_SHELL_PROMPT: &str = "process.shell";
/// Rule id of evidence that a program that is no agent is in the foreground.
pub const RULE_SHELL_COMMAND: &str = "process.command";
