//! zellij's configuration as text: the plugin's lines go in and come out, every other byte stays.

use kdl::KdlDocument;

/// The node that lists plugins to load in the background.
const NODE: &str = "load_plugins";
const BEGIN: &str = "// madohub: begin (madohub zellij uninstall takes these lines out)";
const END: &str = "// madohub: end";

/// Lines to insert into a configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Insertion {
    at: usize,
    /// The text that is inserted.
    pub(super) text: String,
}

impl Insertion {
    /// What makes zellij load `plugin`, which asks `helper`. An error says why the
    /// configuration cannot be changed.
    pub(super) fn plan(config: &str, plugin: &str, helper: &str) -> Result<Self, String> {
        let document: KdlDocument =
            config.parse().map_err(|error| format!("it is not valid KDL: {error}"))?;
        let entry = |indent: &str| {
            format!(
                "{indent}{BEGIN}\n{indent}{} {{\n{indent}    helper {}\n{indent}}}\n{indent}{END}\n",
                quoted(&format!("file:{plugin}")),
                quoted(helper)
            )
        };
        let insertion = match document.get(NODE) {
            None => {
                let gap = if config.is_empty() || config.ends_with('\n') { "" } else { "\n" };
                let text = format!("{gap}{BEGIN}\n{NODE} {{\n{}}}\n{END}\n", inner(&entry("    ")));
                Self { at: config.len(), text }
            }
            Some(node) => {
                let start = node.span().offset();
                let open = config.get(start..).and_then(|rest| rest.find('{'));
                let Some(open) = open.filter(|_| node.children().is_some()) else {
                    return Err(format!("its `{NODE}` has no braces to put the plugin into"));
                };
                // The last line is a comment: what follows needs a line of its own.
                Self { at: start + open + 1, text: format!("\n{}", entry("    ")) }
            }
        };
        let after = insertion.apply(config);
        after
            .parse::<KdlDocument>()
            .map_err(|error| format!("it could not be changed: {error}"))?;
        Ok(insertion)
    }

    /// The configuration with the lines in it.
    pub(super) fn apply(&self, config: &str) -> String {
        let (before, after) = config.split_at_checked(self.at).unwrap_or((config, ""));
        format!("{before}{}{after}", self.text)
    }
}

/// The plugin's own lines, without the marks around them: those stand around the whole node.
fn inner(entry: &str) -> String {
    let ours = |line: &&str| !line.contains(BEGIN) && !line.contains(END);
    entry.split_inclusive('\n').filter(ours).collect()
}

/// The configuration without `inserted`; none when it is not there as it was put in.
pub(super) fn without(config: &str, inserted: &str) -> Option<String> {
    let (before, after) = config.split_once(inserted)?;
    Some(format!("{before}{after}"))
}

/// Whether a configuration carries lines of ours.
pub(super) fn is_marked(config: &str) -> bool {
    config.contains(BEGIN)
}

/// A KDL string.
pub(super) fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a failing test may panic")]
mod tests {
    use super::*;

    fn loads(config: &str) -> Vec<String> {
        let document: KdlDocument = config.parse().unwrap();
        let nodes = document.get(NODE).unwrap().children().unwrap().nodes().to_vec();
        nodes.iter().map(|node| node.name().value().to_owned()).collect()
    }

    #[test]
    fn goes_in_and_comes_out_byte_for_byte() {
        let configs = [
            "",
            "theme \"x\"",
            "theme \"x\"\r\n// load_plugins {\r\n",
            "load_plugins {\n    // \"file:/a.wasm\"\n}\n",
            "a true\nload_plugins {\n  \"file:/a b.wasm\" {\n    k \"{\"\n  }\n}\nb {\n}\n\n",
            "load_plugins {}\n",
        ];
        for config in configs {
            let insertion = Insertion::plan(config, "/p \"q\"/m.wasm", "/bin/madohub").unwrap();
            let after = insertion.apply(config);
            assert!(loads(&after).contains(&"file:/p \"q\"/m.wasm".to_owned()), "{after}");
            assert!(is_marked(&after));
            assert_eq!(without(&after, &insertion.text).as_deref(), Some(config));
            let edited = format!("// mine\n{after}more true\n");
            let back = without(&edited, &insertion.text).unwrap();
            assert_eq!(back, format!("// mine\n{config}more true\n"), "the user's edits stay");
        }
    }

    #[test]
    fn keeps_what_is_loaded_already() {
        let config = "load_plugins {\n    \"file:/a.wasm\"\n}\n";
        let after = Insertion::plan(config, "/m.wasm", "h").unwrap().apply(config);
        assert_eq!(loads(&after), ["file:/m.wasm", "file:/a.wasm"]);
    }

    #[test]
    fn refuses_what_it_cannot_read() {
        for config in ["theme \"x", "load_plugins\n"] {
            assert!(Insertion::plan(config, "/m.wasm", "h").is_err(), "{config}");
        }
    }
}
