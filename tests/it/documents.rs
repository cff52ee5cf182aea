//! What the documents say is so: every command in them runs, every name in them exists, and what is
//! there to be written down is written down.

mod claims;
mod commands;
mod examples;
mod markdown;

use markdown::Document;
use std::fs;
use std::path::{Path, PathBuf};

/// The checkout.
fn root() -> PathBuf {
    fs::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).unwrap()
}

/// A file of the checkout as text.
fn text(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The documents for people who use the product.
fn for_users() -> Vec<Document> {
    let mut names = vec!["README.md".to_owned()];
    for entry in fs::read_dir(root().join("docs")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if Path::new(&name).extension().is_some_and(|ending| ending == "md") {
            names.push(format!("docs/{name}"));
        }
    }
    names.sort();
    assert!(names.len() > 1, "no document in docs/");
    names.iter().map(|name| Document::read(name)).collect()
}

/// All documents whose links and names are checked.
fn all() -> Vec<Document> {
    let more = ["ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"];
    for_users().into_iter().chain(more.map(Document::read)).collect()
}
