//! `madohub zellij`: the plugin in its place, and out of it.

use super::asked;
use crate::cli::{ZellijArgs, ZellijCommand};
use crate::zellij::{Change, EXPLAINED, Places, Plan, State, Version};
use crate::{Context, Error, Exit};
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Runs the command.
pub(super) fn run(args: &ZellijArgs, ctx: &Context) -> Result<Exit, Error> {
    let places = Places::from_env(ctx.paths());
    match &args.command {
        ZellijCommand::Install { yes, grant, plugin, dry_run } => {
            install(&places, *yes, *grant, plugin.as_deref(), *dry_run)
        }
        ZellijCommand::Uninstall => uninstall(&places),
        ZellijCommand::Status { json } => status(&places, *json),
    }
}

fn install(
    places: &Places,
    yes: bool,
    grant: bool,
    plugin: Option<&Path>,
    dry_run: bool,
) -> Result<Exit, Error> {
    let shipped = match plugin {
        Some(path) => path.to_owned(),
        None => Places::shipped_plugin().ok_or_else(|| {
            Error::usage("there is no plugin beside this program")
                .remedy("Install with ./install.sh, or name the file with --plugin FILE.")
        })?,
    };
    let helper = std::env::current_exe()
        .and_then(|path| path.canonicalize())
        .unwrap_or_else(|_| PathBuf::from("madohub"));
    let plan = Plan::new(places.clone(), &shipped, &helper.display().to_string())?;
    say(&described(&plan.changes()))?;
    if dry_run {
        return Ok(Exit::Ok);
    }
    if !yes && !asked("Write this?")? {
        say("Nothing was written. `--yes` writes without asking.\n")?;
        return Ok(Exit::No);
    }
    say(&explained(places))?;
    let grant = grant || (!yes && asked("Grant these now, so that zellij does not ask?")?);
    plan.apply(grant)?;
    say(&next_steps(grant))?;
    Ok(Exit::Ok)
}

fn described(changes: &[Change]) -> String {
    let mut out = String::from("This will\n");
    for change in changes {
        let _ = writeln!(out, "  {}: {}", change.what, change.path.display());
        for line in change.lines.lines() {
            let _ = writeln!(out, "    | {line}");
        }
    }
    out
}

fn explained(places: &Places) -> String {
    let mut out = String::from("The plugin needs these permissions of zellij:\n");
    let widest = EXPLAINED.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, why) in EXPLAINED {
        let _ = writeln!(out, "  {name:widest$}  {why}");
    }
    let _ = writeln!(out, "They are kept in {}", places.permissions.display());
    out
}

fn next_steps(granted: bool) -> String {
    let mut out = String::from("Done. A new session shows it:  zellij --layout madohub\n");
    if !granted {
        out.push_str(
            "zellij will ask once for the permissions; answer `y` in the window it shows.\n",
        );
    }
    if let Some(note) = version_note() {
        out.push_str(&note);
    }
    out
}

/// What to know about the zellij on this machine, where there is something.
fn version_note() -> Option<String> {
    let oldest = Version::OLDEST;
    let Some(version) = Version::here() else {
        return Some(format!("There is no `zellij` in the PATH; it needs {oldest} or newer.\n"));
    };
    let old = version < oldest;
    old.then(|| format!("zellij {version} is too old: it needs {oldest} or newer.\n"))
}

fn uninstall(places: &Places) -> Result<Exit, Error> {
    let done = State::undo(places)?;
    let mut out = String::new();
    for change in &done {
        let _ = writeln!(out, "{}: {}", change.what, change.path.display());
    }
    if done.is_empty() {
        out.push_str("Nothing was installed.\n");
    } else {
        out.push_str("Sessions that run keep the plugin until they end.\n");
    }
    say(&out)?;
    Ok(Exit::Ok)
}

fn status(places: &Places, json: bool) -> Result<Exit, Error> {
    let state = State::read(places)?;
    if json {
        let mut text = serde_json::to_string(&state).map_err(io::Error::from)?;
        text.push('\n');
        say(&text)?;
    } else {
        let mut out = String::new();
        let rows = [
            (state.plugin, "plugin", &places.plugin),
            (state.loaded, "loaded by", &places.config),
            (state.layout, "layout", &places.layout),
            (state.granted, "permissions", &places.permissions),
        ];
        for (there, what, path) in rows {
            let word = if there { "yes" } else { "no" };
            let _ = writeln!(out, "{word:4} {what:12} {}", path.display());
        }
        out.push_str(&version_note().unwrap_or_default());
        say(&out)?;
    }
    Ok(if state.plugin && state.loaded { Exit::Ok } else { Exit::No })
}

fn say(text: &str) -> Result<(), Error> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}
