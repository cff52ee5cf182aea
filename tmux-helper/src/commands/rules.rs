//! `madohub rules`: the rule files in force.

use crate::cli::{RulesArgs, RulesCommand};
use crate::config::{read_rule_file, rule_files};
use crate::output::{clean, width};
use crate::{Context, Error, Exit};
use madohub_detect::{AgentInfo, RuleFile, RuleSet};
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::Path;

/// Runs the command.
pub(super) fn run(args: &RulesArgs, ctx: &Context) -> Result<Exit, Error> {
    let text = match &args.command {
        RulesCommand::List { json: true } => {
            let agents = super::rules_in_force(ctx)?.agents();
            let mut text = serde_json::to_string_pretty(&agents).map_err(io::Error::from)?;
            text.push('\n');
            text
        }
        RulesCommand::List { json: false } => table(&super::rules_in_force(ctx)?.agents()),
        RulesCommand::Show { agent } => show(agent, &rule_files(&ctx.paths().agents_dir()).0)?,
        RulesCommand::Check { file } => check(file)?,
    };
    io::stdout().lock().write_all(text.as_bytes())?;
    Ok(Exit::Ok)
}

fn table(agents: &[AgentInfo]) -> String {
    let heading =
        ["AGENT", "NAME", "RULES", "LOG RULES", "CHECKED WITH", "FROM"].map(str::to_owned);
    let mut rows = vec![heading];
    rows.extend(agents.iter().map(|agent| {
        [
            agent.id.clone(),
            clean(&agent.name),
            agent.rules.to_string(),
            agent.log_rules.to_string(),
            clean(&agent.checked_with.join(", ")),
            clean(&agent.source),
        ]
    }));
    let mut widths = [0; 6];
    for row in &rows {
        for (most, cell) in widths.iter_mut().zip(row) {
            *most = (*most).max(width(cell));
        }
    }
    let mut out = String::new();
    for row in &rows {
        let mut line = String::new();
        for (cell, most) in row.iter().zip(widths) {
            let _ = write!(line, "{cell}{}", " ".repeat(most.saturating_sub(width(cell)) + 2));
        }
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out
}

/// The files of one agent, the built-in one first: each as it is, so that it can be copied.
fn show(agent: &str, user: &[RuleFile]) -> Result<String, Error> {
    let mut texts: Vec<(&str, &str)> =
        RuleSet::builtin_text(agent).map(|text| ("built-in", text)).into_iter().collect();
    texts.extend(
        user.iter()
            .filter(|file| id_of(&file.text).as_deref() == Some(agent))
            .map(|file| (file.name.as_str(), file.text.as_str())),
    );
    if texts.is_empty() {
        return Err(Error::failed(format!("no rule file is about `{}`", clean(agent)))
            .remedy("`madohub rules list` shows the agents that are known."));
    }
    let mut out = String::new();
    for (name, text) in &texts {
        if texts.len() > 1 {
            let _ = writeln!(out, "# ---- {} ----", clean(name));
        }
        out.push_str(text);
        if !text.ends_with('\n') {
            out.push('\n');
        }
    }
    Ok(out)
}

/// The agent that a rule file is about, also where the rest of it cannot be used.
fn id_of(text: &str) -> Option<String> {
    text.parse::<toml::Table>().ok()?.get("id")?.as_str().map(str::to_owned)
}

fn check(file: &Path) -> Result<String, Error> {
    let info = RuleSet::check(&read_rule_file(file)?).map_err(|error| {
        Error::usage(error.to_string()).remedy("The file is left out until this is corrected.")
    })?;
    Ok(format!(
        "{}: ok: agent {}, {} rules and {} log rules in force with it\n",
        file.display(),
        info.id,
        info.rules,
        info.log_rules
    ))
}
