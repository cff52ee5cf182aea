//! What the plugin may do, as zellij keeps it: one node per plugin, one child per permission.

use kdl::{KdlDocument, KdlNode};

/// What the plugin asks for, and why: the user reads this before agreeing.
pub const EXPLAINED: [(&str, &str); 8] = [
    ("ReadApplicationState", "to know which panes and tabs there are"),
    ("ReadPaneContents", "to recognise an agent's state on its screen"),
    ("ChangeApplicationState", "to colour frames and to jump to a pane"),
    ("Reconfigure", "to change the highlight colour for a moment, so that each frame gets its own"),
    ("ReadCliPipes", "to answer `zellij pipe --name madohub`"),
    ("MessageAndLaunchOtherPlugins", "to tell the bars what to show"),
    ("WriteToStdin", "to deliver text to an agent when you use `send`"),
    ("RunCommands", "to ask the madohub command about processes and session records"),
];

/// The record with the plugin's permissions in it, each other plugin's as they were.
pub(super) fn grant(record: &str, plugin: &str) -> Result<String, String> {
    let mut document: KdlDocument =
        record.parse().map_err(|error| format!("it is not valid KDL: {error}"))?;
    document.nodes_mut().retain(|node| node.name().value() != plugin);
    let mut text = document.to_string();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(&super::config::quoted(plugin));
    text.push_str(" {\n");
    for (name, _) in EXPLAINED {
        text.push_str("    ");
        text.push_str(name);
        text.push('\n');
    }
    text.push_str("}\n");
    Ok(text)
}

/// The record without the plugin.
pub(super) fn revoke(record: &str, plugin: &str) -> Option<String> {
    let mut document: KdlDocument = record.parse().ok()?;
    let before = document.nodes().len();
    document.nodes_mut().retain(|node| node.name().value() != plugin);
    (document.nodes().len() != before).then(|| document.to_string())
}

/// Whether the record grants everything.
pub(super) fn is_granted(record: &str, plugin: &str) -> bool {
    let Ok(document) = record.parse::<KdlDocument>() else { return false };
    let children = document.get(plugin).and_then(KdlNode::children);
    EXPLAINED.iter().all(|(name, _)| children.is_some_and(|c| c.get(name).is_some()))
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a failing test may panic")]
mod tests {
    use super::*;

    const OTHER: &str = "\"/other.wasm\" {\n    RunCommands\n}\n";

    #[test]
    fn grants_beside_others_and_takes_back() {
        for before in ["", OTHER, "\"/other.wasm\" {\n    RunCommands\n}"] {
            let after = grant(before, "/m.wasm").unwrap();
            assert!(is_granted(&after, "/m.wasm") && !is_granted(before, "/m.wasm"));
            let again = grant(&after, "/m.wasm").unwrap();
            assert_eq!(again.matches("/m.wasm").count(), 1);
            let back = revoke(&again, "/m.wasm").unwrap();
            assert_eq!(back.trim_end(), before.trim_end());
        }
        assert_eq!(revoke(OTHER, "/m.wasm"), None);
    }

    #[test]
    fn half_of_them_is_not_enough() {
        let half = "\"/m.wasm\" {\n    ReadApplicationState\n}\n";
        assert!(!is_granted(half, "/m.wasm"));
        assert!(is_granted(&grant(half, "/m.wasm").unwrap(), "/m.wasm"));
        assert!(grant("\"", "/m.wasm").is_err());
    }
}
