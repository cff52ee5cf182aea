//! A plugin that only watches, for tests and benchmarks: it writes its settings and every message for
//! zjstatus to zellij's log, and with `reports "true"` it takes reports of screens and does nothing
//! about them. Nobody installs it.
#![allow(missing_docs, reason = "zellij's macro writes the functions that it calls")]

use std::collections::BTreeMap;
use zellij_tile::prelude::*;

#[derive(Default)]
struct Witness;

register_plugin!(Witness);

impl ZellijPlugin for Witness {
    fn load(&mut self, configuration: BTreeMap<String, String>) {
        if configuration.get("reports").is_some_and(|value| value == "true") {
            request_permission(&[PermissionType::ReadPaneContents]);
            subscribe(&[EventType::PaneRenderReport]);
        }
        eprintln!("witness: settings {}", serde_json::json!(configuration));
    }

    fn pipe(&mut self, message: PipeMessage) -> bool {
        let payload = message.payload.filter(|payload| payload.starts_with("zjstatus"));
        if let (PipeSource::Plugin(_), Some(payload)) = (message.source, payload) {
            eprintln!("witness: message {}", serde_json::json!(payload));
        }
        false
    }
}
