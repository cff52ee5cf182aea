//! The user's rule files.

use crate::Error;
use madohub_detect::{RuleFile, RuleSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The built-in rules with the files of `dir` on top, and what is wrong with the files that had
/// to be left out, one text each that names the file.
pub fn layered_rules(dir: &Path) -> Result<(RuleSet, Vec<String>), Error> {
    let (files, mut problems) = rule_files(dir);
    let (rules, errors) = RuleSet::layered(&files)
        .map_err(|error| Error::failed(format!("the built-in rules cannot be used: {error}")))?;
    problems.extend(errors.iter().map(ToString::to_string));
    Ok((rules, problems))
}

/// Every `*.toml` in `dir`, sorted by name, and what is wrong with those that cannot be read. A
/// missing folder holds none.
pub fn rule_files(dir: &Path) -> (Vec<RuleFile>, Vec<String>) {
    let paths = match toml_files(dir) {
        Ok(paths) => paths,
        Err(error) => return (Vec::new(), vec![format!("{}: {error}", dir.display())]),
    };
    let mut files = Vec::new();
    let mut problems = Vec::new();
    for path in paths {
        match read_rule_file(&path) {
            Ok(file) => files.push(file),
            Err(error) => problems.push(error.message().to_owned()),
        }
    }
    (files, problems)
}

/// One rule file as text.
pub fn read_rule_file(path: &Path) -> Result<RuleFile, Error> {
    let text = fs::read_to_string(path)
        .map_err(|error| Error::file("cannot read the rule file", path, &error))?;
    Ok(RuleFile { name: path.display().to_string(), text })
}

fn toml_files(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut paths =
        entries.map(|entry| entry.map(|e| e.path())).collect::<io::Result<Vec<PathBuf>>>()?;
    paths.retain(|path| path.extension().is_some_and(|ext| ext == "toml"));
    paths.sort();
    Ok(paths)
}
