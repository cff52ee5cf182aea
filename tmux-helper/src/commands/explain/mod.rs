//! `madohub explain`: the engine's verdict with every rule that was tried.

mod pane;
mod text;

pub(super) use pane::observe;

use super::stream::{self, Answer, Malformed, write_json};
use crate::cli::{ExplainArgs, PaneRef, ServerArgs};
use crate::output::{ListedPane, clean};
use crate::{Context, Error, Exit};
use madohub_detect::{Explanation, Observation, RuleSet, explain};
use serde_json::{Value, json};
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

/// Runs the command.
pub(super) fn run(args: &ExplainArgs, ctx: &Context) -> Result<Exit, Error> {
    let rules = Arc::new(super::rules_in_force(ctx)?);
    let mut explainer =
        Explainer { rules: &rules, text: args.text, json: args.json, first: true, shown: None };
    if let Some(observations) = &args.observations {
        return stream::run(observations, explainer);
    }
    let Some(wanted) = &args.pane else { return Ok(Exit::Ok) };
    let (seen, shown) = pane::observe(wanted, &args.server, Arc::clone(&rules), ctx)?;
    explainer.shown = shown;
    explainer.answer(&mut io::stdout().lock(), Ok(seen))?;
    Ok(Exit::Ok)
}

/// Why a pane of this tmux server has its state, for people; without the text of its screen.
pub(crate) fn pane_text(pane: &str, socket: &str, ctx: &Context) -> Result<String, Error> {
    let rules = Arc::new(ctx.rules()?.0);
    let server = ServerArgs { socket_name: None, socket_path: Some(PathBuf::from(socket)) };
    let wanted = PaneRef::Id(pane.to_owned());
    let (seen, shown) = pane::observe(&wanted, &server, Arc::clone(&rules), ctx)?;
    Ok(text::explanation(&explain(&rules, &seen), false, shown.as_ref()))
}

/// Explains observations in order.
struct Explainer<'a> {
    rules: &'a RuleSet,
    text: bool,
    json: bool,
    first: bool,
    /// What the daemon shows of the pane, where one was asked for.
    shown: Option<ListedPane>,
}

impl Answer for Explainer<'_> {
    fn answer(
        &mut self,
        out: &mut dyn Write,
        seen: Result<Observation, Malformed>,
    ) -> io::Result<()> {
        let explanation = seen.map(|seen| explain(self.rules, &seen));
        if self.json {
            return match explanation {
                Ok(explanation) => write_json(out, &self.value(&explanation)?),
                Err(malformed) => write_json(out, &malformed),
            };
        }
        if !std::mem::take(&mut self.first) {
            out.write_all(b"\n")?;
        }
        match explanation {
            Ok(explanation) => out.write_all(
                text::explanation(&explanation, self.text, self.shown.as_ref()).as_bytes(),
            ),
            Err(malformed) => writeln!(out, "{}", clean(&malformed.error)),
        }
    }
}

impl Explainer<'_> {
    /// The JSON form; without the text of screen, title and processes unless it was asked for.
    fn value(&self, explanation: &Explanation) -> serde_json::Result<Value> {
        let mut value = serde_json::to_value(explanation)?;
        if !self.text {
            drop_text(&mut value);
        }
        if let (Some(shown), Value::Object(fields)) = (&self.shown, &mut value) {
            let row = &shown.row;
            let shown = json!({"agent": row.agent, "state": row.state, "reason": row.reason,
                "since": row.since});
            fields.insert("shown".to_owned(), shown);
        }
        Ok(value)
    }
}

fn drop_text(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.remove("text");
            fields.remove("last_message");
            fields.values_mut().for_each(drop_text);
        }
        Value::Array(values) => values.iter_mut().for_each(drop_text),
        _ => {}
    }
}
