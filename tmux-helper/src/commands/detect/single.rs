//! One observation given by arguments, answered for people.

use crate::cli::{DetectArgs, Input};
use crate::commands::stream::write_json;
use crate::input;
use crate::output::verdict;
use crate::{Error, Exit};
use madohub_detect::{Observation, RuleSet, detect};
use std::io::{self, Write as _};

/// Detects what the arguments describe.
pub(super) fn run(args: &DetectArgs, rules: &RuleSet) -> Result<Exit, Error> {
    let detection = detect(rules, &observe(args)?);
    let mut out = io::stdout().lock();
    if args.json {
        write_json(&mut out, &detection)?;
    } else {
        out.write_all(verdict(&detection, true).as_bytes())?;
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
