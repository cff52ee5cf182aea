//! `madohub record`: A moment of a pane as a case for the corpus.

mod redact;

use crate::cli::RecordArgs;
use crate::output::clean;
use crate::{Context, Error, Exit, user_files};
use madohub_detect::{Observation, detect};
use redact::{Names, Redactor};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{IsTerminal as _, Write as _, stdin, stdout};
use std::path::Path;
use std::sync::Arc;

/// Name of a case where the folder's own cannot be one.
const UNNAMED: &str = "case";

/// Runs the command.
pub(super) fn run(args: &RecordArgs, ctx: &Context) -> Result<Exit, Error> {
    if args.dir.join("observation.json").exists() {
        return Err(Error::usage(format!("{} holds a case already", args.dir.display()))
            .remedy("Name another folder."));
    }
    let rules = Arc::new(super::rules_in_force(ctx)?);
    let (mut seen, _) = super::explain::observe(&args.pane, &args.server, Arc::clone(&rules), ctx)?;
    // The log holds prompts and answers; the screen is enough for a rule.
    (seen.log, seen.hook, seen.now, seen.previous) = (None, None, None, None);
    let unnamed = detect(&rules, &seen).agent.to_string();
    let (observation, counts) = redacted(&seen, &names(), &name_of(&args.dir, &unnamed))?;
    let seen: Observation = serde_json::from_value(observation.clone())
        .map_err(|error| Error::failed(format!("the recording cannot be read again: {error}")))?;
    let verdict = detect(&rules, &seen);
    let expected = json!({
        "agent": verdict.agent,
        "state": verdict.state,
        "screen_accept": [verdict.state],
        "note": "",
    });
    stdout().write_all(summary(&seen, &expected, &counts).as_bytes())?;
    if !args.yes && !agreed(&args.dir)? {
        return Err(Error::failed("nothing was written"));
    }
    for (name, value) in [("observation.json", &observation), ("expected.json", &expected)] {
        let mut text = serde_json::to_string_pretty(value)
            .map_err(|error| Error::failed(error.to_string()))?;
        text.push('\n');
        user_files::write(&args.dir.join(name), text.as_bytes())?;
    }
    let dir = args.dir.display().to_string();
    writeln!(
        stdout(),
        "Written. Now correct {}/expected.json to the truth: it holds what was answered.",
        clean(&dir)
    )?;
    Ok(Exit::Ok)
}

fn names() -> Names {
    let var = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    Names { home: var("HOME"), user: var("USER").or_else(|| var("LOGNAME")), host: Some(host) }
}

/// `agent/case`, by the folder's name; a version in front is for the corpus to add.
fn name_of(dir: &Path, agent: &str) -> String {
    let name = dir.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let name: String = name.chars().map(|c| if is_plain(c) { c } else { '-' }).collect();
    let name = if name.is_empty() { UNNAMED.to_owned() } else { name };
    format!("{agent}/{name}")
}

type Counts = Vec<(&'static str, usize)>;

/// The recording as it is written, and how much was replaced.
fn redacted(seen: &Observation, names: &Names, id: &str) -> Result<(Value, Counts), Error> {
    let failed = |error: &dyn std::fmt::Display| Error::failed(error.to_string());
    let mut value = serde_json::to_value(seen).map_err(|error| failed(&error))?;
    let mut redactor = Redactor::new(names).map_err(|error| failed(&error))?;
    redactor.value(&mut value);
    if let Value::Object(fields) = &mut value {
        fields.insert("id".to_owned(), json!(id));
        fields.remove("pane");
    }
    Ok((value, redactor.counts.into_iter().collect()))
}

/// What would be written, for the person who has to agree.
fn summary(seen: &Observation, expected: &Value, counts: &Counts) -> String {
    let mut out = String::new();
    for row in seen.screen.iter().flatten() {
        let _ = writeln!(out, "│ {}", clean(row));
    }
    if let Some(title) = &seen.title {
        let _ = writeln!(out, "title      {}", clean(title));
    }
    for process in seen.processes.iter().flatten() {
        let _ = writeln!(out, "process    {}", clean(&process.argv.join(" ")));
    }
    let word = |key: &str| expected.get(key).and_then(Value::as_str).unwrap_or_default();
    let _ = writeln!(out, "answer     {} {}", word("agent"), word("state"));
    let counts: Vec<String> = counts.iter().map(|(kind, n)| format!("{kind} {n}×")).collect();
    let counts = if counts.is_empty() { "nothing".to_owned() } else { counts.join(", ") };
    let _ = writeln!(out, "replaced   {counts}");
    out
}

fn agreed(dir: &Path) -> Result<bool, Error> {
    if !stdin().is_terminal() {
        return Err(Error::usage("nobody is there to agree that this is written")
            .remedy("Read what is shown above, and add --yes."));
    }
    super::asked(&format!("Write this to {}?", clean(&dir.display().to_string())))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a failing test may panic")]

    use super::*;

    #[test]
    fn a_case_is_named_by_its_folder() {
        for (dir, id) in [
            ("wrong-state", "claude/wrong-state"),
            ("/tmp/a b/ü", "claude/-"),
            ("..", "claude/case"),
            ("a/b.c", "claude/b.c"),
        ] {
            assert_eq!(name_of(Path::new(dir), "claude"), id);
        }
    }

    #[test]
    fn what_is_shown_is_what_is_written() {
        let seen = Observation {
            id: "%3".to_owned(),
            pane: Some("%3".to_owned()),
            screen: Some(vec!["alice \x1b[2J".to_owned()]),
            title: Some("at alice's".to_owned()),
            ..Observation::default()
        };
        let names = Names { user: Some("alice".to_owned()), ..Names::default() };
        let (value, counts) = redacted(&seen, &names, "claude/x").unwrap();
        assert!(!value.to_string().contains("alice"), "{value}");
        assert_eq!((value["id"].as_str(), value.get("pane")), (Some("claude/x"), None));
        let written: Observation = serde_json::from_value(value).unwrap();
        let expected = json!({"agent": "claude", "state": "idle"});
        assert_eq!(
            summary(&written, &expected, &counts),
            "│ user ␛[2J\ntitle      at user's\nanswer     claude idle\nreplaced   user name 2×\n"
        );
    }
}
