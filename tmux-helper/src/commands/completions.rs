//! `madohub completions`: made from the same definition as the command line.

use crate::cli::{self, CompletionsArgs, Shell};
use crate::{Error, Exit};
use clap_complete::shells::{Bash, Fish, Zsh};
use std::io::{self, Write as _};

/// Prints the completions of one shell.
pub(crate) fn run(args: &CompletionsArgs) -> Result<Exit, Error> {
    let mut definition = cli::definition();
    // The generators write without answering errors; a buffer in between lets a closed pipe be one.
    let mut text = Vec::new();
    match args.shell {
        Shell::Bash => clap_complete::generate(Bash, &mut definition, "madohub", &mut text),
        Shell::Zsh => clap_complete::generate(Zsh, &mut definition, "madohub", &mut text),
        Shell::Fish => clap_complete::generate(Fish, &mut definition, "madohub", &mut text),
    }
    io::stdout().lock().write_all(&text)?;
    Ok(Exit::Ok)
}
