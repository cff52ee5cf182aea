//! The interface of Responses.

use super::request::{Asked, Item, texts};
use super::wire::{Wire, id, named, openai_error};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Reads a request.
pub(super) fn read(body: &Value) -> Asked {
    let input = &body["input"];
    let mut items = Vec::new();
    if input.is_string() {
        items.push(Item::User(texts(input)));
    }
    for item in input.as_array().into_iter().flatten() {
        let kind = item["type"].as_str().unwrap_or("message");
        items.push(match (kind, item["role"].as_str()) {
            (kind, _) if kind.ends_with("_output") => Item::ToolResult(texts(&item["output"])),
            // The second is how a parent thread's task reaches a subagent.
            ("message", Some("user")) | ("agent_message", _) => Item::User(texts(&item["content"])),
            _ => Item::Other,
        });
    }
    let mut tools = BTreeMap::new();
    offered(&body["tools"], "", &mut tools);
    Asked { items, tools, stream: body["stream"] == true }
}

/// The tools in a list; those in a namespace are called `NAMESPACE/NAME` here.
fn offered(list: &Value, namespace: &str, tools: &mut BTreeMap<String, Value>) {
    for tool in list.as_array().into_iter().flatten() {
        let name = tool["name"].as_str().or_else(|| tool["type"].as_str()).unwrap_or_default();
        if tool["type"] == "namespace" {
            offered(&tool["tools"], &format!("{name}/"), tools);
        } else {
            tools.insert(format!("{namespace}{name}"), tool["parameters"].clone());
        }
    }
}

/// Writes a reply.
pub(super) struct Response {
    id: String,
    model: Value,
    sequence: u64,
    /// Finished output items.
    output: Vec<Value>,
    open: Option<Open>,
}

/// An output item that is being written.
struct Open {
    id: String,
    thought: bool,
    text: String,
}

impl Response {
    pub(super) fn new(body: &Value) -> Self {
        let model = body["model"].clone();
        Self { id: id("resp_"), model, sequence: 0, output: Vec::new(), open: None }
    }

    fn event(&mut self, kind: &str, mut event: Value) -> String {
        event["type"] = json!(kind);
        event["sequence_number"] = json!(self.sequence);
        self.sequence += 1;
        named(&event)
    }

    fn response(&self, status: &str, output: &Value) -> Value {
        json!({
            "id": self.id, "object": "response", "created_at": 1, "status": status,
            "model": self.model, "output": output, "parallel_tool_calls": false,
            "usage": {
                "input_tokens": 1200, "output_tokens": 50, "total_tokens": 1250,
                "input_tokens_details": {"cached_tokens": 0},
                "output_tokens_details": {"reasoning_tokens": 0},
            },
        })
    }

    fn position(&self) -> usize {
        self.output.len()
    }

    fn write(&mut self, thought: bool, piece: &str) -> String {
        let mut out = String::new();
        if self.open.as_ref().is_none_or(|open| open.thought != thought) {
            out += &self.close();
            out += &self.start(thought);
        }
        let at = self.position();
        let Some(open) = &mut self.open else { return out };
        open.text += piece;
        let item = open.id.clone();
        let (kind, part) = if thought {
            ("response.reasoning_summary_text.delta", "summary_index")
        } else {
            ("response.output_text.delta", "content_index")
        };
        let event = json!({"item_id": item, "output_index": at, part: 0, "delta": piece});
        out + &self.event(kind, event)
    }

    fn start(&mut self, thought: bool) -> String {
        let (item, at) = (id(if thought { "rs_" } else { "msg_" }), self.position());
        self.open = Some(Open { id: item.clone(), thought, text: String::new() });
        let (value, kind, part) = if thought {
            (
                json!({"type": "reasoning", "id": item, "summary": []}),
                "response.reasoning_summary_part.added",
                json!({"item_id": item, "output_index": at, "summary_index": 0,
                    "part": {"type": "summary_text", "text": ""}}),
            )
        } else {
            (
                json!({"type": "message", "id": item, "role": "assistant",
                    "status": "in_progress", "content": []}),
                "response.content_part.added",
                json!({"item_id": item, "output_index": at, "content_index": 0,
                    "part": {"type": "output_text", "text": "", "annotations": []}}),
            )
        };
        let added = json!({"output_index": at, "item": value});
        self.event("response.output_item.added", added) + &self.event(kind, part)
    }

    fn close(&mut self) -> String {
        let Some(open) = self.open.take() else { return String::new() };
        let at = self.position();
        let Open { id: item, thought, text } = open;
        let (kind, part, value) = if thought {
            (
                "response.reasoning_summary_text.done",
                "summary_index",
                json!({"type": "reasoning", "id": item,
                    "summary": [{"type": "summary_text", "text": text}]}),
            )
        } else {
            (
                "response.output_text.done",
                "content_index",
                json!({"type": "message", "id": item, "role": "assistant", "status": "completed",
                    "content": [{"type": "output_text", "text": text, "annotations": []}]}),
            )
        };
        let done = json!({"item_id": item, "output_index": at, part: 0, "text": text});
        let out = self.event(kind, done) + &self.done(at, &value);
        self.output.push(value);
        out
    }

    fn done(&mut self, at: usize, item: &Value) -> String {
        self.event("response.output_item.done", json!({"output_index": at, "item": item}))
    }
}

fn function_call(name: &str, arguments: &Value) -> Value {
    let (namespace, name) = name.split_once('/').map_or((None, name), |(n, name)| (Some(n), name));
    let mut call = json!({
        "type": "function_call", "id": id("fc_"), "call_id": id("call_"), "name": name,
        "arguments": arguments.to_string(), "status": "completed",
    });
    if let Some(namespace) = namespace {
        call["namespace"] = json!(namespace);
    }
    call
}

impl Wire for Response {
    fn begin(&mut self) -> String {
        let response = self.response("in_progress", &json!([]));
        let created = self.event("response.created", json!({"response": response}));
        created + &self.event("response.in_progress", json!({"response": response}))
    }

    fn think(&mut self, piece: &str) -> String {
        self.write(true, piece)
    }

    fn say(&mut self, piece: &str) -> String {
        self.write(false, piece)
    }

    fn call(&mut self, name: &str, arguments: &Value) -> String {
        let mut out = self.close();
        let (at, item) = (self.position(), function_call(name, arguments));
        let mut begun = item.clone();
        begun["status"] = json!("in_progress");
        begun["arguments"] = json!("");
        out +=
            &self.event("response.output_item.added", json!({"output_index": at, "item": begun}));
        let delta = json!({"item_id": item["id"], "output_index": at, "delta": item["arguments"]});
        out += &self.event("response.function_call_arguments.delta", delta);
        let done =
            json!({"item_id": item["id"], "output_index": at, "arguments": item["arguments"]});
        out += &self.event("response.function_call_arguments.done", done);
        out += &self.done(at, &item);
        self.output.push(item);
        out
    }

    fn end(&mut self) -> String {
        let closed = self.close();
        let response = self.response("completed", &json!(self.output));
        closed + &self.event("response.completed", json!({"response": response}))
    }

    fn whole(&self, text: &str, calls: &[(String, Value)]) -> Value {
        let mut output = vec![json!({
            "type": "message", "id": id("msg_"), "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": text, "annotations": []}],
        })];
        output.extend(calls.iter().map(|(name, arguments)| function_call(name, arguments)));
        self.response("completed", &json!(output))
    }

    fn error(&self, status: u16) -> Value {
        openai_error(status)
    }
}
