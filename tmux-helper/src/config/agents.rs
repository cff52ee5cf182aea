//! The user's rule files.

use crate::Error;
use madohub_detect::{RuleError, RuleFile, RuleSet};
use std::fs;
use std::io;
use std::path::Path;

/// The built-in rules with the files of `dir` on top, and what is wrong with the files that had
/// to be left out.
pub fn layered_rules(dir: &Path) -> Result<(RuleSet, Vec<RuleError>), Error> {
    let (files, mut wrong) = rule_files(dir);
    let (rules, errors) = RuleSet::layered(&files)
        .map_err(|error| Error::failed(format!("the built-in rules cannot be used: {error}")))?;
    wrong.extend(errors);
    Ok((rules, wrong))
}

/// Reads every `*.toml` in `dir`, sorted by name. A missing folder holds none.
pub fn rule_files(dir: &Path) -> (Vec<RuleFile>, Vec<RuleError>) {
    let mut files = Vec::new();
    let mut wrong = Vec::new();
    let failed = |path: &Path, error: &io::Error| RuleError {
        file: path.display().to_string(),
        message: format!("cannot be read: {error}"),
    };
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return (files, wrong),
        Err(error) => return (files, vec![failed(dir, &error)]),
    };
    let mut paths = Vec::new();
    for entry in entries {
        match entry {
            Ok(entry) => paths.push(entry.path()),
            Err(error) => wrong.push(failed(dir, &error)),
        }
    }
    paths.retain(|path| path.extension().is_some_and(|ext| ext == "toml"));
    paths.sort();
    for path in paths {
        match fs::read(&path).map(String::from_utf8) {
            Ok(Ok(text)) => files.push(RuleFile { name: path.display().to_string(), text }),
            Ok(Err(_)) => wrong.push(RuleError {
                file: path.display().to_string(),
                message: "is no UTF-8 text".to_owned(),
            }),
            Err(error) => wrong.push(failed(&path, &error)),
        }
    }
    (files, wrong)
}
