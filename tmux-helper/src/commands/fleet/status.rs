//! `madohub fleet status`: which machines are there, and how this one's publisher is.

use crate::config::{Config, Segment, SegmentPreset};
use crate::fleet::book::Host;
use crate::fleet::snapshot::Snapshot;
use crate::fleet::{self, read};
use crate::output::{Agents, ListedPane, Script, clean, segment_with, since};
use crate::{Context, Error, Exit, time};
use serde_json::{Value, json};
use std::io::{Write as _, stdout};

/// Runs the command.
pub(super) fn run(json: bool, ctx: &Context) -> Result<Exit, Error> {
    let config = ctx.config()?;
    let settings = fleet::settings(ctx)?;
    let publisher = Snapshot::read(ctx.paths(), time::now());
    let asked = read::once(&settings, super::PANES);
    let mut out = stdout().lock();
    if json {
        let (hosts, trouble) = match &asked {
            Ok((ear, now)) => {
                (ear.book.hosts().map(|(name, host)| as_json(name, host, *now)).collect(), None)
            }
            Err(error) => (Vec::new(), Some(error.message().to_owned())),
        };
        let refused = asked.as_ref().map(|(ear, _)| ear.book.refused()).unwrap_or_default();
        let value = json!({
            "v": 1,
            "broker": format!("{}:{}", settings.broker, settings.port),
            "trouble": trouble,
            "publisher": publisher,
            "hosts": hosts,
            "malformed": refused.malformed,
            "left_out": refused.too_many,
        });
        writeln!(out, "{value}")?;
        return Ok(asked.map_or_else(|error| error.exit(), |_| Exit::Ok));
    }
    match &publisher {
        Some(snapshot) => write!(out, "{}", published(snapshot))?,
        None => writeln!(out, "This machine tells nothing: no `madohub fleet publish` runs.")?,
    }
    let (ear, now) = asked?;
    let refused = ear.book.refused();
    writeln!(out, "On {}:{}:", settings.broker, settings.port)?;
    if ear.book.hosts().next().is_none() {
        writeln!(out, "  no machine")?;
    }
    for (name, host) in ear.book.hosts() {
        writeln!(out, "  {}", described(name, host, &config, now))?;
    }
    for (count, what) in [
        (refused.malformed, "messages were no messages of ours, and left out"),
        (refused.too_many, "messages were of more machines or panes than are shown"),
    ] {
        if count > 0 {
            writeln!(out, "  {count} {what}")?;
        }
    }
    Ok(Exit::Ok)
}

/// A host that is not there.
pub(super) fn gone(name: &str, panes: usize, age: Option<f64>) -> String {
    let panes = match panes {
        0 => String::new(),
        n => format!("; it told of {}", count(n, "agent")),
    };
    let age = age.filter(|age| *age >= 1.0).map(|age| format!(" for {}", since(age)));
    format!("{} is gone{}{panes}", clean(name), age.unwrap_or_default())
}

fn described(name: &str, host: &Host, config: &Config, now: f64) -> String {
    if !host.is_online() {
        return gone(name, host.count(), host.gone_for(now));
    }
    let rows: Vec<ListedPane> = host.rows().cloned().collect();
    let counts = Segment { preset: SegmentPreset::Counts, ..Segment::default() };
    let agents = Agents::here(&rows);
    let states = segment_with(agents, config, &counts, Script::Plain, time::now());
    let states = if states.is_empty() { String::new() } else { format!("  {states}") };
    let presence = host.presence();
    let version = presence.map(|presence| presence.version.as_str()).unwrap_or_default();
    let up = presence.map_or(0.0, |presence| time::now() - presence.since);
    format!(
        "{}: {}{states}, there for {}, version {version}",
        clean(name),
        count(rows.len(), "agent"),
        since(up)
    )
}

fn as_json(name: &str, host: &Host, now: f64) -> Value {
    let presence = host.presence();
    json!({
        "host": name,
        "online": host.is_online(),
        "gone_for": host.gone_for(now),
        "panes": host.count(),
        "since": presence.map(|presence| presence.since),
        "version": presence.map(|presence| &presence.version),
    })
}

fn published(snapshot: &Snapshot) -> String {
    let state = match (&snapshot.trouble, snapshot.connected) {
        (Some(trouble), _) => clean(trouble),
        (None, true) => "connected".to_owned(),
        (None, false) => "connecting".to_owned(),
    };
    let lost = match snapshot.lost {
        0 => String::new(),
        n => format!(", {n} events lost"),
    };
    format!(
        "This machine is {}: {state}\n  publisher {} for {}, {} told, {} waiting{lost}\n",
        clean(&snapshot.host),
        snapshot.pid,
        since(time::now() - snapshot.started),
        count(snapshot.panes, "agent"),
        count(snapshot.waiting, "message"),
    )
}

fn count(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}
