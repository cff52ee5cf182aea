//! The interface of Chat Completions.

use super::request::{Asked, Item, texts};
use super::wire::{Wire, data, id, openai_error};
use serde_json::{Value, json};

/// Reads a request.
pub(super) fn read(body: &Value) -> Asked {
    let items = body["messages"].as_array().into_iter().flatten().map(|message| {
        match message["role"].as_str() {
            Some("tool") => Item::ToolResult(texts(&message["content"])),
            Some("user") => Item::User(texts(&message["content"])),
            _ => Item::Other,
        }
    });
    let tools = body["tools"].as_array().into_iter().flatten().filter_map(|tool| {
        let function = &tool["function"];
        Some((function["name"].as_str()?.to_owned(), function["parameters"].clone()))
    });
    Asked { items: items.collect(), tools: tools.collect(), stream: body["stream"] == true }
}

/// Writes a reply.
pub(super) struct Completion {
    id: String,
    model: Value,
    calls: usize,
}

impl Completion {
    pub(super) fn new(body: &Value) -> Self {
        Self { id: id("chatcmpl-"), model: body["model"].clone(), calls: 0 }
    }

    fn chunk(&self, choices: &Value, usage: &Value) -> String {
        data(&json!({
            "id": self.id, "object": "chat.completion.chunk", "created": 1, "model": self.model,
            "choices": choices, "usage": usage,
        }))
    }

    fn delta(&self, delta: &Value, finish: &Value) -> String {
        let choice = json!([{"index": 0, "delta": delta, "finish_reason": finish}]);
        self.chunk(&choice, &Value::Null)
    }
}

fn usage() -> Value {
    json!({"prompt_tokens": 1200, "completion_tokens": 50, "total_tokens": 1250})
}

fn tool_call(index: usize, name: &str, arguments: &Value) -> Value {
    json!({
        "index": index, "id": id("call_"), "type": "function",
        "function": {"name": name, "arguments": arguments.to_string()},
    })
}

impl Wire for Completion {
    fn begin(&mut self) -> String {
        self.delta(&json!({"role": "assistant", "content": ""}), &Value::Null)
    }

    fn think(&mut self, piece: &str) -> String {
        self.delta(&json!({"reasoning_content": piece}), &Value::Null)
    }

    fn say(&mut self, piece: &str) -> String {
        self.delta(&json!({"content": piece}), &Value::Null)
    }

    fn call(&mut self, name: &str, arguments: &Value) -> String {
        let call = tool_call(self.calls, name, arguments);
        self.calls += 1;
        self.delta(&json!({"tool_calls": [call]}), &Value::Null)
    }

    fn end(&mut self) -> String {
        let finish = if self.calls > 0 { "tool_calls" } else { "stop" };
        self.delta(&json!({}), &json!(finish))
            + &self.chunk(&json!([]), &usage())
            + "data: [DONE]\n\n"
    }

    fn whole(&self, text: &str, calls: &[(String, Value)]) -> Value {
        let mut message = json!({"role": "assistant", "content": text});
        let finish = if calls.is_empty() { "stop" } else { "tool_calls" };
        if !calls.is_empty() {
            let calls = calls.iter().enumerate();
            let calls: Vec<Value> = calls.map(|(at, (n, a))| tool_call(at, n, a)).collect();
            message["tool_calls"] = json!(calls);
        }
        json!({
            "id": self.id, "object": "chat.completion", "created": 1, "model": self.model,
            "choices": [{"index": 0, "message": message, "finish_reason": finish}],
            "usage": usage(),
        })
    }

    fn error(&self, status: u16) -> Value {
        openai_error(status)
    }
}
