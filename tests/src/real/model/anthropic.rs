//! Anthropic Messages.

use super::request::{Asked, Item, texts};
use super::wire::{Wire, id, named};
use serde_json::{Value, json};

/// Reads a request.
pub(super) fn read(body: &Value) -> Asked {
    let mut items = Vec::new();
    for message in body["messages"].as_array().into_iter().flatten() {
        let user = message["role"] == "user";
        let blocks = message["content"].as_array();
        let results = blocks.into_iter().flatten().filter(|block| block["type"] == "tool_result");
        items.extend(results.map(|block| Item::ToolResult(texts(&block["content"]))));
        let text = texts(&message["content"]);
        items.push(if user { Item::User(text) } else { Item::Other });
    }
    let tools = body["tools"].as_array().into_iter().flatten();
    let tool =
        |tool: &Value| Some((tool["name"].as_str()?.to_owned(), tool["input_schema"].clone()));
    Asked { items, tools: tools.filter_map(tool).collect(), stream: body["stream"] == true }
}

/// Writes a reply.
pub(super) struct Messages {
    id: String,
    model: Value,
    index: usize,
    open: Option<&'static str>,
    stop: &'static str,
}

impl Messages {
    pub(super) fn new(body: &Value) -> Self {
        let model = body["model"].clone();
        Self { id: id("msg_"), model, index: 0, open: None, stop: "end_turn" }
    }

    fn message(&self, content: &Value, stop: &Value) -> Value {
        json!({
            "id": self.id, "type": "message", "role": "assistant", "model": self.model,
            "content": content, "stop_reason": stop, "stop_sequence": null,
            "usage": {"input_tokens": 1200, "output_tokens": 5},
        })
    }

    /// Opens a block of this kind where another, or none, is open.
    fn block(&mut self, kind: &'static str, start: &Value) -> String {
        if self.open == Some(kind) && kind != "tool_use" {
            return String::new();
        }
        let mut out = self.close();
        self.open = Some(kind);
        let index = self.index;
        out +=
            &named(&json!({"type": "content_block_start", "index": index, "content_block": start}));
        out
    }

    fn delta(&self, delta: &Value) -> String {
        named(&json!({"type": "content_block_delta", "index": self.index, "delta": delta}))
    }

    fn close(&mut self) -> String {
        let Some(kind) = self.open.take() else { return String::new() };
        let mut out = String::new();
        if kind == "thinking" {
            out += &self.delta(&json!({"type": "signature_delta", "signature": "c2NyaXB0"}));
        }
        out += &named(&json!({"type": "content_block_stop", "index": self.index}));
        self.index += 1;
        out
    }
}

impl Wire for Messages {
    fn begin(&mut self) -> String {
        let message = self.message(&json!([]), &Value::Null);
        named(&json!({"type": "message_start", "message": message}))
    }

    fn think(&mut self, piece: &str) -> String {
        let start = json!({"type": "thinking", "thinking": "", "signature": ""});
        let open = self.block("thinking", &start);
        open + &self.delta(&json!({"type": "thinking_delta", "thinking": piece}))
    }

    fn say(&mut self, piece: &str) -> String {
        let open = self.block("text", &json!({"type": "text", "text": ""}));
        open + &self.delta(&json!({"type": "text_delta", "text": piece}))
    }

    fn call(&mut self, name: &str, arguments: &Value) -> String {
        self.stop = "tool_use";
        let start = json!({"type": "tool_use", "id": id("toolu_"), "name": name, "input": {}});
        let open = self.block("tool_use", &start);
        let delta = json!({"type": "input_json_delta", "partial_json": arguments.to_string()});
        open + &self.delta(&delta) + &self.close()
    }

    fn ping(&self) -> String {
        named(&json!({"type": "ping"}))
    }

    fn end(&mut self) -> String {
        let delta = json!({"stop_reason": self.stop, "stop_sequence": null});
        let usage = json!({"output_tokens": 40});
        self.close()
            + &named(&json!({"type": "message_delta", "delta": delta, "usage": usage}))
            + &named(&json!({"type": "message_stop"}))
    }

    fn whole(&self, text: &str, calls: &[(String, Value)]) -> Value {
        let mut content = vec![json!({"type": "text", "text": text})];
        content.extend(calls.iter().map(|(name, arguments)| {
            json!({"type": "tool_use", "id": id("toolu_"), "name": name, "input": arguments})
        }));
        let stop = if calls.is_empty() { "end_turn" } else { "tool_use" };
        self.message(&json!(content), &json!(stop))
    }

    fn error(&self, status: u16) -> Value {
        let (kind, message) = match status {
            401 => ("authentication_error", "invalid x-api-key"),
            429 => ("rate_limit_error", "This request would exceed your account's rate limit"),
            529 => ("overloaded_error", "Overloaded"),
            500.. => ("api_error", "Internal server error"),
            _ => ("invalid_request_error", "The request was refused"),
        };
        json!({"type": "error", "error": {"type": kind, "message": message}})
    }
}
