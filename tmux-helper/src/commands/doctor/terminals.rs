//! The terminals that are attached to a tmux server: what they can show.

use super::report::Report;
use crate::config::Depth;
use crate::output::clean;
use crate::scan::Scanner;
use crate::tmux::{Batch, Server};
use madohub_detect::Glyphs;
use tmux_interface::ListClients;

pub(super) fn check(report: &mut Report, server: &Server, scanner: &Scanner, glyphs: Glyphs) {
    let clients = scanner.clients();
    if clients.is_empty() {
        return;
    }
    let few: Vec<String> = clients
        .iter()
        .filter(|client| client.depth == Depth::Eight)
        .map(|client| clean(&client.term))
        .collect();
    let blind = if glyphs == Glyphs::Unicode { without_unicode(server) } else { Vec::new() };
    if few.is_empty() && blind.is_empty() {
        report.ok("terminals", format!("{} attached, with the colours they need", clients.len()));
    }
    if !few.is_empty() {
        report.note(
            "colours",
            format!(
                "{}: a terminal with 8 colours, where failed and stopped differ by weight and \
                 glyph alone",
                few.join(", ")
            ),
            "Where it shows more, say so before tmux is attached: export TERM=xterm-256color",
        );
    }
    if !blind.is_empty() {
        report.note(
            "glyphs",
            format!(
                "{}: tmux takes it for a terminal without UTF-8, and shows _ for ●",
                blind.join(", ")
            ),
            "Attach with a UTF-8 locale (or tmux -u), or set glyphs = \"ascii\" in the settings.",
        );
    }
}

/// Types of the attached terminals that get no UTF-8.
fn without_unicode(server: &Server) -> Vec<String> {
    let mut batch = Batch::new();
    let format = "#{client_utf8} #{client_control_mode} #{client_termname}";
    let slot = batch.ask(ListClients::new().format(format).build());
    let Ok(replies) = server.run(&batch) else { return Vec::new() };
    let lines = replies.get(slot).unwrap_or_default().lines();
    lines.filter_map(|line| line.strip_prefix("0 0 ")).map(clean).collect()
}
