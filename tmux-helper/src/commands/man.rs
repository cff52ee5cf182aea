//! `madohub man`: the pages are made from the same definition as the command line.

use crate::cli::{self, ManArgs};
use crate::{Error, Exit};
use clap_mangen::Man;
use std::fs;
use std::io::{self, Write as _};

/// Prints the main page, or writes one page per command to a folder.
pub(crate) fn run(args: &ManArgs) -> Result<Exit, Error> {
    let definition = cli::definition().disable_help_subcommand(true);
    if let Some(dir) = &args.dir {
        fs::create_dir_all(dir)
            .and_then(|()| clap_mangen::generate_to(definition, dir))
            .map_err(|error| Error::file("cannot write the man pages to", dir, &error))?;
    } else {
        let mut text = Vec::new();
        Man::new(definition).render(&mut text)?;
        io::stdout().lock().write_all(&text)?;
    }
    Ok(Exit::Ok)
}
