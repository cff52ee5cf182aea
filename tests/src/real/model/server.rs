//! The server itself: HTTP in front of the script.

use super::arguments::Tools;
use super::play::Reply;
use super::request::Asked;
use super::script::{Act, Script};
use super::truth::{Truth, What};
use super::wire::Wire;
use super::{anthropic, chat, gemini, responses};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};
use std::fs::File;
use std::io::Write as _;
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;
use tokio::sync::mpsc;

/// Requests carry whole conversations and tool descriptions, but no more than this.
const BODY_MAX: usize = 64 * 1024 * 1024;

/// A model server that runs until the process ends.
#[derive(Debug)]
pub struct ModelServer {
    /// Port on 127.0.0.1.
    pub port: u16,
    /// What happened so far.
    pub truth: Arc<Truth>,
}

struct Shared {
    script: Script,
    tools: Tools,
    truth: Arc<Truth>,
    log: Mutex<File>,
}

impl ModelServer {
    /// Starts a server that asks for `tools` and writes a line for each request to `log`.
    pub fn start(script: Script, tools: Tools, log: &Path) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port on loopback");
        let port = listener.local_addr().expect("an address").port();
        listener.set_nonblocking(true).expect("a socket that does not block");
        let truth = Arc::new(Truth::default());
        let log = File::options().create(true).append(true).open(log);
        let log = Mutex::new(log.expect("a log of the requests"));
        let shared = Arc::new(Shared { script, tools, truth: Arc::clone(&truth), log });
        thread::Builder::new()
            .name("model".to_owned())
            .spawn(move || serve(listener, shared))
            .expect("a thread");
        Self { port, truth }
    }
}

fn serve(listener: TcpListener, shared: Arc<Shared>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener).expect("the listener");
        let app = Router::new().fallback(answer).with_state(shared);
        axum::serve(listener, app).await.expect("the server goes on");
    });
}

async fn answer(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let path = head.uri.path().to_owned();
    let Ok(body) = to_bytes(body, BODY_MAX).await else {
        return StatusCode::PAYLOAD_TOO_LARGE.into_response();
    };
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let read: Option<(Asked, Box<dyn Wire>)> = if head.method != Method::POST {
        None
    } else if path.ends_with("/count_tokens") || path.ends_with(":countTokens") {
        return json_answer(StatusCode::OK, &json!({"input_tokens": 1200, "totalTokens": 1200}));
    } else if path.ends_with("/messages") {
        Some((anthropic::read(&body), Box::new(anthropic::Messages::new(&body))))
    } else if path.ends_with("/responses") {
        Some((responses::read(&body), Box::new(responses::Response::new(&body))))
    } else if path.ends_with("/chat/completions") {
        Some((chat::read(&body), Box::new(chat::Completion::new(&body))))
    } else if path.contains("enerateContent") {
        Some((gemini::read(&body, &path), Box::new(gemini::Content)))
    } else {
        None
    };
    let Some((asked, wire)) = read else {
        shared.note(&format!("{} {path}", head.method));
        return other(&head.method, &path);
    };
    shared.reply(&path, asked, wire, gemini_aside(&path))
}

/// What the model's own name is asked for, and nothing else.
fn other(method: &Method, path: &str) -> Response {
    if *method == Method::GET && path.contains("/models") {
        let model = json!({"id": "scripted", "object": "model", "type": "model",
            "display_name": "scripted", "created": 1, "owned_by": "script"});
        let list = json!({"object": "list", "data": [model], "models": [], "has_more": false});
        return json_answer(StatusCode::OK, &list);
    }
    let error = json!({"type": "error", "error": {"type": "not_found_error", "message": path}});
    json_answer(StatusCode::NOT_FOUND, &error)
}

impl Shared {
    fn reply(&self, path: &str, asked: Asked, wire: Box<dyn Wire>, aside: &str) -> Response {
        let scene = asked.scene();
        let is_aside = asked.is_aside();
        self.note(&format!(
            "{path} {} {} tools: {}",
            scene.as_ref().map_or_else(|| "-".to_owned(), |(key, n)| format!("{key} #{n}")),
            if is_aside { "aside" } else { "turn" },
            asked.tools.keys().cloned().collect::<Vec<_>>().join(",")
        ));
        let (key, acts) = match scene {
            _ if is_aside => (None, vec![Act::Say(aside.to_owned())]),
            Some((key, results)) => {
                let acts = self.script.reply(&key.scene, results);
                (Some(key), acts)
            }
            None => (None, vec![Act::Say("Done.".to_owned())]),
        };
        let (stream, result) = (asked.stream, asked.result_id());
        let (truth, tools) = (Arc::clone(&self.truth), self.tools.clone());
        let reply = Reply { acts, wire, key, truth, tools, offered: asked.tools, result };
        reply.tell(What::Asked);
        if let Some(status) = reply.error() {
            reply.tell(What::Failed);
            let code = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            return json_answer(code, &reply.wire.error(status));
        }
        if !stream {
            return json_answer(StatusCode::OK, &reply.whole());
        }
        let (sink, pieces) = mpsc::channel(4);
        tokio::spawn(reply.stream(sink));
        let stream = futures_util::stream::unfold(pieces, |mut pieces| async {
            pieces.recv().await.map(|piece| (piece, pieces))
        });
        let kind =
            [(header::CONTENT_TYPE, "text/event-stream"), (header::CACHE_CONTROL, "no-cache")];
        (kind, Body::from_stream(stream)).into_response()
    }

    fn note(&self, line: &str) {
        let mut log = self.log.lock().expect("no panic inside");
        writeln!(log, "{line}").expect("the log of the requests");
    }
}

/// What is answered to a question aside: Gemini CLI asks for JSON, everybody else for a title.
fn gemini_aside(path: &str) -> &'static str {
    if path.contains("enerateContent") {
        r#"{"reasoning":"simple","model_choice":"flash","complexity_reasoning":"simple","complexity_score":5,"next_speaker":"user","confidence":0.1}"#
    } else {
        "A small task"
    }
}

fn json_answer(status: StatusCode, value: &Value) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], value.to_string()).into_response()
}
