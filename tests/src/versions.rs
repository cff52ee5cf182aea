//! The tmux versions that tests can run against.

use crate::tmux::TmuxProgram;
use std::path::Path;
use std::process::Command;

/// The system's tmux first, then what `scripts/tmux-versions.sh` has put into the cache, oldest
/// first. With `MADOHUB_TMUX_VERSIONS=required`, which the whole check sets, it fails unless one
/// of them is newer than the system's.
pub fn tmux_programs() -> Vec<TmuxProgram> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/tmux-versions.sh");
    let output = Command::new(&script).args(["--list", "--min", "0"]).output();
    let output = output.unwrap_or_else(|error| panic!("{}: {error}", script.display()));
    let system = TmuxProgram::system();
    let mut others: Vec<TmuxProgram> = String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .map(|(_, path)| TmuxProgram::at(Path::new(path)))
        .filter(|other| other.version != system.version)
        .collect();
    others.sort_by_key(TmuxProgram::number);
    let required = std::env::var_os("MADOHUB_TMUX_VERSIONS").is_some_and(|v| v == "required");
    assert!(
        !required || others.iter().any(|other| other.number() > system.number()),
        "no tmux newer than {} in the cache; run scripts/tmux-versions.sh",
        system.version
    );
    std::iter::once(system).chain(others).collect()
}
