//! `real_agents install|run [AGENT…] [--situation NAME]… [--newest]`: real agent programs in the
//! loop. `scripts/real-agents.sh` calls it with nothing but loopback within reach.
#![allow(clippy::expect_used, reason = "a tool of the tests: what goes wrong ends it")]

use madohub_tests::real::{Agent, Outcome, Packages, Report, Situations, Verdict, install, run};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Folder for packages and reports; below the build's where the variable is not set.
const FOLDER_VARIABLE: &str = "MADOHUB_REAL_AGENTS";
const USAGE: &str =
    "usage: real_agents install|run [AGENT[@VERSION]…] [--situation NAME]… [--newest]";

struct Wanted {
    agents: Vec<(Agent, Vec<String>)>,
    situations: Vec<String>,
}

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let verb = args.next().unwrap_or_default();
    let result = wanted(args).and_then(|wanted| match verb.as_str() {
        "install" => install_all(&wanted).map(|()| ExitCode::SUCCESS),
        "run" => run_all(&wanted),
        _ => Err(USAGE.to_owned()),
    });
    result.unwrap_or_else(|error| {
        eprintln!("real_agents: {error}");
        ExitCode::from(2)
    })
}

fn wanted(mut args: impl Iterator<Item = String>) -> Result<Wanted, String> {
    let (mut names, mut situations, mut newest) = (Vec::new(), Vec::new(), false);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--newest" => newest = true,
            "--situation" => situations.push(args.next().ok_or(USAGE)?),
            option if option.starts_with('-') => return Err(format!("{option}?\n{USAGE}")),
            _ => names.push(arg),
        }
    }
    if names.is_empty() {
        names = Agent::ids();
    }
    let agent = |name: String| {
        let (id, version) = name.split_once('@').unwrap_or((&name, ""));
        let agent = Agent::read(id)?;
        let versions = match version {
            "" if newest => agent.versions.iter().take(1).cloned().collect(),
            "" => agent.versions.clone(),
            version => vec![version.to_owned()],
        };
        Ok((agent, versions))
    };
    let agents = names.into_iter().map(agent).collect::<Result<_, String>>()?;
    Ok(Wanted { agents, situations })
}

fn folder() -> PathBuf {
    std::env::var_os(FOLDER_VARIABLE).map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/real-agents"),
        PathBuf::from,
    )
}

fn packages() -> Packages {
    Packages::new(folder().join("packages"))
}

fn install_all(wanted: &Wanted) -> Result<(), String> {
    for (agent, versions) in &wanted.agents {
        for version in versions {
            println!("{} {version}", agent.id);
            install(&packages(), agent, version)?;
        }
    }
    Ok(())
}

fn run_all(wanted: &Wanted) -> Result<ExitCode, String> {
    let situations = Situations::read()?;
    let out = folder().join("report");
    // What an earlier run left would be taken for this one's.
    let _ = fs::remove_dir_all(&out);
    let mut report = Report::default();
    for (agent, versions) in &wanted.agents {
        for version in versions {
            let outcomes = run(agent, version, &situations, &wanted.situations, &packages(), &out);
            report
                .outcomes
                .extend(outcomes.unwrap_or_else(|why| vec![not_run(agent, version, why)]));
        }
    }
    let text = format!("{}\n\n{}\n", report.summary(), report.table());
    let write = |name: &str, text: &str| {
        let path = out.join(name);
        fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))
    };
    write("report.md", &text)?;
    write("report.json", &format!("{:#}\n", report.json()))?;
    println!("\n{text}\nin {}", out.display());
    let all_right = report.wrong().next().is_none() && !report.outcomes.is_empty();
    Ok(if all_right { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn not_run(agent: &Agent, version: &str, why: String) -> Outcome {
    Outcome {
        agent: format!("{} {version}", agent.id),
        row: "set-up".to_owned(),
        verdict: Verdict::Untried { why, broken: true },
        story: String::new(),
    }
}
