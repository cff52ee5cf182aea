//! What can be checked without a multiplexer: settings, rules, folders, processes, locale.

use super::finding;
use super::report::Report;
use crate::{Context, processes};
use madohub_detect::Glyphs;
use std::env;
use std::fs;
use std::path::Path;

pub(super) fn check(report: &mut Report, ctx: &Context) {
    settings(report, ctx);
    rules(report, ctx);
    folders(report, ctx);
    process_list(report);
}

fn settings(report: &mut Report, ctx: &Context) {
    let file = ctx.paths().config_file();
    match ctx.config() {
        Ok(_) if !file.exists() => report
            .ok("settings", format!("the defaults are in force; there is no {}", file.display())),
        Ok(config) => {
            report.ok("settings", format!("{} is in force", file.display()));
            let variable = ["LC_ALL", "LC_CTYPE", "LANG"]
                .into_iter()
                .filter_map(env::var_os)
                .find(|v| !v.is_empty());
            let locale = variable.unwrap_or_default().to_string_lossy().to_lowercase();
            let utf8 = locale.contains("utf-8") || locale.contains("utf8");
            if config.looks.glyphs == Glyphs::Unicode && !utf8 && !locale.is_empty() {
                report.note(
                    "glyphs",
                    "the locale is not UTF-8, so that ● and ✓ may not be shown",
                    "Set LANG to a UTF-8 locale, or glyphs = \"ascii\" in the settings.",
                );
            }
        }
        Err(error) => {
            let (what, remedy) = finding(&error);
            report.wrong("settings", what, remedy);
        }
    }
}

fn rules(report: &mut Report, ctx: &Context) {
    match ctx.rules() {
        Ok((rules, problems)) => {
            let agents = rules.agents();
            let own = agents.iter().filter(|agent| agent.source != "built-in").count();
            let own = if own > 0 {
                format!(", {own} of them with files of yours")
            } else {
                String::new()
            };
            report.ok("rules", format!("{} agents are known{own}", agents.len()));
            for problem in problems {
                report.wrong(
                    "rules",
                    format!("a file is left out: {problem}"),
                    "Correct it, then run `madohub rules check FILE` and `madohub tmux restart`.",
                );
            }
        }
        Err(error) => {
            let (what, remedy) = finding(&error);
            report.wrong("rules", what, remedy);
        }
    }
}

fn folders(report: &mut Report, ctx: &Context) {
    let runtime = &ctx.paths().runtime_dir;
    if fs::symlink_metadata(runtime).is_err() {
        let parent = runtime.parent().unwrap_or(Path::new("/"));
        if is_writable(parent) {
            report.ok("folders", format!("{} will be made when it is needed", runtime.display()));
        } else {
            report.wrong(
                "folders",
                format!(
                    "{} cannot be made: {} cannot be written to",
                    runtime.display(),
                    parent.display()
                ),
                "Set XDG_RUNTIME_DIR to a folder of your own (mode 0700).",
            );
        }
        return;
    }
    match ctx.paths().check_runtime_dir() {
        Ok(dir) => report.ok("folders", format!("{} is for you alone", dir.display())),
        Err(error) => {
            let (what, remedy) = finding(&error);
            report.wrong("folders", what, remedy);
        }
    }
}

fn is_writable(dir: &Path) -> bool {
    rustix::fs::access(dir, rustix::fs::Access::WRITE_OK).is_ok()
}

fn process_list(report: &mut Report) {
    let own = i64::from(std::process::id());
    let mut source = processes::source();
    source.begin();
    let found = source.tree(own).unwrap_or_default();
    if found.iter().any(|process| process.pid == own && !process.argv.is_empty()) {
        report.ok("processes", "the process list can be read");
    } else {
        report.wrong(
            "processes",
            "the process list cannot be read: agents are told by their screens alone",
            "On Linux, see that /proc is mounted, and readable for you (hidepid).",
        );
    }
}
