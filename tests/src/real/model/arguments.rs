//! Arguments of a tool call, made from the tool's own description.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The tools that the model may ask for by kind, as one agent calls them.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(transparent)]
pub struct Tools(BTreeMap<String, Tool>);

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Tool {
    /// Its names, the first that the agent offers is used.
    names: Vec<String>,
    /// Arguments that are set where the tool has them; `{result}` is an identifier from the tool
    /// result before.
    #[serde(default)]
    arguments: Map<String, Value>,
}

impl Tools {
    /// Whether the agent has tools of that kind at all.
    pub(super) fn has(&self, kind: &str) -> bool {
        self.0.contains_key(kind)
    }

    /// The agent's name for a kind of tool, and the arguments that make it do what `text` says.
    pub(super) fn call(
        &self,
        kind: &str,
        text: &str,
        offered: &BTreeMap<String, Value>,
    ) -> Option<(String, Value)> {
        let tool = self.0.get(kind)?;
        let name = tool.names.iter().find(|name| offered.contains_key(*name))?;
        let mut known = usual(kind, text);
        known.extend(tool.arguments.clone());
        Some((name.clone(), fill(&offered[name], &known)))
    }
}

/// Arguments by the names that agents use for them.
fn usual(kind: &str, text: &str) -> Map<String, Value> {
    let options = json!([
        {"label": "Red", "description": "A red button"},
        {"label": "Blue", "description": "A blue button"},
    ]);
    let question = "Which colour should the button have?";
    let known = match kind {
        "shell" => json!({
            "command": text, "cmd": text, "description": "Run a command", "timeout": 120_000,
            "yield_time_ms": 30_000, "initial_wait": 60, "is_background": false,
        }),
        "subagent" => json!({
            "prompt": text, "description": "Look around", "task": text, "query": text,
            "objective": text, "subagent_type": "general-purpose", "agent_type": "general-purpose",
            "agent_name": "generalist", "message": text, "task_name": "look_around",
        }),
        "question" => json!({
            "question": question, "header": "Colour", "choices": ["Red", "Blue"],
            "message": question,
            "requestedSchema": {
                "type": "object",
                "properties": {
                    "colour": {"type": "string", "title": "Colour", "enum": ["Red", "Blue"]}
                },
                "required": ["colour"],
            },
            "questions": [{
                "question": question, "header": "Colour", "id": "colour", "type": "choice",
                "multiSelect": false, "multiple": false, "options": options,
            }],
        }),
        _ => json!({}),
    };
    known.as_object().cloned().unwrap_or_default()
}

/// An object for this schema: what is known by name, and something of the right type for the
/// rest of what is required.
fn fill(schema: &Value, known: &Map<String, Value>) -> Value {
    let none = Map::new();
    let properties = schema["properties"].as_object().unwrap_or(&none);
    let required: Vec<&str> = match schema["required"].as_array() {
        Some(names) => names.iter().filter_map(Value::as_str).collect(),
        None => Vec::new(),
    };
    let wanted = |name: &str| required.contains(&name) || known.contains_key(name);
    let mut filled = Map::new();
    for (name, property) in properties.iter().filter(|(name, _)| wanted(name)) {
        filled.insert(name.clone(), argument(name, property, known));
    }
    Value::Object(filled)
}

fn argument(name: &str, property: &Value, known: &Map<String, Value>) -> Value {
    let kind = property["type"].as_str().or_else(|| property["type"][0].as_str()).unwrap_or("");
    match (known.get(name), kind) {
        // Some shells take the words of a command.
        (Some(Value::String(command)), "array") => json!(["bash", "-lc", command]),
        (Some(value), _) => value.clone(),
        (None, _) if property["enum"].is_array() => property["enum"][0].clone(),
        (None, "boolean") => json!(false),
        (None, "integer" | "number") => json!(property["minimum"].as_i64().unwrap_or(1).max(1)),
        (None, "array") => json!([]),
        (None, "object") => json!({}),
        (None, _) => json!(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tools() -> Tools {
        toml::from_str(
            r#"
            [shell]
            names = ["bash", "exec"]
            arguments = { escalate = "yes" }
            "#,
        )
        .unwrap()
    }

    #[test]
    fn arguments_follow_the_schema() {
        let schema = json!({
            "properties": {
                "command": {"type": "array"},
                "escalate": {"type": "string"},
                "risk": {"type": "string", "enum": ["low", "high"]},
                "unasked": {"type": "string"},
            },
            "required": ["command", "risk"],
        });
        let offered = BTreeMap::from([("exec".to_owned(), schema)]);
        let (name, arguments) = tools().call("shell", "date", &offered).unwrap();
        assert_eq!(name, "exec");
        let expected =
            json!({"command": ["bash", "-lc", "date"], "escalate": "yes", "risk": "low"});
        assert_eq!(arguments, expected);
    }

    #[test]
    fn a_tool_that_is_not_offered_is_not_called() {
        let offered = BTreeMap::from([("read".to_owned(), json!({}))]);
        assert_eq!(tools().call("shell", "date", &offered), None);
        assert_eq!(tools().call("plan", "", &offered), None);
    }
}
