//! What the four streaming interfaces have in common.

use serde_json::{Value, json};

/// Writes one reply in the form of one interface. Each call answers the bytes to send.
pub(super) trait Wire: Send {
    /// What comes before everything else.
    fn begin(&mut self) -> String;
    /// A piece of thought.
    fn think(&mut self, piece: &str) -> String;
    /// A piece of the answer.
    fn say(&mut self, piece: &str) -> String;
    /// A tool call.
    fn call(&mut self, name: &str, arguments: &Value) -> String;
    /// Something that keeps the connection alive and says nothing.
    fn ping(&self) -> String {
        ": ping\n\n".to_owned()
    }
    /// What ends the reply.
    fn end(&mut self) -> String;
    /// The reply in one piece, for who does not want a stream.
    fn whole(&self, text: &str, calls: &[(String, Value)]) -> Value;
    /// Body of an error answer.
    fn error(&self, status: u16) -> Value;
}

/// A server-sent event without a name.
pub(super) fn data(value: &Value) -> String {
    format!("data: {value}\n\n")
}

/// A server-sent event with the name that its `type` says.
pub(super) fn named(value: &Value) -> String {
    format!("event: {}\ndata: {value}\n\n", value["type"].as_str().unwrap_or("message"))
}

/// An identifier that no other reply of this process has.
pub(super) fn id(prefix: &str) -> String {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(1);
    format!("{prefix}{:016x}", NEXT.fetch_add(1, Ordering::Relaxed))
}

/// The error body of Responses and Chat Completions.
pub(super) fn openai_error(status: u16) -> Value {
    let (kind, message) = match status {
        401 => ("authentication_error", "Incorrect API key provided"),
        429 => ("usage_limit_reached", "The usage limit has been reached"),
        500.. => ("server_error", "The server had an error"),
        _ => ("invalid_request_error", "The request was refused"),
    };
    json!({"error": {"message": message, "type": kind, "code": kind, "param": null}})
}
