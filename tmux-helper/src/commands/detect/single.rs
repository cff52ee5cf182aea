//! One observation given by arguments, answered for people.

use crate::cli::{DetectArgs, Input};
use crate::input;
use crate::output::clean;
use crate::{Error, Exit};
use madohub_detect::{Detection, Observation, RuleSet, State, detect};
use std::fmt::Write as _;
use std::io::{self, Write as _};

/// Detects what the arguments describe.
pub(super) fn run(args: &DetectArgs, rules: &RuleSet) -> Result<Exit, Error> {
    let detection = detect(rules, &observe(args)?);
    let mut out = io::stdout().lock();
    if args.json {
        serde_json::to_writer(&mut out, &detection).map_err(io::Error::from)?;
        writeln!(out)?;
    } else {
        out.write_all(for_people(&detection).as_bytes())?;
    }
    Ok(Exit::Ok)
}

fn observe(args: &DetectArgs) -> Result<Observation, Error> {
    let mut seen = Observation {
        id: args.screen.as_ref().map_or_else(|| "-".to_owned(), input::name),
        title: args.title.clone(),
        agent_hint: args.agent.clone(),
        ..Observation::default()
    };
    if let Some(screen) = &args.screen {
        seen.screen = Some(input::screen_rows(&input::read_text(screen)?));
    }
    if let Some(processes) = &args.processes {
        seen.processes = Some(read_processes(processes)?);
    }
    if let Some(log) = &args.log {
        seen.log = Some(input::read_log(log)?);
    }
    Ok(seen)
}

fn read_processes(from: &Input) -> Result<Vec<madohub_detect::Process>, Error> {
    input::parse_processes(&input::read_text(from)?).map_err(|what| {
        Error::usage(format!("cannot use the processes in {}: {what}", input::name(from)))
            .remedy(format!("Make them with `ps -e -o {}`, or as JSON.", input::PS_COLUMNS))
    })
}

/// Agent, state, and what says so.
fn for_people(detection: &Detection) -> String {
    let mut agent = detection.agent_name.clone().unwrap_or_else(|| detection.agent.to_string());
    if let Some(version) = &detection.agent_version {
        let _ = write!(agent, " {version}");
    }
    let mut state = detection.state.to_string();
    if let Some(reason) = &detection.reason {
        let _ = write!(state, ": {reason}");
    }
    if detection.background > 0 {
        let _ = write!(state, ", {} in background", detection.background);
    }
    let mut out = format!("agent   {}\nstate   {}\n", clean(&agent), clean(&state));
    let mut label = "because";
    for evidence in &detection.evidence {
        let _ = write!(out, "{label} {} {}", evidence.via.as_str(), clean(&evidence.rule));
        if let Some((first, last)) = evidence.rows {
            let _ = match last.saturating_sub(first) {
                0 => write!(out, ", row {}", first + 1),
                _ => write!(out, ", rows {}-{}", first + 1, last + 1),
            };
        }
        if let Some(text) = &evidence.text {
            let _ = write!(out, ": {}", clean(text));
        }
        out.push('\n');
        label = "       ";
    }
    if detection.state == State::Unknown && detection.evidence.is_empty() {
        out.push_str("because no rule matched; `madohub explain` shows what was tried\n");
    }
    out
}
