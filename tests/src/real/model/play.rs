//! Plays a reply act by act.

use super::arguments::Tools;
use super::script::Act;
use super::truth::{Key, Truth, What};
use super::wire::Wire;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::Sender;

/// Between two pieces of a stream.
const PIECE_EVERY: Duration = Duration::from_millis(60);
/// Between two signs of life of a model that says nothing.
const PING_EVERY: Duration = Duration::from_secs(1);
const THOUGHT: &str = "It is worth a look at how the parts fit together. ";

/// A reply that is about to be sent.
pub(super) struct Reply {
    pub(super) acts: Vec<Act>,
    pub(super) wire: Box<dyn Wire>,
    /// The scene; nothing for what agents ask aside, of which nothing is told.
    pub(super) key: Option<Key>,
    pub(super) truth: Arc<Truth>,
    pub(super) tools: Tools,
    /// What the agent offers, with the schemas.
    pub(super) offered: BTreeMap<String, Value>,
    /// An identifier from the tool result before.
    pub(super) result: Option<String>,
}

/// Takes the pieces of a reply.
pub(super) type Sink = Sender<Result<String, io::Error>>;

/// Why a reply was not sent to its end.
enum Cut {
    /// The agent hung up.
    Left,
    /// The script breaks the connection.
    Dropped,
}

impl Reply {
    pub(super) fn tell(&self, what: What) {
        if let Some(key) = &self.key {
            self.truth.tell(key, what);
        }
    }

    /// The status of an error, where the script answers one now.
    pub(super) fn error(&self) -> Option<u16> {
        let released = || self.key.as_ref().is_some_and(|key| self.truth.is_released(key));
        self.acts.iter().find_map(|act| match act {
            Act::Fail { status, until_released } if !(*until_released && released()) => {
                Some(*status)
            }
            _ => None,
        })
    }

    /// The whole reply in one piece.
    pub(super) fn whole(&self) -> Value {
        let (mut text, mut calls) = (String::new(), Vec::new());
        for act in &self.acts {
            match act {
                Act::Say(words) => text += &self.numbered(words),
                Act::Call { tool, text } => calls.extend(self.call(tool, text)),
                _ => {}
            }
        }
        self.tell(if calls.is_empty() { What::Answered } else { What::Called });
        self.wire.whole(&text, &calls)
    }

    /// Sends the reply as a stream.
    pub(super) async fn stream(mut self, sink: Sink) {
        let what = match self.acts(&sink).await {
            Ok(called) => {
                let end = self.wire.end();
                // Told before it is sent: the agent may be quicker than this thread.
                self.tell(if called { What::Called } else { What::Answered });
                let _ = sink.send(Ok(end)).await;
                return;
            }
            Err(Cut::Left) => What::Left,
            Err(Cut::Dropped) => What::Failed,
        };
        self.tell(what);
    }

    async fn acts(&mut self, sink: &Sink) -> Result<bool, Cut> {
        let mut called = false;
        let begin = self.wire.begin();
        send(sink, begin).await?;
        for act in std::mem::take(&mut self.acts) {
            match act {
                Act::Hold {} => self.hold(sink, PING_EVERY, |wire| wire.ping()).await?,
                Act::Think {} => self.hold(sink, PIECE_EVERY, |wire| wire.think(THOUGHT)).await?,
                Act::Stream {} => {
                    // No sentence twice: some agents ask what to do about an answer that repeats.
                    let mut n = 0;
                    let next = |wire: &mut dyn Wire| {
                        n += 1;
                        wire.say(&format!(
                            "Row {n} comes in, part {n} reads it, index {n} has it. "
                        ))
                    };
                    self.hold(sink, PIECE_EVERY, next).await?;
                }
                Act::Say(text) => {
                    let text = self.numbered(&text);
                    let piece = self.wire.say(&text);
                    send(sink, piece).await?;
                }
                Act::Call { tool, text } => {
                    let piece = match self.call(&tool, &text) {
                        Some((name, arguments)) => {
                            called = true;
                            self.wire.call(&name, &arguments)
                        }
                        None if !self.tools.has(&tool) => String::new(),
                        None => self.wire.say(&format!("No tool for {tool} is on offer.")),
                    };
                    send(sink, piece).await?;
                }
                Act::Fail { .. } => {}
                Act::Drop {} => {
                    let _ = sink.send(Err(io::ErrorKind::ConnectionReset.into())).await;
                    return Err(Cut::Dropped);
                }
            }
        }
        Ok(called)
    }

    /// Sends a piece again and again until the scene is released.
    async fn hold(
        &mut self,
        sink: &Sink,
        every: Duration,
        mut piece: impl FnMut(&mut dyn Wire) -> String,
    ) -> Result<(), Cut> {
        let Some(key) = self.key.clone() else { return Ok(()) };
        let truth = Arc::clone(&self.truth);
        let released = truth.wait_release(&key);
        tokio::pin!(released);
        loop {
            let bytes = piece(self.wire.as_mut());
            send(sink, bytes).await?;
            tokio::select! {
                () = &mut released => return Ok(()),
                () = sink.closed() => return Err(Cut::Left),
                () = tokio::time::sleep(every) => {}
            }
        }
    }

    /// What is said or called for may name the scene's own number: its gate, another scene.
    fn numbered(&self, text: &str) -> String {
        let number = self.key.as_ref().map_or(0, |key| key.number).to_string();
        text.replace("{number}", &number)
    }

    fn call(&self, tool: &str, text: &str) -> Option<(String, Value)> {
        let (name, mut arguments) = self.tools.call(tool, &self.numbered(text), &self.offered)?;
        if let Some(result) = &self.result {
            let filled = arguments.to_string().replace("{result}", result);
            arguments = serde_json::from_str(&filled).unwrap_or(arguments);
        }
        Some((name, arguments))
    }
}

async fn send(sink: &Sink, bytes: String) -> Result<(), Cut> {
    if bytes.is_empty() {
        return if sink.is_closed() { Err(Cut::Left) } else { Ok(()) };
    }
    sink.send(Ok(bytes)).await.map_err(|_| Cut::Left)
}
