//! Gemini `streamGenerateContent` and `generateContent`.

use super::request::{Asked, Item};
use super::wire::{Wire, data, id};
use serde_json::{Value, json};

/// Reads a request; whether it wants a stream is in the path.
pub(super) fn read(body: &Value, path: &str) -> Asked {
    let mut items = Vec::new();
    for content in body["contents"].as_array().into_iter().flatten() {
        for part in content["parts"].as_array().into_iter().flatten() {
            items.push(if let Some(response) = part.get("functionResponse") {
                Item::ToolResult(response.to_string())
            } else if content["role"] == "user" {
                Item::User(part["text"].as_str().unwrap_or_default().to_owned())
            } else {
                Item::Other
            });
        }
    }
    let tools = body["tools"].as_array().into_iter().flatten();
    let functions =
        tools.flat_map(|tool| tool["functionDeclarations"].as_array().into_iter().flatten());
    let function = |function: &Value| {
        let schema = function.get("parametersJsonSchema").or_else(|| function.get("parameters"));
        let schema = schema.cloned().unwrap_or_default();
        Some((function["name"].as_str()?.to_owned(), schema))
    };
    let tools = functions.filter_map(function).collect();
    Asked { items, tools, stream: path.contains("stream") }
}

/// Writes a reply.
pub(super) struct Content;

fn chunk(parts: &Value, finish: Option<&str>) -> Value {
    let mut candidate = json!({"content": {"role": "model", "parts": parts}, "index": 0});
    if let Some(finish) = finish {
        candidate["finishReason"] = json!(finish);
    }
    json!({
        "candidates": [candidate], "modelVersion": "scripted", "responseId": id("r"),
        "usageMetadata": {
            "promptTokenCount": 1200, "candidatesTokenCount": 50, "totalTokenCount": 1250
        },
    })
}

fn function_call(name: &str, arguments: &Value) -> Value {
    json!({"functionCall": {"name": name, "args": arguments, "id": id("call_")}})
}

impl Wire for Content {
    fn begin(&mut self) -> String {
        String::new()
    }

    fn think(&mut self, piece: &str) -> String {
        let text = format!("**Looking at it** {piece}");
        data(&chunk(&json!([{"text": text, "thought": true}]), None))
    }

    fn say(&mut self, piece: &str) -> String {
        data(&chunk(&json!([{"text": piece}]), None))
    }

    fn call(&mut self, name: &str, arguments: &Value) -> String {
        data(&chunk(&json!([function_call(name, arguments)]), None))
    }

    /// Comments are no part of this interface's streams.
    fn ping(&self) -> String {
        String::new()
    }

    fn end(&mut self) -> String {
        data(&chunk(&json!([{"text": ""}]), Some("STOP")))
    }

    fn whole(&self, text: &str, calls: &[(String, Value)]) -> Value {
        let mut parts = vec![json!({"text": text})];
        parts.extend(calls.iter().map(|(name, arguments)| function_call(name, arguments)));
        chunk(&json!(parts), Some("STOP"))
    }

    fn error(&self, status: u16) -> Value {
        let name = match status {
            401 => "UNAUTHENTICATED",
            429 => "RESOURCE_EXHAUSTED",
            500.. => "INTERNAL",
            _ => "INVALID_ARGUMENT",
        };
        json!({"error": {"code": status, "message": "The request was refused", "status": name}})
    }
}
